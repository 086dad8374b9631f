//! Formats: a file's chunks come in, and what a format makes of them goes to the sink.

use std::io::{self, Write as _};
use std::path::Path;

use chunkwright::{Chunk, Source};
#[cfg(feature = "parquet")]
use chunkwright_io::ParquetWriter;
use chunkwright_io::{Layout, shown};
#[cfg(feature = "parquet")]
use chunkwright_records::arrow::{self, RecordBatch};
use chunkwright_records::{Provenance, Record, With};
use clap::ValueEnum;

use crate::pretty::View;
use crate::sink::Sink;

/// What chunks look like on the way out.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Human-readable view
    Pretty,
    /// One JSON object per line
    Jsonl,
    /// One JSON object with all chunks and the configuration's hash
    Json,
    /// A Parquet file
    Parquet,
}

/// Extensions of formats that cannot be written, and the names of these formats.
const UNSUPPORTED: &[(&str, &[&str])] = &[
    ("CSV", &["csv"]),
    ("TSV", &["tsv", "tab"]),
    ("spreadsheets", &["xlsx", "xls", "ods"]),
    ("YAML", &["yaml", "yml"]),
    ("TOML", &["toml"]),
    ("XML", &["xml"]),
    ("HTML", &["html", "htm"]),
    ("Markdown", &["md", "markdown", "mdown", "mkd", "mdx"]),
    ("PDF", &["pdf"]),
    ("Word documents", &["doc", "docx"]),
    ("images", &["png", "jpg", "jpeg", "gif", "webp", "svg"]),
    ("Arrow files", &["arrow", "feather", "ipc"]),
    ("Avro", &["avro"]),
    ("ORC", &["orc"]),
    ("databases", &["db", "sqlite", "sqlite3", "duckdb"]),
    ("Python objects", &["pkl", "pickle", "npy", "npz"]),
    ("compressed files", &["gz", "zst", "bz2", "xz", "zip"]),
];

impl Format {
    /// Returns the format that the extension of an output file names, if any.
    ///
    /// # Errors
    /// When the extension names a format that cannot be written.
    pub(crate) fn of_path(path: &Path) -> anyhow::Result<Option<Self>> {
        let extension = path.extension().unwrap_or_default();
        let is_named =
            |names: &[&str]| names.iter().any(|name| extension.eq_ignore_ascii_case(name));
        if let Some((format, _)) = UNSUPPORTED.iter().find(|(_, names)| is_named(names)) {
            anyhow::bail!(
                "-o {}: chunkwright cannot write {format}; it writes .jsonl, .json and .parquet (or \
                 name a format with --format)",
                shown(path)
            );
        }
        Ok(Layout::of_path(path).map(|layout| match layout {
            Layout::Object => Self::Json,
            Layout::Parquet => Self::Parquet,
            _ => Self::Jsonl,
        }))
    }
}

/// How chunks are to be written.
pub(crate) struct Shape {
    pub(crate) format: Format,
    pub(crate) with: With,
    /// How many columns there are to write in.
    pub(crate) columns: usize,
    /// Whether colours are unwanted, whatever the terminal is like.
    pub(crate) plain: bool,
}

/// What the chunks of one file become.
pub(crate) enum Part {
    Text(Vec<u8>),
    #[cfg(feature = "parquet")]
    Rows(Vec<RecordBatch>),
}

impl Part {
    /// The bytes it takes.
    pub(crate) fn weight(&self) -> usize {
        match self {
            Self::Text(bytes) => bytes.capacity(),
            #[cfg(feature = "parquet")]
            Self::Rows(batches) => batches.iter().map(RecordBatch::get_array_memory_size).sum(),
        }
    }
}

