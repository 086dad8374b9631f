//! Checks the laws for MDX pages with an arbitrary strategy and options.

#![no_main]

use chunkwright::{Format, StrategyName};
use chunkwright_fuzz::{Options, watch};
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: watch(), |data: &[u8]| {
    let Some((nth, rest)) = data.split_first() else { return };
    let strategy = StrategyName::ALL[usize::from(*nth) % StrategyName::ALL.len()];
    let (options, text) = Options::take(strategy, rest);
    options.hold_laws(Format::Mdx, &text);
});
