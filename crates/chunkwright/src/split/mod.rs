//! Splits blocks that exceed the limit into atoms.
//!
//! Atoms tile the block in reading order. Each has a grade for a cut before it, and the text that
//! closes the chunk before the cut and opens the one after it. Only parts that don't fit are split
//! further: lists into items, items into their content, code and HTML into lines, tables into rows,
//! HTML rows into cells, and text into sentences, then words, then grapheme clusters.

mod cutter;
mod html_table;
mod inner;
mod lines;
mod rows;
mod sentences;
mod tags;
mod text;
mod wrap;

use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;

use crate::brief::Brief;
use crate::document::{Block, BlockKind};
use crate::format::Format;
use crate::ids::BlockId;
use crate::parse::overlay::{self, Dialect, View};
use crate::ruler::BlockLines;
use crate::seam::{CutBlock, Edge, Grade, Wrap};
use crate::span::Span;
use html_table::HtmlTable;
use inner::{InnerBlock, InnerBlocks, InnerKind};
use rows::TableState;

pub(crate) use cutter::Cutter;

/// The smallest range of a split block that is ever separated. Chunks consist of whole atoms.
#[derive(Clone, Debug)]
pub(crate) struct Atom {
    /// The start. An atom ends where the next one starts.
    pub(crate) at: usize,
    pub(crate) measure: Measure,
    /// The properties of a cut before it.
    pub(crate) edge: Edge,
}

/// The size of a part in units.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measure {
    /// The units, including trailing whitespace.
    pub(crate) units: usize,
    /// The units of the trailing whitespace.
    pub(crate) gap: usize,
}

/// The maximum number of units per part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    /// The limit for text, lists and block quotes.
    pub(crate) prose: usize,
    /// The limit for fenced code and tables, which are more useful whole.
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

/// A value for the first part, and one for all later parts.
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

pub(crate) struct Split {
    pub(crate) atoms: Vec<Atom>,
    /// The wrap that closes a code fence left open by the document.
    pub(crate) tail: Option<Rc<Wrap>>,
}

/// Splits a block from byte `from` on. Each atom fits its room.
pub(crate) fn split(brief: &Brief<'_>, block: BlockId, from: usize, rooms: Series<Room>) -> Split {
    let (mut splitter, found) = Splitter::new(brief, block, from, rooms);
    splitter.inner_blocks(&found.blocks);
    Split { atoms: splitter.atoms, tail: splitter.tail }
}

/// Returns the view of a block for the Markdown parser, or `None` if it is only split between
/// lines.
fn view(block: Block, text: &str, dialect: Dialect) -> Option<View<'_>> {
    match block.kind {
        BlockKind::FrontMatter | BlockKind::Math | BlockKind::Esm | BlockKind::Expression => None,
        BlockKind::Code if is_raw_shortcode(text) => None,
        kind => Some(overlay::of_block(text, kind, block.indent, dialect)),
    }
}

/// Returns whether code is a raw shortcode: it has no fence, but may contain lines that look like
/// one.
fn is_raw_shortcode(text: &str) -> bool {
    text.trim_start().starts_with('{')
}

/// Returns the ranges to keep whole if possible, in order and without overlap: inline elements such
/// as links and code spans, and elisions.
fn whole(brief: &Brief<'_>, span: Span, found: &InnerBlocks) -> Vec<Range<usize>> {
    let inline = found.whole.iter().map(|range| range.start + span.start..range.end + span.start);
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
    /// The indentation of the block's lines in columns.
    indent: usize,
    from: usize,
    lines: Rc<BlockLines>,
    /// The ranges to keep whole if possible, in order.
    whole: Vec<Range<usize>>,
    /// The tables of an HTML block, in order.
    tables: Vec<Rc<HtmlTable>>,
    table_state: TableState,
    rooms: Series<Room>,
    /// Whether lines stay whole even if they do not fit.
    keeps_lines: bool,
    /// The start of the outermost part that starts with the next atom, and the grade of a cut
    /// there.
    pending: Option<(usize, Grade)>,
    /// The end of the text that the atoms so far cover.
    measured: usize,
    atoms: Vec<Atom>,
    tail: Option<Rc<Wrap>>,
    /// Whether no cut is allowed before the next atom.
    is_glued: bool,
    /// The white space at the end of the span that was trimmed last.
    blank: Cell<Option<Span>>,
}