impl Shape {
    /// What the chunks of a file become.
    pub(crate) fn part(
        &self,
        source: &Source<'_>,
        chunks: &[Chunk<'_>],
        max_tokens: Option<usize>,
    ) -> anyhow::Result<Part> {
        let records = || chunks.iter().map(|chunk| Record::new(chunk, self.with));
        Ok(match self.format {
            Format::Pretty => Part::Text(self.pretty(source, chunks, max_tokens)),
            Format::Jsonl => Part::Text(json(records(), 2 * source.text.len(), "\n", "\n")),
            Format::Json => Part::Text(json(records(), 2 * source.text.len(), BETWEEN, "")),
            #[cfg(feature = "parquet")]
            Format::Parquet => {
                Part::Rows(arrow::batches(&records().collect::<Vec<_>>(), self.with)?)
            }
            #[cfg(not(feature = "parquet"))]
            Format::Parquet => unreachable!("refused before any file is read"),
        })
    }

    fn pretty(
        &self,
        source: &Source<'_>,
        chunks: &[Chunk<'_>],
        max_tokens: Option<usize>,
    ) -> Vec<u8> {
        let view = View { columns: self.columns, max_tokens };
        let view = view.file(source.path, source.text, chunks);
        let strip = || anstream::adapter::strip_str(&view).to_string();
        if self.plain { strip() } else { view }.into_bytes()
    }
}

/// What stands between two records of one JSON object.
const BETWEEN: &str = ",\n";

/// Records in JSON, with something between them and after the last.
fn json<'c>(
    records: impl Iterator<Item = Record<'c>>,
    room: usize,
    between: &str,
    end: &str,
) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(room);
    for record in records {
        if !bytes.is_empty() {
            bytes.extend_from_slice(between.as_bytes());
        }
        record.write_json(&mut bytes);
    }
    if !bytes.is_empty() {
        bytes.extend_from_slice(end.as_bytes());
    }
    bytes
}

/// Puts the parts of all files together.
pub(crate) enum Writer {
    Text(Sink),
    Object {
        out: Sink,
        is_empty: bool,
    },
    #[cfg(feature = "parquet")]
    Parquet(Box<ParquetWriter<Sink>>),
}

impl Writer {
    /// Begins to write chunks with this provenance.
    pub(crate) fn new(mut out: Sink, shape: &Shape, made: &Provenance) -> io::Result<Self> {
        Ok(match shape.format {
            Format::Pretty | Format::Jsonl => Self::Text(out),
            Format::Json => {
                writeln!(out, "{}", made.json_line())?;
                Self::Object { out, is_empty: true }
            }
            #[cfg(feature = "parquet")]
            Format::Parquet => Self::Parquet(Box::new(ParquetWriter::new(out, shape.with, made)?)),
            #[cfg(not(feature = "parquet"))]
            Format::Parquet => unreachable!("refused before any file is read"),
        })
    }

    pub(crate) fn write(&mut self, part: &Part) -> io::Result<()> {
        match (self, part) {
            #[cfg(feature = "parquet")]
            (Self::Parquet(file), Part::Rows(batches)) => {
                batches.iter().try_for_each(|batch| file.write(batch))
            }
            (Self::Object { out, is_empty }, Part::Text(bytes)) if !bytes.is_empty() => {
                if !std::mem::replace(is_empty, false) {
                    out.write_all(BETWEEN.as_bytes())?;
                }
                out.write_all(bytes)
            }
            (Self::Text(out) | Self::Object { out, .. }, Part::Text(bytes)) => out.write_all(bytes),
            #[cfg(feature = "parquet")]
            (Self::Parquet(_), Part::Text(_)) | (_, Part::Rows(_)) => {
                unreachable!("the shape of the writer made the part")
            }
        }
    }

    pub(crate) fn finish(self) -> anyhow::Result<()> {
        match self {
            Self::Text(out) => out.finish(),
            Self::Object { mut out, .. } => {
                out.write_all(b"\n]}\n")?;
                out.finish()
            }
            #[cfg(feature = "parquet")]
            Self::Parquet(file) => file.finish()?.finish(),
        }
    }
}
