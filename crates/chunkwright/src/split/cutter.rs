//! Splits a block into lines, and later the lines that don't fit into parts.

use std::rc::Rc;

use super::inner::{InnerBlock, InnerKind};
use super::{Atom, Edge, Grade, Room, Series, Split, Splitter};
use crate::brief::Brief;
use crate::ids::BlockId;
use crate::span::Span;

/// Splits a block, first into lines, then lines into parts that fit.
pub(crate) struct Cutter<'b> {
    pub(crate) block: BlockId,
    splitter: Splitter<'b>,
    inner: Vec<InnerBlock>,
}

impl<'b> Cutter<'b> {
    /// Prepares a block for chunks that have room for this many units.
    pub(crate) fn of(brief: &'b Brief<'b>, block: BlockId, room: usize) -> Self {
        let start = brief.document[block].span.start;
        let rooms = Series::both(Room::of(room));
        let (splitter, found) = Splitter::new(brief, block, start, rooms);
        Self { block, splitter, inner: found.blocks }
    }

    /// Returns the lines of the block, each with the blank lines after it. The text that closes and
    /// reopens code fences and tables may take up to half of `room`.
    pub(crate) fn lines(&mut self, room: usize) -> Split {
        let splitter = &mut self.splitter;
        splitter.keeps_lines = true;
        splitter.rooms.rest = Room::of(room);
        splitter.measured = splitter.span.start;
        splitter.from = splitter.span.start;
        for inner in &self.inner {
            splitter.lines_of(inner);
        }
        splitter.fill_gap(splitter.span.end);
        let atoms = std::mem::take(&mut splitter.atoms);
        Split { atoms: splitter.with_blank_lines(atoms), tail: splitter.tail.take() }
    }

    /// Splits a line, or part of a line, that starts with `edge`. Each part fits its room. Cuts
    /// inside running text add no note.
    pub(crate) fn line(
        &mut self,
        span: Span,
        edge: &Edge,
        rooms: Series<usize>,
        is_text: bool,
    ) -> Vec<Atom> {
        let splitter = &mut self.splitter;
        splitter.from = span.start;
        splitter.keeps_lines = false;
        splitter.rooms = Series { first: Room::of(rooms.first), rest: Room::of(rooms.rest) };
        if !splitter.part_of_row(span, edge) {
            let of_block = || (!is_text).then(|| splitter.cut_of_block());
            let cut = edge.cut.or_else(of_block);
            splitter.text(span, edge, cut);
        }
        let mut atoms = std::mem::take(&mut splitter.atoms);
        if let Some(atom) = atoms.first_mut() {
            atom.edge = edge.clone();
        }
        atoms
    }
}

impl Splitter<'_> {
    /// Adds the lines of an inner block that contains no others.
    fn lines_of(&mut self, inner: &InnerBlock) {
        let stretch = self.lines.around(self.span, &inner.range);
        let is_container = matches!(inner.kind, InnerKind::Container | InnerKind::Item);
        if is_container || stretch.end <= self.measured {
            return;
        }
        self.fill_gap(stretch.start);
        // If two blocks share a line, it belongs to the first one.
        let stretch = Span::new(stretch.start.max(self.measured), stretch.end);
        match inner.kind {
            InnerKind::Fence => self.fence(inner, stretch, Grade::LINE),
            InnerKind::Table { head_end } => {
                self.table(self.span.start + head_end, stretch, Grade::LINE);
            }
            InnerKind::HtmlTable { nth } => {
                self.html_table(&Rc::clone(&self.tables[nth]), stretch, Grade::LINE);
            }
            _ => self.plain_lines(stretch, Grade::LINE),
        }
        self.measured = stretch.end;
    }

    /// Joins blank lines to the line before them. In fenced code, the number is limited because
    /// they are visible, and thus counted, even at the end of a chunk.
    fn with_blank_lines(&self, atoms: Vec<Atom>) -> Vec<Atom> {
        let mut joined: Vec<Atom> = Vec::with_capacity(atoms.len());
        let ends: Vec<usize> =
            atoms.iter().skip(1).map(|atom| atom.at).chain([self.span.end]).collect();
        for (atom, end) in atoms.into_iter().zip(ends) {
            let is_blank = self.source()[atom.at..end].trim().is_empty();
            let is_shown = atom.edge.wrap.is_some();
            let few = |units: usize| !is_shown || units <= self.rooms.rest.solid / 4;
            match joined.last_mut() {
                Some(last) if is_blank && few(last.measure.units + atom.measure.units) => {
                    last.measure.units += atom.measure.units;
                    last.measure.gap += atom.measure.units;
                }
                _ => joined.push(atom),
            }
        }
        joined
    }
}
