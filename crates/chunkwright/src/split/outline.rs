//! The inside of one block: its text comes in; its items, paragraphs, rows and fences go out, flat
//! and in reading order.

use std::ops::Range;

use pulldown_cmark::{BrokenLink, CodeBlockKind, CowStr, Event, Parser, Tag, TagEnd};

use super::html_table::{Table, tables};
use crate::document::{Block, BlockKind};
use crate::parse::overlay::{CODE_INDENT, Mark, Role, View, columns};
use crate::parse::{DIALECT, for_parser, guarded, nests_too_deep};

/// What a part of a block is, as far as cutting goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Something that holds other parts: a list, a quote, a footnote.
    Container,
    /// A list item.
    Item,
    /// Fenced code.
    Fence,
    /// A table; `head_end` is where its header and delimiter rows end.
    Table {
        /// Byte offset in the block's text.
        head_end: usize,
    },
    /// A table in an HTML block.
    HtmlTable {
        /// Index into the tables of the outline.
        nth: usize,
    },
    /// Text that is cut between lines: indented code, HTML.
    Lines,
    /// The opening lines of something, which stay with what follows them.
    Opening,
    /// The closing lines of something, which stay with what is before them.
    Closing,
    /// Running text.
    Text,
}

/// A part of a block. Parts are listed in reading order, each before the parts inside it.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) part: Part,
    /// Bytes of the block's text.
    pub(super) range: Range<usize>,
    /// How many parts hold it.
    pub(super) depth: usize,
    /// Index of the next part that is not inside this one.
    pub(super) next: usize,
    /// Whether a cut inside it is worth a note: it is a heading, or a list item's own text.
    pub(super) is_notable: bool,
}

/// The parts of a block, and the ranges of its text that are better not cut.
#[derive(Debug, Default)]
pub(super) struct Outline {
    pub(super) nodes: Vec<Node>,
    /// Code spans, links, images, inline math and HTML: outermost ones, in order.
    pub(super) whole: Vec<Range<usize>>,
    /// The tables of an HTML block.
    pub(super) tables: Vec<Table>,
}

/// A block that is one part.
pub(super) fn single(part: Part, range: Range<usize>) -> Outline {
    let mut outline = Outline::default();
    outline.push_leaf_of(part, range, &[]);
    outline
}

/// The outline of a block in which the parser would find nothing that a look does not tell.
pub(super) fn without_parser(block: Block, source: &str) -> Option<Outline> {
    let text = block.span.of(source);
    let end = text.trim_end().len();
    let is_inline = |byte: u8| b"`[]<$\\&".contains(&byte);
    match block.kind {
        BlockKind::Code => fence_mark(text, block.indent).map(|at| single(Part::Fence, at..end)),
        BlockKind::Html => Some(html(block, source).unwrap_or_else(|| single(Part::Lines, 0..end))),
        BlockKind::Paragraph if !text.bytes().any(is_inline) => Some(single(Part::Text, 0..end)),
        _ => None,
    }
}

/// The tables of an HTML block; none if it has none. What is between them is cut between lines.
fn html(block: Block, source: &str) -> Option<Outline> {
    let (tables, whole) = tables(source, block.span);
    let mut outline = Outline { whole, ..Outline::default() };
    for (nth, table) in tables.iter().enumerate() {
        let range = table.span.start - block.span.start..table.span.end - block.span.start;
        outline.push_leaf_of(Part::HtmlTable { nth }, range, &[]);
    }
    outline.tables = tables;
    (!outline.nodes.is_empty()).then_some(outline)
}

/// Where the first line of code has its fence, unless it is indented so far that it is code itself.
fn fence_mark(text: &str, indent: usize) -> Option<usize> {
    let at = text.len() - text.trim_start_matches([' ', '\t']).len();
    let is_fence = text[at..].starts_with("```") || text[at..].starts_with("~~~");
    (is_fence && columns(text) < indent + CODE_INDENT).then_some(at)
}

/// Outlines a block. Should it nest too deep or the parser panic, the block is running text.
pub(super) fn outline(view: &View<'_>) -> Outline {
    if nests_too_deep(&view.text) {
        return Outline::default();
    }
    guarded(|| parse(view)).unwrap_or_default()
}

fn parse(view: &View<'_>) -> Outline {
    let text = &*for_parser(&view.text);
    let mut marks = Marks { marks: &view.marks, open: Vec::new() };
    let mut outline = Outline::default();
    let mut open: Vec<usize> = Vec::new();
    // Links whose definitions stand elsewhere in the document are links all the same.
    let any_link = |_: BrokenLink<'_>| Some((CowStr::Borrowed(""), CowStr::Borrowed("")));
    let events = Parser::new_with_broken_link_callback(text, DIALECT, Some(any_link));
    let mut events = events.into_offset_iter();
    while let Some((event, range)) = events.next() {
        outline.pass(range.start, &mut marks, &mut open);
        let mark = match event {
            Event::Start(Tag::Heading { .. }) => marks.next(range.start, open.len()),
            _ => None,
        };
        if let Some(mark) = mark {
            outline.mark(mark, text.len(), &mut marks, &mut open);
            // The end of the heading that stands for it.
            events.next();
            continue;
        }
        match event {
            Event::Start(tag) => match part_of(&tag) {
                Some(part) => {
                    let node = outline.push(part, range, &open);
                    outline.nodes[node].is_notable |= matches!(tag, Tag::Heading { .. });
                    open.push(node);
                }
                None => outline.inline_tag(&tag, range, &open),
            },
            Event::End(end) if ends_part(end) => {
                if let Some(node) = open.pop() {
                    outline.nodes[node].next = outline.nodes.len();
                }
            }
            Event::End(_) => {}
            Event::Rule => outline.push_leaf(range, &open),
            event => outline.inline(&event, range, &open),
        }
    }
    outline.close(&open);
    outline.in_source(view)
}

