//! Checks the laws on a directory: every strategy, several counters and limits.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Result, bail};
use chunkwright::{Chunker, Config, Strategy};
use chunkwright_io::{Entry, MAX_FILE_BYTES, Naming, ordered, read, walk};
use clap::Parser;

/// Check the laws on Markdown of your own.
#[derive(Parser)]
#[command(bin_name = "cargo xtask laws")]
struct Args {
    /// Directories or files of Markdown.
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Counters to check with.
    #[arg(long, value_delimiter = ',', default_value = "estimate,words,chars,cl100k,o200k")]
    counters: Vec<String>,
    /// Targets to check with; the maximum is the target, and its double.
    #[arg(long, value_delimiter = ',', default_value = "128,512,2000")]
    budgets: Vec<usize>,
    /// Faults to show at most.
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
                for &strategy in Strategy::ALL {
                    let mut config = Config::default().with_limits(target, max);
                    config.strategy = strategy;
                    faults += check(args, &entries, counter, config.clone())?;
                    if strategy == Strategy::Hierarchical {
                        config.hierarchical.min = Some(0);
                        faults += check(args, &entries, counter, config)?;
                    }
                }
            }
        }
    }
    if faults > 0 {
        bail!("{faults} faults");
    }
    Ok(())
}

fn check(args: &Args, entries: &[Entry], counter: &str, config: Config) -> Result<usize> {
    let start = Instant::now();
    let counter = chunkwright::counter_by_name(counter)?;
    let options = format!("{} {}", config.strategy, limits(&config));
    let chunker = Chunker::new(config, Arc::clone(&counter))?;
    let work = |entry: &Entry| match read(entry, MAX_FILE_BYTES) {
        Ok(text) => {
            let source = entry.with_text(&text);
            chunkwright_laws::check(&chunker, &*counter, &source)
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
        "{options} {}: {} files, {faults} faults ({:.1} s)",
        counter.name(),
        entries.len(),
        start.elapsed().as_secs_f32()
    );
    Ok(faults)
}

/// The limits of the chosen strategy.
fn limits(config: &Config) -> String {
    let (target, max) = (config.blocks.target.unwrap_or(0), config.blocks.max.unwrap_or(0));
    match config.hierarchical.min.filter(|_| config.strategy == Strategy::Hierarchical) {
        Some(min) => format!("target {target} max {max} min {min}"),
        None => format!("target {target} max {max}"),
    }
}
