//! Converts records to Arrow record batches with the same fields in the same order.
//!
//! Numbers are `Int64`, since not every reader supports unsigned ones. Fields that JSON omits are
//! null.

mod json;

use std::sync::Arc;

pub use arrow_array::RecordBatch;
use arrow_array::builder::StringBuilder;
use arrow_array::{Array, ArrayRef, Int64Array, ListArray, StringArray, StructArray};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{Field, Fields, SchemaRef};
use chunkwright::{Chunk, Metadata, Note};
use thiserror::Error;

pub use self::json::records;
use crate::field::{FIELDS, Getter, KindName, PieceRow, RecordField, With};
use crate::record::Record;

/// Maximum bytes and rows of a batch.
const BATCH_BYTES: usize = 8_000_000;
const BATCH_ROWS: usize = 1024;

/// Maximum bytes of a row. Offsets into a column are 32-bit.
const MOST_BYTES: usize = i32::MAX as usize / 2;

/// A chunk that is too large for an Arrow column.
#[derive(Debug, Error)]
#[error("{id} is too large for Arrow (over {MOST_BYTES} bytes); write JSON instead")]
#[non_exhaustive]
pub struct TooLarge {
    /// Id of the chunk.
    pub id: String,
}

/// Returns the schema of all batches with these fields.
pub fn schema(with: With) -> SchemaRef {
    batch(&[], with).schema()
}

