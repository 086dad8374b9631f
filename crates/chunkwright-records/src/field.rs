//! Declares the fields of a record, each once.
//!
//! JSON, Arrow, comparisons of versions and the attributes in Python follow from [`FIELDS`]. The
//! table in the documentation and the type stub for Python are compared with it.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use chunkwright::{Chunk, Metadata, Note, NoteKind, Piece};
use serde::{Serialize, Serializer};

/// Optional fields of a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct With {
    /// Text to embed: the chunk's text with its context line.
    pub embed_text: bool,
    /// Pieces of the text, with their byte ranges in the source.
    pub pieces: bool,
}

/// All fields, in the order of JSON objects and Arrow columns.
pub static FIELDS: &[RecordField] = &[
    RecordField::new(
        "id",
        "Stable id: `tree:path#anchor`, ending in `~2`, `~3`, … for further chunks of a section.",
        Getter::Text(|chunk| &chunk.id),
    ),
    RecordField::new(
        "doc_id",
        "Id of the document: `tree:path`.",
        Getter::Text(|chunk| &chunk.doc_id),
    ),
    RecordField::new(
        "parent_id",
        "Id of the parent section, even if no chunk has it, or `doc_id`; no value at depth 0.",
        Getter::OptionalText(|chunk| chunk.parent_id.as_deref()),
    )
    .or_null(),
    RecordField::new(
        "path",
        "Path of the document in its tree, with `/` on every platform.",
        Getter::Text(|chunk| &chunk.path),
    ),
    RecordField::new(
        "url",
        "URL of the document, if known.",
        Getter::OptionalText(|chunk| chunk.url.as_deref()),
    ),
    RecordField::new(
        "anchor",
        "Slug of the section's heading; no value at depth 0.",
        Getter::OptionalText(|chunk| chunk.anchor.as_deref()),
    ),
    RecordField::new(
        "strategy",
        "Name of the strategy.",
        Getter::Text(|chunk| chunk.strategy.as_str()),
    ),
    RecordField::new(
        "position",
        "Index of the chunk in the document, from 0; in `tree`, index of its node.",
        Getter::Number(|chunk| chunk.position),
    ),
    RecordField::new(
        "depth",
        "Level of the section's heading; 0 before the first heading.",
        Getter::Number(|chunk| chunk.depth.into()),
    ),
    RecordField::new(
        "title",
        "Heading of the section; at depth 0, `document_title`.",
        Getter::Text(|chunk| &chunk.title),
    ),
    RecordField::new(
        "document_title",
        "Title in front matter, else the first heading of level 1, else the file name.",
        Getter::Text(|chunk| &chunk.document_title),
    ),
    RecordField::new(
        "breadcrumb",
        "File name (in `tree`, document title) and headings that lead to the chunk.",
        Getter::Texts(|chunk| &chunk.breadcrumb),
    ),
    RecordField::new("text", "Text of the chunk, for display.", Getter::Text(|chunk| &chunk.text)),
    RecordField::new(
        "tokens",
        "Number of tokens in `embed_text`.",
        Getter::Number(|chunk| chunk.tokens),
    ),
    RecordField::new(
        "byte_start",
        "Offset of the first own byte in the document's UTF-8.",
        Getter::Number(|chunk| chunk.span.start),
    ),
    RecordField::new(
        "byte_end",
        "Offset after the last own byte.",
        Getter::Number(|chunk| chunk.span.end),
    ),
    RecordField::new(
        "line_start",
        "First own line that is not blank, counted from 1.",
        Getter::Number(|chunk| *chunk.lines.start()),
    ),
    RecordField::new(
        "line_end",
        "Last own line that is not blank.",
        Getter::Number(|chunk| *chunk.lines.end()),
    ),
    RecordField::new(
        "block_start",
        "Index of the first block.",
        Getter::Number(|chunk| chunk.blocks.start),
    ),
    RecordField::new(
        "block_end",
        "Index after the last block.",
        Getter::Number(|chunk| chunk.blocks.end),
    ),
    RecordField::new(
        "content_hash",
        "Hash of `text`, in hexadecimal.",
        Getter::Hash(|chunk| chunk.content_hash()),
    ),
    RecordField::new(
        "metadata",
        "Front matter of the document. If it exceeds 4 KB, only the first chunk has it.",
        Getter::Metadata(|chunk| chunk.metadata.as_deref()),
    ),
    RecordField::new(
        "notes",
        "Notes on anything unusual, each with `kind` and `message`; those of kind `cut` also with `block` and `line`.",
        Getter::Notes(|chunk| &chunk.notes),
    ),
    RecordField::new(
        "embed_text",
        "Text to embed: a context line, a blank line, and `text`.",
        Getter::Rendered(|chunk| chunk.embed_text()),
    )
    .if_requested(|with| with.embed_text),
    RecordField::new(
        "pieces",
        "Pieces of the text, each with `kind`, and either `start` and `end` or `text`.",
        Getter::Pieces(|chunk| &chunk.pieces),
    )
    .if_requested(|with| with.pieces),
];

