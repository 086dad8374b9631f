//! Checks the laws for a single block that exceeds a very small limit.

#![no_main]

use chunkwright::{Format, StrategyName};
use chunkwright_fuzz::{Options, block, watch};
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: watch(), |data: &[u8]| {
    let [nth, target, more, rest @ ..] = data else { return };
    let strategy = StrategyName::ALL[usize::from(*nth) % StrategyName::ALL.len()];
    let target = usize::from(*target) % 64 + 1;
    let (mut options, _) = Options::take(strategy, &[]);
    options.config = options.config.with_limits(target, target + usize::from(*more) % 64);
    options.counter = ["words:1", "chars", "estimate", "o200k"][usize::from(*nth) / 4 % 4];
    let format = if *nth >= 128 { Format::Mdx } else { Format::Markdown };
    options.hold_laws(format, &block(rest));
});
