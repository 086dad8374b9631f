//! Cuts Markdown into chunks for retrieval: each within a token limit, each with its place in the
//! document.
//!
//! A [`Chunker`] is made once, of a [`Config`] and a [`TokenCounter`]. It turns a [`Source`] into
//! [`Chunk`]s: text with an id, a breadcrumb, and the bytes, lines and blocks it came from. The
//! chunks of a document, put together, are the document. Reading never fails; what is odd is told
//! in [`Note`]s.
//!
//! ```
//! use std::sync::Arc;
//!
//! use chunkwright::{Bias, Chunker, Config, Source, plain_counter};
//!
//! let mut config = Config::default();
//! config.hierarchical.max = Some(12);
//! let counter = plain_counter("words:1", Bias::default())?;
//! let chunker = Chunker::new(config, Arc::from(counter))?;
//!
//! let text = "# Tea\n\nBoil water first.\n\n## Green\n\nWait until it has 80 degrees.\n";
//! let chunked = chunker.chunk(&Source::new("tea.md", text));
//! let [tea, green] = &chunked.chunks[..] else { panic!("two chunks") };
//!
//! assert_eq!(tea.id, "docs:tea.md#tea");
//! assert_eq!(green.breadcrumb.join(" › "), "tea.md › Tea › Green");
//! assert_eq!(green.text, "## Green\n\nWait until it has 80 degrees.");
//! assert_eq!(green.embed_text(), format!("Tea\n\n{}", green.text));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`plain_counter`] opens the counters that need no vocabulary. The exact ones (`cl100k`, `o200k`,
//! `hf:PATH`) are in the crate `chunkwright-tokens`; files and records are in `chunkwright-io`.

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
mod runs;
mod shortcodes;
mod slug;
mod span;
mod split;
mod strategy;
mod tree;

pub use chunk::Chunk;
pub use chunker::{Chunked, Chunker, Measures, Source};
pub use config::{Config, ConfigError, FrontMatter, Mdx, SplitOversized, Strategy, options};
pub use context::Context;
pub use counter::{Bias, Scale, TextKind, TokenCounter, UnknownCounter, plain_counter};
pub use document::{Block, BlockKind, Document, Heading, Section};
pub use metadata::{Metadata, Value};
pub use note::{Note, NoteKind};
pub use parse::Format;
pub use plan::Piece;
pub use shortcodes::Shortcodes;
pub use slug::Slugs;
pub use span::Span;
pub use tree::{Node, Tree};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
