//! Memory: a corpus comes in; allocations and peaks of every strategy go out.
//!
//! A program of its own, because an allocator that counts would slow down what is timed.

// An allocator cannot be had without.
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

/// Counts the allocations of all strategies.
#[derive(Parser)]
struct Args {
    /// Where results go.
    #[arg(long, default_value = "target/bench")]
    out: PathBuf,
    /// Markdown of your own instead of made pages.
    directory: Option<PathBuf>,
}

/// What a contender used.
struct Use {
    name: String,
    allocations: usize,
    allocated: usize,
    /// The sum of the peaks, one for each page.
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
    println!("# Memory, with an input byte as the unit\n\n{}", use_table(&uses));
    let rows: Value = uses.iter().map(Use::json).collect();
    Report::open(&args.out)?.save("memory", rows)
}

/// What `work` uses on each page, after it has once seen the first.
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
    let columns = ["", "allocations a kB", "bytes allocated", "bytes at the peak"];
    table(&columns, &uses.iter().map(row).collect::<Vec<_>>())
}

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);
static ALLOCATED: AtomicUsize = AtomicUsize::new(0);

#[global_allocator]
static COUNTING: Counting = Counting;

/// The system's allocator, counted.
struct Counting;

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        LIVE.fetch_sub(layout.size(), Relaxed);
        grow(size);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

fn grow(bytes: usize) {
    ALLOCATIONS.fetch_add(1, Relaxed);
    ALLOCATED.fetch_add(bytes, Relaxed);
    PEAK.fetch_max(LIVE.fetch_add(bytes, Relaxed) + bytes, Relaxed);
}
