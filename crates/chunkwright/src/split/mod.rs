//! The ladder for blocks that do not fit: a block and two limits come in, atoms go out.
//!
//! Atoms tile the block in reading order. Each says how good a cut before it is, and what must
//! close the chunk before it and open the one after it. Only what does not fit is taken apart: a
//! list into items, an item into what it holds, code and HTML into lines, tables into rows, rows of
//! HTML into cells, text into sentences, then words, then grapheme clusters.

mod cutter;
mod html_table;
mod lines;
mod outline;
mod rows;
mod seam;
mod sentences;
mod tags;
mod text;
mod wrap;

use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;

use crate::document::{Block, BlockKind};
use crate::ids::BlockId;
use crate::parse::Format;
use crate::parse::overlay::{self, Dialect, View};
use crate::ruler::Lines;
use crate::span::Span;
use crate::strategy::Brief;
use html_table::Table;
use outline::{Node, Outline, Part};
use rows::Cutting;

pub(crate) use cutter::Cutter;
pub(crate) use seam::{Cut, Edge, Grade, Seam, Wrap, pieces};

/// The least that is ever cut off at once, and what a chunk is made of.
#[derive(Clone, Debug)]
pub(crate) struct Atom {
    /// Where it begins; it ends where the next one begins.
    pub(crate) at: usize,
    pub(crate) measure: Measure,
    /// What a cut before it is like.
    pub(crate) edge: Edge,
}

/// How much there is of something.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measure {
    /// Its units, white space at its end included.
    pub(crate) units: usize,
    /// The units of that white space.
    pub(crate) gap: usize,
}

/// How many units may stand together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    /// For text, lists and quotes.
    pub(crate) prose: usize,
    /// For fences and tables, which are worth more when whole.
    pub(crate) solid: usize,
}

impl Room {
    pub(crate) const fn of(units: usize) -> Self {
        Self { prose: units, solid: units }
    }

    pub(crate) fn holds(self, kind: BlockKind, units: usize) -> bool {
        let solid = matches!(kind, BlockKind::Code | BlockKind::Table);
        units <= if solid { self.solid } else { self.prose }
    }
}

/// A value for the first part of something, and one for those after it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Series<T> {
    pub(crate) first: T,
    pub(crate) rest: T,
}

impl<T: Copy> Series<T> {
    pub(crate) const fn both(value: T) -> Self {
        Self { first: value, rest: value }
    }

    pub(crate) fn nth(self, nth: usize) -> T {
        if nth == 0 { self.first } else { self.rest }
    }
}

impl Series<usize> {
    pub(crate) fn max(self) -> usize {
        self.first.max(self.rest)
    }
}

/// A block taken apart.
pub(crate) struct Split {
    pub(crate) atoms: Vec<Atom>,
    /// What closes a fence that the document leaves open.
    pub(crate) tail: Option<Rc<Wrap>>,
}

/// Takes a block apart from byte `from` on. Each atom fits its room.
pub(crate) fn split(brief: &Brief<'_>, block: BlockId, from: usize, rooms: Series<Room>) -> Split {
    let (mut splitter, outline) = Splitter::new(brief, block, from, rooms);
    splitter.nodes(&outline.nodes);
    Split { atoms: splitter.atoms, tail: splitter.tail }
}

/// A block as the Markdown parser is to see it; none for what is cut between lines.
fn view(block: Block, text: &str, dialect: Dialect) -> Option<View<'_>> {
    match block.kind {
        BlockKind::FrontMatter | BlockKind::Math | BlockKind::Esm | BlockKind::Expression => None,
        BlockKind::Code if is_raw_shortcode(text) => None,
        kind => Some(overlay::of_block(text, kind, block.indent, dialect)),
    }
}

/// Code that has no fence, and may hold what looks like one.
fn is_raw_shortcode(text: &str) -> bool {
    text.trim_start().starts_with('{')
}

/// Ranges that are better not cut, in order and apart: links, code spans and the like, and what is
/// left out of the embedded text.
fn whole(brief: &Brief<'_>, span: Span, outline: &Outline) -> Vec<Range<usize>> {
    let inline = outline.whole.iter().map(|range| range.start + span.start..range.end + span.start);
    let elisions = &brief.document.elisions;
    let first = elisions.partition_point(|elision| elision.span.start < span.start);
    let elided = elisions[first..].iter().take_while(|elision| elision.span.end <= span.end);
    let mut whole: Vec<_> = inline.chain(elided.map(|elision| elision.span.range())).collect();
    whole.sort_by_key(|range| range.start);
    whole.dedup_by(|next, before| {
        let meets = next.start < before.end;
        before.end = if meets { before.end.max(next.end) } else { before.end };
        meets
    });
    whole
}

struct Splitter<'b> {
    brief: &'b Brief<'b>,
    kind: BlockKind,
    span: Span,
    /// The columns that the lines of the block are indented by.
    indent: usize,
    from: usize,
    lines: Rc<Lines>,
    /// Ranges that are better not cut, in order.
    whole: Vec<Range<usize>>,
    /// The tables of an HTML block, in order.
    tables: Vec<Rc<Table>>,
    cutting: Cutting,
    rooms: Series<Room>,
    /// Whether lines stay whole even if they do not fit.
    keeps_lines: bool,
    /// The start of what holds the next atom, and how good a cut there is.
    pending: Option<(usize, Grade)>,
    /// The end of what the atoms so far have been measured for.
    measured: usize,
    atoms: Vec<Atom>,
    tail: Option<Rc<Wrap>>,
    /// Whether the next atom stays with the one before it.
    is_glued: bool,
    /// The white space at the end of the last stretch that was trimmed.
    blank: Cell<Option<Span>>,
}