/// Converts records to batches of a few megabytes.
///
/// The boundaries between batches depend only on the records.
///
/// # Errors
/// Fails if a chunk is larger than a gigabyte.
pub fn batches(records: &[Record<'_>], with: With) -> Result<Vec<RecordBatch>, TooLarge> {
    let mut batches = Vec::new();
    let (mut start, mut bytes) = (0, 0);
    for (nth, record) in records.iter().enumerate() {
        let more = weight(record);
        if more > MOST_BYTES {
            return Err(TooLarge { id: record.chunk.id.clone() });
        }
        if nth - start == BATCH_ROWS || (nth > start && bytes + more > BATCH_BYTES) {
            batches.push(batch(&records[start..nth], with));
            (start, bytes) = (nth, 0);
        }
        bytes += more;
    }
    if start < records.len() {
        batches.push(batch(&records[start..], with));
    }
    Ok(batches)
}

/// Estimates the bytes of a row. Front matter and notes are small, so they are not counted.
fn weight(record: &Record<'_>) -> usize {
    let chunk = record.chunk;
    let of_field = |field: &RecordField| match field.getter {
        Getter::Text(text) => text(chunk).len(),
        Getter::OptionalText(text) => text(chunk).map_or(0, str::len),
        Getter::Texts(texts) => texts(chunk).iter().map(|text| text.len()).sum(),
        // Not rendered here: the text to embed is about as long as this.
        Getter::Rendered(_) => chunk.context().len() + chunk.text.len(),
        Getter::Hash(_) => 32,
        Getter::Pieces(pieces) => size_of_val(pieces(chunk)),
        Getter::Number(_) | Getter::Metadata(_) | Getter::Notes(_) => 0,
    };
    FIELDS.iter().filter(|field| field.is_in(record.with)).map(of_field).sum()
}

fn batch(records: &[Record<'_>], with: With) -> RecordBatch {
    let chunks: Vec<_> = records.iter().map(|record| record.chunk).collect();
    let fields = FIELDS.iter().filter(|field| field.is_in(with));
    let columns = fields.map(|field| (field.name, column(field, &chunks), field.is_nullable()));
    RecordBatch::try_from_iter_with_nullable(columns)
        .expect("all columns have one value per record, and nulls only where allowed")
}

/// Returns the values of a field for all chunks.
fn column<'c>(field: &RecordField, chunks: &[&'c Chunk<'c>]) -> ArrayRef {
    let chunks = chunks.iter().copied();
    match field.getter {
        Getter::Text(text) => Arc::new(StringArray::from_iter_values(chunks.map(text))),
        Getter::OptionalText(text) => Arc::new(chunks.map(text).collect::<StringArray>()),
        Getter::Rendered(text) => Arc::new(StringArray::from_iter_values(chunks.map(text))),
        Getter::Hash(hash) => Arc::new(StringArray::from_iter_values(chunks.map(hash))),
        Getter::Number(number) => {
            Arc::new(Int64Array::from_iter_values(chunks.map(|chunk| whole(number(chunk)))))
        }
        Getter::Texts(texts) => Arc::new(lists_of_texts(&chunks.map(texts).collect::<Vec<_>>())),
        Getter::Metadata(metadata) => Arc::new(json_texts(chunks.map(metadata))),
        Getter::Notes(list) => Arc::new(notes(&chunks.map(list).collect::<Vec<_>>())),
        Getter::Pieces(list) => {
            let rows = |chunk| list(chunk).iter().filter_map(PieceRow::new).collect();
            Arc::new(pieces(&chunks.map(rows).collect::<Vec<_>>()))
        }
    }
}

/// Converts a count, which in practice always fits in `i64`.
fn whole(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn lists_of_texts(lists: &[&[Arc<str>]]) -> ListArray {
    let texts: Vec<&str> = lists.iter().copied().flatten().map(|text| &**text).collect();
    list(lists.iter().map(|list| list.len()), StringArray::from_iter_values(texts), None)
}

/// Returns front matter as JSON. The text that chunks of a document share is built once.
fn json_texts<'c>(all: impl Iterator<Item = Option<&'c Metadata>>) -> StringArray {
    let mut last: Option<(&Metadata, String)> = None;
    let mut values = StringBuilder::new();
    for metadata in all {
        let Some(metadata) = metadata else {
            values.append_null();
            continue;
        };
        let json = match last.take() {
            Some((known, json)) if std::ptr::eq(known, metadata) => json,
            _ => serde_json::to_string(metadata)
                .expect("metadata has only plain values and string keys"),
        };
        values.append_value(&json);
        last = Some((metadata, json));
    }
    values.finish()
}

fn notes(lists: &[&[Note]]) -> ListArray {
    let notes: Vec<&Note> = lists.iter().copied().flatten().collect();
    let kinds = notes.iter().map(|note| KindName(note.kind).to_string());
    let blocks: StringArray = notes.iter().map(|note| note.block.as_deref()).collect();
    let lines: Int64Array = notes.iter().map(|note| note.line.map(whole)).collect();
    let messages = StringArray::from_iter_values(notes.iter().map(|note| &note.message));
    let values = rows([
        ("kind", Arc::new(StringArray::from_iter_values(kinds)), false),
        ("block", Arc::new(blocks), true),
        ("line", Arc::new(lines), true),
        ("message", Arc::new(messages), false),
    ]);
    let present = lists.iter().map(|list| !list.is_empty()).collect();
    list(lists.iter().map(|list| list.len()), values, Some(present))
}

fn pieces(lists: &[Vec<PieceRow<'_>>]) -> ListArray {
    let pieces: Vec<&PieceRow<'_>> = lists.iter().flatten().collect();
    let kinds = StringArray::from_iter_values(pieces.iter().map(|piece| piece.kind));
    let starts: Int64Array = pieces.iter().map(|piece| piece.start.map(whole)).collect();
    let ends: Int64Array = pieces.iter().map(|piece| piece.end.map(whole)).collect();
    let texts: StringArray = pieces.iter().map(|piece| piece.text).collect();
    let values = rows([
        ("kind", Arc::new(kinds), false),
        ("start", Arc::new(starts), true),
        ("end", Arc::new(ends), true),
        ("text", Arc::new(texts), true),
    ]);
    list(lists.iter().map(Vec::len), values, None)
}

/// Combines named columns into an array of structs.
fn rows<const N: usize>(columns: [(&str, ArrayRef, bool); N]) -> StructArray {
    let field = |(name, values, nullable): &(&str, ArrayRef, bool)| {
        Field::new(*name, values.data_type().clone(), *nullable)
    };
    let fields: Fields = columns.iter().map(field).collect();
    StructArray::new(fields, columns.map(|(_, values, _)| values).into(), None)
}

/// Splits values into lists of these lengths. Lists that are not present have length 0.
fn list(
    lengths: impl ExactSizeIterator<Item = usize>,
    values: impl Array + 'static,
    present: Option<NullBuffer>,
) -> ListArray {
    let element = Field::new(Field::LIST_FIELD_DEFAULT_NAME, values.data_type().clone(), false);
    let offsets = OffsetBuffer::from_lengths(lengths);
    ListArray::new(Arc::new(element), offsets, Arc::new(values), present)
}
