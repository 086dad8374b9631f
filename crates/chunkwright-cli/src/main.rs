//! The `chunkwright` command: verbs, no logic. Data goes to standard output, everything else to
//! standard error.

mod bins;
mod chunk;
mod chunkers;
mod config;
mod diff;
mod files;
mod format;
mod get;
mod index;
mod inspect;
mod interrupt;
mod ls;
mod manual;
mod offered;
mod options;
mod place;
mod plot;
mod pretty;
mod progress;
mod search;
mod sink;
mod stats;
mod status;
mod strategy_help;
mod style;
mod table;
mod usage;

use std::io;
use std::process::ExitCode;

use clap::Parser;

/// Splits Markdown into chunks for retrieval, and searches them.
#[derive(Parser)]
#[command(name = "chunkwright", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Chunk(chunk::Args),
    Inspect(inspect::Args),
    Stats(stats::Args),
    Diff(diff::Args),
    Index(index::Args),
    Search(search::Args),
    Get(get::Args),
    Ls(ls::Args),
    Status(status::Args),
    Config(config::Args),
    Completions(manual::Completions),
    Man(manual::Man),
}

/// What a search ends with that found nothing.
const NOTHING_FOUND: u8 = 1;

/// What any failure ends with.
const FAILURE: u8 = 2;

fn main() -> ExitCode {
    keep_caught_panics_quiet();
    let cli = match usage::parse() {
        Ok(cli) => cli,
        Err(code) => return code,
    };
    let done = match cli.command {
        Command::Chunk(args) => chunk::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Inspect(args) => inspect::run(&args),
        Command::Stats(args) => stats::run(&args),
        Command::Index(args) => index::run(&args),
        Command::Get(args) => get::run(&args),
        Command::Ls(args) => ls::run(&args),
        Command::Status(args) => status::run(&args),
        Command::Config(args) => config::run(&args),
        Command::Completions(args) => manual::completions(&args),
        Command::Man(args) => manual::man(&args),
        Command::Search(args) => match search::run(&args) {
            Ok(false) => return ExitCode::from(NOTHING_FOUND),
            done => done.map(|_| 0),
        },
    };
    match done {
        Ok(0) => ExitCode::SUCCESS,
        Ok(failed) => {
            style::complain(&format!("{} could not be read", style::count(failed, "file")));
            ExitCode::from(FAILURE)
        }
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            style::complain(&told(&error));
            ExitCode::from(FAILURE)
        }
    }
}

/// What went wrong, and what to do about it.
fn told(error: &anyhow::Error) -> String {
    if let Some(wrong) = error.downcast_ref::<chunkwright_config::Error>() {
        return wrong.painted();
    }
    match error.downcast_ref().and_then(place::advice) {
        Some(advice) => format!("{error:#}; {advice}"),
        None => format!("{error:#}"),
    }
}

/// The libraries catch panics of the Markdown parser and of the search engine and tell them in
/// their own words, so nobody needs to see them a second time.
fn keep_caught_panics_quiet() {
    let tell = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let is_caught = |place: &std::panic::Location<'_>| {
            ["pulldown-cmark", "tantivy"].iter().any(|name| place.file().contains(name))
        };
        if !panic.location().is_some_and(is_caught) {
            tell(panic);
        }
    }));
}

/// Whether whoever read our output has seen enough.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let fault = error.downcast_ref::<io::Error>();
    fault.is_some_and(|fault| fault.kind() == io::ErrorKind::BrokenPipe)
}
