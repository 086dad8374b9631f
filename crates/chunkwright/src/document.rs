//! A document as the reader sees it: blocks that tile the source, and sections over them.

use std::ops::Range;
use std::sync::Arc;

use crate::counter::TextKind;
use crate::elide::{self, Elision};
use crate::metadata::Metadata;
use crate::note::Note;
use crate::parse::Format;
use crate::span::{Span, next_line};

/// What a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BlockKind {
    /// The byte order mark at the start of a file.
    ByteOrderMark,
    /// YAML or TOML at the start of a document.
    FrontMatter,
    /// A heading of level 1 to 6.
    Heading(u8),
    /// Running text.
    Paragraph,
    /// A list with all its items.
    List,
    /// A code block, fenced or indented, or a shortcode that holds code.
    Code,
    /// A table.
    Table,
    /// A block quote; alerts too.
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
    /// The name shown to people and programs.
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

    /// Whether this is a heading.
    pub const fn is_heading(self) -> bool {
        matches!(self, Self::Heading(_))
    }

    /// Whether this is something a heading can have under it.
    pub(crate) const fn is_content(self) -> bool {
        !matches!(self, Self::ByteOrderMark | Self::FrontMatter | Self::Heading(_))
    }

    /// How a counter should look at its text.
    pub const fn text_kind(self) -> TextKind {
        match self {
            Self::Code | Self::Esm | Self::Jsx | Self::Expression => TextKind::Code,
            _ => TextKind::Prose,
        }
    }
}

/// A top-level unit of Markdown with the blank lines after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// What it is.
    pub kind: BlockKind,
    /// From the start of its first line to the start of the next block's first line.
    pub span: Span,
    /// The columns that its lines are indented by for standing in something else.
    pub(crate) indent: usize,
}

/// A heading, whether or not it opens a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// Its block.
    pub block: usize,
    /// 1 to 6.
    pub level: u8,
    /// Its text without markup.
    pub title: Arc<str>,
    /// Its `{#id}`, or a name made of its text; distinct in the document.
    pub slug: Arc<str>,
}

/// A heading with the blocks up to the next one; the first section is the preamble.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Index of its heading; none for the preamble.
    pub heading: Option<usize>,
    /// Level of its heading, 0 for the preamble.
    pub level: u8,
    /// Its own blocks, heading included.
    pub blocks: Range<usize>,
    /// The section that holds it; none for the preamble.
    pub parent: Option<usize>,
    /// One past the last section below it.
    pub subtree_end: usize,
    /// Whether it has no content of its own.
    pub is_bare: bool,
}

/// A document that has been read.
#[derive(Debug)]
pub struct Document<'s> {
    /// The source, whose bytes the blocks tile.
    pub source: &'s str,
    /// What it is written in.
    pub format: Format,
    /// All blocks, in reading order.
    pub blocks: Vec<Block>,
    /// All headings at the top level, in reading order.
    pub headings: Vec<Heading>,
    /// All sections, in reading order; the first is the preamble, which may be without blocks.
    pub sections: Vec<Section>,
    /// What front matter says.
    pub metadata: Option<Arc<Metadata>>,
    /// What was odd.
    pub notes: Vec<Note>,
    pub(crate) elisions: Vec<Elision>,
}

impl Document<'_> {
    /// A section's heading text; empty for the preamble.
    pub fn title(&self, section: usize) -> &str {
        self.heading(section).map_or("", |heading| &heading.title)
    }

    /// Returns the number of payloads that `embed_text` elides: long runs of base64 or hexadecimal
    /// digits.
    pub fn payloads(&self) -> usize {
        self.elisions.iter().filter(|elision| elision.kind == elide::Kind::Payload).count()
    }

    /// The heading that opens a section.
    pub fn heading(&self, section: usize) -> Option<&Heading> {
        self.sections[section].heading.map(|heading| &self.headings[heading])
    }

    /// The text of the first heading of level 1.
    pub(crate) fn first_h1(&self) -> Option<&str> {
        let mut titles = self.headings.iter().filter(|heading| heading.level == 1);
        titles.find(|heading| !heading.title.is_empty()).map(|heading| &*heading.title)
    }

    /// The sections that lead to a section, outermost first, itself last; without the preamble.
    pub fn path(&self, section: usize) -> Vec<usize> {
        let above = |&section: &usize| self.sections[section].parent;
        let mut path: Vec<usize> = std::iter::successors(Some(section), above).collect();
        path.retain(|&section| self.sections[section].heading.is_some());
        path.reverse();
        path
    }

    /// The innermost section that is, or holds, both.
    pub(crate) fn common(&self, one: usize, other: usize) -> usize {
        let (mut one, mut other) = (one, other);
        // A section comes after those that hold it.
        while one != other {
            let later = if one > other { &mut one } else { &mut other };
            *later = self.sections[*later].parent.unwrap_or(0);
        }
        one
    }

    /// The section that holds a block.
    pub(crate) fn section_of(&self, block: usize) -> usize {
        self.sections.partition_point(|section| section.blocks.end <= block)
    }

    /// The block that holds a byte.
    pub(crate) fn block_at(&self, byte: usize) -> usize {
        self.blocks.partition_point(|block| block.span.end <= byte)
    }

    /// A section's own blocks without the headings before and after its content.
    pub(crate) fn body(&self, own: Range<usize>) -> Range<usize> {
        let is_heading = |block: &usize| self.blocks[*block].kind.is_heading();
        let start = own.clone().find(|block| !is_heading(block)).unwrap_or(own.end);
        let end = (start..own.end).rev().find(|block| !is_heading(block)).map_or(start, |b| b + 1);
        start..end
    }

    /// Returns the bytes of a body: from the end of the heading line, blank lines included, to the
    /// end of its last block. `own` are all blocks of the section, and `body` some of them.
    pub(crate) fn body_span(&self, own: &Range<usize>, body: Range<usize>) -> Span {
        let span = self.span_of(body.clone());
        if body.start == own.start {
            return span;
        }
        let heading = self.blocks[body.start - 1].span;
        let line_end = heading.start + heading.of(self.source).trim_end().len();
        Span::new(next_line(self.source, line_end).min(span.start), span.end)
    }

    /// All blocks of a section and of those below it.
    pub(crate) fn subtree_blocks(&self, section: usize) -> Range<usize> {
        let last = self.sections[section].subtree_end - 1;
        self.sections[section].blocks.start..self.sections[last].blocks.end
    }

    /// The span of a run of blocks.
    pub(crate) fn span_of(&self, blocks: Range<usize>) -> Span {
        if blocks.is_empty() {
            let at = self.blocks.get(blocks.start).map_or(self.source.len(), |b| b.span.start);
            return Span::new(at, at);
        }
        Span::new(self.blocks[blocks.start].span.start, self.blocks[blocks.end - 1].span.end)
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
