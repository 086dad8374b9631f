//! Runs the benchmarks for `cargo xtask bench`.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::Result;
use chunkwright::StrategyName;
use chunkwright_bench::corpus::Corpus;
use chunkwright_bench::report::Report;
use chunkwright_bench::{growth, many, mcp, ours, profiles, speed, startup, vocabulary};
use clap::Parser;

/// Measure chunkwright.
#[derive(Parser)]
struct Args {
    /// Directory for the results.
    #[arg(long, default_value = "target/bench")]
    out: PathBuf,
    #[command(subcommand)]
    part: Part,
}

#[derive(clap::Subcommand)]
enum Part {
    /// Compare the library, its parts and its peers on the same pages in memory.
    Speed {
        /// Markdown to measure instead of generated pages.
        directory: Option<PathBuf>,
        /// Number of rounds; the best counts.
        #[arg(long, default_value_t = 7)]
        rounds: usize,
    },
    /// Measure ever longer documents, and ever more documents.
    Growth,
    /// Measure the command on many files.
    Cli {
        /// The `chunkwright` binary.
        #[arg(long)]
        command: PathBuf,
        /// Markdown to measure instead of generated files.
        directory: Option<PathBuf>,
    },
    /// Compare the command of a release with the quicker build of `cargo run --release`.
    Profiles {
        /// The `chunkwright` binary built with the profile `dist`.
        #[arg(long)]
        dist: PathBuf,
        /// The `chunkwright` binary built with the profile `release`.
        #[arg(long)]
        release: PathBuf,
        /// Markdown to measure instead of generated pages.
        directory: Option<PathBuf>,
    },
    /// Measure whole processes that have little to do.
    Startup {
        /// The `chunkwright` binary.
        #[arg(long)]
        command: PathBuf,
        /// A Python interpreter with the package installed.
        #[arg(long)]
        python: PathBuf,
        /// Markdown to measure instead of generated pages.
        directory: Option<PathBuf>,
    },
    /// Compare searches over MCP with the same searches in this process.
    Mcp {
        /// The `chunkwright` binary.
        #[arg(long)]
        command: PathBuf,
        /// Markdown to measure instead of generated pages.
        directory: Option<PathBuf>,
    },
    /// Split the same pages repeatedly, as a workload for a profiler.
    Cut {
        /// The strategy.
        strategy: StrategyName,
        /// The counter.
        counter: String,
        /// Markdown to measure instead of generated pages.
        directory: Option<PathBuf>,
        /// Number of rounds.
        #[arg(long, default_value_t = 20)]
        rounds: usize,
    },
    /// Run a command and print its peak memory in bytes.
    Peak {
        /// The command and its arguments.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        command: Vec<OsString>,
    },
    /// Write the vocabulary that Python's tiktoken would download.
    Vocabulary {
        /// Directory for the vocabulary.
        directory: PathBuf,
    },
    /// Write the generated pages.
    Pages {
        /// Directory for the pages.
        directory: PathBuf,
    },
}

fn main() -> Result<()> {
    let args = Args::parse();
    let report = || Report::open(&args.out);
    match args.part {
        Part::Speed { directory, rounds } => {
            speed::run(&Corpus::open(directory.as_deref())?, rounds, &report()?)
        }
        Part::Growth => growth::run(&report()?),
        Part::Cli { command, directory } => {
            many::run(&command, directory.as_deref(), &args.out, &report()?)
        }
        Part::Profiles { dist, release, directory } => {
            profiles::run([&dist, &release], directory.as_deref(), &args.out, &report()?)
        }
        Part::Startup { command, python, directory } => {
            startup::run(&command, &python, directory.as_deref(), &args.out, &report()?)
        }
        Part::Mcp { command, directory } => {
            mcp::run(&command, directory.as_deref(), &args.out, &report()?)
        }
        Part::Cut { strategy, counter, directory, rounds } => {
            let corpus = Corpus::open(directory.as_deref())?;
            let chunker = ours::chunker(strategy, &counter, None)?;
            let pages = corpus.whole();
            let chunks: usize = (0..rounds).map(|_| ours::cut(&chunker, &pages)).sum();
            println!("{chunks} chunks");
            Ok(())
        }
        Part::Peak { command } => many::print_peak(&command),
        Part::Vocabulary { directory } => vocabulary::write(&directory),
        Part::Pages { directory } => vocabulary::write_pages(&directory),
    }
}
