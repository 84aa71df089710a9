//! See [`fuzz::environment`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::environment(data));
