//! Cuts Markdown into chunks for retrieval: each within a token limit, each with its place in the
//! document.
//!
//! A [`Chunker`] is made once, of a strategy and a [`TokenCounter`]. It turns a [`Source`] into
//! [`Chunk`]s: text with an id, a breadcrumb, and the bytes, lines and blocks it came from. The
//! chunks of a document, put together, are the document. Reading never fails; what is odd is told
//! in [`Note`]s.
//!
//! ```
//! use chunkwright::{Chunker, Hierarchical, Words};
//!
//! let chunker = Chunker::new(Hierarchical::default().max(12), Words::with_factor(1.0)?)?;
//!
//! let text = "# Tea\n\nBoil water first.\n\n## Green\n\nWait until it has 80 degrees.\n";
//! let chunked = chunker.chunk("tea.md", text);
//! let [tea, green] = &chunked.chunks[..] else { panic!("two chunks") };
//!
//! assert_eq!(tea.id, "docs:tea.md#tea");
//! assert_eq!(green.breadcrumb.join(" › "), "tea.md › Tea › Green");
//! assert_eq!(green.text, "## Green\n\nWait until it has 80 degrees.");
//! assert_eq!(green.embed_text(), format!("Tea\n\n{}", green.text));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The counters [`Estimate`], [`Words`] and [`Chars`] need no vocabulary, and any function can count.
//! Exact ones are behind cargo features: `openai` has `O200k` and `Cl100k`, `huggingface` has
//! `HuggingFace`. Files and records are in the crate `chunkwright-io`.

mod chunk;
mod chunker;
mod config;
mod context;
mod counter;
mod document;
mod elide;
mod metadata;
mod note;
mod outline;
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

pub use chunk::Chunk;
pub use chunker::{Chunked, Chunker, Measures, Source};
pub use config::{Config, ConfigError, ConfigTable, FrontMatter, Mdx, SplitOversized};
pub use context::Context;
#[cfg(feature = "huggingface")]
pub use counter::HuggingFace;
pub use counter::{
    Bias, COUNTERS, Chars, CounterError, Estimate, Scale, TextKind, TokenCounter, Words,
    counter_by_name,
};
#[cfg(feature = "openai")]
pub use counter::{Cl100k, O200k};
pub use document::{Block, BlockKind, Document, Heading, Section};
pub use metadata::{Metadata, Value};
pub use note::{Note, NoteKind};
pub use outline::{Node, Outline};
pub use parse::Format;
pub use plan::Piece;
pub use shortcodes::Shortcodes;
pub use slug::Slugs;
pub use span::Span;
pub use strategy::{
    Blocks, Hierarchical, Mode, Overlap, OverlapScope, Share, Size, Strategy, StrategyName, Tail,
    Tree, Window,
};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
