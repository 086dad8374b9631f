//! Measures the library on several threads.

use std::convert::Infallible;
use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use chunkwright::StrategyName;
use chunkwright_bench::corpus::{Corpus, Page};
use chunkwright_bench::ours;
use chunkwright_io::ordered;
use clap::Parser;
use cpu_time::ProcessTime;
use serde_json::json;

/// Split all pages once, and print the time as JSON.
#[derive(Parser)]
struct Args {
    /// Strategy.
    strategy: StrategyName,
    /// Counter.
    counter: String,
    /// Target and maximum.
    limit: usize,
    /// Number of threads.
    jobs: usize,
    /// Directory of the pages.
    directory: PathBuf,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let pages = Corpus::open(Some(&args.directory))?.pages;
    let chunker = ours::chunker(args.strategy, &args.counter, Some(args.limit))?;
    let mut chunks = 0;
    let (wall, cpu) = (Instant::now(), ProcessTime::now());
    let work = |page: &Page| black_box(chunker.chunk_source(&page.source())).chunks.len();
    let Ok(()) = ordered(
        &pages,
        args.jobs,
        work,
        |_| 0,
        |more| {
            chunks += more;
            Ok::<(), Infallible>(())
        },
    );
    let (wall, cpu) = (wall.elapsed().as_secs_f64(), cpu.elapsed().as_secs_f64());
    println!("{}", json!({ "wall": wall, "cpu": cpu, "chunks": chunks }));
    Ok(())
}
