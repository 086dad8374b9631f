//! Parses or splits the same pages every time, for `cargo xtask instructions`.

use std::hint::black_box;

use anyhow::{Context as _, Result};
use chunkwright::{Chunker, StrategyName};
use chunkwright_bench::corpus::Page;
use chunkwright_bench::{generate, ours};

const BYTES: usize = 200_000;

fn main() -> Result<()> {
    let work = std::env::args().nth(1).context("expected `read` or a strategy")?;
    let pages = generate::pages(BYTES);
    let pages: Vec<&Page> = pages.iter().collect();
    let only_read = work == "read";
    let strategy = if only_read { StrategyName::default() } else { work.parse()? };
    let chunker = ours::chunker(strategy, "estimate", None)?;
    black_box(measured(&chunker, &pages, only_read));
    Ok(())
}

/// Valgrind counts only the instructions of this function.
#[inline(never)]
fn measured(chunker: &Chunker, pages: &[&Page], only_read: bool) -> usize {
    if only_read { ours::read(chunker, pages) } else { ours::cut(chunker, pages) }
}
