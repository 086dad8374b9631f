//! `chunkwright chunk`: files come in, chunks go out.

use std::io::{self, BufWriter, IsTerminal, Stdout, Write};
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use chunkwright::{Chunked, Chunker, Source};
use chunkwright_config::Running;
use chunkwright_io::{Entry, Output, Record, WRITE_BUFFER, ordered, read};
use clap::ValueEnum;

use crate::chunkers::Chunkers;
use crate::options::{Colors, Cutting, Reading, Set, Working, settings};
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
    /// Fields to add to each record: embed_text, pieces, or both
    #[arg(long, value_name = "FIELD,…")]
    with: Option<String>,
    #[command(flatten)]
    working: Working,
    #[command(flatten)]
    colors: Colors,
    #[command(flatten)]
    set: Set,
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
    let mut settings = settings(&args.set, &[&args.cutting, &args.reading, &args.working])?;
    if let Some(fields) = &args.with {
        let list: Vec<_> = fields.split(',').map(|field| format!("{:?}", field.trim())).collect();
        settings.set("with", &format!("[{}]", list.join(", ")), &format!("--with {fields}"))?;
    }
    let running = settings.running();
    let (chunkers, found) = Chunkers::prepare(&settings, &args.reading, &args.paths)?;
    found.errors.iter().for_each(|error| style::complain(&error.to_string()));
    let mut failed = found.errors.len();
    let maker = Maker { args, running: &running, chunkers: &chunkers, format: args.format() };
    let mut out = Sink::open(args)?;
    out.write_all(maker.opening().as_bytes())?;
    let mut first = true;
    ordered(
        found.entries.iter(),
        running.threads(),
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

impl Args {
    fn format(&self) -> Format {
        let for_people = self.output.is_none() && io::stdout().is_terminal();
        self.format.unwrap_or(if for_people { Format::Pretty } else { Format::Jsonl })
    }
}

/// Makes bytes of files.
struct Maker<'a> {
    args: &'a Args,
    running: &'a Running,
    chunkers: &'a Chunkers<'a>,
    format: Format,
}

impl Maker<'_> {
    fn file(&self, entry: &Entry) -> Done {
        match read(entry, self.running.max_file_size) {
            Err(error) => Done { bytes: Vec::new(), said: vec![error.to_string()], failed: true },
            Ok(text) => {
                let source = Source::new(&entry.path, &text).in_tree(&entry.tree);
                let chunker = self.chunkers.of(&entry.path);
                let chunked = chunker.chunk(&source);
                let notes = chunked.notes.iter().filter(|_| !self.args.working.quiet);
                let said = notes.map(|note| format!("{}: {}", entry.path, note.message)).collect();
                Done { bytes: self.bytes(chunker, &source, &chunked), said, failed: false }
            }
        }
    }

    fn bytes(&self, chunker: &Chunker, source: &Source<'_>, chunked: &Chunked<'_>) -> Vec<u8> {
        if self.format == Format::Pretty {
            let view = View { columns: style::width(), max_tokens: chunker.max_tokens() };
            let shown = view.file(source.path, source.text, &chunked.chunks);
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
            let record = Record::new(chunk, self.running.with());
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
                format!("{{\"config_hash\":\"{}\",\"chunks\":[\n", self.chunkers.config_hash())
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
