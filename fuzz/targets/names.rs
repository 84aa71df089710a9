//! See [`fuzz::names`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::names(data));
