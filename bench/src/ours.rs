//! Work of the library to measure, and its lower bounds: the parser and the tokenizer.

use std::hint::black_box;
use std::sync::Arc;

use anyhow::Result;
use chunkwright::{
    Chunker, ConfigTable, Document, Shortcuts, StrategyName, TextKind, TokenCounter,
};
use pulldown_cmark::{Options, Parser};

use crate::corpus::Page;

/// The counters that need no file.
pub const COUNTERS: [&str; 5] = ["estimate", "words", "chars", "cl100k", "o200k"];

/// The counters whose lower bound is one count of all text instead of the parser.
pub const EXACT: [&str; 2] = ["cl100k", "o200k"];

/// The Markdown extensions that the library enables.
const DIALECT: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_GFM)
    .union(Options::ENABLE_MATH)
    .union(Options::ENABLE_HEADING_ATTRIBUTES);

/// Returns the strategies that have a limit.
pub fn limited() -> impl Iterator<Item = StrategyName> {
    StrategyName::ALL.iter().copied().filter(|&strategy| strategy != StrategyName::Tree)
}

/// Returns the counter with this name.
///
/// # Errors
/// If there is none.
pub fn counter(name: &str) -> Result<Arc<dyn TokenCounter>> {
    Ok(chunkwright::counter_by_name(name)?)
}

/// Returns a chunker with default options, or with `limit` as target and maximum.
///
/// # Errors
/// If there is no such counter.
pub fn chunker(strategy: StrategyName, name: &str, limit: Option<usize>) -> Result<Chunker> {
    let mut table = ConfigTable::default();
    table.strategy = strategy;
    if let Some(limit) = limit {
        table = table.with_limits(limit, limit);
    }
    Ok(Chunker::with_shared_counter(table, counter(name)?)?)
}

/// Splits pages, and returns the number of chunks.
pub fn cut(chunker: &Chunker, pages: &[&Page]) -> usize {
    pages.iter().map(|page| black_box(chunker.chunk_source(&page.source())).chunks.len()).sum()
}

/// Parses pages, and returns the number of blocks.
pub fn read(chunker: &Chunker, pages: &[&Page]) -> usize {
    read_with(chunker, pages, Shortcuts::ALL)
}

/// Parses pages with some shortcuts of the parser, and returns the number of blocks.
pub fn read_with(chunker: &Chunker, pages: &[&Page], shortcuts: Shortcuts) -> usize {
    let blocks =
        |page: &&Page| black_box(chunker.read_with(&page.source(), shortcuts)).blocks().len();
    pages.iter().map(blocks).sum()
}

/// Measures documents, and returns the number of blocks.
pub fn measure(chunker: &Chunker, documents: &[Document<'_>]) -> usize {
    documents.iter().map(|document| black_box(chunker.measure(document)).blocks.len()).sum()
}

/// Plans the chunks of parsed documents, and returns their number.
pub fn plan(chunker: &Chunker, documents: &[Document<'_>]) -> usize {
    documents.iter().map(|document| black_box(chunker.plan(document)).len()).sum()
}

/// Counts every block of documents once.
pub fn count_blocks(counter: &dyn TokenCounter, documents: &[Document<'_>]) -> usize {
    let of_document = |document: &Document<'_>| -> usize {
        let blocks = document.blocks().iter();
        blocks
            .map(|block| counter.count(block.span.of(document.source()), block.kind.text_kind()))
            .sum()
    };
    documents.iter().map(of_document).sum()
}

/// Counts the tokens of pages.
pub fn count(counter: &dyn TokenCounter, pages: &[&Page]) -> usize {
    pages.iter().map(|page| counter.count(&page.text, TextKind::Prose)).sum()
}

/// Runs the Markdown parser with offsets, and returns the number of events.
pub fn parse(pages: &[&Page]) -> usize {
    let events = |page: &&Page| {
        Parser::new_ext(&page.text, DIALECT).into_offset_iter().map(black_box).count()
    };
    pages.iter().map(events).sum()
}
