//! Chunk statistics.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeBounds;

use chunkwright::{BlockKind, Chunk, Chunker, Document, Piece, Source};

/// Counts over the chunks of any number of files.
///
/// ```
/// use chunkwright::{Chunker, Hierarchical, Source, Words};
/// use chunkwright_records::Stats;
///
/// let chunker = Chunker::new(Hierarchical::default(), Words::default())?;
/// let mut total = Stats::default();
/// for text in ["# Tea\n\nBoil water.\n", "# Coffee\n\n```\ngrind\n```\n"] {
///     let (stats, _) = Stats::with_chunks(&chunker, &Source::new("page.md", text));
///     total.add(&stats);
/// }
/// assert_eq!((total.files, total.chunks), (2, 2));
/// assert_eq!((total.code.all, total.code.cut), (1, 0));
/// # Ok::<(), chunkwright::ConfigError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Number of files.
    pub files: usize,
    /// Bytes of the files.
    pub source_bytes: usize,
    /// Number of chunks.
    pub chunks: usize,
    /// Tokens of all chunks, which determine the cost of embedding them.
    pub tokens: usize,
    /// Chunks with more tokens than the maximum.
    pub over_max: usize,
    /// Chunks that contain only headings.
    pub headings_only: usize,
    /// Code blocks.
    pub code: BlockCounts,
    /// Tables.
    pub tables: BlockCounts,
    /// Payloads that `embed_text` elides.
    pub payloads: usize,
    /// Headings with subsections that fit the maximum together.
    pub subtrees: Subtrees,
    /// Bytes of the source in chunks.
    pub shown_bytes: usize,
    /// Bytes that repeat text of a different chunk: overlap, parent headings, table headers.
    pub repeated_bytes: usize,
    /// Number of chunks by token count.
    sizes: BTreeMap<usize, usize>,
}

/// Properties of one chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChunkStats {
    /// Id of the chunk.
    pub id: String,
    /// Tokens of the chunk.
    pub tokens: usize,
    /// Whether it has more tokens than the maximum.
    pub over_max: bool,
    /// Whether it contains only headings.
    pub headings_only: bool,
    /// Whether it contains part of a code block.
    pub code_cut: bool,
    /// Whether it contains part of a table.
    pub table_cut: bool,
}

/// Counts of blocks of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BlockCounts {
    /// Number of blocks.
    pub all: usize,
    /// Number of blocks in more than one chunk.
    pub cut: usize,
}

/// Counts of headings with subsections that fit one chunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Subtrees {
    /// Number of subtrees with at least two sections that fit the maximum.
    pub fit: usize,
    /// Number of those that are nevertheless in several chunks.
    pub torn: usize,
}

impl Stats {
    /// Splits a text, and returns its counts and the properties of each chunk.
    pub fn with_chunks(chunker: &Chunker, source: &Source<'_>) -> (Self, Vec<ChunkStats>) {
        let document = chunker.read(source);
        let chunks = chunker.chunk_document(&document).chunks;
        let cut = cut_blocks(&document, &chunks);
        let max = chunker.max_tokens();
        let each: Vec<_> =
            chunks.iter().map(|chunk| ChunkStats::of(chunk, &document, &cut, max)).collect();
        let mut stats = Self { files: 1, source_bytes: source.text.len(), ..Self::default() };
        for chunk in &each {
            stats.chunks += 1;
            stats.tokens += chunk.tokens;
            *stats.sizes.entry(chunk.tokens).or_default() += 1;
            stats.over_max += usize::from(chunk.over_max);
            stats.headings_only += usize::from(chunk.headings_only);
        }
        for piece in chunks.iter().flat_map(|chunk| &chunk.pieces) {
            match piece {
                Piece::Own(span) => stats.shown_bytes += span.len(),
                Piece::Echo(span) => {
                    stats.shown_bytes += span.len();
                    stats.repeated_bytes += span.len();
                }
                _ => {}
            }
        }
        stats.code = BlockCounts::of(&document, &cut, BlockKind::Code);
        stats.tables = BlockCounts::of(&document, &cut, BlockKind::Table);
        stats.payloads = document.payloads();
        stats.subtrees = Subtrees::of(chunker, &document, &chunks);
        (stats, each)
    }

