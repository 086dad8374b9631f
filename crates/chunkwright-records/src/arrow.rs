//! Converts records to Arrow record batches with the same fields in the same order.
//!
//! Numbers are `Int64`, since not every reader supports unsigned ones. Fields that JSON omits are
//! null.

mod json;

use std::fmt;
use std::sync::Arc;

pub use arrow_array::RecordBatch;
use arrow_array::builder::StringBuilder;
use arrow_array::{Array, ArrayRef, Int64Array, ListArray, StringArray, StructArray};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{Field, Fields, SchemaRef};
use chunkwright::{Metadata, Note, NoteKind};
use serde::Serialize;
use thiserror::Error;

pub use self::json::records;
use crate::record::{PieceRow, Record, With};

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
            return Err(TooLarge { id: record.id.to_owned() });
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

/// Estimates the bytes of a row. Front matter is small, so it is not counted.
fn weight(record: &Record<'_>) -> usize {
    let breadcrumb: usize = record.breadcrumb.iter().map(|element| element.len()).sum();
    let pieces = record.pieces.as_ref().map_or(0, |pieces| size_of_val(&**pieces));
    let embed_text = record.embed_text.as_ref().map_or(0, String::len);
    let titles = record.title.len() + record.document_title.len();
    // Ids contain the slug of a heading, which may be as long as the text.
    let ids = 4 * record.id.len();
    record.text.len() + embed_text + breadcrumb + titles + ids + pieces
}

fn batch(records: &[Record<'_>], with: With) -> RecordBatch {
    let mut table = Table { records, columns: Vec::new() };
    table.text("id", |record| record.id);
    table.text("doc_id", |record| record.doc_id);
    table.optional_text("parent_id", |record| record.parent_id);
    table.text("path", |record| record.path);
    table.optional_text("url", |record| record.url);
    table.optional_text("anchor", |record| record.anchor);
    table.text("strategy", |record| record.strategy);
    table.number("position", |record| record.position);
    table.number("depth", |record| usize::from(record.depth));
    table.text("title", |record| record.title);
    table.text("document_title", |record| record.document_title);
    table.add("breadcrumb", false, breadcrumbs(records));
    table.text("text", |record| record.text);
    table.number("tokens", |record| record.tokens);
    table.number("byte_start", |record| record.byte_start);
    table.number("byte_end", |record| record.byte_end);
    table.number("line_start", |record| record.line_start);
    table.number("line_end", |record| record.line_end);
    table.number("block_start", |record| record.block_start);
    table.number("block_end", |record| record.block_end);
    table.text("content_hash", |record| &record.content_hash);
    table.add("metadata", true, metadata(records));
    table.add("notes", true, notes(records));
    if with.embed_text {
        table.text("embed_text", |record| record.embed_text.as_deref().unwrap_or_default());
    }
    if with.pieces {
        table.add("pieces", false, pieces(records));
    }
    RecordBatch::try_from_iter_with_nullable(table.columns)
        .expect("all columns have one value per record, and nulls only where allowed")
}

/// The columns built so far.
struct Table<'r> {
    records: &'r [Record<'r>],
    columns: Vec<(&'static str, ArrayRef, bool)>,
}

impl<'r> Table<'r> {
    fn text(&mut self, name: &'static str, value: impl Fn(&'r Record<'r>) -> &'r str) {
        let values = StringArray::from_iter_values(self.records.iter().map(value));
        self.add(name, false, values);
    }

    fn optional_text(
        &mut self,
        name: &'static str,
        value: impl Fn(&'r Record<'r>) -> Option<&'r str>,
    ) {
        self.add(name, true, self.records.iter().map(value).collect::<StringArray>());
    }

    fn number(&mut self, name: &'static str, value: impl Fn(&'r Record<'r>) -> usize) {
        let values = self.records.iter().map(|record| whole(value(record)));
        self.add(name, false, Int64Array::from_iter_values(values));
    }

    fn add(&mut self, name: &'static str, nullable: bool, values: impl Array + 'static) {
        self.columns.push((name, Arc::new(values), nullable));
    }
}

/// Converts a count, which in practice always fits in `i64`.
fn whole(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn breadcrumbs(records: &[Record<'_>]) -> ListArray {
    let elements: Vec<&str> =
        records.iter().flat_map(|record| record.breadcrumb).map(|element| &**element).collect();
    let lengths = records.iter().map(|record| record.breadcrumb.len());
    list(lengths, StringArray::from_iter_values(elements), None)
}

/// Returns the front matter column. The JSON that chunks of a document share is built once.
fn metadata(records: &[Record<'_>]) -> StringArray {
    let mut last: Option<(&Metadata, String)> = None;
    let mut values = StringBuilder::new();
    for record in records {
        let Some(metadata) = record.metadata else {
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

fn notes(records: &[Record<'_>]) -> ListArray {
    let notes: Vec<&Note> = records.iter().flat_map(|record| record.notes).collect();
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
    let present = records.iter().map(|record| !record.notes.is_empty()).collect();
    list(records.iter().map(|record| record.notes.len()), values, Some(present))
}

/// The name of a note's kind, as in JSON.
struct KindName(NoteKind);

impl fmt::Display for KindName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.serialize(f)
    }
}

fn pieces(records: &[Record<'_>]) -> ListArray {
    let of = |record: &'_ Record<'_>| record.pieces.as_ref().map_or(0, Vec::len);
    let pieces: Vec<&PieceRow<'_>> =
        records.iter().flat_map(|r| r.pieces.iter().flatten()).collect();
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
    list(records.iter().map(of), values, None)
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
