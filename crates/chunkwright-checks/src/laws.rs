//! Checks the laws on your own files, with every strategy and several counters and limits.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Result, bail};
use chunkwright::{Chunker, ConfigTable, Strategy, StrategyName};
use chunkwright_io::{Entry, MAX_FILE_BYTES, Naming, ordered, read, walk};
use clap::Parser;

/// Check the laws on your own Markdown.
#[derive(Parser)]
#[command(bin_name = "cargo xtask laws")]
struct Args {
    /// Markdown files and directories.
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Counters to check with.
    #[arg(long, value_delimiter = ',', default_value = "estimate,words,chars,cl100k,o200k")]
    counters: Vec<String>,
    /// Targets to check with, each with the same and with twice the maximum.
    #[arg(long, value_delimiter = ',', default_value = "128,512,2000")]
    budgets: Vec<usize>,
    /// Maximum number of violations to print per combination.
    #[arg(long, default_value_t = 20)]
    most: usize,
}

fn main() -> Result<()> {
    let args = &Args::parse();
    let found = walk(&args.paths, &Naming::default())?;
    found.errors.iter().for_each(|error| eprintln!("{error}"));
    let entries: Vec<_> = found.entries.iter().collect();
    let mut faults = 0;
    for counter in &args.counters {
        for &target in &args.budgets {
            for max in [target, target * 2] {
                let mut table = ConfigTable::default().with_limits(target, max);
                for &name in StrategyName::ALL {
                    table.strategy = name;
                    let strategy = table.config().strategy;
                    let limits = format!("{} target {target} max {max}", strategy.name());
                    faults += check(args, &entries, counter, strategy.clone(), &limits)?;
                    if let Strategy::Hierarchical(options) = strategy {
                        let limits = format!("{limits} min 0");
                        faults += check(args, &entries, counter, options.min(0).into(), &limits)?;
                    }
                }
            }
        }
    }
    if faults > 0 {
        bail!("{faults} violations");
    }
    Ok(())
}

fn check(
    args: &Args,
    entries: &[Entry],
    counter: &str,
    strategy: Strategy,
    limits: &str,
) -> Result<usize> {
    let start = Instant::now();
    let counter = chunkwright::counter_by_name(counter)?;
    let chunker = Chunker::new(strategy, Arc::clone(&counter))?;
    let work = |entry: &Entry| match read(entry, MAX_FILE_BYTES) {
        Ok(text) => {
            let source = entry.with_text(&text);
            chunkwright_testkit::laws::check(&chunker, &*counter, &source)
        }
        Err(error) => {
            eprintln!("{error}");
            Vec::new()
        }
    };
    let mut faults = 0;
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    ordered(entries, jobs, work, Vec::len, |found| {
        for fault in found {
            faults += 1;
            if faults <= args.most {
                println!("  {fault}");
            }
        }
        Ok::<(), std::convert::Infallible>(())
    })?;
    println!(
        "{limits} {}: {} files, {faults} violations ({:.1} s)",
        counter.name(),
        entries.len(),
        start.elapsed().as_secs_f32()
    );
    Ok(faults)
}