    /// Adds the counts of other files.
    pub fn add(&mut self, other: &Self) {
        self.files += other.files;
        self.source_bytes += other.source_bytes;
        self.chunks += other.chunks;
        self.tokens += other.tokens;
        self.over_max += other.over_max;
        self.headings_only += other.headings_only;
        self.code.add(other.code);
        self.tables.add(other.tables);
        self.payloads += other.payloads;
        self.subtrees.fit += other.subtrees.fit;
        self.subtrees.torn += other.subtrees.torn;
        self.shown_bytes += other.shown_bytes;
        self.repeated_bytes += other.repeated_bytes;
        for (tokens, chunks) in &other.sizes {
            *self.sizes.entry(*tokens).or_default() += chunks;
        }
    }

    /// Returns a percentile of the tokens per chunk, or 0 without chunks.
    pub fn percentile(&self, percent: usize) -> usize {
        let rank = (self.chunks * percent).div_ceil(100).clamp(1, self.chunks.max(1));
        let mut seen = 0;
        let is_reached = |(_, chunks): &(&usize, &usize)| {
            seen += **chunks;
            seen >= rank
        };
        self.sizes.iter().find(is_reached).map_or(0, |(tokens, _)| *tokens)
    }

    /// Returns the mean of the tokens per chunk, or 0 without chunks.
    pub fn mean(&self) -> f64 {
        self.tokens as f64 / self.chunks.max(1) as f64
    }

    /// Returns the number of chunks with this many tokens. The range must not be reversed.
    pub fn within(&self, tokens: impl RangeBounds<usize>) -> usize {
        self.sizes.range(tokens).map(|(_, chunks)| chunks).sum()
    }
}

impl ChunkStats {
    fn of(
        chunk: &Chunk<'_>,
        document: &Document<'_>,
        cut_blocks: &BTreeSet<usize>,
        max: Option<usize>,
    ) -> Self {
        let has_cut = |kind: BlockKind| {
            let mut cut = cut_blocks.range(chunk.blocks.clone());
            cut.any(|&nth| document.blocks()[nth].kind == kind)
        };
        Self {
            id: chunk.id.clone(),
            tokens: chunk.tokens,
            over_max: max.is_some_and(|max| chunk.tokens > max),
            headings_only: is_headings_only(document, chunk),
            code_cut: has_cut(BlockKind::Code),
            table_cut: has_cut(BlockKind::Table),
        }
    }
}

impl BlockCounts {
    fn of(document: &Document<'_>, cut: &BTreeSet<usize>, kind: BlockKind) -> Self {
        let all = document.blocks().iter().filter(|block| block.kind == kind).count();
        let cut = cut.iter().filter(|&&nth| document.blocks()[nth].kind == kind).count();
        Self { all, cut }
    }

    fn add(&mut self, other: Self) {
        self.all += other.all;
        self.cut += other.cut;
    }
}

impl Subtrees {
    fn of(chunker: &Chunker, document: &Document<'_>, chunks: &[Chunk<'_>]) -> Self {
        let Some(max) = chunker.max_tokens() else { return Self::default() };
        let sections = 1..document.sections().len();
        let with_children = |nth: &usize| document.sections()[*nth].subtree_end > nth + 1;
        let is_whole = |nth: &usize| {
            let is_oversize = |chunk: &Chunk<'_>| chunk.tokens > max;
            !is_spread(document, chunks, *nth) && !chunks.iter().any(is_oversize)
        };
        let (whole, others): (Vec<usize>, Vec<usize>) =
            sections.filter(with_children).partition(is_whole);
        if others.is_empty() {
            return Self { fit: whole.len(), torn: 0 };
        }
        let tokens = chunker.subtree_tokens(document);
        let fitting: Vec<usize> = others.into_iter().filter(|&nth| tokens[nth] <= max).collect();
        let torn = fitting.iter().filter(|&&nth| is_spread(document, chunks, nth)).count();
        Self { fit: whole.len() + fitting.len(), torn }
    }
}

/// Returns whether a chunk starts inside the subtree of a section.
fn is_spread(document: &Document<'_>, chunks: &[Chunk<'_>], section: usize) -> bool {
    let start = document.blocks()[document.sections()[section].blocks.start].span.start;
    let last = document.sections()[section].subtree_end - 1;
    let end = document.blocks()[document.sections()[last].blocks.end - 1].span.end;
    let next = chunks.partition_point(|chunk| chunk.span.start <= start);
    chunks.get(next).is_some_and(|chunk| chunk.span.start < end)
}