impl<'b> Splitter<'b> {
    /// Creates a splitter for a block, and the blocks inside it.
    fn new(
        brief: &'b Brief<'b>,
        block: BlockId,
        from: usize,
        rooms: Series<Room>,
    ) -> (Self, InnerBlocks) {
        let lines = brief.ruler.lines(block);
        let block = brief.document[block];
        let text = block.span.of(brief.document.source);
        let mut found = match brief.document.format {
            Format::Text => inner::single(InnerKind::Text, 0..text.len()),
            format => inner::without_parser(block, brief.document.source).unwrap_or_else(|| {
                let view = view(block, text, format.into());
                view.map_or_else(InnerBlocks::default, |view| inner::parsed(&view))
            }),
        };
        let splitter = Self {
            brief,
            kind: block.kind,
            span: block.span,
            indent: block.indent,
            from,
            lines,
            whole: whole(brief, block.span, &found),
            tables: std::mem::take(&mut found.tables).into_iter().map(Rc::new).collect(),
            table_state: TableState::default(),
            rooms,
            keeps_lines: false,
            pending: None,
            blank: Cell::new(None),
            measured: from,
            atoms: Vec::new(),
            tail: None,
            is_glued: false,
        };
        (splitter, found)
    }

    /// Returns the note for cuts inside the whole block.
    fn cut_of_block(&self) -> CutBlock {
        CutBlock { kind: self.kind, start: self.span.start }
    }

    fn source(&self) -> &'b str {
        self.brief.document.source
    }

    /// Returns the limit for the next atom.
    fn room(&self) -> Room {
        self.rooms.nth(self.atoms.len())
    }

    /// Turns inner blocks into atoms. Those that don't fit are split further.
    fn inner_blocks(&mut self, blocks: &[InnerBlock]) {
        let mut next = 0;
        while let Some(inner) = blocks.get(next) {
            let stretch = self.lines.around(self.span, &inner.range);
            let grade = match inner.kind {
                InnerKind::Closing => Grade::NEVER,
                _ => Grade::at_depth(inner.depth),
            };
            next = if stretch.end <= self.measured {
                inner.next
            } else if self.fits(inner, stretch) {
                self.fill_gap(stretch.start);
                let (units, shown) = (self.lines.units(stretch), self.shown_units(stretch));
                let measure = Measure { units, gap: units.saturating_sub(shown) };
                self.push(stretch.start, measure, Edge::plain(grade));
                self.measured = stretch.end;
                self.is_glued = inner.kind == InnerKind::Opening;
                inner.next
            } else {
                self.fill_gap(stretch.start);
                self.open(inner, stretch, grade);
                next + 1
            };
        }
        self.fill_gap(self.span.end);
    }

    fn fits(&self, inner: &InnerBlock, stretch: Span) -> bool {
        let solid = matches!(
            inner.kind,
            InnerKind::Fence | InnerKind::Table { .. } | InnerKind::HtmlTable { .. }
        );
        let room = if solid { self.room().solid } else { self.room().prose };
        stretch.start >= self.from && self.shown_units(stretch) <= room
    }

    /// Splits an inner block that doesn't fit, or leaves that to the blocks inside it.
    fn open(&mut self, inner: &InnerBlock, stretch: Span, grade: Grade) {
        match inner.kind {
            InnerKind::Container | InnerKind::Item => {
                self.pending.get_or_insert((stretch.start, grade));
                return;
            }
            InnerKind::Fence => self.fence(inner, stretch, grade),
            InnerKind::Table { head_end } => self.table(self.span.start + head_end, stretch, grade),
            InnerKind::HtmlTable { nth } => {
                self.html_table(&Rc::clone(&self.tables[nth]), stretch, grade);
            }
            InnerKind::Lines | InnerKind::Opening | InnerKind::Closing => {
                self.plain_lines(stretch, grade)
            }
            InnerKind::Text => {
                let cut = inner.is_notable.then(|| self.cut_of_block());
                self.text(stretch, &Edge::plain(grade), cut);
            }
        }
        self.measured = self.measured.max(stretch.end);
    }

    /// Splits text outside inner blocks between lines: link reference definitions, front matter, and
    /// blank lines in block quotes.
    fn fill_gap(&mut self, until: usize) {
        if self.measured < until {
            let grade = if self.atoms.is_empty() { Grade::BLOCK } else { Grade::LINE };
            self.plain_lines(Span::new(self.measured, until), grade);
            self.measured = until;
        }
    }

    /// Returns the units of whole lines without trailing whitespace.
    fn shown_units(&self, stretch: Span) -> usize {
        self.lines.units(self.trimmed(stretch))
    }

    fn trimmed(&self, stretch: Span) -> Span {
        // Nested blocks often end with the same white space.
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

    /// Adds an atom. If it does not start after the previous one, it is merged into that one.
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
