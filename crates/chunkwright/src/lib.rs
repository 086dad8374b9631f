//! Splits Markdown into chunks for retrieval: nothing lost, exact offsets, a hard token limit.
//!
//! A [`Chunker`] combines a strategy with a [`TokenCounter`]. It turns Markdown or MDX into
//! [`Chunk`]s: text to embed, with an id, a heading path, a token count, and its bytes and lines in
//! the source. Sections, tables and code blocks stay whole where they fit. Where they don't, each
//! part is valid Markdown on its own.
//!
//! # Getting started
//!
//! Choose a strategy, a limit and a tokenizer, and split a text:
//!
//! ```
//! # #[cfg(feature = "openai")] {
//! use chunkwright::{Chunker, Hierarchical, O200k};
//!
//! let chunker = Chunker::new(Hierarchical::default().max(512), O200k)?;
//! let chunked = chunker.chunk("tea.md", "# Tea\n\nBoil water first.\n");
//! assert_eq!(chunked.chunks[0].tokens, 8);
//! # }
//! # Ok::<(), chunkwright::ConfigError>(())
//! ```
//!
//! `O200k` needs the cargo feature `openai`. [`Words`] needs none. With a limit of 12 words, this
//! text becomes two chunks:
//!
//! ```
//! use chunkwright::{Chunker, Hierarchical, Words};
//!
//! let chunker = Chunker::new(Hierarchical::default().max(12), Words::with_factor(1.0)?)?;
//!
//! let text = "# Tea\n\nBoil water first.\n\n## Green\n\nLet it cool to 80 degrees.\n";
//! let chunked = chunker.chunk("tea.md", text);
//! let [tea, green] = &chunked.chunks[..] else { panic!("two chunks") };
//!
//! assert_eq!(tea.id, "docs:tea.md#tea");
//! assert_eq!(green.breadcrumb.join(" › "), "tea.md › Tea › Green");
//! assert_eq!(green.text, "## Green\n\nLet it cool to 80 degrees.");
//! assert_eq!(green.embed_text(), format!("Tea\n\n{}", green.text));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Embed [`Chunk::embed_text`], which adds the headings above the chunk. Store [`Chunk::text`],
//! [`Chunk::span`] and [`Chunk::lines`] to show results and link to the source.
//!
//! # Choosing a strategy
//!
//! | Strategy | A chunk is | Use it for |
//! |---|---|---|
//! | [`Hierarchical`] | a section with its subsections, or neighboring sections under one parent | documentation; the default |
//! | [`Window`] | consecutive lines, from one heading to a later one | chunks that repeat their parent headings in the text |
//! | [`Blocks`] | consecutive blocks of about the target size | chunks of even size, overlap |
//! | [`Tree`] | the text directly under one heading, of any size | search over sections |
//!
//! To set options that all strategies share, such as the context line or the treatment of front
//! matter, pass a [`Config`]. For options from a configuration file, deserialize a [`ConfigTable`].
//!
//! # Limits and tokens
//!
//! Every limit is a number of tokens, and [`Chunk::tokens`] counts all of
//! [`embed_text`](Chunk::embed_text), including the context line. No chunk exceeds `max`, with two
//! exceptions: text that can't be split further, such as a single character, and blocks that
//! [`SplitOversized`] keeps whole. Such a chunk carries a [`NoteKind::Oversize`] note.
//! [`Tree`] never splits a section, so it has no limit.
//!
//! By default, [`Hierarchical`] allows 1024 tokens per chunk, [`Window`] 750 and [`Blocks`] 768.
//! See [`Size`] for presets.
//!
//! | Counter | Counts | Feature |
//! |---|---|---|
//! | `O200k` | tokens of GPT-4o and newer models, exactly | `openai` |
//! | `Cl100k` | tokens of GPT-4 and `text-embedding-3-*`, exactly | `openai` |
//! | `HuggingFace` | tokens of any model with a `tokenizer.json`, exactly | `huggingface` |
//! | [`Estimate`] | characters, divided by a constant for prose or code | |
//! | [`Words`] | words, times a factor | |
//! | [`Chars`] | Unicode scalar values | |
//!
//! Any function from `&str` to `usize` is a counter, too. [`counter_by_name`] returns a counter for
//! a name such as `o200k` or `gpt-4o`.
//!
//! # Cargo features
//!
//! No feature is on by default.
//!
//! - `openai` adds `O200k` and `Cl100k`. Their vocabularies are built in.
//! - `huggingface` adds `HuggingFace`, which loads a local `tokenizer.json`.
//! - `schema` derives `schemars::JsonSchema` for [`ConfigTable`] and the options of strategies.
//!
//! # Ids
//!
//! A chunk's id names its place: `{tree}:{path}#{slug}`. The tree is `docs` unless
//! [`Source::in_tree`] sets it, and the path is the one you pass. The slug is the `{#id}` of the
//! heading, or derived from the heading's text; repeated headings are numbered. If a section has
//! several chunks, the second id ends with `~2`, the third with `~3`, and so on. Chunks of text
//! before the first heading have no slug.
//!
//! An id doesn't depend on the section's text, so rewording a paragraph keeps it. Renaming the file
//! or the heading changes it. To find chunks that must be embedded again, compare
//! [`Chunk::content_hash`] too.
//!
//! # Errors and panics
//!
//! Markdown never makes the library fail. Only invalid options and tokenizers are errors; splitting
//! returns no `Result`, and anything unusual is reported as a [`Note`].
//!
//! If the Markdown parser panics, the crate catches the panic, treats the affected part as plain
//! paragraphs and adds a [`NoteKind::Parser`] note. Some blocks are parsed a second time, to split
//! them or to find comments and data URIs. A panic there is caught without a note: the block is
//! split like plain text, or its comments and data URIs stay in `embed_text`.
//!
//! Some things are out of the crate's control:
//!
//! - The default panic hook still prints the message of a caught panic to standard error.
//! - With `panic = "abort"`, panics can't be caught, and the process ends.
//! - Panics in your own [`TokenCounter`] are passed on to the caller.
//!
//! # What the crate doesn't do
//!
//! It reads no files, except that `HuggingFace::from_file` (and the name `hf:PATH`) loads a
//! tokenizer. It doesn't use the network, the environment or the clock, and starts no threads.
//! The crate `chunkwright-io` reads directories, and `chunkwright-records` turns chunks into records.

