//! Parses or splits the same pages every time, for `cargo xtask instructions`.

use std::hint::black_box;

use anyhow::{Context as _, Result, bail};
use chunkwright::{Chunker, Shortcuts, StrategyName};
use chunkwright_bench::corpus::Page;
use chunkwright_bench::{generate, ours};

const BYTES: usize = 200_000;

/// The prefix of the name of a shortcut to parse without.
const WITHOUT: &str = "read-without-";

fn main() -> Result<()> {
    let work = std::env::args().nth(1).context("expected `read` or a strategy")?;
    let pages = generate::pages(BYTES);
    let pages: Vec<&Page> = pages.iter().collect();
    let shortcuts = match work.strip_prefix(WITHOUT) {
        Some(name) => Some(without(name)?),
        None => (work == "read").then_some(Shortcuts::ALL),
    };
    let strategy = if shortcuts.is_some() { StrategyName::default() } else { work.parse()? };
    let chunker = ours::chunker(strategy, "estimate", None)?;
    black_box(under_valgrind(&chunker, &pages, shortcuts));
    Ok(())
}

/// Returns the shortcuts of the parser without one of them, or without any.
fn without(name: &str) -> Result<Shortcuts> {
    let mut shortcuts = Shortcuts::ALL;
    match name {
        "any" => return Ok(Shortcuts::NONE),
        "paragraphs" => shortcuts.paragraphs = false,
        "lists" => shortcuts.lists = false,
        "fences" => shortcuts.fences = false,
        "headings" => shortcuts.headings = false,
        "titles" => shortcuts.titles = false,
        "front-matter" => shortcuts.front_matter = false,
        _ => bail!("unknown shortcut `{name}`"),
    }
    Ok(shortcuts)
}

/// Valgrind counts only the instructions of this function.
#[inline(never)]
fn under_valgrind(chunker: &Chunker, pages: &[&Page], shortcuts: Option<Shortcuts>) -> usize {
    match shortcuts {
        Some(shortcuts) => ours::read_with(chunker, pages, shortcuts),
        None => ours::cut(chunker, pages),
    }
}
