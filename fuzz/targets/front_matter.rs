//! Front matter of either syntax: it is read whole or not at all, within its bounds, and says the
//! same when something is added that takes the YAML parser to read.

#![no_main]

use chunkwright_fuzz::{front_matter, text, watch};
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: watch(), |data: &[u8]| {
    front_matter::check(&text(data));
});
