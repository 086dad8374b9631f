//! Writes chunks in the output formats of `chunkwright chunk`.

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

use crate::pretty::PrettyView;
use crate::sink::Destination;

/// An output format.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// Readable text, with the tokens and lines of each chunk
    Pretty,
    /// One JSON object per line
    Jsonl,
    /// One JSON object with all chunks and the configuration hash
    Json,
    /// A Parquet file
    Parquet,
}

/// Names and extensions of formats that are not supported.
const UNSUPPORTED: &[(&str, &[&str])] = &[
    ("CSV", &["csv"]),
    ("TSV", &["tsv", "tab"]),
    ("spreadsheet", &["xlsx", "xls", "ods"]),
    ("YAML", &["yaml", "yml"]),
    ("TOML", &["toml"]),
    ("XML", &["xml"]),
    ("HTML", &["html", "htm"]),
    ("Markdown", &["md", "markdown", "mdown", "mkd", "mdx"]),
    ("PDF", &["pdf"]),
    ("Word", &["doc", "docx"]),
    ("image", &["png", "jpg", "jpeg", "gif", "webp", "svg"]),
    ("Arrow", &["arrow", "feather", "ipc"]),
    ("Avro", &["avro"]),
    ("ORC", &["orc"]),
    ("database", &["db", "sqlite", "sqlite3", "duckdb"]),
    ("Python object", &["pkl", "pickle", "npy", "npz"]),
    ("compressed file", &["gz", "zst", "bz2", "xz", "zip"]),
];

impl OutputFormat {
    /// Returns the format for the extension of an output file, if it is a known one.
    ///
    /// # Errors
    /// When the extension belongs to an unsupported format.
    pub(crate) fn of_path(path: &Path) -> anyhow::Result<Option<Self>> {
        let extension = path.extension().unwrap_or_default();
        let is_named =
            |names: &[&str]| names.iter().any(|name| extension.eq_ignore_ascii_case(name));
        if let Some((format, _)) = UNSUPPORTED.iter().find(|(_, names)| is_named(names)) {
            anyhow::bail!(
                "cannot write {}: unsupported format ({format}); use .jsonl, .json or .parquet, or \
                 set --format",
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

/// Formats chunks for one output.
pub(crate) struct ChunkFormatter {
    pub(crate) format: OutputFormat,
    pub(crate) with: With,
    /// Number of columns of the pretty view.
    pub(crate) columns: usize,
    /// Whether to remove colors, whatever the terminal supports.
    pub(crate) plain: bool,
}

/// The chunks of one file, formatted.
pub(crate) enum FileOutput {
    Text(Vec<u8>),
    #[cfg(feature = "parquet")]
    Rows(Vec<RecordBatch>),
}

impl FileOutput {
    /// Returns its size in bytes.
    pub(crate) fn weight(&self) -> usize {
        match self {
            Self::Text(bytes) => bytes.capacity(),
            #[cfg(feature = "parquet")]
            Self::Rows(batches) => batches.iter().map(RecordBatch::get_array_memory_size).sum(),
        }
    }
}

impl ChunkFormatter {
    /// Formats the chunks of a file.
    pub(crate) fn format(
        &self,
        source: &Source<'_>,
        chunks: &[Chunk<'_>],
        max_tokens: Option<usize>,
    ) -> anyhow::Result<FileOutput> {
        let records = || chunks.iter().map(|chunk| Record::new(chunk, self.with));
        Ok(match self.format {
            OutputFormat::Pretty => FileOutput::Text(self.pretty(source, chunks, max_tokens)),
            OutputFormat::Jsonl => {
                FileOutput::Text(json(records(), 2 * source.text.len(), "\n", "\n"))
            }
            OutputFormat::Json => {
                FileOutput::Text(json(records(), 2 * source.text.len(), BETWEEN, ""))
            }
            #[cfg(feature = "parquet")]
            OutputFormat::Parquet => {
                FileOutput::Rows(arrow::batches(&records().collect::<Vec<_>>(), self.with)?)
            }
            #[cfg(not(feature = "parquet"))]
            OutputFormat::Parquet => unreachable!("rejected before any file is read"),
        })
    }

    fn pretty(
        &self,
        source: &Source<'_>,
        chunks: &[Chunk<'_>],
        max_tokens: Option<usize>,
    ) -> Vec<u8> {
        let view = PrettyView { columns: self.columns, max_tokens };
        let view = view.file(source.path, source.text, chunks);
        let strip = || anstream::adapter::strip_str(&view).to_string();
        if self.plain { strip() } else { view }.into_bytes()
    }
}

/// Separator of the records in one JSON object.
const BETWEEN: &str = ",\n";

/// Formats records as JSON, with a separator between them and `end` after the last one.
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

/// Writes the formatted chunks of all files to one output.
pub(crate) enum ChunkWriter {
    Text(Destination),
    Object {
        out: Destination,
        is_empty: bool,
    },
    #[cfg(feature = "parquet")]
    Parquet(Box<ParquetWriter<Destination>>),
}

impl ChunkWriter {
    /// Starts an output of chunks with this provenance.
    pub(crate) fn new(
        mut out: Destination,
        formatter: &ChunkFormatter,
        made: &Provenance,
    ) -> io::Result<Self> {
        Ok(match formatter.format {
            OutputFormat::Pretty | OutputFormat::Jsonl => Self::Text(out),
            OutputFormat::Json => {
                writeln!(out, "{}", made.json_line())?;
                Self::Object { out, is_empty: true }
            }
            #[cfg(feature = "parquet")]
            OutputFormat::Parquet => {
                Self::Parquet(Box::new(ParquetWriter::new(out, formatter.with, made)?))
            }
            #[cfg(not(feature = "parquet"))]
            OutputFormat::Parquet => unreachable!("rejected before any file is read"),
        })
    }

    pub(crate) fn write(&mut self, output: &FileOutput) -> io::Result<()> {
        match (self, output) {
            #[cfg(feature = "parquet")]
            (Self::Parquet(file), FileOutput::Rows(batches)) => {
                batches.iter().try_for_each(|batch| file.write(batch))
            }
            (Self::Object { out, is_empty }, FileOutput::Text(bytes)) if !bytes.is_empty() => {
                if !std::mem::replace(is_empty, false) {
                    out.write_all(BETWEEN.as_bytes())?;
                }
                out.write_all(bytes)
            }
            (Self::Text(out) | Self::Object { out, .. }, FileOutput::Text(bytes)) => {
                out.write_all(bytes)
            }
            #[cfg(feature = "parquet")]
            (Self::Parquet(_), FileOutput::Text(_)) | (_, FileOutput::Rows(_)) => {
                unreachable!("the output has the format of the writer")
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
