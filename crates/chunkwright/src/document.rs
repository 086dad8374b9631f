//! A parsed document: blocks that tile the source, and sections that group them.

use std::ops::{Index, Range};
use std::sync::Arc;

use crate::elide::{Elision, ElisionKind};
use crate::format::Format;
use crate::ids::{BlockId, BlockRange, HeadingId, SectionId};
use crate::metadata::Metadata;
use crate::note::Note;
use crate::span::{Span, next_line};

pub(crate) use crate::block::{Block, BlockKind};

/// A heading, whether or not it opens a section.
///
/// ```
/// use chunkwright::{Chunker, Hierarchical, Source, Words};
///
/// let chunker = Chunker::new(Hierarchical::default(), Words::default())?;
/// let document = chunker.read(&Source::new("tea.md", "## *Green* tea\n\nWait.\n"));
/// let heading = &document.headings()[0];
/// assert_eq!((&*heading.title, &*heading.slug, heading.level), ("Green tea", "green-tea", 2));
/// # Ok::<(), chunkwright::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Heading {
    /// The index of its block.
    pub block: usize,
    /// The level, 1 to 6.
    pub level: u8,
    /// Its text without markup.
    pub title: Arc<str>,
    /// Its `{#id}`, or a slug derived from its text; unique within the document.
    pub slug: Arc<str>,
}

/// A heading with the blocks up to the next heading. The first section is the preamble.
///
/// ```
/// use chunkwright::{Chunker, Hierarchical, Source, Words};
///
/// let chunker = Chunker::new(Hierarchical::default(), Words::default())?;
/// let text = "# Tea\n\nBoil water first.\n\n## Green\n\nWait.\n";
/// let document = chunker.read(&Source::new("tea.md", text));
/// let green = &document.sections()[2];
/// assert_eq!((green.level, green.parent, green.blocks.clone()), (2, Some(1), 2..4));
/// # Ok::<(), chunkwright::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Section {
    /// The index of its heading, or `None` for the preamble.
    pub heading: Option<usize>,
    /// The level of its heading, or 0 for the preamble.
    pub level: u8,
    /// The range of its own blocks, including the heading.
    pub blocks: Range<usize>,
    /// The index of its parent section, or `None` for the preamble.
    pub parent: Option<usize>,
    /// One past the index of its last descendant.
    pub subtree_end: usize,
    /// Whether it has no content directly under its heading.
    pub is_bare: bool,
}

/// A parsed, immutable document, as [`Chunker::read`](crate::Chunker::read) returns it. Its blocks
/// cover every byte of the source exactly once.
///
/// ```
/// use chunkwright::{Chunker, Hierarchical, Source, Words};
///
/// let chunker = Chunker::new(Hierarchical::default(), Words::default())?;
/// let document = chunker.read(&Source::new("tea.md", "# Tea\n\nBoil water first.\n"));
/// assert_eq!((document.blocks().len(), document.sections().len()), (2, 2));
/// assert_eq!(chunker.chunk_document(&document).chunks.len(), 1);
/// # Ok::<(), chunkwright::ConfigError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Document<'s> {
    pub(crate) source: &'s str,
    pub(crate) path: &'s str,
    pub(crate) tree: &'s str,
    pub(crate) format: Format,
    pub(crate) blocks: Vec<Block>,
    pub(crate) headings: Vec<Heading>,
    pub(crate) sections: Vec<Section>,
    pub(crate) metadata: Option<Arc<Metadata>>,
    pub(crate) notes: Vec<Note>,
    pub(crate) elisions: Vec<Elision>,
}

impl<'s> Document<'s> {
    /// Returns the source.
    pub fn source(&self) -> &'s str {
        self.source
    }

    /// Returns the format that the source was parsed as.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Returns all blocks, in reading order.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Returns all headings that are top-level blocks, in reading order.
    pub fn headings(&self) -> &[Heading] {
        &self.headings
    }

    /// Returns all sections, in reading order. The first is the preamble, which may have no blocks.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// Returns the front matter, if any.
    pub fn metadata(&self) -> Option<&Metadata> {
        self.metadata.as_deref()
    }

    /// Returns notes on anything unusual in the source.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }
}

