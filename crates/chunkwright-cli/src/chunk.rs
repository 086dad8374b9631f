//! `chunkwright chunk`: splits files and writes their chunks.

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use anyhow::{Result, bail};
use chunkwright::Chunker;
use chunkwright_config::Processing;
use chunkwright_io::{Entry, Found, shown};

use crate::chunkers;
use crate::format::{ChunkFormatter, ChunkWriter, FileOutput, OutputFormat};
use crate::options::{Common, FieldsFlag};
use crate::progress::Progress;
use crate::sink::Destination;
use crate::strategy_help::options_of_strategies;
use crate::{files, style};

/// Split files into chunks
///
/// Examples:
///
///   chunkwright chunk README.md               # show the chunks of a file
///   chunkwright chunk docs -o chunks.jsonl    # write one JSON object per chunk
///   chunkwright chunk docs -o chunks.parquet  # write a Parquet table
///   chunkwright chunk docs --target 256 --max 512 --tokenizer cl100k
///   cat notes.md | chunkwright chunk - --path notes.md --format jsonl
#[derive(clap::Args)]
#[command(verbatim_doc_comment, after_long_help = options_of_strategies())]
pub(crate) struct Args {
    /// Files or directories to split, or - for standard input
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Output format [default: from the extension of FILE; else pretty on a terminal, jsonl elsewhere]
    #[arg(long, value_enum)]
    format: Option<OutputFormat>,
    /// Write to FILE instead of standard output
    #[arg(short, long, value_name = "FILE", value_parser = output_file)]
    output: Option<PathBuf>,
    #[command(flatten)]
    fields: FieldsFlag,
    #[command(flatten)]
    common: Common,
}

/// Rejects `-`, which means standard output in other programs.
fn output_file(name: &str) -> Result<PathBuf, String> {
    if name == "-" {
        return Err("omit -o to write to standard output".to_owned());
    }
    Ok(name.into())
}

/// The result of splitting one file.
struct SplitFile {
    output: FileOutput,
    chunks: usize,
    tokens: usize,
    /// Warnings.
    said: Vec<String>,
}

/// Splits files; returns the number of files that could not be read.
pub(crate) fn run(args: &Args) -> Result<usize> {
    args.common.colors.apply();
    let format = args.format()?;
    let settings = args.common.settings(&[&args.fields])?;
    let processing = settings.processing();
    let (chunkers, found) =
        chunkers::prepare(&settings, &args.common.reading, &args.paths, args.common.working.quiet)?;
    files::check_any(&found, args.common.working.quiet)?;
    let formatter = args.formatter(format, &processing);
    let mut out = ChunkWriter::new(args.sink(format, &found)?, &formatter, &chunkers.provenance())?;
    let progress =
        Progress::new(found.entries.len(), args.common.working.quiet, args.output.is_none());
    let (mut files, mut chunks, mut tokens) = (0, 0, 0);
    let failed = files::each(
        &found,
        &processing,
        progress,
        |entry, text| args.file(entry, text, chunkers.of(&entry.path), &formatter),
        |done| done.output.weight(),
        |done, progress| {
            done.said.iter().for_each(|line| progress.warn(line));
            files += 1;
            chunks += done.chunks;
            tokens += done.tokens;
            Ok(out.write(&done.output)?)
        },
    )?;
    out.finish()?;
    if args.output.is_some() && !args.common.working.quiet {
        let counts = [(files, "file"), (chunks, "chunk"), (tokens, "token")];
        let count =
            |(value, noun)| format!("{} {}", style::grouped(value), style::plural(value, noun));
        style::say(&counts.map(count).join(", "));
    }
    Ok(failed)
}

impl Args {
    /// Returns the requested format, or the default for the output.
    fn format(&self) -> Result<OutputFormat> {
        let on_terminal = self.output.is_none() && io::stdout().is_terminal();
        let named = match (self.format, &self.output) {
            (None, Some(path)) => OutputFormat::of_path(path)?,
            (format, _) => format,
        };
        if named == Some(OutputFormat::Parquet) && cfg!(not(feature = "parquet")) {
            bail!("this build has no Parquet support; rebuild with the feature `parquet`");
        }
        if self.format == Some(OutputFormat::Parquet) && on_terminal {
            bail!("cannot write Parquet to a terminal; choose a file with -o, or use a pipe");
        }
        Ok(named.unwrap_or(if on_terminal { OutputFormat::Pretty } else { OutputFormat::Jsonl }))
    }

    fn formatter(&self, format: OutputFormat, processing: &Processing) -> ChunkFormatter {
        let plain = self.output.is_some() && !self.common.colors.are_forced();
        ChunkFormatter { format, with: processing.with(), columns: style::width(), plain }
    }

    fn sink(&self, format: OutputFormat, found: &Found) -> Result<Destination> {
        match &self.output {
            Some(path) => Destination::file(path, "-o", found),
            None => Ok(Destination::stdout(format == OutputFormat::Pretty)),
        }
    }

    fn file(
        &self,
        entry: &Entry,
        text: &str,
        chunker: &Chunker,
        formatter: &ChunkFormatter,
    ) -> Result<SplitFile> {
        let source = entry.with_text(text);
        let chunked = chunker.chunk_source(&source);
        let path = shown(entry.path.as_ref());
        // Notes are in the records. Without records, they would be lost.
        let is_said = chunked.chunks.is_empty() && !self.common.working.quiet;
        let notes = chunked.notes().filter(|_| is_said);
        let said = notes.map(|note| format!("{path}: {}", note.message)).collect();
        Ok(SplitFile {
            output: formatter.format(&source, &chunked.chunks, chunker.max_tokens())?,
            chunks: chunked.chunks.len(),
            tokens: chunked.chunks.iter().map(|chunk| chunk.tokens).sum(),
            said,
        })
    }
}
