//! Measures the allocations and the peak memory of every strategy.
//!
//! This is a separate program, because a counting allocator would slow down the other benchmarks.

// Implementing `GlobalAlloc` is unsafe.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use anyhow::Result;
use chunkwright::StrategyName;
use chunkwright_bench::corpus::{Corpus, Page, bytes};
use chunkwright_bench::ours;
use chunkwright_bench::report::Report;
use chunkwright_bench::table::{figures, table};
use clap::Parser;
use serde_json::{Value, json};

/// Measure the allocations of every strategy.
#[derive(Parser)]
struct Args {
    /// Directory for the results.
    #[arg(long, default_value = "target/bench")]
    out: PathBuf,
    /// Markdown to measure instead of generated pages.
    directory: Option<PathBuf>,
}

/// The memory that a contender used.
struct Use {
    name: String,
    allocations: usize,
    allocated: usize,
    /// The sum of the peaks of all pages.
    peaks: usize,
    bytes: usize,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let corpus = Corpus::open(args.directory.as_deref())?;
    let mut uses = vec![of_pages("bare pulldown-cmark loop", &corpus, |page| {
        ours::parse(&[page]);
    })];
    for &strategy in StrategyName::ALL {
        for counter in ["estimate", "o200k"] {
            let chunker = ours::chunker(strategy, counter, None)?;
            uses.push(of_pages(&format!("{strategy} {counter}"), &corpus, |page| {
                ours::cut(&chunker, &[page]);
            }));
        }
    }
    #[cfg(feature = "peers")]
    {
        let peer = chunkwright_bench::peers::text_splitter_chars(2000);
        uses.push(of_pages("text-splitter chars 2000", &corpus, |page| {
            peer(&[page]);
        }));
    }
    println!("# Memory per input byte\n\n{}", use_table(&uses));
    let rows: Value = uses.iter().map(Use::json).collect();
    Report::open(&args.out)?.save("memory", rows)
}

/// Measures `work` on each page, after a warm-up on the first.
fn of_pages(name: &str, corpus: &Corpus, work: impl Fn(&Page)) -> Use {
    work(&corpus.pages[0]);
    let bytes = bytes(&corpus.pages);
    let mut used = Use { name: name.to_owned(), allocations: 0, allocated: 0, peaks: 0, bytes };
    for page in &corpus.pages {
        let before = LIVE.load(Relaxed);
        PEAK.store(before, Relaxed);
        ALLOCATIONS.store(0, Relaxed);
        ALLOCATED.store(0, Relaxed);
        work(page);
        used.allocations += ALLOCATIONS.load(Relaxed);
        used.allocated += ALLOCATED.load(Relaxed);
        used.peaks += PEAK.load(Relaxed) - before;
    }
    used
}

impl Use {
    fn per_byte(&self, number: usize) -> f64 {
        number as f64 / self.bytes as f64
    }

    fn json(&self) -> Value {
        json!({
            "name": self.name,
            "allocations_per_kilobyte": self.per_byte(self.allocations) * 1e3,
            "allocated_per_byte": self.per_byte(self.allocated),
            "peak_per_byte": self.per_byte(self.peaks),
        })
    }
}

fn use_table(uses: &[Use]) -> String {
    let row = |used: &Use| {
        vec![
            used.name.clone(),
            figures(used.per_byte(used.allocations) * 1e3),
            figures(used.per_byte(used.allocated)),
            figures(used.per_byte(used.peaks)),
        ]
    };
    let columns = ["", "allocations per kB", "bytes allocated", "peak bytes"];
    table(&columns, &uses.iter().map(row).collect::<Vec<_>>())
}

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);
static ALLOCATED: AtomicUsize = AtomicUsize::new(0);

#[global_allocator]
static COUNTING: Counting = Counting;

/// The system allocator with counters.
struct Counting;

// SAFETY: every call is forwarded to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        // SAFETY: the caller upholds the contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller upholds the contract.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        LIVE.fetch_sub(layout.size(), Relaxed);
        grow(size);
        // SAFETY: the caller upholds the contract.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

fn grow(bytes: usize) {
    ALLOCATIONS.fetch_add(1, Relaxed);
    ALLOCATED.fetch_add(bytes, Relaxed);
    PEAK.fetch_max(LIVE.fetch_add(bytes, Relaxed) + bytes, Relaxed);
}
