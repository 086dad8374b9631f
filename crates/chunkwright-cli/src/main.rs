//! The `chunkwright` command line.
//!
//! Each subcommand has its own module; the work is done by the library crates. Data goes to
//! standard output, everything else to standard error.

mod chunk;
mod chunkers;
mod config;
mod diff;
mod files;
mod format;
mod get;
mod index;
mod index_dir;
mod inspect;
mod interrupt;
mod ls;
mod manual;
#[cfg(feature = "server")]
mod mcp;
mod offered;
mod options;
mod pretty;
mod progress;
mod search;
#[cfg(feature = "server")]
mod serve;
mod sink;
mod stats;
mod status;
mod strategy_help;
mod style;
mod table;
mod usage;

use std::io;
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser};

/// Split Markdown into chunks for retrieval, and search them
///
/// Examples:
///
///   chunkwright chunk README.md             # show the chunks of a file
///   chunkwright chunk docs -o chunks.jsonl  # write the chunks of a directory
///   chunkwright stats docs                  # count chunks and tokens
///   chunkwright index docs                  # build a search index
///   chunkwright search "rotate a key"       # search it
///   chunkwright mcp --print-config claude   # let an agent search it
#[derive(Parser)]
#[command(
    name = "chunkwright",
    version,
    max_term_width = 100,
    verbatim_doc_comment,
    after_help = "Run `chunkwright COMMAND --help` for the options of a command."
)]
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
    #[cfg(feature = "server")]
    Mcp(mcp::Args),
    #[cfg(feature = "server")]
    Serve(serve::Args),
    Config(config::Args),
    Completions(manual::Completions),
    Man(manual::Man),
}

/// Exit code of a search without results.
const NOTHING_FOUND: u8 = 1;

/// Exit code of any failure.
const FAILURE: u8 = 2;

fn main() -> ExitCode {
    keep_caught_panics_quiet();
    let cli: Cli = match usage::parse() {
        Ok(cli) => cli,
        Err(message) => {
            style::complain(&message);
            return ExitCode::from(FAILURE);
        }
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
        #[cfg(feature = "server")]
        Command::Mcp(args) => mcp::run(&args),
        #[cfg(feature = "server")]
        Command::Serve(args) => serve::run(&args),
        Command::Config(args) => config::run(&args),
        Command::Completions(args) => manual::completions(&args, Cli::command()),
        Command::Man(args) => manual::man(&args, Cli::command()),
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

/// Returns the message of an error, with advice where the error has none.
fn told(error: &anyhow::Error) -> String {
    if let Some(wrong) = error.downcast_ref::<chunkwright_config::Error>() {
        return wrong.painted();
    }
    match error.downcast_ref().and_then(index_dir::advice) {
        Some(advice) => format!("{error:#}; {advice}"),
        None => format!("{error:#}"),
    }
}

/// Silences panics of the Markdown parser and of the search engine, which the libraries catch and
/// report as notes or errors.
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

/// Returns whether an error means that the reader of standard output closed the pipe.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let fault = error.downcast_ref::<io::Error>();
    fault.is_some_and(|fault| fault.kind() == io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_examples_within_80_columns() {
        let cli = Cli::command();
        for command in cli.get_subcommands().chain([&cli]) {
            let about = command.get_long_about().unwrap().to_string();
            assert!(about.contains(manual::EXAMPLES), "{}", command.get_name());
            assert!(about.lines().all(|line| line.len() <= 80), "{about}");
        }
    }
}
