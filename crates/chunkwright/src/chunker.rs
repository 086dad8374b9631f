//! The entry point of the library, which splits sources with a configuration and a counter.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use crate::chunk::{Chunk, Identity, Maker, without_extension};
use crate::config::{Config, ConfigError, FrontMatter, Mdx};
use crate::context::Contexts;
use crate::counter::TokenCounter;
use crate::document::{BlockKind, Document};
use crate::ids::{BlockId, BlockRange, SectionId};
use crate::metadata::{Metadata, Value};
use crate::note::Note;
use crate::outline::Outline;
use crate::parse::{self, Format, Shortcuts, one_line};
use crate::plan::{self, Piece, Plan};
use crate::ruler::Ruler;
use crate::span::Span;
use crate::split::Seam;
use crate::strategy::{Brief, Rules, Starts, StrategyName};

/// The divisor of the maximum that gives the limit for a context line.
const CONTEXT_SHARE: usize = 4;

/// The maximum bytes of a document's URL, which every chunk repeats.
const MOST_URL: usize = 2048;

/// The path of standard input.
const STDIN: &str = "-";

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

    /// Returns a title for a document that has none: the file name without its extension. For
    /// generic names (`index`, `_index`, `README`), it is the name of the directory, or at the root
    /// that of the tree. Standard input has no name.
    fn name(&self) -> &'s str {
        let mut names = without_extension(self.path).rsplit('/');
        let name = names.next().unwrap_or_default();
        let is_index = ["index", "_index", "readme"].iter().any(|n| n.eq_ignore_ascii_case(name));
        match self.format {
            _ if self.path == STDIN => "",
            Format::Markdown | Format::Mdx if is_index => names.next().unwrap_or(self.tree),
            _ => name,
        }
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
        let brief = self.brief(document, &self.identity(document));
        let tokens = |section: SectionId| {
            let blocks = document.subtree_blocks(section).skip_to(brief.shown().start);
            if blocks.is_empty() {
                return 0;
            }
            let Span { start, end } = document.span_of(blocks);
            let ends = [start, end].map(Seam::between_blocks);
            brief.ruler.scale().tokens(brief.measure(section, &ends[0], &ends[1]))
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
        let identity = self.identity(document);
        let brief = self.brief(document, &identity);
        let mut plans = self.plans(&brief);
        let Some(first) = plans.first_mut() else {
            return Chunked { chunks: Vec::new(), unplaced: document.notes.clone() };
        };
        first.notes.splice(0..0, document.notes.iter().cloned());
        let mut maker = Maker::new(document, &identity);
        let mut make = |plan: Plan| {
            let context = brief.line(plan.trail, plan.shown_start());
            let tokens = brief.ruler.scale().tokens(plan.units);
            maker.chunk(plan, context.text.clone(), tokens)
        };
        Chunked { chunks: plans.into_iter().map(&mut make).collect(), unplaced: Vec::new() }
    }

    /// Returns the pieces of each chunk without rendering the chunks.
    pub fn plan(&self, document: &Document<'_>) -> Vec<Vec<Piece>> {
        let identity = self.identity(document);
        let plans = self.plans(&self.brief(document, &identity));
        plans.into_iter().map(|plan| plan.pieces).collect()
    }

    fn plans(&self, brief: &Brief<'_>) -> Vec<Plan> {
        let source = brief.document.source;
        if brief.shown().is_empty() || source.trim_start().is_empty() {
            return Vec::new();
        }
        let joins_invisible = !self.config.strategy.name().has_nodes();
        let mut plans = plan::fold(brief.document, self.rules.plan(brief), joins_invisible);
        if let Some(first) = plans.first_mut() {
            hide(brief.document, brief.shown().start, first);
        }
        plans
    }

    /// Returns the outline of a source that has been [parsed](Self::read): every heading with
    /// content in its subtree, whether or not it has text directly under it.
    pub fn outline<'s>(&self, document: &Document<'s>) -> Outline<'s> {
        let identity = Identity { strategy: StrategyName::Tree, ..self.identity(document) };
        Outline::new(document, &identity, self.first_shown(document))
    }

    fn brief<'d>(&'d self, document: &'d Document<'d>, identity: &Identity<'_>) -> Brief<'d> {
        let first = self.first_shown(document);
        let crumbs = identity.context(document, self.config.effective_context());
        let ruler = Ruler::new(document, &*self.counter, first);
        let max = self.rules.max().map(|max| ruler.scale().units_within(max));
        let limit = max.map(|max| max / CONTEXT_SHARE);
        Brief {
            document,
            ruler,
            contexts: Contexts::new(
                document,
                crumbs,
                self.config.strategy.name().has_nodes(),
                limit,
            ),
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

    fn identity<'d>(&self, document: &'d Document<'_>) -> Identity<'d> {
        let Document { source: text, path, tree, format, .. } = *document;
        let source = Source { text, path, tree, format };
        let metadata = match self.config.frontmatter {
            FrontMatter::Strip => None,
            _ => document.metadata.as_ref().filter(|metadata| !metadata.is_empty()),
        };
        let text = |key: &str| metadata.and_then(|all| all.get(key)).and_then(plain);
        let base = self.config.url_base.as_deref();
        let from_base =
            || base.map(|base| format!("{}/{}", base.trim_end_matches('/'), source.path));
        let title = text("title").map(|title| one_line(&title)).filter(|title| !title.is_empty());
        let url = text("url").or_else(|| text("permalink")).filter(|url| url.len() <= MOST_URL);
        Identity {
            tree: source.tree,
            path: source.path,
            url: url.map(Cow::into_owned).or_else(from_base),
            document_title: title
                .unwrap_or_else(|| document.first_h1().unwrap_or(source.name()).into()),
            metadata: metadata.cloned(),
            strategy: self.config.strategy.name(),
        }
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

/// Prepends the blocks before the first shown one to the first plan.
fn hide(document: &Document<'_>, shown: BlockId, first: &mut Plan) {
    let hidden = document.span_of(document.all_blocks().start.to(shown));
    if !hidden.is_empty() {
        first.pieces.insert(0, Piece::Hidden(hidden));
    }
}

/// Returns a scalar value as text.
fn plain(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::Text(text) => Some(text.as_str().into()),
        Value::Integer(number) => Some(number.to_string().into()),
        Value::Float(number) => Some(number.to_string().into()),
        _ => None,
    }
}

/// Checks at compile time that chunkers and metadata can be shared between threads.
const _: fn() = || {
    fn shared<T: Send + Sync>() {}
    shared::<Chunker>();
    shared::<Arc<Metadata>>();
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counter::Words;

    #[test]
    fn standard_input_has_no_title() {
        let chunker = Chunker::new(Config::default(), Words::default()).unwrap();
        let chunks = chunker.chunk(STDIN, "Some text.\n").chunks;
        assert_eq!((&*chunks[0].document_title, chunks[0].context()), ("", ""));
    }

    #[test]
    fn omits_a_url_that_is_too_long_to_repeat() {
        let chunker = Chunker::new(Config::default(), Words::default()).unwrap();
        for (length, is_told) in [(MOST_URL, true), (MOST_URL + 1, false)] {
            let page = format!("---\nurl: {}\n---\n\n# a\n", "u".repeat(length));
            let chunked = chunker.chunk("a.md", &page);
            let told = chunked.chunks.iter().map(|chunk| chunk.url.is_some());
            assert!(told.eq([is_told]), "{length}");
        }
    }
}
