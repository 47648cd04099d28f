#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| boardkit_fuzz::query::check(bytes));