impl Document<'_> {
    /// Returns the number of payloads that `embed_text` elides: long runs of base64 or hexadecimal
    /// digits.
    pub fn payloads(&self) -> usize {
        self.elisions.iter().filter(|elision| elision.kind == ElisionKind::Payload).count()
    }

    /// Returns the heading that opens a section, or `None` for the preamble.
    pub fn heading(&self, section: usize) -> Option<&Heading> {
        self.heading_of(SectionId::new(section))
    }

    /// Returns the heading that opens a section, or `None` for the preamble.
    pub(crate) fn heading_of(&self, section: SectionId) -> Option<&Heading> {
        self[section].heading.map(|heading| &self.headings[heading])
    }

    pub(crate) fn section_ids(&self) -> impl Iterator<Item = SectionId> + use<> {
        (0..self.sections.len()).map(SectionId::new)
    }

    pub(crate) fn all_blocks(&self) -> BlockRange {
        BlockId::new(0).to(BlockId::new(self.blocks.len()))
    }

    pub(crate) fn parent(&self, section: SectionId) -> Option<SectionId> {
        self[section].parent.map(SectionId::new)
    }

    /// Returns a section's own blocks, including the heading.
    pub(crate) fn own_blocks(&self, section: SectionId) -> BlockRange {
        let Range { start, end } = self[section].blocks;
        BlockId::new(start).to(BlockId::new(end))
    }

    /// Returns the section after the last descendant of a section.
    pub(crate) fn subtree_end(&self, section: SectionId) -> SectionId {
        SectionId::new(self[section].subtree_end)
    }

    pub(crate) fn heading_span(&self, heading: &Heading) -> Span {
        self.blocks[heading.block].span
    }

    /// Returns the title of the first heading of level 1 that isn't empty.
    pub(crate) fn first_h1(&self) -> Option<&str> {
        let mut titles = self.headings.iter().filter(|heading| heading.level == 1);
        titles.find(|heading| !heading.title.is_empty()).map(|heading| &*heading.title)
    }

    /// Returns the innermost section that contains both sections. It can be one of them.
    pub(crate) fn common(&self, one: SectionId, other: SectionId) -> SectionId {
        let (mut one, mut other) = (one, other);
        // Ancestors precede their descendants.
        while one != other {
            let later = if one > other { &mut one } else { &mut other };
            *later = self.parent(*later).unwrap_or(SectionId::ROOT);
        }
        one
    }

    /// Returns the section that contains a block.
    pub(crate) fn section_of(&self, block: BlockId) -> SectionId {
        let is_before = |section: &Section| section.blocks.end <= block.index();
        SectionId::new(self.sections.partition_point(is_before))
    }

    /// Returns the block that contains a byte.
    pub(crate) fn block_at(&self, byte: usize) -> BlockId {
        BlockId::new(self.blocks.partition_point(|block| block.span.end <= byte))
    }

    /// Returns the blocks that a span overlaps. The span must not be empty.
    pub(crate) fn blocks_of(&self, span: Span) -> BlockRange {
        self.block_at(span.start).to(self.block_at(span.end - 1).next())
    }

    /// Returns the start of a block; one past the last block, the end of the source.
    pub(crate) fn start_of(&self, block: BlockId) -> usize {
        self.blocks.get(block.index()).map_or(self.source.len(), |block| block.span.start)
    }

    /// Returns a section's own blocks without the headings before and after its content.
    pub(crate) fn body(&self, own: BlockRange) -> BlockRange {
        let is_body = |block: &BlockId| !self[*block].kind.is_heading();
        let start = own.iter().find(is_body).unwrap_or(own.end);
        let end = start.to(own.end).iter().rev().find(is_body).map_or(start, BlockId::next);
        start.to(end)
    }

    /// Returns the span of a body, from the end of the heading line to the end of its last block.
    /// Includes blank lines after the heading. `own` is the section's own blocks, `body` those of
    /// the body.
    pub(crate) fn body_span(&self, own: BlockRange, body: BlockRange) -> Span {
        let span = self.span_of(body);
        if body.start == own.start {
            return span;
        }
        let heading = self[body.start.before()].span;
        let line_end = heading.start + heading.of(self.source).trim_end().len();
        Span::new(next_line(self.source, line_end).min(span.start), span.end)
    }

    /// Returns the blocks of a section and all its descendants.
    pub(crate) fn subtree_blocks(&self, section: SectionId) -> BlockRange {
        let last = self.subtree_end(section).before();
        self.own_blocks(section).start.to(self.own_blocks(last).end)
    }

    /// Returns the span of a range of blocks.
    pub(crate) fn span_of(&self, blocks: BlockRange) -> Span {
        let start = self.start_of(blocks.start);
        let end = if blocks.is_empty() { start } else { self[blocks.end.before()].span.end };
        Span::new(start, end)
    }
}

