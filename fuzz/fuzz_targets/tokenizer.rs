//! See `lastbit_fuzz::tokenizer`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| lastbit_fuzz::tokenizer(data));
