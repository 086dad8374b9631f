//! The entry point of the library, which splits sources with a configuration and a counter.

use std::fmt;
use std::sync::Arc;

use crate::brief::{Brief, Starts};
use crate::chunk::{Chunk, Maker};
use crate::config::{Config, FrontMatter, Mdx};
use crate::context::Contexts;
use crate::counter::TokenCounter;
use crate::document::{BlockKind, Document};
use crate::format::Format;
use crate::identity::Identity;
use crate::ids::{BlockId, BlockRange, SectionId};
use crate::metadata::Metadata;
use crate::note::Note;
use crate::outline::Outline;
use crate::parse::{self, Shortcuts};
use crate::piece::Piece;
use crate::plan::{self, Plan};
use crate::ruler::Ruler;
use crate::strategy::{ConfigError, Rules, StrategyName};

/// A text to split, with its path, tree and format.
///
/// ```
/// use chunkwright::{Chunker, Hierarchical, Source, Words};
///
/// let chunker = Chunker::new(Hierarchical::default(), Words::default())?;
/// let source = Source::new("tea.md", "# Tea\n\nBoil water first.\n").in_tree("handbook");
/// assert_eq!(chunker.chunk_source(&source).chunks[0].id, "handbook:tea.md#tea");
/// # Ok::<(), chunkwright::ConfigError>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Source<'s> {
    /// The text.
    pub text: &'s str,
    /// Its path within the tree, with `/` as the separator.
    pub path: &'s str,
    /// The name of the tree that contains it.
    pub tree: &'s str,
    /// The format of the text.
    pub format: Format,
}

impl<'s> Source<'s> {
    /// Creates a source in the tree `docs`, with the format derived from the path.
    pub fn new(path: &'s str, text: &'s str) -> Self {
        Self { text, path, tree: "docs", format: Format::of_path(path) }
    }

    /// Sets the tree.
    #[must_use]
    pub fn in_tree(self, tree: &'s str) -> Self {
        Self { tree, ..self }
    }
}

/// The chunks of one source, as [`Chunker::chunk`] returns them.
///
/// ```
/// use chunkwright::{Chunker, Hierarchical, NoteKind, Words};
///
/// let chunker = Chunker::new(Hierarchical::default(), Words::default())?;
/// let chunked = chunker.chunk("tea.md", "---\ntitle: [Tea\n---\n\n# Tea\n");
/// assert_eq!(chunked.chunks.len(), 1);
/// assert!(chunked.notes().any(|note| note.kind == NoteKind::FrontMatter));
/// # Ok::<(), chunkwright::ConfigError>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Chunked<'s> {
    /// The chunks, in reading order. The first one also has the document's notes.
    pub chunks: Vec<Chunk<'s>>,
    /// The document's notes, if there are no chunks.
    unplaced: Vec<Note>,
}

impl Chunked<'_> {
    /// Returns the notes on the document and its chunks.
    pub fn notes(&self) -> impl Iterator<Item = &Note> {
        self.unplaced.iter().chain(self.chunks.iter().flat_map(|chunk| &chunk.notes))
    }
}

/// Splits texts into chunks.
///
/// Create it once and use it for all documents. It can be shared between threads.
///
/// ```
/// use chunkwright::{Chunker, Hierarchical, Words};
///
/// let chunker = Chunker::new(Hierarchical::default().max(512), Words::default())?;
/// for (path, text) in [("a.md", "# A\n\nOne.\n"), ("b.md", "# B\n\nTwo.\n")] {
///     assert_eq!(chunker.chunk(path, text).chunks.len(), 1);
/// }
/// # Ok::<(), chunkwright::ConfigError>(())
/// ```
#[derive(Clone)]
pub struct Chunker {
    config: Config,
    rules: Arc<dyn Rules>,
    counter: Arc<dyn TokenCounter>,
    config_hash: String,
}

impl fmt::Debug for Chunker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { config, counter, .. } = self;
        let mut chunker = f.debug_struct("Chunker");
        chunker.field("config", config).field("counter", &counter.name()).finish_non_exhaustive()
    }
}

impl Chunker {
    /// Creates a chunker from a strategy or a whole [`Config`], and a counter.
    ///
    /// # Errors
    /// If the options contradict each other or are out of range.
    pub fn new(
        config: impl Into<Config>,
        counter: impl TokenCounter + 'static,
    ) -> Result<Self, ConfigError> {
        Self::with_shared_counter(config, Arc::new(counter))
    }

