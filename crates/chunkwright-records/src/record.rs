//! Converts chunks to records, the rows of every output format.

use std::sync::Arc;

use chunkwright::{Chunk, Metadata, Note, Piece};
use serde::Serialize;

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
#[derive(Debug, Serialize)]
pub struct Record<'c> {
    pub(crate) id: &'c str,
    pub(crate) doc_id: &'c str,
    pub(crate) parent_id: Option<&'c str>,
    pub(crate) path: &'c str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) url: Option<&'c str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) anchor: Option<&'c str>,
    pub(crate) strategy: &'static str,
    pub(crate) position: usize,
    pub(crate) depth: u8,
    pub(crate) title: &'c str,
    pub(crate) document_title: &'c str,
    pub(crate) breadcrumb: &'c [Arc<str>],
    pub(crate) text: &'c str,
    pub(crate) tokens: usize,
    pub(crate) byte_start: usize,
    pub(crate) byte_end: usize,
    pub(crate) line_start: usize,
    pub(crate) line_end: usize,
    pub(crate) block_start: usize,
    pub(crate) block_end: usize,
    pub(crate) content_hash: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) metadata: Option<&'c Metadata>,
    #[serde(skip_serializing_if = "<[Note]>::is_empty")]
    pub(crate) notes: &'c [Note],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) embed_text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) pieces: Option<Vec<PieceRow<'c>>>,
}

impl<'c> Record<'c> {
    /// Creates the record of a chunk.
    pub fn new(chunk: &'c Chunk<'_>, with: With) -> Self {
        Self {
            id: &chunk.id,
            doc_id: &chunk.doc_id,
            parent_id: chunk.parent_id.as_deref(),
            path: &chunk.path,
            url: chunk.url.as_deref(),
            anchor: chunk.anchor.as_deref(),
            strategy: chunk.strategy.as_str(),
            position: chunk.position,
            depth: chunk.depth,
            title: &chunk.title,
            document_title: &chunk.document_title,
            breadcrumb: &chunk.breadcrumb,
            text: &chunk.text,
            tokens: chunk.tokens,
            byte_start: chunk.span.start,
            byte_end: chunk.span.end,
            line_start: *chunk.lines.start(),
            line_end: *chunk.lines.end(),
            block_start: chunk.blocks.start,
            block_end: chunk.blocks.end,
            content_hash: chunk.content_hash(),
            metadata: chunk.metadata.as_deref(),
            notes: &chunk.notes,
            embed_text: with.embed_text.then(|| chunk.embed_text().into_owned()),
            pieces: with.pieces.then(|| chunk.pieces.iter().filter_map(PieceRow::new).collect()),
        }
    }

    /// Appends the record to `json`, without a line ending.
    pub fn write_json(&self, json: &mut Vec<u8>) {
        serde_json::to_writer(json, self).expect("writing to memory does not fail");
    }
}

/// A piece: either a byte range of the source, or text that is not in the source.
#[derive(Debug, Serialize)]
pub(crate) struct PieceRow<'c> {
    pub(crate) kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) start: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) end: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<&'c str>,
}

impl<'c> PieceRow<'c> {
    /// Returns the row of a piece; none for a kind that records don't have.
    fn new(piece: &'c Piece) -> Option<Self> {
        let (kind, span) = match piece {
            Piece::Own(span) => ("own", span),
            Piece::Echo(span) => ("echo", span),
            Piece::Hidden(span) => ("hidden", span),
            Piece::Glue(text) => {
                return Some(Self { kind: "glue", start: None, end: None, text: Some(text) });
            }
            _ => return None,
        };
        Some(Self { kind, start: Some(span.start), end: Some(span.end), text: None })
    }
}
