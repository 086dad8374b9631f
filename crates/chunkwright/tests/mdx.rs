//! The laws for random MDX, read as MDX and as Markdown.
//!
//! Runs are the same every time. To look further: `PROPTEST_CASES=20000 PROPTEST_RNG_SEED=7`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must stop")]

#[path = "common/mdx.rs"]
mod pages;

use chunkwright::{Bias, Chunker, Config, Context, Source, Strategy};
use proptest::prelude::{Just, ProptestConfig, Strategy as _, TestCaseError};
use proptest::sample::select;
use proptest::test_runner::{RngSeed, contextualize_config};
use proptest::{prop_assert, prop_oneof, proptest};

use pages::mdx;

proptest! {
    #![proptest_config(contextualize_config(ProptestConfig {
        cases: 2000,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        max_shrink_iters: 20_000,
        ..ProptestConfig::default()
    }))]

    #[test]
    fn laws_hold_for_mdx(text in mdx(), options in options()) {
        options.hold_laws("page.mdx", &text)?;
    }

    #[test]
    fn laws_hold_for_mdx_taken_as_markdown(text in mdx(), options in options()) {
        options.hold_laws("page.md", &text)?;
    }
}

/// How a page is cut.
#[derive(Clone, Debug)]
struct Options {
    strategy: Strategy,
    counter: &'static str,
    target: usize,
    max: usize,
    context: Context,
}

fn options() -> impl proptest::strategy::Strategy<Value = Options> {
    let target = prop_oneof![1..20usize, 20..100usize, 100..600usize];
    let context = select(vec![Context::None, Context::Breadcrumb]);
    let counter = select(vec!["estimate", "words:1", "chars", "o200k"]);
    let share = prop_oneof![Just(0), 0..101usize];
    (select(Strategy::ALL), counter, target, share, context).prop_map(
        |(strategy, counter, target, percent, context)| {
            // In a few tokens a quote mark may not stand beside what follows it.
            let target = if counter == "o200k" { target.max(16) } else { target };
            let max = target + target * percent / 100;
            Options { strategy, counter, target, max, context }
        },
    )
}

impl Options {
    fn hold_laws(&self, path: &str, text: &str) -> Result<(), TestCaseError> {
        let mut config = Config::default();
        config.strategy = self.strategy;
        config.context = Some(self.context);
        let config = config.with_limits(self.target, self.max);
        let counter = chunkwright_tokens::counter(self.counter, Bias::Balanced).unwrap();
        let chunker = Chunker::new(config, counter.clone()).unwrap();
        let source = Source::new(path, text);
        let document = chunker.read(&source);
        // A heading with nothing below it may be alone in a chunk after a full one.
        if self.max >= 64 && document.headings.len() >= document.sections.len() {
            return Ok(());
        }
        let faults = chunkwright_laws::check(&chunker, &*counter, &source);
        let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
        prop_assert!(faults.is_empty(), "{text:?}\n{}", faults.join("\n"));
        Ok(())
    }
}
