//! Checks that splitting a long text fills the target with every counter, and never exceeds it.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

use chunkwright::{Chunker, ConfigTable, Context, StrategyName};

/// Returns the tokens of each chunk of a page, with default limits and no context line.
fn sizes(strategy: StrategyName, counter: &str, page: &str) -> Vec<usize> {
    let mut config = ConfigTable::default();
    config.strategy = strategy;
    config.context = Some(Context::None);
    let counter = chunkwright::counter_by_name(counter).unwrap();
    let chunker = Chunker::new(config, counter).unwrap();
    chunker.chunk("page.md", page).chunks.iter().map(|chunk| chunk.tokens).collect()
}

/// Checks that all chunks but the last have between `least` and 512 tokens.
#[track_caller]
fn fill_the_target(sizes: &[usize], least: usize) {
    let (last, others) = sizes.split_last().unwrap();
    assert!(others.len() > 4, "{sizes:?}");
    assert!(others.iter().all(|size| (least..=512).contains(size)), "{sizes:?}");
    assert!(*last <= 512, "{sizes:?}");
}

#[test]
fn words_without_sentences_fill_the_target() {
    for counter in ["estimate", "words:1", "o200k"] {
        for strategy in [StrategyName::Hierarchical, StrategyName::Blocks] {
            fill_the_target(&sizes(strategy, counter, &"word ".repeat(3000)), 500);
        }
    }
}

#[test]
fn one_letter_words_fill_the_target() {
    fill_the_target(&sizes(StrategyName::Blocks, "estimate", &"a ".repeat(6000)), 500);
}

#[test]
fn short_lines_of_code_fill_the_target() {
    let page = format!("```\n{}```\n", "a = b\n".repeat(2000));
    for strategy in [StrategyName::Hierarchical, StrategyName::Blocks] {
        fill_the_target(&sizes(strategy, "estimate", &page), 500);
    }
}

#[test]
fn list_items_fill_the_target() {
    fill_the_target(&sizes(StrategyName::Blocks, "estimate", &"- an item\n".repeat(2000)), 500);
}

#[test]
fn short_sentences_stay_within_the_target() {
    for counter in ["estimate", "chars", "o200k"] {
        let page = "This is a short one. ".repeat(800);
        let sizes = sizes(StrategyName::Hierarchical, counter, &page);
        fill_the_target(&sizes, 480);
    }
}
