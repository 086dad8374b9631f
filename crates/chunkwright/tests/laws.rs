//! Checks the laws on every page of the corpus, with every strategy and several limits and counters.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]
#![allow(clippy::disallowed_methods, reason = "only the library must not read files")]

use std::path::PathBuf;
use std::sync::Arc;

use chunkwright::{Chunker, ConfigTable, Context, Source, StrategyName};

/// Each counter, with targets down to barely one word.
const MEASURES: &[(&str, &[usize])] = &[
    ("estimate", &[3, 32, 128, 512]),
    ("words", &[32, 512]),
    ("words:1", &[3, 128]),
    ("chars", &[8, 32, 512]),
    ("cl100k", &[3, 32, 128]),
    ("o200k", &[8, 32, 128, 512]),
];

/// Bytes of a hostile page, enough to be split many times.
const HOSTILE_BYTES: usize = 3000;

fn corpus() -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut pages: Vec<(String, String)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name().into_string().unwrap(), entry.path()))
        .filter(|(name, _)| !name.starts_with('.'))
        .map(|(name, path)| (name, std::fs::read_to_string(path).unwrap()))
        .collect();
    pages.sort();
    assert!(pages.len() >= 40, "the corpus has only {} pages", pages.len());
    pages
}

/// Checks the laws on the whole corpus, with `max` equal to `target` and to twice that.
fn check(strategy: StrategyName, counter: &str, target: usize, faults: &mut Vec<String>) {
    let counter = chunkwright::counter_by_name(counter).unwrap();
    let name = counter.name().to_owned();
    for (max, context) in [(target, Context::None), (target * 2, Context::Title)] {
        let mut config = ConfigTable::default();
        config.strategy = strategy;
        config.context = Some(context);
        let mut config = config.with_limits(target, max);
        // The law that subtrees stay whole applies only if no chunks merge.
        if max > target {
            config.hierarchical.min = Some(0);
        }
        let chunker = Chunker::new(config, Arc::clone(&counter)).unwrap();
        for (path, text) in corpus() {
            let found =
                chunkwright_testkit::laws::check(&chunker, &*counter, &Source::new(&path, &text));
            faults.extend(found.iter().map(|f| format!("{strategy} {name} {target} {max} {f}")));
        }
    }
}

#[test]
fn laws_hold_for_every_strategy_and_page() {
    let mut faults = Vec::new();
    for &strategy in StrategyName::ALL {
        for (counter, targets) in MEASURES {
            targets.iter().for_each(|&target| check(strategy, counter, target, &mut faults));
        }
    }
    let some = &faults[..faults.len().min(40)];
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), some.join("\n"));
}

#[test]
fn laws_hold_for_every_strategy_and_hostile_page() {
    let mut faults = Vec::new();
    for &strategy in StrategyName::ALL {
        for (counter, target) in [("estimate", 64), ("o200k", 16)] {
            let counter = chunkwright::counter_by_name(counter).unwrap();
            let mut config = ConfigTable::default().with_limits(target, target * 2);
            config.strategy = strategy;
            let chunker = Chunker::new(config, Arc::clone(&counter)).unwrap();
            for pattern in chunkwright_testkit::hostile::patterns() {
                let (path, page) = (pattern.path(), (pattern.page)(HOSTILE_BYTES));
                let source = Source::new(&path, &page);
                let found = chunkwright_testkit::laws::check(&chunker, &*counter, &source);
                faults.extend(found.iter().map(|fault| format!("{strategy} {target} {fault}")));
            }
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn exact_counts_agree_with_tiktoken() {
    let others = [
        ("cl100k", tiktoken_rs::cl100k_base_singleton()),
        ("o200k", tiktoken_rs::o200k_base_singleton()),
    ];
    for (name, other) in others {
        let counter = chunkwright::counter_by_name(name).unwrap();
        let chunker = Chunker::new(ConfigTable::default().with_limits(100, 200), counter).unwrap();
        for (path, text) in corpus() {
            for chunk in chunker.chunk(&path, &text).chunks {
                let tokens = other.encode_ordinary(&chunk.embed_text()).len();
                assert_eq!(chunk.tokens, tokens, "{name} {}", chunk.id);
            }
        }
    }
}
