//! `chunkwright chunk`: files come in, chunks go out.

use std::io::{self, BufWriter, IsTerminal, Stdout, Write};
use std::panic;
use std::path::PathBuf;
use std::thread;

use anyhow::{Context as _, Result};
use chunkwright::{Chunked, Chunker, Source};
use chunkwright_io::{Entry, Found, Output, Record, WRITE_BUFFER, With, ordered, read};
use clap::ValueEnum;

use crate::options::{Colors, Cutting, Reading, jobs};
use crate::pretty::View;
use crate::style;

/// Cut files into chunks
///
/// Examples:
///
///   chunkwright chunk README.md                    look at the chunks of a file
///
///   chunkwright chunk docs -o chunks.jsonl         a directory, one JSON object a line
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
    /// What to write [default: pretty on a terminal, else jsonl]
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

/// What chunks look like on the way out.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Pretty,
    /// One JSON object a line
    Jsonl,
    /// One JSON object with all chunks and the configuration's hash
    Json,
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
    bytes: Vec<u8>,
    /// Things to say on standard error.
    said: Vec<String>,
    failed: bool,
}

/// Cuts files; tells how many could not be read.
pub(crate) fn run(args: &Args) -> Result<usize> {
    args.colors.apply();
    let (chunker, found) = prepare(args)?;
    found.errors.iter().for_each(|error| style::complain(&error.to_string()));
    let mut failed = found.errors.len();
    let maker = Maker { args, chunker: &chunker, format: args.format(), view: view(&chunker) };
    let mut out = Sink::open(args)?;
    out.write_all(maker.opening().as_bytes())?;
    let mut first = true;
    ordered(
        found.entries.iter(),
        jobs(args.jobs),
        |entry| maker.file(&entry),
        |done| done.bytes.capacity(),
        |done| -> Result<()> {
            done.said.iter().for_each(|line| style::complain(line));
            failed += usize::from(done.failed);
            if !done.bytes.is_empty() {
                if !first {
                    out.write_all(maker.between().as_bytes())?;
                }
                first = false;
            }
            Ok(out.write_all(&done.bytes)?)
        },
    )?;
    out.write_all(maker.closing().as_bytes())?;
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

fn view(chunker: &Chunker) -> View {
    View { columns: style::width(), max_tokens: chunker.max_tokens() }
}

impl Args {
    fn format(&self) -> Format {
        let for_people = self.output.is_none() && io::stdout().is_terminal();
        self.format.unwrap_or(if for_people { Format::Pretty } else { Format::Jsonl })
    }

    fn with(&self) -> With {
        With {
            embed_text: self.with.contains(&Field::EmbedText),
            pieces: self.with.contains(&Field::Pieces),
        }
    }
}

/// Makes bytes of files.
struct Maker<'a> {
    args: &'a Args,
    chunker: &'a Chunker,
    format: Format,
    view: View,
}

impl Maker<'_> {
    fn file(&self, entry: &Entry) -> Done {
        match read(entry, self.args.reading.max_file_size) {
            Err(error) => Done { bytes: Vec::new(), said: vec![error.to_string()], failed: true },
            Ok(text) => {
                let source = Source::new(&entry.path, &text).in_tree(&entry.tree);
                let chunked = self.chunker.chunk(&source);
                let notes = chunked.notes.iter().filter(|_| !self.args.quiet);
                let said = notes.map(|note| format!("{}: {}", entry.path, note.message)).collect();
                Done { bytes: self.bytes(&source, &chunked), said, failed: false }
            }
        }
    }

    fn bytes(&self, source: &Source<'_>, chunked: &Chunked<'_>) -> Vec<u8> {
        if self.format == Format::Pretty {
            let shown = self.view.file(source.path, source.text, &chunked.chunks);
            let plain = self.args.output.is_some() && !self.args.colors.are_forced();
            let strip = || anstream::adapter::strip_str(&shown).to_string();
            return if plain { strip() } else { shown }.into_bytes();
        }
        let mut bytes = Vec::with_capacity(2 * source.text.len());
        for chunk in &chunked.chunks {
            if self.format == Format::Json && !bytes.is_empty() {
                bytes.truncate(bytes.len() - 1);
                bytes.extend_from_slice(self.between().as_bytes());
            }
            let record = Record::new(chunk, self.args.with());
            record.write_json_line(&mut bytes).expect("memory takes what is written to it");
        }
        if self.format == Format::Json && !bytes.is_empty() {
            bytes.truncate(bytes.len() - 1);
        }
        bytes
    }

    fn opening(&self) -> String {
        match self.format {
            Format::Json => {
                format!("{{\"config_hash\":\"{}\",\"chunks\":[\n", self.chunker.config_hash())
            }
            Format::Pretty | Format::Jsonl => String::new(),
        }
    }

    const fn between(&self) -> &'static str {
        match self.format {
            Format::Json => ",\n",
            Format::Pretty | Format::Jsonl => "",
        }
    }

    const fn closing(&self) -> &'static str {
        match self.format {
            Format::Json => "\n]}\n",
            Format::Pretty | Format::Jsonl => "",
        }
    }
}

/// Where chunks go.
enum Sink {
    File(Output),
    /// Escape codes are taken out where nobody wants colours.
    Stdout(BufWriter<anstream::AutoStream<Stdout>>),
}

impl Sink {
    fn open(args: &Args) -> Result<Self> {
        if let Some(path) = &args.output {
            let output = Output::create(path).context("no chunk was written")?;
            return Ok(Self::File(output));
        }
        let stdout = io::stdout();
        let choice = match args.format() {
            Format::Pretty => anstream::AutoStream::choice(&stdout),
            Format::Jsonl | Format::Json => anstream::ColorChoice::AlwaysAnsi,
        };
        let stdout = anstream::AutoStream::new(stdout, choice);
        Ok(Self::Stdout(BufWriter::with_capacity(WRITE_BUFFER, stdout)))
    }

    fn finish(self) -> Result<()> {
        match self {
            Self::File(output) => Ok(output.finish()?),
            Self::Stdout(mut stdout) => Ok(stdout.flush()?),
        }
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(output) => output.write(bytes),
            Self::Stdout(stdout) => stdout.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::File(output) => output.flush(),
            Self::Stdout(stdout) => stdout.flush(),
        }
    }
}
