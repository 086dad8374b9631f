//! Checks that blocks cover a page without gaps, that sections and nodes are consistent with them,
//! and that the shortcuts of the parser find the same blocks and headings as parsing the whole page.

#![no_main]

use chunkwright::Format;
use chunkwright_fuzz::{reading, text, watch};
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: watch(), |data: &[u8]| {
    let Some((nth, rest)) = data.split_first() else { return };
    let format = [Format::Markdown, Format::Mdx, Format::Text][usize::from(*nth) % 3];
    reading::check(&text(rest), format);
});