impl<'b> Splitter<'b> {
    /// What takes a block apart, and the outline of that block.
    fn new(
        brief: &'b Brief<'b>,
        block: BlockId,
        from: usize,
        rooms: Series<Room>,
    ) -> (Self, Outline) {
        let lines = brief.ruler.lines(block);
        let block = brief.document[block];
        let text = block.span.of(brief.document.source);
        let mut outline = match brief.document.format {
            Format::Text => outline::single(Part::Text, 0..text.len()),
            format => outline::without_parser(block, brief.document.source).unwrap_or_else(|| {
                let view = view(block, text, format.into());
                view.map_or_else(Outline::default, |view| outline::outline(&view))
            }),
        };
        let splitter = Self {
            brief,
            kind: block.kind,
            span: block.span,
            indent: block.indent,
            from,
            lines,
            whole: whole(brief, block.span, &outline),
            tables: std::mem::take(&mut outline.tables).into_iter().map(Rc::new).collect(),
            cutting: Cutting::default(),
            rooms,
            keeps_lines: false,
            pending: None,
            blank: Cell::new(None),
            measured: from,
            atoms: Vec::new(),
            tail: None,
            is_glued: false,
        };
        (splitter, outline)
    }

    /// What cuts inside the whole block report.
    fn cut_of_block(&self) -> Cut {
        Cut { kind: self.kind, start: self.span.start }
    }

    fn source(&self) -> &'b str {
        self.brief.document.source
    }

    /// How much the next atom may hold.
    fn room(&self) -> Room {
        self.rooms.nth(self.atoms.len())
    }

    /// Walks the parts: what fits is an atom, what does not is opened.
    fn nodes(&mut self, nodes: &[Node]) {
        let mut next = 0;
        while let Some(node) = nodes.get(next) {
            let stretch = self.lines.around(self.span, &node.range);
            let grade = match node.part {
                Part::Closing => Grade::NEVER,
                _ => Grade::at_depth(node.depth),
            };
            next = if stretch.end <= self.measured {
                node.next
            } else if self.fits(node, stretch) {
                self.fill_gap(stretch.start);
                let (units, shown) = (self.lines.units(stretch), self.shown_units(stretch));
                let measure = Measure { units, gap: units.saturating_sub(shown) };
                self.push(stretch.start, measure, Edge::plain(grade));
                self.measured = stretch.end;
                self.is_glued = node.part == Part::Opening;
                node.next
            } else {
                self.fill_gap(stretch.start);
                self.open(node, stretch, grade);
                next + 1
            };
        }
        self.fill_gap(self.span.end);
    }

    fn fits(&self, node: &Node, stretch: Span) -> bool {
        let solid = matches!(node.part, Part::Fence | Part::Table { .. } | Part::HtmlTable { .. });
        let room = if solid { self.room().solid } else { self.room().prose };
        stretch.start >= self.from && self.shown_units(stretch) <= room
    }

    /// Takes apart a part that does not fit, or leaves that to the parts inside it.
    fn open(&mut self, node: &Node, stretch: Span, grade: Grade) {
        match node.part {
            Part::Container | Part::Item => {
                self.pending.get_or_insert((stretch.start, grade));
                return;
            }
            Part::Fence => self.fence(node, stretch, grade),
            Part::Table { head_end } => self.table(self.span.start + head_end, stretch, grade),
            Part::HtmlTable { nth } => {
                self.html_table(&Rc::clone(&self.tables[nth]), stretch, grade);
            }
            Part::Lines | Part::Opening | Part::Closing => self.plain_lines(stretch, grade),
            Part::Text => {
                let cut = node.is_notable.then(|| self.cut_of_block());
                self.text(stretch, &Edge::plain(grade), cut);
            }
        }
        self.measured = self.measured.max(stretch.end);
    }

    /// What no part claims (link definitions, front matter, blank lines of quotes) is cut between
    /// lines.
    fn fill_gap(&mut self, until: usize) {
        if self.measured < until {
            let grade = if self.atoms.is_empty() { Grade::BLOCK } else { Grade::LINE };
            self.plain_lines(Span::new(self.measured, until), grade);
            self.measured = until;
        }
    }

    /// Units of whole lines without the white space at their end.
    fn shown_units(&self, stretch: Span) -> usize {
        self.lines.units(self.trimmed(stretch))
    }

    fn trimmed(&self, stretch: Span) -> Span {
        // Parts in parts end with the same white space.
        let is_its_own = |blank: &Span| blank.end == stretch.end && blank.start >= stretch.start;
        if let Some(blank) = self.blank.get().filter(is_its_own) {
            return Span::new(stretch.start, blank.start);
        }
        let shown = stretch.start + stretch.of(self.source()).trim_end().len();
        if shown > stretch.start {
            self.blank.set(Some(Span::new(shown, stretch.end)));
        }
        Span::new(stretch.start, shown)
    }

    /// Adds an atom, unless it begins no later than the one before it: then it is part of that.
    fn push(&mut self, at: usize, measure: Measure, mut edge: Edge) {
        let (start, grade) = self.pending.take().unwrap_or((at, edge.grade));
        let at = start.min(at).max(self.from);
        edge.grade = if self.is_glued { Grade::NEVER } else { edge.grade.max(grade) };
        self.is_glued = false;
        match self.atoms.last_mut() {
            Some(last) if last.at >= at => {
                last.measure.units += measure.units;
                last.measure.gap = measure.gap;
            }
            _ => self.atoms.push(Atom { at, measure, edge }),
        }
    }
}

/// White space and quote marks, which may begin any line.
fn is_margin(c: char) -> bool {
    matches!(c, ' ' | '\t' | '>')
}