/// A field of records: its name, its description and its value for a chunk.
///
/// ```
/// use chunkwright::{Chunker, Hierarchical, Words};
/// use chunkwright_records::{FIELDS, FieldValue};
///
/// let chunker = Chunker::new(Hierarchical::default(), Words::default())?;
/// let chunk = &chunker.chunk("tea.md", "# Tea\n\nBoil water first.\n").chunks[0];
/// let line_end = FIELDS.iter().find(|field| field.name == "line_end").expect("a known field");
/// assert!(matches!(line_end.value(chunk), Some(FieldValue::Number(3))));
/// # Ok::<(), chunkwright::ConfigError>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct RecordField {
    /// The name, in every format.
    pub name: &'static str,
    /// The description, in Markdown.
    pub help: &'static str,
    /// The records that have the field.
    pub presence: Presence,
    pub(crate) getter: Getter,
}

/// The records that have a field.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Presence {
    /// All records.
    Always,
    /// All records, with null for no value.
    OrNull,
    /// Records of chunks that have a value.
    IfAny,
    /// Records for which it was requested.
    IfRequested(fn(With) -> bool),
}

/// The type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldKind {
    /// A string.
    Text,
    /// A non-negative integer.
    Number,
    /// A list of strings.
    Texts,
    /// An object with any keys.
    Metadata,
    /// A list of objects.
    Objects,
}

/// The value of a field. Serializes as in JSON records.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum FieldValue<'c> {
    /// A string.
    Text(Cow<'c, str>),
    /// A number.
    Number(usize),
    /// A list of strings.
    Texts(&'c [Arc<str>]),
    /// Front matter.
    Metadata(&'c Metadata),
    /// A list of notes.
    Notes(&'c [Note]),
    /// A list of pieces.
    Pieces(#[serde(serialize_with = "pieces")] &'c [Piece]),
}

/// The type of a field, with the function that returns its value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Getter {
    Text(for<'c> fn(&'c Chunk<'c>) -> &'c str),
    OptionalText(for<'c> fn(&'c Chunk<'c>) -> Option<&'c str>),
    /// A text that is rendered on each call.
    Rendered(for<'c> fn(&'c Chunk<'c>) -> Cow<'c, str>),
    Hash(fn(&Chunk<'_>) -> String),
    Number(fn(&Chunk<'_>) -> usize),
    Texts(for<'c> fn(&'c Chunk<'c>) -> &'c [Arc<str>]),
    Metadata(for<'c> fn(&'c Chunk<'c>) -> Option<&'c Metadata>),
    Notes(for<'c> fn(&'c Chunk<'c>) -> &'c [Note]),
    Pieces(for<'c> fn(&'c Chunk<'c>) -> &'c [Piece]),
}

impl RecordField {
    const fn new(name: &'static str, help: &'static str, getter: Getter) -> Self {
        let presence = match getter {
            Getter::OptionalText(_) | Getter::Metadata(_) | Getter::Notes(_) => Presence::IfAny,
            _ => Presence::Always,
        };
        Self { name, help, presence, getter }
    }

    const fn or_null(self) -> Self {
        Self { presence: Presence::OrNull, ..self }
    }

    const fn if_requested(self, is_requested: fn(With) -> bool) -> Self {
        Self { presence: Presence::IfRequested(is_requested), ..self }
    }

    /// Returns the type of the field.
    pub const fn kind(&self) -> FieldKind {
        match self.getter {
            Getter::Text(_) | Getter::OptionalText(_) | Getter::Rendered(_) | Getter::Hash(_) => {
                FieldKind::Text
            }
            Getter::Number(_) => FieldKind::Number,
            Getter::Texts(_) => FieldKind::Texts,
            Getter::Metadata(_) => FieldKind::Metadata,
            Getter::Notes(_) | Getter::Pieces(_) => FieldKind::Objects,
        }
    }

    /// Returns the value for a chunk, if it has one.
    pub fn value<'c>(&self, chunk: &'c Chunk<'c>) -> Option<FieldValue<'c>> {
        Some(match self.getter {
            Getter::Text(text) => FieldValue::Text(text(chunk).into()),
            Getter::OptionalText(text) => FieldValue::Text(text(chunk)?.into()),
            Getter::Rendered(text) => FieldValue::Text(text(chunk)),
            Getter::Hash(hash) => FieldValue::Text(hash(chunk).into()),
            Getter::Number(number) => FieldValue::Number(number(chunk)),
            Getter::Texts(texts) => FieldValue::Texts(texts(chunk)),
            Getter::Metadata(metadata) => FieldValue::Metadata(metadata(chunk)?),
            Getter::Notes(notes) => {
                FieldValue::Notes(Some(notes(chunk)).filter(|notes| !notes.is_empty())?)
            }
            Getter::Pieces(pieces) => FieldValue::Pieces(pieces(chunk)),
        })
    }

    /// Returns whether a record may contain the field without a value.
    pub const fn is_nullable(&self) -> bool {
        matches!(self.presence, Presence::OrNull | Presence::IfAny)
    }

    /// Returns whether records with these optional fields have the field.
    pub fn is_in(&self, with: With) -> bool {
        match self.presence {
            Presence::IfRequested(is_requested) => is_requested(with),
            _ => true,
        }
    }
}

fn pieces<S: Serializer>(pieces: &[Piece], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(pieces.iter().filter_map(PieceRow::new))
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
    pub(crate) fn new(piece: &'c Piece) -> Option<Self> {
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

/// The name of a note's kind, as in JSON.
pub(crate) struct KindName(pub(crate) NoteKind);

impl fmt::Display for KindName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.serialize(f)
    }
}
