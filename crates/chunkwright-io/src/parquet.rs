//! The Parquet file: record batches come in, row groups go out, and the way back.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use arrow_array::RecordBatch;
use chunkwright_records::arrow::{self, schema};
use chunkwright_records::{Provenance, With};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;

/// The bytes of a row group, compressed. As much is held in memory until it is written.
const ROW_GROUP_BYTES: usize = 16_000_000;

/// Columns that have hardly a value twice: a dictionary of them is in vain.
const UNIQUE: &[&str] = &["id", "text", "content_hash", "embed_text"];

/// Columns nobody looks for by their least and greatest value.
const UNORDERED: &[&str] = &["text", "content_hash", "metadata", "embed_text"];

/// How many rows are read at once.
const ROWS_READ: usize = 1024;

/// The keys under which a file tells how it was made.
const CONFIG_HASH: &str = "chunkwright.config_hash";
const ALGORITHMS: &str = "chunkwright.algorithms";
const GENERATOR: &str = "chunkwright.generator";

/// Writes chunks to a Parquet file.
#[derive(Debug)]
pub struct ParquetWriter<W: Write + Send> {
    rows: ArrowWriter<W>,
}

impl<W: Write + Send> ParquetWriter<W> {
    /// Begins a file of chunks with this provenance.
    ///
    /// # Errors
    /// When `out` fails.
    pub fn new(out: W, with: With, provenance: &Provenance) -> io::Result<Self> {
        let rows = ArrowWriter::try_new(out, schema(with), Some(properties(provenance)));
        Ok(Self { rows: rows.map_err(fault)? })
    }

    /// Adds rows, made with the same fields as the file.
    ///
    /// # Errors
    /// When `out` fails.
    pub fn write(&mut self, batch: &RecordBatch) -> io::Result<()> {
        self.rows.write(batch).map_err(fault)
    }

    /// Ends the file. Without this it cannot be read.
    ///
    /// # Errors
    /// When `out` fails.
    pub fn finish(self) -> io::Result<W> {
        self.rows.into_inner().map_err(fault)
    }
}

/// The records of a file in JSON, and their provenance.
pub(crate) fn records(
    path: &Path,
) -> io::Result<(Option<Provenance>, impl Iterator<Item = io::Result<String>> + Send + use<>)> {
    // The types are those of the file itself, whatever program wrote it.
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let file = ParquetRecordBatchReaderBuilder::try_new_with_options(File::open(path)?, options);
    let file = file.map_err(unsound)?;
    let entries = file.metadata().file_metadata().key_value_metadata();
    let value = |key: &str| {
        let entry = entries.and_then(|entries| entries.iter().find(|entry| entry.key == key));
        entry.and_then(|entry| entry.value.clone())
    };
    let algorithms = value(ALGORITHMS).unwrap_or_default();
    let provenance = value(CONFIG_HASH).map(|hash| Provenance::stored(&hash, &algorithms));
    let batches = file.with_batch_size(ROWS_READ).build().map_err(unsound)?;
    let rows = batches.flat_map(|batch| {
        let rows = batch.map_err(unsound);
        match rows.and_then(|batch| Ok(arrow::records(&batch)?)) {
            Ok(rows) => rows.into_iter().map(Ok).collect(),
            Err(fault) => vec![Err(fault)],
        }
    });
    Ok((provenance, rows))
}

fn properties(provenance: &Provenance) -> WriterProperties {
    let generator = concat!("chunkwright ", env!("CARGO_PKG_VERSION"));
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_max_row_group_bytes(Some(ROW_GROUP_BYTES))
        .set_coerce_types(true)
        .set_key_value_metadata(Some(vec![
            KeyValue::new(CONFIG_HASH.to_owned(), provenance.config_hash.clone()),
            KeyValue::new(ALGORITHMS.to_owned(), provenance.algorithms.clone()),
            KeyValue::new(GENERATOR.to_owned(), generator.to_owned()),
        ]));
    for name in UNIQUE {
        properties = properties.set_column_dictionary_enabled(ColumnPath::from(*name), false);
    }
    for name in UNORDERED {
        let none = EnabledStatistics::None;
        properties = properties.set_column_statistics_enabled(ColumnPath::from(*name), none);
    }
    properties.build()
}

fn unsound(error: impl Display) -> io::Error {
    io::Error::other(format!("not a Parquet file of chunks, or damaged: {error}"))
}

/// What `out` said, as it said it.
fn fault(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(cause) => match cause.downcast::<io::Error>() {
            Ok(fault) => *fault,
            Err(cause) => io::Error::other(cause),
        },
        error => io::Error::other(error),
    }
}
