//! Finds the blocks inside a block, such as list items, paragraphs, tables and fenced code, as a
//! flat list in reading order.

use std::ops::Range;

use pulldown_cmark::{BrokenLink, CodeBlockKind, CowStr, Event, Parser, Tag, TagEnd};

use super::html_table::{HtmlTable, tables};
use crate::document::{Block, BlockKind};
use crate::parse::line::{CODE_INDENT, Fence, columns, indent};
use crate::parse::overlay::{Mark, Role, View};
use crate::parse::{DIALECT, for_parser, guarded, nests_too_deep};

/// The kind of an inner block, which determines how it is split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InnerKind {
    /// A container block other than a list item: a list, a block quote or a footnote.
    Container,
    Item,
    Fence,
    Table {
        /// The end of the header row in the block's text.
        head_end: usize,
    },
    HtmlTable {
        /// The index into [`InnerBlocks::tables`].
        nth: usize,
    },
    /// Text that is split between lines: indented code or HTML.
    Lines,
    /// The opening lines of an element, which stay with the text after them.
    Opening,
    /// The closing lines of an element, which stay with the text before them.
    Closing,
    Text,
}

/// A block inside a block. In [`InnerBlocks::blocks`], it precedes the blocks inside it.
#[derive(Clone, Debug)]
pub(super) struct InnerBlock {
    pub(super) kind: InnerKind,
    /// The range in the block's text.
    pub(super) range: Range<usize>,
    /// The number of inner blocks around it.
    pub(super) depth: usize,
    /// The index of the next inner block that is not inside this one.
    pub(super) next: usize,
    /// Whether a cut inside it adds a note: it is a heading, or directly in a list item.
    pub(super) is_notable: bool,
}

/// The blocks inside a block, and the ranges of its text to keep whole if possible.
#[derive(Debug, Default)]
pub(super) struct InnerBlocks {
    pub(super) blocks: Vec<InnerBlock>,
    /// The outermost code spans, links, images, inline math and inline HTML, in order.
    pub(super) whole: Vec<Range<usize>>,
    pub(super) tables: Vec<HtmlTable>,
}

/// Returns the inner blocks of a block that contains only one.
pub(super) fn single(kind: InnerKind, range: Range<usize>) -> InnerBlocks {
    let mut found = InnerBlocks::default();
    found.push_leaf_of(kind, range, &[]);
    found
}

/// Returns the inner blocks of a block if they can be found without the parser.
pub(super) fn without_parser(block: Block, source: &str) -> Option<InnerBlocks> {
    let text = block.span.of(source);
    let end = text.trim_end().len();
    let is_inline = |byte: u8| b"`[]<$\\&".contains(&byte);
    match block.kind {
        BlockKind::Code => {
            fence_mark(text, block.indent).map(|at| single(InnerKind::Fence, at..end))
        }
        BlockKind::Html => {
            Some(html(block, source).unwrap_or_else(|| single(InnerKind::Lines, 0..end)))
        }
        BlockKind::Paragraph if !text.bytes().any(is_inline) => {
            Some(single(InnerKind::Text, 0..end))
        }
        _ => None,
    }
}

/// Returns the tables of an HTML block, or `None` if it has none. The text between them is split
/// between lines.
fn html(block: Block, source: &str) -> Option<InnerBlocks> {
    let (tables, whole) = tables(source, block.span);
    let mut found = InnerBlocks { whole, ..InnerBlocks::default() };
    for (nth, table) in tables.iter().enumerate() {
        let range = table.span.start - block.span.start..table.span.end - block.span.start;
        found.push_leaf_of(InnerKind::HtmlTable { nth }, range, &[]);
    }
    found.tables = tables;
    (!found.blocks.is_empty()).then_some(found)
}

/// Returns the offset of the opening fence, or `None` for indented code.
fn fence_mark(text: &str, base: usize) -> Option<usize> {
    let at = indent(text.as_bytes());
    let fence = Fence::opens(&text.as_bytes()[at..]);
    fence.filter(|_| columns(text) < base + CODE_INDENT).map(|_| at)
}

/// Returns the inner blocks of a block: none if it is nested too deeply or the parser panics.
pub(super) fn parsed(view: &View<'_>) -> InnerBlocks {
    if nests_too_deep(&view.text) {
        return InnerBlocks::default();
    }
    guarded(|| parse(view)).unwrap_or_default()
}

