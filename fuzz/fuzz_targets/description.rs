//! See `lastbit_fuzz::description`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| lastbit_fuzz::description(data));
