//! Checks that a URI gives an id without control characters and `..`, and that a URI made from the
//! id of a page or section gives this id.

#![no_main]

use chunkwright_fuzz::{uri, watch};
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: watch(), |data: &[u8]| {
    uri::check(data);
});