    /// Creates a chunker with a shared counter.
    ///
    /// # Errors
    /// If the options contradict each other or are out of range.
    pub fn with_shared_counter(
        config: impl Into<Config>,
        counter: Arc<dyn TokenCounter>,
    ) -> Result<Self, ConfigError> {
        let config = config.into();
        let rules = Arc::from(config.strategy.rules(counter.name())?);
        let config_hash = config.hash(counter.name())?;
        Ok(Self { config, rules, counter, config_hash })
    }

    /// Returns the options.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Returns the name of the counter.
    pub fn counter_name(&self) -> &str {
        self.counter.name()
    }

    /// Returns a hash of all options, the counter and the strategy's version. It changes whenever
    /// the same source may produce different chunks.
    pub fn config_hash(&self) -> &str {
        &self.config_hash
    }

    /// Returns the maximum tokens per chunk, or `None` with the strategy `tree`.
    pub fn max_tokens(&self) -> Option<usize> {
        self.rules.max()
    }

    /// Returns the preferred tokens per chunk, if the strategy has a target.
    pub fn target_tokens(&self) -> Option<usize> {
        self.rules.target()
    }

    /// Parses a source into blocks and sections.
    pub fn read<'s>(&self, source: &Source<'s>) -> Document<'s> {
        self.read_with(source, Shortcuts::ALL)
    }

    /// Parses a source with some shortcuts of the parser, to test and measure them.
    #[doc(hidden)]
    pub fn read_with<'s>(&self, source: &Source<'s>, shortcuts: Shortcuts) -> Document<'s> {
        let format = match (self.config.mdx, source.format) {
            (Mdx::On, Format::Markdown) => Format::Mdx,
            (Mdx::Off, Format::Mdx) => Format::Markdown,
            (_, format) => format,
        };
        let Config { slugs, shortcodes, .. } = &self.config;
        let document = parse::read(source.text, format, *slugs, shortcodes, shortcuts);
        Document { path: source.path, tree: source.tree, ..document }
    }

    /// Counts the tokens of each block and each section of a document.
    pub fn measure(&self, document: &Document<'_>) -> Measures {
        let ruler = Ruler::new(document, &*self.counter, self.first_shown(document));
        let tokens = |blocks: BlockRange| ruler.scale().tokens(ruler.trimmed(blocks));
        let own = document.section_ids().map(|section| tokens(document.own_blocks(section)));
        let all = document.section_ids().map(|section| tokens(document.subtree_blocks(section)));
        Measures {
            blocks: document.all_blocks().iter().map(|block| tokens(block.into())).collect(),
            sections: own.collect(),
            subtrees: all.collect(),
        }
    }

    /// Returns the tokens that each section and all its descendants would have as one chunk,
    /// including the context line.
    pub fn subtree_tokens(&self, document: &Document<'_>) -> Vec<usize> {
        let brief = self.brief(document, &Identity::of(document, &self.config));
        let tokens = |section: SectionId| {
            let blocks = document.subtree_blocks(section).skip_to(brief.first);
            let units = if blocks.is_empty() { 0 } else { brief.measure_blocks(section, blocks) };
            brief.ruler.scale().tokens(units)
        };
        document.section_ids().map(tokens).collect()
    }

    /// Splits a text. The path becomes part of the ids, and its extension sets the format.
    ///
    /// ```
    /// use chunkwright::{Chunker, Hierarchical, Words};
    ///
    /// let chunker = Chunker::new(Hierarchical::default().max(512), Words::default())?;
    /// let chunked = chunker.chunk("tea.md", "# Tea\n\nBoil water first.\n");
    /// assert_eq!(chunked.chunks[0].id, "docs:tea.md#tea");
    /// # Ok::<(), chunkwright::ConfigError>(())
    /// ```
    pub fn chunk<'s>(&self, path: &'s str, text: &'s str) -> Chunked<'s> {
        self.chunk_source(&Source::new(path, text))
    }

    /// Splits a source with its own tree and format.
    pub fn chunk_source<'s>(&self, source: &Source<'s>) -> Chunked<'s> {
        self.chunk_document(&self.read(source))
    }

    /// Splits a source that has been [parsed](Self::read).
    pub fn chunk_document<'s>(&self, document: &Document<'s>) -> Chunked<'s> {
        let identity = Identity::of(document, &self.config);
        let brief = self.brief(document, &identity);
        let mut plans = self.plans(&brief);
        let Some(first) = plans.first_mut() else {
            return Chunked { chunks: Vec::new(), unplaced: document.notes.clone() };
        };
        first.notes.splice(0..0, document.notes.iter().cloned());
        let mut maker = Maker::new(document, &identity);
        let mut make = |plan: Plan| {
            let tokens = brief.ruler.scale().tokens(plan.units);
            maker.chunk(plan, tokens)
        };
        Chunked { chunks: plans.into_iter().map(&mut make).collect(), unplaced: Vec::new() }
    }

    /// Returns the pieces of each chunk without rendering the chunks.
    pub fn plan(&self, document: &Document<'_>) -> Vec<Vec<Piece>> {
        let identity = Identity::of(document, &self.config);
        let plans = self.plans(&self.brief(document, &identity));
        plans.into_iter().map(|plan| plan.pieces).collect()
    }

    fn plans(&self, brief: &Brief<'_>) -> Vec<Plan> {
        let document = brief.document;
        if brief.shown().is_empty() || document.source.trim_start().is_empty() {
            return Vec::new();
        }
        let joins_invisible = !self.config.strategy.name().has_nodes();
        plan::finish(document, brief.first, self.rules.plan(brief), joins_invisible)
    }

    /// Returns the outline of a source that has been [parsed](Self::read): every heading with
    /// content in its subtree, whether or not it has text directly under it.
    pub fn outline<'s>(&self, document: &Document<'s>) -> Outline<'s> {
        let identity =
            Identity { strategy: StrategyName::Tree, ..Identity::of(document, &self.config) };
        Outline::new(document, &identity, self.first_shown(document))
    }

    fn brief<'d>(&'d self, document: &'d Document<'d>, identity: &Identity<'_>) -> Brief<'d> {
        let first = self.first_shown(document);
        let crumbs = identity.context(document, self.config.effective_context());
        let ruler = Ruler::new(document, &*self.counter, first);
        let max = self.rules.max().map(|max| ruler.scale().units_within(max));
        let has_nodes = self.config.strategy.name().has_nodes();
        Brief {
            document,
            ruler,
            contexts: Contexts::new(document, crumbs, has_nodes, max),
            starts: Starts::of(document),
            first,
            repeat_table_headers: self.config.repeat_table_headers,
            split_oversized: &self.config.split_oversized,
        }
    }

    /// Returns the first block that chunks show.
    fn first_shown(&self, document: &Document<'_>) -> BlockId {
        let shows_front_matter =
            document.metadata.is_none() || self.config.frontmatter == FrontMatter::Include;
        let is_hidden = |kind: BlockKind| match kind {
            BlockKind::ByteOrderMark => true,
            BlockKind::FrontMatter => !shows_front_matter,
            _ => false,
        };
        let hidden = document.blocks.iter().take_while(|block| is_hidden(block.kind)).count();
        BlockId::new(hidden)
    }
}

/// The token counts of a document's blocks and sections, as [`Chunker::measure`] returns them.
///
/// ```
/// use chunkwright::{Chunker, Hierarchical, Source, Words};
///
/// let chunker = Chunker::new(Hierarchical::default(), Words::with_factor(1.0)?)?;
/// let source = Source::new("tea.md", "# Tea\n\nBoil water first.\n\n## Green\n\nWait.\n");
/// let measures = chunker.measure(&chunker.read(&source));
/// assert_eq!(measures.blocks, [2, 3, 2, 1]);
/// assert_eq!(measures.sections, [0, 5, 3]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Measures {
    /// The tokens of each block.
    pub blocks: Vec<usize>,
    /// The tokens of each section's own blocks.
    pub sections: Vec<usize>,
    /// The tokens of each section together with all its descendants.
    pub subtrees: Vec<usize>,
}

/// Checks at compile time that chunkers and metadata can be shared between threads.
const _: fn() = || {
    fn shared<T: Send + Sync>() {}
    shared::<Chunker>();
    shared::<Arc<Metadata>>();
};
