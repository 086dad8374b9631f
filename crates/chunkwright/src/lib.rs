//! Cuts Markdown into chunks for retrieval.

mod counter;
mod document;
mod elide;
mod metadata;
mod note;
mod parse;
mod slug;
mod span;

pub use counter::{Bias, Scale, TextKind, TokenCounter, UnknownCounter, plain_counter};
pub use document::{Block, BlockKind, Document, Heading, Section};
pub use metadata::{Metadata, Value};
pub use note::{Note, NoteKind};
pub use parse::Format;
pub use slug::Slugs;
pub use span::Span;
