//! Checks the laws for `hierarchical` with arbitrary options and pages.

#![no_main]

use chunkwright::{Format, StrategyName};
use chunkwright_fuzz::{Options, watch};
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: watch(), |data: &[u8]| {
    let (options, text) = Options::take(StrategyName::Hierarchical, data);
    options.hold_laws(Format::Markdown, &text);
});
