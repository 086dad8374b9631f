//! Checks that the gate accepts the head of a request if and only if a second statement of its rules
//! does.

#![no_main]

use chunkwright_fuzz::{gate, watch};
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: watch(), |data: &[u8]| {
    gate::check(data);
});