fn parse(view: &View<'_>) -> InnerBlocks {
    let text = &*for_parser(&view.text);
    let mut marks = Marks { marks: &view.marks, open: Vec::new() };
    let mut found = InnerBlocks::default();
    let mut open: Vec<usize> = Vec::new();
    // Treat all references as links, because their definitions may be elsewhere in the document.
    let any_link = |_: BrokenLink<'_>| Some((CowStr::Borrowed(""), CowStr::Borrowed("")));
    let events = Parser::new_with_broken_link_callback(text, DIALECT, Some(any_link));
    let mut events = events.into_offset_iter();
    while let Some((event, range)) = events.next() {
        found.skip_marks(range.start, &mut marks, &mut open);
        let mark = match event {
            Event::Start(Tag::Heading { .. }) => marks.next(range.start, open.len()),
            _ => None,
        };
        if let Some(mark) = mark {
            found.mark(mark, text.len(), &mut marks, &mut open);
            // Skip the end of the mark's empty heading.
            events.next();
            continue;
        }
        match event {
            Event::Start(tag) => match kind_of(&tag) {
                Some(kind) => {
                    let inner = found.push(kind, range, &open);
                    found.blocks[inner].is_notable |= matches!(tag, Tag::Heading { .. });
                    open.push(inner);
                }
                None => found.inline_tag(&tag, range, &open),
            },
            Event::End(end) if ends_block(end) => {
                if let Some(inner) = open.pop() {
                    found.blocks[inner].next = found.blocks.len();
                }
            }
            Event::End(_) => {}
            Event::Rule => found.push_leaf(range, &open),
            event => found.inline(&event, range, &open),
        }
    }
    found.close(&open);
    found.in_source(view)
}

/// The remaining marks, and the open elements.
struct Marks<'v> {
    marks: &'v [Mark],
    open: Vec<usize>,
}

/// The maximum number of open elements to search for the one that a mark closes.
const MOST_OPEN: usize = 64;

impl<'v> Marks<'v> {
    /// Returns the next mark if it is at `at`, unless it is inside another block.
    fn next(&mut self, at: usize, depth: usize) -> Option<&'v Mark> {
        let is_next = |mark: &Mark| mark.span.start <= at && depth == self.open.len();
        let (mark, marks) = self.marks.split_first().filter(|(mark, _)| is_next(mark))?;
        self.marks = marks;
        Some(mark)
    }

    /// Removes the element that a mark closes, and all elements inside it.
    fn close(&mut self, mark: &Mark) -> bool {
        let mut innermost = self.open.iter().rev().take(MOST_OPEN);
        let Some(inside) = innermost.position(|&element| element == mark.element) else {
            return false;
        };
        self.open.truncate(self.open.len() - inside - 1);
        true
    }
}

impl InnerBlocks {
    fn push(&mut self, kind: InnerKind, range: Range<usize>, open: &[usize]) -> usize {
        let is_notable =
            open.last().is_some_and(|&above| self.blocks[above].kind == InnerKind::Item);
        let inner = self.blocks.len();
        self.blocks.push(InnerBlock {
            kind,
            range,
            depth: open.len(),
            next: inner + 1,
            is_notable,
        });
        inner
    }

    /// Adds the inner block for a mark. An opening mark starts a container.
    fn mark(&mut self, mark: &Mark, end: usize, marks: &mut Marks<'_>, open: &mut Vec<usize>) {
        let lines = mark.span.range();
        match mark.role {
            Role::Whole => self.push_leaf_of(InnerKind::Lines, lines, open),
            Role::Open => {
                let inner = self.push(InnerKind::Container, lines.start..end, open);
                open.push(inner);
                marks.open.push(mark.element);
                self.push_leaf_of(InnerKind::Opening, lines, open);
            }
            Role::Close if marks.close(mark) => {
                self.close(&open[marks.open.len() + 1..]);
                open.truncate(marks.open.len() + 1);
                self.push_leaf_of(InnerKind::Closing, lines, open);
                self.end(mark, marks, open);
            }
            Role::Close => self.push_leaf_of(InnerKind::Closing, lines, open),
        }
    }

