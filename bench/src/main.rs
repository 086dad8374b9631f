//! The command behind `cargo xtask bench`.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::Result;
use chunkwright::StrategyName;
use chunkwright_bench::corpus::Corpus;
use chunkwright_bench::report::Report;
use chunkwright_bench::{growth, many, ours, profiles, speed, startup, vocabulary};
use clap::Parser;

/// Measures what chunkwright costs.
#[derive(Parser)]
struct Args {
    /// Where results go.
    #[arg(long, default_value = "target/bench")]
    out: PathBuf,
    #[command(subcommand)]
    part: Part,
}

#[derive(clap::Subcommand)]
enum Part {
    /// The library, its parts and its peers on the same pages in memory.
    Speed {
        /// Markdown of your own instead of made pages.
        directory: Option<PathBuf>,
        /// How often everyone runs; the best round counts.
        #[arg(long, default_value_t = 7)]
        rounds: usize,
    },
    /// Long documents and many documents.
    Growth,
    /// The command over many files.
    Cli {
        /// The command to run.
        #[arg(long)]
        command: PathBuf,
        /// Files of your own instead of made ones.
        directory: Option<PathBuf>,
    },
    /// The command as a release contains it, next to the quicker build of `cargo run --release`.
    Profiles {
        /// The command built with the profile `dist`.
        #[arg(long)]
        dist: PathBuf,
        /// The command built with the profile `release`.
        #[arg(long)]
        release: PathBuf,
        /// Markdown of your own instead of made pages.
        directory: Option<PathBuf>,
    },
    /// Whole processes that have little to do.
    Startup {
        /// The command to run.
        #[arg(long)]
        command: PathBuf,
        /// A Python that has the package.
        #[arg(long)]
        python: PathBuf,
        /// Markdown of your own instead of made pages.
        directory: Option<PathBuf>,
    },
    /// Cut pages with one strategy over and over, for a profiler to look at.
    Cut {
        /// The strategy.
        strategy: StrategyName,
        /// The counter.
        counter: String,
        /// Markdown of your own instead of made pages.
        directory: Option<PathBuf>,
        /// How often.
        #[arg(long, default_value_t = 20)]
        rounds: usize,
    },
    /// Run a command and print its peak memory in bytes.
    Peak {
        /// The command and its arguments.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        command: Vec<OsString>,
    },
    /// Write the vocabulary that Python libraries count with.
    Vocabulary {
        /// Where to write it.
        directory: PathBuf,
    },
    /// Write the made pages.
    Pages {
        /// Where to write them.
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
