//! Chunks as records, the rows of every output format.

use chunkwright::Chunk;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::field::{FIELDS, FieldValue, Presence, RecordField};

/// Optional fields of a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct With {
    /// Text to embed: the chunk's text with its context line.
    pub embed_text: bool,
    /// Pieces of the text, with their byte ranges in the source.
    pub pieces: bool,
}

/// One chunk as a row, with its fields in the documented order.
///
/// ```
/// use chunkwright::{Chunker, Hierarchical, Words};
/// use chunkwright_records::{Record, With};
///
/// let chunker = Chunker::new(Hierarchical::default(), Words::default())?;
/// let chunked = chunker.chunk("tea.md", "# Tea\n\nBoil water first.\n");
/// let with = With { embed_text: true, ..With::default() };
/// let mut json = Vec::new();
/// Record::new(&chunked.chunks[0], with).write_json(&mut json);
/// let record: serde_json::Value = serde_json::from_slice(&json).expect("JSON");
/// assert_eq!((&record["path"], &record["line_end"]), (&"tea.md".into(), &3.into()));
/// # Ok::<(), chunkwright::ConfigError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Record<'c> {
    pub(crate) chunk: &'c Chunk<'c>,
    pub(crate) with: With,
}

impl<'c> Record<'c> {
    /// Creates the record of a chunk.
    pub fn new(chunk: &'c Chunk<'_>, with: With) -> Self {
        Self { chunk, with }
    }

    /// Returns the fields of the record, with the values that the chunk has.
    pub(crate) fn fields(
        self,
    ) -> impl Iterator<Item = (&'static RecordField, Option<FieldValue<'c>>)> {
        let fields = FIELDS.iter().filter(move |field| field.is_in(self.with));
        fields.map(move |field| (field, field.value(self.chunk)))
    }

    /// Appends the record to `json`, without a line ending.
    pub fn write_json(&self, json: &mut Vec<u8>) {
        serde_json::to_writer(json, self).expect("writing to memory does not fail");
    }
}

impl Serialize for Record<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (field, value) in self.fields() {
            if value.is_some() || matches!(field.presence, Presence::OrNull) {
                map.serialize_entry(field.name, &value)?;
            }
        }
        map.end()
    }
}
