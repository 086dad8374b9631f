//! Checks that work and output grow linearly with the size of a hostile page.
//!
//! Most of the work is counting tokens, so the test limits how often each byte is counted, and how
//! often chunks contain it. It runs on the default stack of a thread, which deep recursion would
//! overflow. `cargo xtask hostile` measures all of the work on the same pages, but needs external
//! tools.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use chunkwright::{Chunk, Chunker, ConfigTable, Scale, StrategyName, TextKind, TokenCounter};
use chunkwright_testkit::hostile::patterns;

/// Page sizes in bytes.
const SIZES: [usize; 3] = [10_000, 20_000, 40_000];

/// Maximum number of times that each byte is counted, on average.
const MOST_OFTEN: usize = 20;

/// Maximum number of times that chunks contain each byte, on average.
const MOST_TOLD: usize = 8;

/// Default stack size of a thread in bytes.
const STACK: usize = 2 << 20;

/// A counter that records the number of bytes it counts, plus one per call.
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
fn counting_and_output_grow_linearly_on_hostile_pages() {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(check_all).unwrap();
    let faults = thread.join().unwrap();
    assert!(faults.is_empty(), "{} pages over a limit:\n{}", faults.len(), faults.join("\n"));
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
                    let page = format!("{strategy} {name} {path} {bytes} bytes");
                    faults.push(format!("{page}: counted {often} times, contained {told} times"));
                }
            }
        }
    }
    faults
}

/// Returns the bytes of its page that a chunk contains, except for titles.
fn told(chunk: &Chunk<'_>) -> usize {
    let metadata = chunk.metadata.as_ref().map(|all| serde_json::to_string(all).unwrap().len());
    chunk.text.len() + metadata.unwrap_or(0)
}
