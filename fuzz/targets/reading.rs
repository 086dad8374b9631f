//! A page in one of the formats: blocks tile it, sections and nodes lie over the blocks, and
//! headings are those that the parser finds when it sees the whole page.

#![no_main]

use chunkwright::Format;
use chunkwright_fuzz::{reading, text, watch};
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: watch(), |data: &[u8]| {
    let Some((nth, rest)) = data.split_first() else { return };
    let format = [Format::Markdown, Format::Mdx, Format::Text][usize::from(*nth) % 3];
    reading::check(&text(rest), format);
});
