//! `chunkwright chunk`: files come in, chunks go out.

use std::io::{self, IsTerminal};
use std::panic;
use std::path::PathBuf;
use std::thread;

use anyhow::{Result, bail};
use chunkwright::{Chunker, Source};
use chunkwright_io::{Entry, Found, With, ordered, read};
use clap::ValueEnum;

use crate::format::{Format, Part, Shape, Writer};
use crate::options::{Colors, Cutting, Reading, jobs};
use crate::pretty::View;
use crate::sink::Sink;
use crate::style;

/// Cut files into chunks
///
/// Examples:
///
///   chunkwright chunk README.md                    look at the chunks of a file
///
///   chunkwright chunk docs -o chunks.jsonl         a directory, one JSON object a line
///
///   chunkwright chunk docs -o chunks.parquet       the same as a table
///
///   chunkwright chunk docs --target 256 --max 512 --tokenizer cl100k
///
///   cat notes.md | chunkwright chunk - --path notes.md --format jsonl
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// Files, directories, or - for standard input
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// What to write [default: as the extension of FILE says; else pretty on a terminal, or jsonl]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Where to write, instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Fields to add to each record
    #[arg(long, value_enum, value_delimiter = ',', value_name = "FIELD")]
    with: Vec<Field>,
    /// How many files to work on at once [default: one a core]
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Say nothing but errors
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    colors: Colors,
    #[command(flatten)]
    cutting: Cutting,
    #[command(flatten)]
    reading: Reading,
}

/// A field that records have on request.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
enum Field {
    /// What an embedding model should see
    EmbedText,
    /// What the text is made of
    Pieces,
}

/// What one file gave.
struct Done {
    part: Option<Part>,
    /// Things to say on standard error.
    said: Vec<String>,
}

/// Cuts files; tells how many could not be read.
pub(crate) fn run(args: &Args) -> Result<usize> {
    args.colors.apply();
    let format = args.format()?;
    let (chunker, found) = prepare(args)?;
    found.errors.iter().for_each(|error| style::complain(&error.to_string()));
    let mut failed = found.errors.len();
    let shape = args.shape(format, &chunker);
    let mut out = Writer::new(args.sink(format)?, &shape, chunker.config_hash())?;
    ordered(
        found.entries.iter(),
        jobs(args.jobs),
        |entry| args.file(&entry, &chunker, &shape),
        |done| done.part.as_ref().map_or(0, Part::weight),
        |done| -> Result<()> {
            done.said.iter().for_each(|line| style::complain(line));
            match done.part {
                Some(part) => out.write(&part)?,
                None => failed += 1,
            }
            Ok(())
        },
    )?;
    out.finish()?;
    Ok(failed)
}

/// The chunker, and what it is for. Files are found while a vocabulary is loaded.
fn prepare(args: &Args) -> Result<(Chunker, Found)> {
    thread::scope(|scope| {
        let finding = scope.spawn(|| args.reading.find(&args.paths));
        let chunker = args.cutting.chunker()?;
        let found = finding.join().unwrap_or_else(|panic| panic::resume_unwind(panic))?;
        Ok((chunker, found))
    })
}

impl Args {
    /// The format that was asked for, or that goes with where the output goes.
    fn format(&self) -> Result<Format> {
        let on_terminal = self.output.is_none() && io::stdout().is_terminal();
        if self.format == Some(Format::Parquet) && on_terminal {
            bail!("--format parquet: not for a terminal; name a file with -o, or use a pipe");
        }
        let named = self.format.or_else(|| Format::of_path(self.output.as_deref()?));
        Ok(named.unwrap_or(if on_terminal { Format::Pretty } else { Format::Jsonl }))
    }

    fn shape(&self, format: Format, chunker: &Chunker) -> Shape {
        Shape {
            format,
            with: With {
                embed_text: self.with.contains(&Field::EmbedText),
                pieces: self.with.contains(&Field::Pieces),
            },
            view: View { columns: style::width(), max_tokens: chunker.max_tokens() },
            plain: self.output.is_some() && !self.colors.are_forced(),
        }
    }

    fn sink(&self, format: Format) -> Result<Sink> {
        match &self.output {
            Some(path) => Sink::file(path),
            None => Ok(Sink::stdout(format == Format::Pretty)),
        }
    }

    fn file(&self, entry: &Entry, chunker: &Chunker, shape: &Shape) -> Done {
        let failed = |error: &dyn ToString| Done { part: None, said: vec![error.to_string()] };
        let text = match read(entry, self.reading.max_file_size) {
            Ok(text) => text,
            Err(error) => return failed(&error),
        };
        let source = Source::new(&entry.path, &text).in_tree(&entry.tree);
        let chunked = chunker.chunk(&source);
        let notes = chunked.notes.iter().filter(|_| !self.quiet);
        let said = notes.map(|note| format!("{}: {}", entry.path, note.message)).collect();
        match shape.part(&source, &chunked.chunks) {
            Ok(part) => Done { part: Some(part), said },
            Err(error) => failed(&error),
        }
    }
}
