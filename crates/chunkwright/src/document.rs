//! A document as the reader sees it: blocks that tile the source, and sections over them.

use std::ops::{Index, Range};
use std::sync::Arc;

use crate::counter::TextKind;
use crate::elide::{self, Elision};
use crate::ids::{BlockId, BlockRange, HeadingId, SectionId};
use crate::metadata::Metadata;
use crate::note::Note;
use crate::parse::Format;
use crate::span::{Span, next_line};

/// The kind of a [`Block`].
///
/// ```
/// use chunkwright::{BlockKind, Chunker, Hierarchical, Source, Words};
///
/// let chunker = Chunker::new(Hierarchical::default(), Words::default())?;
/// let document = chunker.read(&Source::new("tea.md", "# Tea\n\n- green\n- black\n"));
/// let kinds: Vec<BlockKind> = document.blocks().iter().map(|block| block.kind).collect();
/// assert_eq!(kinds, [BlockKind::Heading(1), BlockKind::List]);
/// # Ok::<(), chunkwright::ConfigError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BlockKind {
    /// The byte order mark at the start of a file.
    ByteOrderMark,
    /// YAML or TOML at the start of a document.
    FrontMatter,
    /// A heading of level 1 to 6.
    Heading(u8),
    /// A paragraph.
    Paragraph,
    /// A list with all its items.
    List,
    /// A code block, fenced or indented, or a shortcode that holds code.
    Code,
    /// A table.
    Table,
    /// A block quote or an alert.
    Quote,
    /// An HTML block.
    Html,
    /// A thematic break.
    Rule,
    /// Link reference definitions or a footnote.
    Definitions,
    /// Display math between `$$`.
    Math,
    /// Imports and exports of MDX.
    Esm,
    /// A JSX element, or the opening or closing lines of one that holds headings.
    Jsx,
    /// An expression of MDX, or a comment.
    Expression,
    /// A directive or an admonition, or the opening or closing line of one that holds headings.
    Directive,
    /// A shortcode or a Liquid tag, or the opening or closing line of one that holds headings.
    Shortcode,
}

impl BlockKind {
    /// Returns the name in messages and records, such as `table`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ByteOrderMark => "bom",
            Self::FrontMatter => "front matter",
            Self::Heading(_) => "heading",
            Self::Paragraph => "paragraph",
            Self::List => "list",
            Self::Code => "code",
            Self::Table => "table",
            Self::Quote => "quote",
            Self::Html => "html",
            Self::Rule => "rule",
            Self::Definitions => "definitions",
            Self::Math => "math",
            Self::Esm => "esm",
            Self::Jsx => "jsx",
            Self::Expression => "expression",
            Self::Directive => "directive",
            Self::Shortcode => "shortcode",
        }
    }

    /// Returns whether this is a heading.
    pub const fn is_heading(self) -> bool {
        matches!(self, Self::Heading(_))
    }

    /// Whether this is something a heading can have under it.
    pub(crate) const fn is_content(self) -> bool {
        !matches!(self, Self::ByteOrderMark | Self::FrontMatter | Self::Heading(_))
    }

    /// Returns whether counters treat its text as prose or as code.
    pub const fn text_kind(self) -> TextKind {
        match self {
            Self::Code | Self::Esm | Self::Jsx | Self::Expression => TextKind::Code,
            _ => TextKind::Prose,
        }
    }
}

/// A top-level block of Markdown, with the blank lines after it.
///
/// ```
/// use chunkwright::{Chunker, Hierarchical, Source, Words};
///
/// let chunker = Chunker::new(Hierarchical::default(), Words::default())?;
/// let text = "# Tea\n\nBoil water first.\n";
/// let document = chunker.read(&Source::new("tea.md", text));
/// assert_eq!(document.blocks()[0].span.of(text), "# Tea\n\n");
/// # Ok::<(), chunkwright::ConfigError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Block {
    /// The kind of the block.
    pub kind: BlockKind,
    /// The bytes from the start of its first line to the start of the next block.
    pub span: Span,
    /// The columns that its lines are indented by for standing in something else.
    pub(crate) indent: usize,
}

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
    /// The index of its heading; none for the preamble.
    pub heading: Option<usize>,
    /// The level of its heading; 0 for the preamble.
    pub level: u8,
    /// The range of its own blocks, including the heading.
    pub blocks: Range<usize>,
    /// The index of its parent section; none for the preamble.
    pub parent: Option<usize>,
    /// One past the index of the last section below it.
    pub subtree_end: usize,
    /// Whether it has no content of its own.
    pub is_bare: bool,
}

