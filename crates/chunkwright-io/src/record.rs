//! The record: a chunk comes in, the row that every format shows goes out.

use std::io::{self, Write};
use std::sync::Arc;

use chunkwright::{Chunk, Metadata, Note, Piece};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// Fields that a record has only on request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct With {
    /// What an embedding model should see.
    pub embed_text: bool,
    /// What the text is made of.
    pub pieces: bool,
}

/// One chunk as a row, its fields in the order in which they are documented.
#[derive(Debug, Serialize)]
pub struct Record<'c> {
    id: &'c str,
    doc_id: &'c str,
    parent_id: Option<&'c str>,
    path: &'c str,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'c str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    anchor: Option<&'c str>,
    strategy: &'static str,
    position: usize,
    depth: u8,
    title: &'c str,
    document_title: &'c str,
    breadcrumb: &'c [Arc<str>],
    text: &'c str,
    tokens: usize,
    byte_start: usize,
    byte_end: usize,
    line_start: usize,
    line_end: usize,
    block_start: usize,
    block_end: usize,
    content_hash: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<&'c Metadata>,
    #[serde(skip_serializing_if = "<[Note]>::is_empty")]
    notes: &'c [Note],
    #[serde(skip_serializing_if = "Option::is_none")]
    embed_text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pieces: Option<Vec<PieceRow<'c>>>,
}

impl<'c> Record<'c> {
    /// The row of a chunk.
    pub fn new(chunk: &'c Chunk<'_>, with: With) -> Self {
        Self {
            id: &chunk.id,
            doc_id: &chunk.doc_id,
            parent_id: chunk.parent_id.as_deref(),
            path: &chunk.path,
            url: chunk.url.as_deref(),
            anchor: chunk.anchor.as_deref(),
            strategy: chunk.strategy.name(),
            position: chunk.position,
            depth: chunk.depth,
            title: &chunk.title,
            document_title: &chunk.document_title,
            breadcrumb: &chunk.breadcrumb,
            text: &chunk.text,
            tokens: chunk.tokens,
            byte_start: chunk.span.start,
            byte_end: chunk.span.end,
            line_start: chunk.lines.0,
            line_end: chunk.lines.1,
            block_start: chunk.blocks.0,
            block_end: chunk.blocks.1,
            content_hash: chunk.content_hash(),
            metadata: chunk.metadata.as_deref(),
            notes: &chunk.notes,
            embed_text: with.embed_text.then(|| chunk.embed_text().into_owned()),
            pieces: with.pieces.then(|| chunk.pieces.iter().map(PieceRow).collect()),
        }
    }

    /// Writes the record as one line of JSON.
    ///
    /// # Errors
    /// When `out` fails.
    pub fn write_json_line(&self, out: &mut impl Write) -> io::Result<()> {
        serde_json::to_writer(&mut *out, self)?;
        out.write_all(b"\n")
    }
}

/// A piece as `{"kind": …, "start": …, "end": …}`, or with its `text` when it is glue.
#[derive(Debug)]
struct PieceRow<'c>(&'c Piece);

impl Serialize for PieceRow<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (kind, span) = match self.0 {
            Piece::Own(span) => ("own", span),
            Piece::Echo(span) => ("echo", span),
            Piece::Hidden(span) => ("hidden", span),
            Piece::Glue(text) => {
                let mut map = serializer.serialize_map(Some(2))?;
                map.serialize_entry("kind", "glue")?;
                map.serialize_entry("text", text)?;
                return map.end();
            }
        };
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("kind", kind)?;
        map.serialize_entry("start", &span.start)?;
        map.serialize_entry("end", &span.end)?;
        map.end()
    }
}
