//! Reduces records to the values that a comparison needs.

use chunkwright::StrategyName;
use serde_json::{Map, Value};
use thiserror::Error;

/// The first 16 bytes of a BLAKE3 hash.
pub(crate) type Hash = [u8; 16];

/// Fields that are not stored with the vector.
const NOT_STORED: &[&str] = &["embed_text", "pieces"];

/// A text that is not a record.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RowError {
    /// The text is not a JSON object.
    #[error("not a record: expected a JSON object")]
    Json(#[from] serde_json::Error),
    /// A field is missing or has the wrong type.
    #[error("not a record: `{0}` is missing or invalid")]
    Field(&'static str),
}

/// A record reduced for comparison: its id, its tokens, and hashes instead of its text.
#[derive(Clone, Debug)]
pub struct Row {
    pub(crate) id: Box<str>,
    /// Length of the document's id, which is a prefix of `id`.
    document: usize,
    pub(crate) strategy: StrategyName,
    pub(crate) tokens: usize,
    /// Hash of `embed_text`, if the record contains it.
    pub(crate) embed_text: Option<Hash>,
    /// Hash of the fields that determine `embed_text`, given the same options.
    pub(crate) ingredients: Hash,
    /// Hash of the fields that are stored with the vector.
    pub(crate) stored: Hash,
}

impl Row {
    /// Parses a record in JSON.
    ///
    /// # Errors
    /// Fails if the text is not a record.
    pub fn parse(json: &str) -> Result<Self, RowError> {
        let mut record: Map<String, Value> = serde_json::from_str(json)?;
        let id = text(&record, "id")?;
        let doc_id = text(&record, "doc_id")?;
        let document = if id.starts_with(doc_id) { doc_id.len() } else { id.len() };
        let name = text(&record, "strategy")?;
        let tokens = record.get("tokens").and_then(Value::as_u64);
        let tokens = tokens.ok_or(RowError::Field("tokens"))?;
        let breadcrumb = record.get("breadcrumb").ok_or(RowError::Field("breadcrumb"))?;
        let content_hash = text(&record, "content_hash")?;
        let title = text(&record, "document_title").unwrap_or_default();
        let ingredients = format!("{name} {tokens} {content_hash} {breadcrumb} {title}");
        Ok(Self {
            id: id.into(),
            document,
            strategy: name.parse().map_err(|_| RowError::Field("strategy"))?,
            tokens: usize::try_from(tokens).map_err(|_| RowError::Field("tokens"))?,
            embed_text: record.get("embed_text").and_then(Value::as_str).map(hash),
            ingredients: hash(&ingredients),
            stored: {
                record.retain(|field, _| !NOT_STORED.contains(&field.as_str()));
                let mut record = Value::Object(record);
                record.sort_all_objects();
                hash(&record.to_string())
            },
        })
    }

    /// Returns the id of the chunk.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Splits the id into that of the document and the place in the document.
    pub fn place(&self) -> (&str, &str) {
        self.id.split_at(self.document)
    }

    pub(crate) fn document(&self) -> &str {
        self.place().0
    }

    /// Returns the tokens of the chunk.
    pub fn tokens(&self) -> usize {
        self.tokens
    }
}

fn text<'m>(record: &'m Map<String, Value>, field: &'static str) -> Result<&'m str, RowError> {
    record.get(field).and_then(Value::as_str).ok_or(RowError::Field(field))
}

pub(crate) fn hash(text: &str) -> Hash {
    let mut first = Hash::default();
    first.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..16]);
    first
}
