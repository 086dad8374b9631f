//! Other libraries that split Markdown, each called as its documentation recommends.

use std::hint::black_box;

use anyhow::Result;
use chunkr::Chunker as _;
use text_splitter::{ChunkConfig, ChunkSizer, MarkdownSplitter};

use crate::corpus::Page;

/// text-splitter by characters.
pub fn text_splitter_chars(limit: usize) -> impl Fn(&[&Page]) -> usize + Sync {
    split(MarkdownSplitter::new(limit))
}

/// text-splitter by tokens of `cl100k`, counted by tiktoken-rs.
///
/// # Errors
/// If the vocabulary cannot be loaded.
pub fn text_splitter_tokens(limit: usize) -> Result<impl Fn(&[&Page]) -> usize + Sync> {
    let sizer = tiktoken_rs::cl100k_base()?;
    Ok(split(MarkdownSplitter::new(ChunkConfig::new(limit).with_sizer(sizer))))
}

fn split<S: ChunkSizer + Sync>(splitter: MarkdownSplitter<S>) -> impl Fn(&[&Page]) -> usize + Sync {
    move |pages| pages.iter().map(|page| splitter.chunks(&page.text).map(black_box).count()).sum()
}

/// chunkedrs by tokens of `cl100k`.
pub fn chunkedrs(limit: usize) -> impl Fn(&[&Page]) -> usize + Sync {
    let chunks = move |page: &&Page| {
        let builder = chunkedrs::chunk(&page.text).markdown();
        black_box(builder.max_tokens(limit).encoding("cl100k_base").split()).len()
    };
    move |pages| pages.iter().map(chunks).sum()
}

/// chunkr by characters, without overlap.
pub fn chunkr(limit: usize) -> impl Fn(&[&Page]) -> usize + Sync {
    let chunker = chunkr::MarkdownChunker::new().with_chunk_size(limit).with_overlap(0);
    move |pages| {
        let chunks = |page: &&Page| black_box(chunker.chunk(&page.text)).map_or(0, |all| all.len());
        pages.iter().map(chunks).sum()
    }
}
