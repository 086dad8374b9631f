//! Things worth telling about a document or a chunk.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// What a [`Note`] is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum NoteKind {
    /// The chunk is over its maximum, and cannot be cut.
    Oversize,
    /// A line, a row or an item's text did not fit and is cut like a paragraph.
    Cut,
    /// A code fence runs to the end of the document.
    UnclosedFence,
    /// Front matter is taken as content, or told with the first chunk only.
    FrontMatter,
    /// The end of the document was dropped, as asked.
    DroppedTail,
    /// Data URIs are left out of `embed_text`.
    DataUri,
    /// Invisible characters are left out of `embed_text`.
    Invisible,
    /// MDX that does not parse is taken as Markdown.
    Mdx,
    /// The Markdown parser failed, and the document is taken as plain paragraphs.
    Parser,
}

/// Something worth telling: a kind for programs, a message for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// What it is about.
    pub kind: NoteKind,
    /// What happened, in a sentence.
    pub message: Cow<'static, str>,
}

impl Note {
    pub(crate) fn new(kind: NoteKind, message: impl Into<Cow<'static, str>>) -> Self {
        Self { kind, message: message.into() }
    }
}