fn is_headings_only(document: &Document<'_>, chunk: &Chunk<'_>) -> bool {
    let hidden = |block: &&chunkwright::Block| {
        chunk.pieces.iter().any(|piece| match piece {
            Piece::Hidden(span) => span.start <= block.span.start && block.span.end <= span.end,
            _ => false,
        })
    };
    let blocks = &document.blocks()[chunk.blocks.clone()];
    blocks.iter().filter(|block| !hidden(block)).all(|block| block.kind.is_heading())
}

/// Returns the blocks that have an own piece starting inside them.
fn cut_blocks(document: &Document<'_>, chunks: &[Chunk<'_>]) -> BTreeSet<usize> {
    let pieces = chunks.iter().flat_map(|chunk| &chunk.pieces);
    let starts = pieces.filter_map(|piece| match piece {
        Piece::Own(span) => Some(span.start),
        _ => None,
    });
    let cut = |start: usize| {
        let nth = document.blocks().partition_point(|block| block.span.end <= start);
        document.blocks().get(nth).filter(|block| block.span.start < start).map(|_| nth)
    };
    starts.filter_map(cut).collect()
}

#[cfg(test)]
mod tests {
    use chunkwright::{ConfigTable, StrategyName, Words};

    use super::*;

    fn stats(strategy: StrategyName, max: usize, text: &str) -> Stats {
        let mut config = ConfigTable::default().with_limits(max, max);
        config.strategy = strategy;
        let counter = Words::with_factor(1.0).unwrap();
        let chunker = Chunker::new(config, counter).unwrap();
        Stats::with_chunks(&chunker, &Source::new("page.md", text)).0
    }

    const PAGE: &str = "# A\n\none two three\n\n```\na b c\nd e f\ng h i\n```\n\n| x | y |\n|---|---|\n\
                        | 1 | 2 |\n| 3 | 4 |\n\n## B\n\nend\n";

    #[test]
    fn keeps_blocks_whole_that_fit() {
        let stats = stats(StrategyName::Hierarchical, 1000, PAGE);
        assert_eq!((stats.files, stats.chunks, stats.over_max), (1, 1, 0));
        assert_eq!(stats.code, BlockCounts { all: 1, cut: 0 });
        assert_eq!(stats.tables, BlockCounts { all: 1, cut: 0 });
        assert_eq!((stats.shown_bytes, stats.repeated_bytes), (PAGE.len(), 0));
    }

    #[test]
    fn counts_split_blocks_and_repeated_bytes() {
        let stats = stats(StrategyName::Hierarchical, 11, PAGE);
        assert!(stats.chunks > 2 && stats.repeated_bytes > 0, "{stats:?}");
        assert_eq!((stats.code.all, stats.tables.all), (1, 1));
        assert_eq!((stats.code.cut, stats.tables.cut), (1, 1));
    }

    #[test]
    fn marks_every_chunk_with_part_of_a_block() {
        let config = ConfigTable::default().with_limits(11, 11);
        let counter = Words::with_factor(1.0).unwrap();
        let chunker = Chunker::new(config, counter).unwrap();
        let (stats, chunks) = Stats::with_chunks(&chunker, &Source::new("page.md", PAGE));
        assert_eq!(stats.chunks, chunks.len());
        let code = chunks.iter().filter(|chunk| chunk.code_cut).count();
        let table = chunks.iter().filter(|chunk| chunk.table_cut).count();
        assert!(code >= 2 && table >= 2, "{chunks:?}");
        assert!(chunks.iter().any(|chunk| !chunk.code_cut && !chunk.table_cut), "{chunks:?}");
    }

    #[test]
    fn counts_chunks_with_only_headings() {
        assert_eq!(stats(StrategyName::Blocks, 100, "# A\n\n## B\n").headings_only, 1);
        assert_eq!(stats(StrategyName::Blocks, 100, "# A\n\ntext\n").headings_only, 0);
    }

    #[test]
    fn counts_payloads() {
        let page = format!("# A\n\n`{0}` {0}\n", "0f".repeat(150));
        assert_eq!(stats(StrategyName::Blocks, 100, &page).payloads, 2);
    }

    #[test]
    fn adds_the_counts_of_two_files() {
        let mut both = stats(StrategyName::Tree, 100, PAGE);
        let other = stats(StrategyName::Tree, 100, "# A\n\none\n");
        both.add(&other);
        assert_eq!((both.files, both.chunks), (2, 3));
        assert_eq!(both.within(..), 3);
        assert_eq!(both.percentile(0), other.tokens.min(both.percentile(50)));
        assert_eq!(both.percentile(100), *both.sizes.keys().last().unwrap());
        assert_eq!(Stats::default().percentile(50), 0);
    }
}