impl Index<BlockId> for Document<'_> {
    type Output = Block;

    fn index(&self, block: BlockId) -> &Block {
        &self.blocks[block.index()]
    }
}

impl Index<BlockRange> for Document<'_> {
    type Output = [Block];

    fn index(&self, blocks: BlockRange) -> &[Block] {
        &self.blocks[blocks.indices()]
    }
}

impl Index<SectionId> for Document<'_> {
    type Output = Section;

    fn index(&self, section: SectionId) -> &Section {
        &self.sections[section.index()]
    }
}

impl Index<HeadingId> for Document<'_> {
    type Output = Heading;

    fn index(&self, heading: HeadingId) -> &Heading {
        &self.headings[heading.index()]
    }
}

/// Groups blocks into sections.
///
/// A heading without content in its whole subtree opens no section. Its line belongs to the section
/// before it, or to the next one if only front matter precedes it.
pub(crate) fn sections(blocks: &[Block], headings: &[Heading]) -> Vec<Section> {
    let filled = filled(blocks, headings);
    let opens: Vec<usize> = (0..headings.len()).filter(|&heading| filled[heading]).collect();
    let mut sections = Vec::with_capacity(opens.len() + 1);
    sections.push(preamble(blocks, headings, &opens));
    let mut open: Vec<usize> = vec![0];
    for (nth, &heading) in opens.iter().enumerate() {
        let Heading { level, block, .. } = headings[heading];
        let start = sections.last().map_or(block, |before| before.blocks.end);
        let end = opens.get(nth + 1).map_or(blocks.len(), |&next| headings[next].block);
        while open.last().is_some_and(|&section| sections[section].level >= level) {
            close(&mut sections, &mut open);
        }
        sections.push(Section {
            heading: Some(heading),
            level,
            blocks: start..end,
            parent: open.last().copied(),
            subtree_end: 0,
            is_bare: blocks[start..end].iter().all(|block| block.kind.is_heading()),
        });
        open.push(sections.len() - 1);
    }
    while !open.is_empty() {
        close(&mut sections, &mut open);
    }
    sections
}

fn close(sections: &mut [Section], open: &mut Vec<usize>) {
    let end = sections.len();
    if let Some(section) = open.pop() {
        sections[section].subtree_end = end;
    }
}

fn preamble(blocks: &[Block], headings: &[Heading], opens: &[usize]) -> Section {
    let first = opens.first().map_or(blocks.len(), |&heading| headings[heading].block);
    let has_content = blocks[..first].iter().any(|block| block.kind.is_content());
    let end = if has_content || opens.is_empty() {
        first
    } else {
        blocks.iter().position(|block| block.kind.is_heading()).unwrap_or(first)
    };
    Section {
        heading: None,
        level: 0,
        blocks: 0..end,
        parent: None,
        subtree_end: 0,
        is_bare: !has_content,
    }
}

/// Returns, for each heading, whether its subtree has content.
fn filled(blocks: &[Block], headings: &[Heading]) -> Vec<bool> {
    let mut filled = vec![false; headings.len()];
    let mut open: Vec<usize> = Vec::new();
    for (nth, heading) in headings.iter().enumerate() {
        while open.last().is_some_and(|&above| headings[above].level >= heading.level) {
            hand_up(&mut filled, &mut open);
        }
        open.push(nth);
        let end = headings.get(nth + 1).map_or(blocks.len(), |next| next.block);
        filled[nth] = blocks[heading.block..end].iter().any(|block| block.kind.is_content());
    }
    while !open.is_empty() {
        hand_up(&mut filled, &mut open);
    }
    filled
}

/// Closes the innermost open heading. Its content is also content of the heading above it.
fn hand_up(filled: &mut [bool], open: &mut Vec<usize>) {
    if let (Some(heading), Some(&above)) = (open.pop(), open.last()) {
        filled[above] |= filled[heading];
    }
}
