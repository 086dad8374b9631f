//! Rows: a record in JSON comes in, what a comparison needs of it goes out.

use chunkwright::StrategyName;
use serde_json::{Map, Value};
use thiserror::Error;

/// The first 16 bytes of a BLAKE3 hash.
pub(crate) type Hash = [u8; 16];

/// Fields that do not belong to what is stored beside a vector.
const NOT_STORED: &[&str] = &["embed_text", "pieces"];

/// What is wrong with a record.
#[derive(Debug, Error)]
pub enum RowError {
    /// It is not a JSON object.
    #[error("not a record in JSON")]
    Json(#[from] serde_json::Error),
    /// A field is not there, or is something else.
    #[error("not a record: `{0}` is missing or invalid")]
    Field(&'static str),
}

/// What a comparison needs of a record: a few hashes instead of its text.
#[derive(Clone, Debug)]
pub struct Row {
    pub(crate) id: Box<str>,
    /// How many bytes of the id name the document.
    document: usize,
    pub(crate) strategy: StrategyName,
    pub(crate) tokens: usize,
    /// Of `embed_text`, if the record has it.
    pub(crate) embed_text: Option<Hash>,
    /// Of what `embed_text` is made of: the same with the same options.
    pub(crate) ingredients: Hash,
    /// Of all that is stored beside the vector.
    pub(crate) stored: Hash,
}

impl Row {
    /// The row of a record.
    ///
    /// # Errors
    /// When it is not a record.
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

    /// Where the chunk is.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The id in two parts: the document, and the place in it.
    pub fn place(&self) -> (&str, &str) {
        self.id.split_at(self.document)
    }

    /// The document that the chunk is of.
    pub(crate) fn document(&self) -> &str {
        self.place().0
    }

    /// The tokens of what is embedded.
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
