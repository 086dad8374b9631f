//! Cuts Markdown into chunks for retrieval.

mod chunk;
mod chunker;
mod config;
mod context;
mod counter;
mod document;
mod elide;
mod metadata;
mod note;
mod parse;
mod plan;
mod render;
mod ruler;
mod slug;
mod span;
mod split;
mod strategy;

pub use chunk::Chunk;
pub use chunker::{Chunked, Chunker, Measures, Source};
pub use config::{Config, ConfigError, FrontMatter, Strategy, options};
pub use context::Context;
pub use counter::{Bias, Scale, TextKind, TokenCounter, UnknownCounter, plain_counter};
pub use document::{Block, BlockKind, Document, Heading, Section};
pub use metadata::{Metadata, Value};
pub use note::{Note, NoteKind};
pub use parse::Format;
pub use plan::Piece;
pub use slug::Slugs;
pub use span::Span;
