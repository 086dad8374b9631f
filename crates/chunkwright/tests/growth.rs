//! Counting is most of the work: of a hostile page, however large, each byte is counted a few times,
//! and told a few times. All on the stack of a thread.
//!
//! `cargo xtask hostile` looks at all of the work; this looks at the same pages without tools.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must stop")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use chunkwright::{Chunk, Chunker, ConfigTable, Scale, StrategyName, TextKind, TokenCounter};
use chunkwright_testkit::hostile::patterns;

/// Bytes of a page, at three sizes.
const SIZES: [usize; 3] = [10_000, 20_000, 40_000];

/// How often each byte is counted at most, on average.
const MOST_OFTEN: usize = 20;

/// How often each byte is told at most, on average.
const MOST_TOLD: usize = 8;

/// The stack of a thread, unless told otherwise.
const STACK: usize = 2 << 20;

/// A counter that knows how many bytes it has seen, and one more for each call.
struct Watched {
    counter: Arc<dyn TokenCounter>,
    seen: AtomicUsize,
}

impl TokenCounter for Watched {
    fn name(&self) -> &str {
        self.counter.name()
    }

    fn count(&self, text: &str, kind: TextKind) -> usize {
        self.seen.fetch_add(text.len() + 1, Relaxed);
        self.counter.count(text, kind)
    }

    fn scale(&self) -> Scale {
        self.counter.scale()
    }

    fn adds_at(&self, text: &str, at: usize) -> bool {
        self.counter.adds_at(text, at)
    }

    fn sums_pieces(&self) -> bool {
        self.counter.sums_pieces()
    }
}

#[test]
fn each_byte_of_a_hostile_page_is_counted_and_told_a_few_times() {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(check_all).unwrap();
    let faults = thread.join().unwrap();
    assert!(faults.is_empty(), "{} times too often:\n{}", faults.len(), faults.join("\n"));
}

fn check_all() -> Vec<String> {
    let mut faults = Vec::new();
    for &strategy in StrategyName::ALL {
        for counter in ["estimate", "words"] {
            let counter = chunkwright::counter_by_name(counter).unwrap();
            let watched = Arc::new(Watched { counter, seen: AtomicUsize::new(0) });
            let mut config = ConfigTable::default().with_limits(64, 128);
            config.strategy = strategy;
            let chunker = Chunker::new(config, Arc::<Watched>::clone(&watched)).unwrap();
            for (pattern, bytes) in patterns().flat_map(|pattern| SIZES.map(|size| (pattern, size)))
            {
                let (path, page) = (pattern.path(), (pattern.page)(bytes));
                let chunks = chunker.chunk(&path, &page).chunks;
                let often = watched.seen.swap(0, Relaxed) / page.len();
                let told = chunks.iter().map(told).sum::<usize>() / page.len();
                if often > MOST_OFTEN || told > MOST_TOLD {
                    let name = watched.name();
                    faults.push(format!("{strategy} {name} {path} {bytes}: {often}, {told}"));
                }
            }
        }
    }
    faults
}

/// The bytes that a chunk tells of its page, but for titles.
fn told(chunk: &Chunk<'_>) -> usize {
    let metadata = chunk.metadata.as_ref().map(|all| serde_json::to_string(all).unwrap().len());
    chunk.text.len() + metadata.unwrap_or(0)
}
