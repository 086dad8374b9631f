//! Notes: what is worth reporting about a document or a chunk.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::document::BlockKind;

/// The kind of a [`Note`], for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum NoteKind {
    /// The chunk is over its maximum and cannot be cut.
    Oversize,
    /// The chunk holds part of a table or code block, or a line, row or list item that had to be
    /// cut like a paragraph.
    Cut,
    /// A code fence runs to the end of the document.
    UnclosedFence,
    /// Front matter is read as content, or is too long to repeat in every record.
    FrontMatter,
    /// The end of the document was dropped, as requested.
    DroppedTail,
    /// Data URIs are left out of `embed_text`.
    DataUri,
    /// Long runs of base64 or hexadecimal digits are left out of `embed_text`.
    Payload,
    /// Invisible characters are left out of `embed_text`.
    Invisible,
    /// MDX that does not parse is read as Markdown.
    Mdx,
    /// The Markdown parser failed, and the document is read as plain paragraphs.
    Parser,
}

/// Something worth reporting about a chunk or its document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Note {
    /// The kind, for programs.
    pub kind: NoteKind,
    /// The kind of block that was cut, such as `table`. Only on [`NoteKind::Cut`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<Cow<'static, str>>,
    /// The line on which that block starts, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// A sentence for people.
    pub message: Cow<'static, str>,
}

impl Note {
    pub(crate) fn new(kind: NoteKind, message: impl Into<Cow<'static, str>>) -> Self {
        Self { kind, block: None, line: None, message: message.into() }
    }

    /// The note on a chunk that holds part of a block which starts on this line.
    pub(crate) fn cut(kind: BlockKind, line: usize) -> Self {
        let name = kind.name();
        let noun = if kind == BlockKind::Code { "code block" } else { name };
        let message = format!("contains part of the {noun} that starts on line {line}");
        Self { block: Some(name.into()), line: Some(line), ..Self::new(NoteKind::Cut, message) }
    }

    /// The note on a chunk of more tokens than the maximum.
    pub(crate) fn oversize(tokens: usize, max: usize) -> Self {
        Self::new(NoteKind::Oversize, format!("{tokens} tokens, more than {max}"))
    }
}
