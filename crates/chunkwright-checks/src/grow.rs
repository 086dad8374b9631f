//! Splits hostile pages: the program that `cargo xtask hostile` measures.

#![allow(clippy::print_stdout, reason = "this is a program")]

use std::collections::BTreeSet;
use std::hint::black_box;
use std::thread;

use anyhow::{Context as _, Result, bail};
use chunkwright::{Chunker, Config, ConfigTable, Source, StrategyName};
use chunkwright_testkit::hostile::{Pattern, patterns};

/// The default stack size of a Rust thread.
const STACK: usize = 2 << 20;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["grow", strategy, counter, bytes, ref paths @ ..] => {
            // Small chunks, so that pages of every size are split.
            let mut table = ConfigTable::default().with_limits(16, 32);
            table.strategy = strategy.parse()?;
            grow(&chunker(table, counter)?, bytes.parse()?, paths);
            Ok(())
        }
        ["peak", strategy, counter, path, bytes] => {
            let strategy: StrategyName = strategy.parse()?;
            peak(&chunker(strategy, counter)?, path, bytes.parse()?)
        }
        _ => {
            bail!("usage: grow STRATEGY COUNTER BYTES PATH..., or peak STRATEGY COUNTER PATH BYTES")
        }
    }
}

fn chunker(config: impl Into<Config>, counter: &str) -> Result<Chunker> {
    Ok(Chunker::new(config, chunkwright::counter_by_name(counter)?)?)
}

/// Splits pages of one, two and four times a size.
fn grow(chunker: &Chunker, bytes: usize, paths: &[&str]) {
    for pattern in patterns().filter(|pattern| paths.contains(&&*pattern.path())) {
        let path = pattern.path();
        for bytes in [bytes, 2 * bytes, 4 * bytes] {
            let page = (pattern.page)(bytes);
            black_box(under_valgrind(chunker, &Source::new(&path, &page)));
        }
    }
}

/// Valgrind counts only the instructions of this function.
#[inline(never)]
fn under_valgrind(chunker: &Chunker, source: &Source<'_>) -> usize {
    chunker.chunk_source(source).chunks.len()
}

/// Splits one page on a thread with the default stack. Prints the peak memory of the process in
/// kilobytes, the number of chunks and the kinds of notes.
fn peak(chunker: &Chunker, path: &str, bytes: usize) -> Result<()> {
    let pattern = patterns().find(|pattern| pattern.path() == path).context("unknown pattern")?;
    let outcome = thread::scope(|scope| {
        let work = || outcome(chunker, pattern, bytes);
        thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, work)?
            .join()
            .map_err(|_| std::io::Error::other("the thread panicked"))
    })?;
    let status = std::fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak = peak.and_then(|rest| rest.split_whitespace().next()).context("no VmHWM")?;
    println!("{peak} {outcome}");
    Ok(())
}

fn outcome(chunker: &Chunker, pattern: &Pattern, bytes: usize) -> String {
    let page = (pattern.page)(bytes);
    let path = pattern.path();
    let chunked = chunker.chunk(&path, &page);
    let kinds = chunked.notes().map(|note| serde_json::to_value(note.kind));
    let kinds: BTreeSet<String> =
        kinds.filter_map(|kind| Some(kind.ok()?.as_str()?.to_owned())).collect();
    format!("{} {}", chunked.chunks.len(), kinds.into_iter().collect::<Vec<_>>().join(", "))
}