mod block;
mod brief;
mod chunk;
mod chunker;
mod config;
mod context;
mod counter;
mod document;
mod elide;
mod format;
mod hash;
mod identity;
mod ids;
mod metadata;
mod note;
mod outline;
mod parse;
mod piece;
mod plan;
mod render;
mod ruler;
mod runs;
mod seam;
mod shortcodes;
mod slug;
mod span;
mod split;
mod split_oversized;
mod strategy;

pub use block::{Block, BlockKind};
pub use chunk::Chunk;
pub use chunker::{Chunked, Chunker, Measures, Source};
pub use config::{Config, ConfigTable, FrontMatter, Mdx};
pub use context::Context;
#[cfg(feature = "huggingface")]
pub use counter::HuggingFace;
pub use counter::{
    Bias, COUNTER_ALIASES, COUNTERS, Chars, CounterError, Estimate, Scale, TextKind, TokenCounter,
    Words, counter_by_name,
};
#[cfg(feature = "openai")]
pub use counter::{Cl100k, O200k};
pub use document::{Document, Heading, Section};
pub use elide::remove_invisible;
pub use format::Format;
pub use metadata::{Metadata, Value};
pub use note::{Note, NoteKind};
pub use outline::{Node, Outline};
#[doc(hidden)]
pub use parse::Shortcuts;
pub use piece::Piece;
pub use shortcodes::Shortcodes;
pub use slug::Slugs;
pub use span::Span;
pub use split_oversized::SplitOversized;
pub use strategy::{
    Blocks, ConfigError, Hierarchical, Mode, Overlap, OverlapScope, Share, Size, Strategy,
    StrategyName, Tail, Tree, Window,
};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(all(doctest, feature = "openai"))]
#[doc = include_str!("../../../docs/how-to/from-text-splitter.md")]
struct FromTextSplitter;
