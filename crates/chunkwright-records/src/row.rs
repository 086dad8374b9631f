//! Reduces records to the values that a comparison needs.

use chunkwright::StrategyName;
use serde_json::{Map, Value};
use thiserror::Error;

use crate::digest::{Hash, Hashable, hash, hash_entries};
use crate::field::{FIELDS, Presence, With};
use crate::record::Record;

/// Fields that determine `embed_text`, given the same options.
const INGREDIENTS: &[&str] =
    &["strategy", "tokens", "content_hash", "breadcrumb", "document_title"];

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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub(crate) id: Box<str>,
    /// Length of the document's id, which is a prefix of `id`.
    document: usize,
    pub(crate) strategy: StrategyName,
    pub(crate) tokens: usize,
    /// Hash of `embed_text`, if the record contains it.
    pub(crate) embed_text: Option<Hash>,
    /// Hash of [`INGREDIENTS`].
    pub(crate) ingredients: Hash,
    /// Hash of the fields that are stored with the vector.
    pub(crate) stored: Hash,
}

impl Row {
    /// Returns the row of a record.
    pub fn of(record: &Record<'_>) -> Self {
        let Record { chunk, with } = *record;
        let fields = Record::new(chunk, With::default()).fields();
        let fields = fields.filter_map(|(field, value)| Some((field.name, value?))).collect();
        let (ingredients, stored) = hashes(fields);
        Self {
            id: (&*chunk.id).into(),
            document: document(&chunk.id, &chunk.doc_id),
            strategy: chunk.strategy,
            tokens: chunk.tokens,
            embed_text: with.embed_text.then(|| hash(&chunk.embed_text())),
            ingredients,
            stored,
        }
    }

    /// Parses a record in JSON. The result is the same as that of [`of`](Self::of).
    ///
    /// # Errors
    /// Fails if the text is not a record.
    pub fn parse(json: &str) -> Result<Self, RowError> {
        let record: Map<String, Value> = serde_json::from_str(json)?;
        let (id, doc_id) = (text(&record, "id")?, text(&record, "doc_id")?);
        let strategy = text(&record, "strategy")?;
        let tokens = record.get("tokens").and_then(Value::as_u64);
        let tokens = tokens.and_then(|tokens| usize::try_from(tokens).ok());
        let tokens = tokens.ok_or(RowError::Field("tokens"))?;
        record.get("breadcrumb").ok_or(RowError::Field("breadcrumb"))?;
        text(&record, "content_hash")?;
        let is_compared = |(name, value): &(&str, &Value)| !value.is_null() && !is_optional(name);
        let fields = record.iter().map(|(name, value)| (&**name, value)).filter(is_compared);
        let (ingredients, stored) = hashes(fields.collect());
        Ok(Self {
            id: id.into(),
            document: document(id, doc_id),
            strategy: strategy.parse().map_err(|_| RowError::Field("strategy"))?,
            tokens,
            embed_text: record.get("embed_text").and_then(Value::as_str).map(hash),
            ingredients,
            stored,
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

/// Returns the length of the document's id, if it is a prefix of the chunk's id.
fn document(id: &str, doc_id: &str) -> usize {
    if id.starts_with(doc_id) { doc_id.len() } else { id.len() }
}

/// Returns whether records have a field only if it was requested. Such fields are not compared, so
/// that versions with and without them can be.
fn is_optional(name: &str) -> bool {
    let field = FIELDS.iter().find(|field| field.name == name);
    field.is_some_and(|field| matches!(field.presence, Presence::IfRequested(_)))
}

/// Returns the hash of the fields that determine `embed_text`, and that of all fields.
fn hashes<T: Hashable>(fields: Vec<(&str, T)>) -> (Hash, Hash) {
    let ingredients = fields.iter().filter(|(name, _)| INGREDIENTS.contains(name));
    let ingredients = hash_entries(ingredients.map(|(name, value)| (*name, value)).collect());
    (ingredients, hash_entries(fields))
}
