//! Pieces, the parts of a chunk.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::span::Span;

/// A piece of a chunk: bytes of the source, or text that is added to them.
///
/// If a document has chunks, every byte of the source belongs to exactly one own or hidden piece.
/// The only exception is text that [`Tail::Drop`](crate::Tail::Drop) removes.
///
/// ```
/// use chunkwright::{Chunker, Hierarchical, Piece, Words};
///
/// let chunker = Chunker::new(Hierarchical::default().max(6), Words::with_factor(1.0)?)?;
/// let text = "```sh\nboil water\npour water\nadd tea\n```\n";
/// let first = chunker.chunk("tea.md", text).chunks.remove(0);
/// let [Piece::Own(lines), Piece::Glue(fence)] = &first.pieces[..] else { panic!("two pieces") };
/// assert_eq!((lines.start, fence.trim()), (0, "```"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Piece {
    /// Bytes of the source that belong to this chunk.
    Own(Span),
    /// Bytes of the source that are repeated: overlap, parent headings, a table's header, or an
    /// opening code fence.
    Echo(Span),
    /// Bytes of the source that belong to this chunk, but are left out of its text.
    Hidden(Span),
    /// Text that is not in the source, such as a closing code fence or a line ending.
    Glue(Cow<'static, str>),
}

impl Piece {
    /// Returns whether its bytes belong to this chunk.
    pub(crate) const fn is_owned(&self) -> bool {
        matches!(self, Self::Own(_) | Self::Hidden(_))
    }
}
