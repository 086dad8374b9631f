//! Notes on irregularities in a document or a chunk.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::block::BlockKind;

/// The machine-readable kind of a [`Note`].
///
/// ```
/// use chunkwright::{Chunker, Hierarchical, NoteKind, Words};
///
/// let chunker = Chunker::new(Hierarchical::default(), Words::default())?;
/// let chunks = chunker.chunk("tea.md", "```sh\nboil water\n").chunks;
/// assert!(chunks[0].notes.iter().any(|note| note.kind == NoteKind::UnclosedFence));
/// # Ok::<(), chunkwright::ConfigError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum NoteKind {
    /// The chunk exceeds the maximum, but it can't or must not be split.
    Oversize,
    /// The chunk contains part of a table or code block, or of a line, row or list item that had to
    /// be split like a paragraph.
    Cut,
    /// A code fence runs to the end of the document.
    UnclosedFence,
    /// Front matter is treated as content, or is too long to repeat in every chunk.
    FrontMatter,
    /// The end of the document was dropped, as configured with [`Tail::Drop`](crate::Tail::Drop).
    DroppedTail,
    /// Data URIs are left out of `embed_text`.
    DataUri,
    /// Long runs of base64 or hexadecimal digits are left out of `embed_text`.
    Payload,
    /// Invisible characters are left out of `embed_text`.
    Invisible,
    /// Invalid MDX is treated as Markdown.
    Mdx,
    /// The Markdown parser failed, or lists and block quotes are nested too deeply. The document,
    /// or the affected part of it, is treated as plain paragraphs.
    Parser,
}

/// A note on something unusual about a chunk or its document.
///
/// ```
/// use chunkwright::{Chunker, Hierarchical, Words};
///
/// let chunker = Chunker::new(Hierarchical::default().max(6), Words::with_factor(1.0)?)?;
/// let text = "```sh\nboil water\npour water\nadd tea\n```\n";
/// let note = &chunker.chunk("tea.md", text).chunks[0].notes[0];
/// assert_eq!(note.message, "contains part of the code block that starts on line 1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Note {
    /// The machine-readable kind.
    pub kind: NoteKind,
    /// The kind of block that was split, such as `table`. Only with [`NoteKind::Cut`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<Cow<'static, str>>,
    /// The line where that block starts, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The human-readable message.
    pub message: Cow<'static, str>,
}

impl Note {
    pub(crate) fn new(kind: NoteKind, message: impl Into<Cow<'static, str>>) -> Self {
        Self { kind, block: None, line: None, message: message.into() }
    }

    /// Creates the note for a chunk with part of a block that starts on this line.
    pub(crate) fn cut(kind: BlockKind, line: usize) -> Self {
        let name = kind.name();
        let noun = if kind == BlockKind::Code { "code block" } else { name };
        let message = format!("contains part of the {noun} that starts on line {line}");
        Self { block: Some(name.into()), line: Some(line), ..Self::new(NoteKind::Cut, message) }
    }

    pub(crate) fn oversize(tokens: usize, max: usize) -> Self {
        Self::new(NoteKind::Oversize, format!("{tokens} tokens exceed the maximum of {max}"))
    }
}
