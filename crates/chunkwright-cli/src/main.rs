//! The `chunkwright` command: verbs, no logic. Data goes to standard output, everything else to
//! standard error.

mod chunk;
mod inspect;
mod options;
mod pretty;
mod style;

use std::io;
use std::process::ExitCode;

use clap::Parser;

/// Cuts Markdown for retrieval, and finds it again.
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
}

/// What any failure ends with.
const FAILURE: u8 = 2;

fn main() -> ExitCode {
    keep_parser_panics_quiet();
    let done = match Cli::parse().command {
        Command::Chunk(args) => chunk::run(&args),
        Command::Inspect(args) => inspect::run(&args),
    };
    match done {
        Ok(0) => ExitCode::SUCCESS,
        Ok(failed) => {
            let files = if failed == 1 { "1 file" } else { &format!("{failed} files") };
            style::complain(&format!("{files} could not be read"));
            ExitCode::from(FAILURE)
        }
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            style::complain(&format!("{error:#}"));
            ExitCode::from(FAILURE)
        }
    }
}

/// The library catches panics of the Markdown parser and tells them in a note, so nobody needs to
/// see them a second time.
fn keep_parser_panics_quiet() {
    let tell = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let is_parser = |place: &std::panic::Location<'_>| place.file().contains("pulldown-cmark");
        if !panic.location().is_some_and(is_parser) {
            tell(panic);
        }
    }));
}

/// Whether whoever read our output has seen enough.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let fault = error.downcast_ref::<io::Error>();
    fault.is_some_and(|fault| fault.kind() == io::ErrorKind::BrokenPipe)
}
