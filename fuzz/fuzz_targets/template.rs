//! See `lastbit_fuzz::template`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| lastbit_fuzz::template(data));