/// A parsed document, as [`Chunker::read`](crate::Chunker::read) returns it. Its blocks cover every
/// byte of the source exactly once, and nothing in it can be changed.
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
    /// The source.
    pub fn source(&self) -> &'s str {
        self.source
    }

    /// The format that it was parsed as.
    pub fn format(&self) -> Format {
        self.format
    }

    /// All blocks, in reading order.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// All headings at the top level, in reading order.
    pub fn headings(&self) -> &[Heading] {
        &self.headings
    }

    /// All sections, in reading order. The first is the preamble, which may have no blocks.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// The front matter.
    pub fn metadata(&self) -> Option<&Metadata> {
        self.metadata.as_deref()
    }

    /// Notes on anything unusual in the source.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }
}

impl Document<'_> {
    /// Returns the number of payloads that `embed_text` elides: long runs of base64 or hexadecimal
    /// digits.
    pub fn payloads(&self) -> usize {
        self.elisions.iter().filter(|elision| elision.kind == elide::Kind::Payload).count()
    }

    /// Returns the heading that opens a section; none for the preamble.
    pub fn heading(&self, section: usize) -> Option<&Heading> {
        self.heading_of(SectionId::new(section))
    }

    /// Returns the heading that opens a section; none for the preamble.
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

    /// Returns the section after the last one below a section.
    pub(crate) fn subtree_end(&self, section: SectionId) -> SectionId {
        SectionId::new(self[section].subtree_end)
    }

    pub(crate) fn heading_span(&self, heading: &Heading) -> Span {
        self.blocks[heading.block].span
    }

    /// The text of the first heading of level 1.
    pub(crate) fn first_h1(&self) -> Option<&str> {
        let mut titles = self.headings.iter().filter(|heading| heading.level == 1);
        titles.find(|heading| !heading.title.is_empty()).map(|heading| &*heading.title)
    }

    /// The innermost section that is, or holds, both.
    pub(crate) fn common(&self, one: SectionId, other: SectionId) -> SectionId {
        let (mut one, mut other) = (one, other);
        // A section comes after those that hold it.
        while one != other {
            let later = if one > other { &mut one } else { &mut other };
            *later = self.parent(*later).unwrap_or(SectionId::ROOT);
        }
        one
    }

    /// The section that holds a block.
    pub(crate) fn section_of(&self, block: BlockId) -> SectionId {
        let is_before = |section: &Section| section.blocks.end <= block.index();
        SectionId::new(self.sections.partition_point(is_before))
    }

    /// The block that holds a byte.
    pub(crate) fn block_at(&self, byte: usize) -> BlockId {
        BlockId::new(self.blocks.partition_point(|block| block.span.end <= byte))
    }

    /// Returns the blocks that a span, which must not be empty, touches.
    pub(crate) fn blocks_of(&self, span: Span) -> BlockRange {
        self.block_at(span.start).to(self.block_at(span.end - 1).next())
    }

    /// Returns where a block starts; for the end of all blocks, where the source ends.
    pub(crate) fn start_of(&self, block: BlockId) -> usize {
        self.blocks.get(block.index()).map_or(self.source.len(), |block| block.span.start)
    }

    /// A section's own blocks without the headings before and after its content.
    pub(crate) fn body(&self, own: BlockRange) -> BlockRange {
        let is_body = |block: &BlockId| !self[*block].kind.is_heading();
        let start = own.iter().find(is_body).unwrap_or(own.end);
        let end = start.to(own.end).iter().rev().find(is_body).map_or(start, BlockId::next);
        start.to(end)
    }

    /// Returns the bytes of a body: from the end of the heading line, blank lines included, to the
    /// end of its last block. `own` are all blocks of the section, and `body` some of them.
    pub(crate) fn body_span(&self, own: BlockRange, body: BlockRange) -> Span {
        let span = self.span_of(body);
        if body.start == own.start {
            return span;
        }
        let heading = self[body.start.before()].span;
        let line_end = heading.start + heading.of(self.source).trim_end().len();
        Span::new(next_line(self.source, line_end).min(span.start), span.end)
    }

    /// All blocks of a section and of those below it.
    pub(crate) fn subtree_blocks(&self, section: SectionId) -> BlockRange {
        let last = self.subtree_end(section).before();
        self.own_blocks(section).start.to(self.own_blocks(last).end)
    }

    /// The span of a run of blocks.
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

/// Lays sections over blocks.
///
/// A heading whose whole subtree holds no content opens no section: its line belongs to the section
/// before it, or to the next one when nothing but front matter stands before it.
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

/// For each heading, whether its subtree holds content.
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

/// Closes the innermost open heading; content in it is content in the one above it.
fn hand_up(filled: &mut [bool], open: &mut Vec<usize>) {
    if let (Some(heading), Some(&above)) = (open.pop(), open.last()) {
        filled[above] |= filled[heading];
    }
}