    /// Skips marks before `at` that the parser did not report: those without lines, and those
    /// inside another block.
    fn skip_marks(&mut self, at: usize, marks: &mut Marks<'_>, open: &mut Vec<usize>) {
        while open.len() == marks.open.len()
            && let Some((mark, rest)) = marks.marks.split_first()
            && mark.span.end <= at
        {
            marks.marks = rest;
            if mark.role == Role::Close && marks.close(mark) {
                self.end(mark, marks, open);
            }
        }
    }

    /// Ends the container of the element that a mark closes.
    fn end(&mut self, mark: &Mark, marks: &Marks<'_>, open: &mut Vec<usize>) {
        self.close(&open[marks.open.len()..]);
        if let Some(&inner) = open.get(marks.open.len()) {
            self.blocks[inner].range.end = mark.span.end;
        }
        open.truncate(marks.open.len());
    }

    /// Ends the open blocks here.
    fn close(&mut self, open: &[usize]) {
        let next = self.blocks.len();
        open.iter().for_each(|&inner| self.blocks[inner].next = next);
    }

    /// Converts all ranges from the view to the block's text.
    fn in_source(mut self, view: &View<'_>) -> Self {
        for inner in &mut self.blocks {
            inner.range = view.source_range(inner.range.clone());
            if let InnerKind::Table { head_end } = &mut inner.kind {
                *head_end = view.source_range(0..*head_end).end;
            }
        }
        self.whole.iter_mut().for_each(|range| *range = view.source_range(range.clone()));
        self
    }

    fn push_leaf(&mut self, range: Range<usize>, open: &[usize]) {
        self.push_leaf_of(InnerKind::Text, range, open);
    }

    fn push_leaf_of(&mut self, kind: InnerKind, range: Range<usize>, open: &[usize]) {
        self.push(kind, range, open);
    }

    fn inline_tag(&mut self, tag: &Tag<'_>, range: Range<usize>, open: &[usize]) {
        match tag {
            Tag::Link { .. } | Tag::Image { .. } => self.keep_whole(range.clone()),
            Tag::TableHead => {
                if let Some(&table) = open.last() {
                    self.blocks[table].kind = InnerKind::Table { head_end: range.end };
                }
            }
            _ => {}
        }
        self.tight_text(range, open);
    }

    fn inline(&mut self, event: &Event<'_>, range: Range<usize>, open: &[usize]) {
        let whole = matches!(
            event,
            Event::Code(_) | Event::InlineMath(_) | Event::DisplayMath(_) | Event::InlineHtml(_)
        );
        if whole {
            self.keep_whole(range.clone());
        }
        self.tight_text(range, open);
    }

    /// Adds the text of a tight list item as a block. The parser emits no paragraphs for it.
    fn tight_text(&mut self, range: Range<usize>, open: &[usize]) {
        if open.last().is_none_or(|&above| self.blocks[above].kind != InnerKind::Item) {
            return;
        }
        match self.blocks.last_mut() {
            Some(last) if last.kind == InnerKind::Text && last.depth == open.len() => {
                last.range.end = last.range.end.max(range.end);
            }
            _ => self.push_leaf(range, open),
        }
    }

    fn keep_whole(&mut self, range: Range<usize>) {
        if self.whole.last().is_none_or(|last| last.end <= range.start) {
            self.whole.push(range);
        }
    }
}

fn kind_of(tag: &Tag<'_>) -> Option<InnerKind> {
    match tag {
        Tag::List(_) | Tag::BlockQuote(_) | Tag::FootnoteDefinition(_) => {
            Some(InnerKind::Container)
        }
        Tag::Item => Some(InnerKind::Item),
        Tag::CodeBlock(CodeBlockKind::Fenced(_)) => Some(InnerKind::Fence),
        Tag::CodeBlock(CodeBlockKind::Indented) | Tag::HtmlBlock => Some(InnerKind::Lines),
        Tag::Table(_) => Some(InnerKind::Table { head_end: 0 }),
        Tag::Paragraph | Tag::Heading { .. } => Some(InnerKind::Text),
        _ => None,
    }
}

fn ends_block(end: TagEnd) -> bool {
    matches!(
        end,
        TagEnd::List(_)
            | TagEnd::BlockQuote(_)
            | TagEnd::FootnoteDefinition
            | TagEnd::Item
            | TagEnd::CodeBlock
            | TagEnd::HtmlBlock
            | TagEnd::Table
            | TagEnd::Paragraph
            | TagEnd::Heading(_)
    )
}