/// The marks that are still to come, and the elements that are open.
struct Marks<'v> {
    marks: &'v [Mark],
    open: Vec<usize>,
}

/// How many open elements a closing is looked for in.
const MOST_OPEN: usize = 64;

impl<'v> Marks<'v> {
    /// The mark at a place, unless it is inside a part of the Markdown around it.
    fn next(&mut self, at: usize, depth: usize) -> Option<&'v Mark> {
        let is_next = |mark: &Mark| mark.span.start <= at && depth == self.open.len();
        let (mark, marks) = self.marks.split_first().filter(|(mark, _)| is_next(mark))?;
        self.marks = marks;
        Some(mark)
    }

    /// Forgets the open element of a closing mark, and what is open inside it.
    fn close(&mut self, mark: &Mark) -> bool {
        let mut innermost = self.open.iter().rev().take(MOST_OPEN);
        let Some(inside) = innermost.position(|&element| element == mark.element) else {
            return false;
        };
        self.open.truncate(self.open.len() - inside - 1);
        true
    }
}

impl Outline {
    fn push(&mut self, part: Part, range: Range<usize>, open: &[usize]) -> usize {
        let is_notable = open.last().is_some_and(|&above| self.nodes[above].part == Part::Item);
        let node = self.nodes.len();
        self.nodes.push(Node { part, range, depth: open.len(), next: node + 1, is_notable });
        node
    }

    /// Adds what a mark stands for: a part that holds others from its opening on.
    fn mark(&mut self, mark: &Mark, end: usize, marks: &mut Marks<'_>, open: &mut Vec<usize>) {
        let lines = mark.span.range();
        match mark.role {
            Role::Whole => self.push_leaf_of(Part::Lines, lines, open),
            Role::Open => {
                let node = self.push(Part::Container, lines.start..end, open);
                open.push(node);
                marks.open.push(mark.element);
                self.push_leaf_of(Part::Opening, lines, open);
            }
            Role::Close if marks.close(mark) => {
                self.close(&open[marks.open.len() + 1..]);
                open.truncate(marks.open.len() + 1);
                self.push_leaf_of(Part::Closing, lines, open);
                self.end(mark, marks, open);
            }
            Role::Close => self.push_leaf_of(Part::Closing, lines, open),
        }
    }

    /// Leaves marks behind that are before `at` and not seen as such: some have no lines, others
    /// stand inside a part.
    fn pass(&mut self, at: usize, marks: &mut Marks<'_>, open: &mut Vec<usize>) {
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

    /// Ends the part of the element that a mark closes.
    fn end(&mut self, mark: &Mark, marks: &Marks<'_>, open: &mut Vec<usize>) {
        self.close(&open[marks.open.len()..]);
        if let Some(&node) = open.get(marks.open.len()) {
            self.nodes[node].range.end = mark.span.end;
        }
        open.truncate(marks.open.len());
    }

    /// Parts that are open end here.
    fn close(&mut self, open: &[usize]) {
        let next = self.nodes.len();
        open.iter().for_each(|&node| self.nodes[node].next = next);
    }

    /// The same in terms of the block's text.
    fn in_source(mut self, view: &View<'_>) -> Self {
        for node in &mut self.nodes {
            node.range = view.source_range(node.range.clone());
            if let Part::Table { head_end } = &mut node.part {
                *head_end = view.source_range(0..*head_end).end;
            }
        }
        self.whole.iter_mut().for_each(|range| *range = view.source_range(range.clone()));
        self
    }

    fn push_leaf(&mut self, range: Range<usize>, open: &[usize]) {
        self.push_leaf_of(Part::Text, range, open);
    }

    fn push_leaf_of(&mut self, part: Part, range: Range<usize>, open: &[usize]) {
        self.push(part, range, open);
    }

    fn inline_tag(&mut self, tag: &Tag<'_>, range: Range<usize>, open: &[usize]) {
        match tag {
            Tag::Link { .. } | Tag::Image { .. } => self.keep_whole(range.clone()),
            Tag::TableHead => {
                if let Some(&table) = open.last() {
                    self.nodes[table].part = Part::Table { head_end: range.end };
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

    /// Tight items have no paragraphs: their text is a part all the same, up to the next part.
    fn tight_text(&mut self, range: Range<usize>, open: &[usize]) {
        if open.last().is_none_or(|&above| self.nodes[above].part != Part::Item) {
            return;
        }
        match self.nodes.last_mut() {
            Some(last) if last.part == Part::Text && last.depth == open.len() => {
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

fn part_of(tag: &Tag<'_>) -> Option<Part> {
    match tag {
        Tag::List(_) | Tag::BlockQuote(_) | Tag::FootnoteDefinition(_) => Some(Part::Container),
        Tag::Item => Some(Part::Item),
        Tag::CodeBlock(CodeBlockKind::Fenced(_)) => Some(Part::Fence),
        Tag::CodeBlock(CodeBlockKind::Indented) | Tag::HtmlBlock => Some(Part::Lines),
        Tag::Table(_) => Some(Part::Table { head_end: 0 }),
        Tag::Paragraph | Tag::Heading { .. } => Some(Part::Text),
        _ => None,
    }
}

fn ends_part(end: TagEnd) -> bool {
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
