//! Checks that front matter is parsed completely or not at all, and within its limits, and that
//! simple YAML gives the same values with and without the full YAML parser.

#![no_main]

use chunkwright_fuzz::{front_matter, text, watch};
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: watch(), |data: &[u8]| {
    front_matter::check(&text(data));
});
