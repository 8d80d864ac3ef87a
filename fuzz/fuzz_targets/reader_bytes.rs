//! See `lastbit_fuzz::reader_bytes`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| lastbit_fuzz::reader_bytes(data));
