//! Writes and reads Parquet files of records.

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

/// Compressed size of a row group in bytes. The writer buffers one row group in memory.
const ROW_GROUP_BYTES: usize = 16_000_000;

/// Columns whose values rarely repeat, so a dictionary would only cost space.
const UNIQUE: &[&str] = &["id", "text", "content_hash", "embed_text"];

/// Columns without minimum and maximum statistics, since no query filters by their order.
const UNORDERED: &[&str] = &["text", "content_hash", "metadata", "embed_text"];

/// Rows per batch when reading.
const ROWS_READ: usize = 1024;

/// Metadata keys for the provenance of a file.
const CONFIG_HASH: &str = "chunkwright.config_hash";
const ALGORITHMS: &str = "chunkwright.algorithms";
const GENERATOR: &str = "chunkwright.generator";

/// Writes chunks to a Parquet file.
#[derive(Debug)]
pub struct ParquetWriter<W: Write + Send> {
    rows: ArrowWriter<W>,
}

impl<W: Write + Send> ParquetWriter<W> {
    /// Starts a file with these fields and this provenance.
    ///
    /// # Errors
    /// Fails if writing to `out` fails.
    pub fn new(out: W, with: With, provenance: &Provenance) -> io::Result<Self> {
        let rows = ArrowWriter::try_new(out, schema(with), Some(properties(provenance)));
        Ok(Self { rows: rows.map_err(fault)? })
    }

    /// Appends rows, which must have the fields of the file.
    ///
    /// # Errors
    /// Fails if writing to `out` fails.
    pub fn write(&mut self, batch: &RecordBatch) -> io::Result<()> {
        self.rows.write(batch).map_err(fault)
    }

    /// Writes the footer, without which the file cannot be read, and returns `out`.
    ///
    /// # Errors
    /// Fails if writing to `out` fails.
    pub fn finish(self) -> io::Result<W> {
        self.rows.into_inner().map_err(fault)
    }
}

/// Opens a file, and returns its provenance and its records as JSON.
pub(crate) fn records(
    path: &Path,
) -> io::Result<(Option<Provenance>, impl Iterator<Item = io::Result<String>> + Send + use<>)> {
    // Ignore an embedded Arrow schema: its types depend on the program that wrote the file.
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let file = ParquetRecordBatchReaderBuilder::try_new_with_options(File::open(path)?, options);
    let file = file.map_err(unsound)?;
    let entries = file.metadata().file_metadata().key_value_metadata();
    let value = |key: &str| {
        let entry = entries.and_then(|entries| entries.iter().find(|entry| entry.key == key));
        entry.and_then(|entry| entry.value.clone())
    };
    let provenance = value(CONFIG_HASH).map(|hash| {
        let mut provenance = Provenance::new(hash, []);
        provenance.algorithms = value(ALGORITHMS).unwrap_or_default();
        provenance
    });
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
    io::Error::other(format!("not a Parquet file of records, or damaged: {error}"))
}

/// Returns the I/O error of `out` behind a Parquet error.
fn fault(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(cause) => match cause.downcast::<io::Error>() {
            Ok(fault) => *fault,
            Err(cause) => io::Error::other(cause),
        },
        error => io::Error::other(error),
    }
}
