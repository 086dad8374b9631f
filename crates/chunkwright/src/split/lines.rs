//! Splits inner blocks between lines: fenced code, tables, HTML, and text outside inner blocks.

use super::inner::InnerBlock;
use super::{CutBlock, Edge, Grade, Measure, Splitter};
use crate::document::BlockKind;
use crate::parse::is_closed;
use crate::parse::line::is_margin;
use crate::span::{Span, lines_of};

impl CutBlock {
    /// Returns the note for a cut before a line, or `None` if the line is the block's first.
    pub(super) fn inside(self, line: Span) -> Option<Self> {
        (line.start > self.start).then_some(self)
    }
}

impl Splitter<'_> {
    /// Splits fenced code so that each part is a fenced code block. The opening fence stays with
    /// the first line of code, the closing fence with the last.
    pub(super) fn fence(&mut self, inner: &InnerBlock, stretch: Span, grade: Grade) {
        let mark = self.span.start + inner.range.start;
        let opening = self.lines.line_at(mark);
        let (end, indent) = match self.kind {
            BlockKind::Code => (self.span.end, Some(self.indent)),
            _ => (self.span.start + inner.range.end, None),
        };
        let code = &self.source()[mark..end];
        let closed = is_closed(code, indent);
        let last = self.lines.line_at(mark + code.trim_end().len().saturating_sub(1));
        let closing_start = if closed { last.start } else { stretch.end };
        let wrap = self.fence_wrap(mark, opening);
        if !closed && stretch.end == self.source().len() {
            self.tail.clone_from(&wrap);
        }
        let cut = CutBlock { kind: BlockKind::Code, start: stretch.start };
        let mut after_blank = false;
        for line in self.lines_from(stretch) {
            let loose = line.start > opening.end && line.start < closing_start;
            let grade = match (line.start == stretch.start, loose, after_blank) {
                (true, ..) => grade,
                (_, false, _) => Grade::NEVER,
                (.., true) => Grade::BLANK_LINE,
                _ => Grade::LINE,
            };
            let wrap = wrap.clone().filter(|_| line.start >= opening.end);
            self.line(line, &Edge { grade, wrap, cut: cut.inside(line) }, cut);
            after_blank = self.is_blank(line);
        }
    }

    /// Splits a table between rows. Each part repeats the header, which stays with the first row.
    pub(super) fn table(&mut self, head_end: usize, stretch: Span, grade: Grade) {
        let header = self.lines.line_at(head_end.saturating_sub(1));
        let head_end = self.lines.line_at(header.end).end.min(stretch.end);
        let wrap = self.table_wrap(Span::new(stretch.start, head_end));
        let cut = CutBlock { kind: BlockKind::Table, start: stretch.start };
        for row in self.lines_from(stretch) {
            let in_head = row.start <= head_end && wrap.is_some();
            let grade = match (row.start == stretch.start, in_head) {
                (true, _) => grade,
                (_, true) => Grade::NEVER,
                _ => Grade::LINE,
            };
            let wrap = wrap.clone().filter(|_| row.start >= head_end);
            self.line(row, &Edge { grade, wrap, cut: cut.inside(row) }, cut);
        }
    }

    /// Splits text between any lines. Blank lines stay with the line before them.
    pub(super) fn plain_lines(&mut self, stretch: Span, grade: Grade) {
        let mut after_blank = false;
        for line in self.lines_from(stretch) {
            let units = self.lines.units(line);
            let blank = self.is_blank(line);
            let grade = match (line.start == stretch.start, blank, after_blank) {
                (true, ..) => grade,
                (_, true, _) => Grade::NEVER,
                (.., true) => Grade::BLANK_LINE,
                _ => Grade::LINE,
            };
            after_blank = blank;
            match self.atoms.last_mut() {
                Some(last) if line.of(self.brief.document.source).trim().is_empty() => {
                    last.measure.units += units;
                    last.measure.gap += units;
                }
                _ => {
                    let cut = self.cut_of_block();
                    let inside = cut.inside(line).filter(|_| self.kind == BlockKind::Code);
                    self.line(line, &Edge { cut: inside, ..Edge::plain(grade) }, cut);
                }
            }
        }
    }

    /// Adds a line as one atom. If it doesn't fit, it is split like a paragraph, with `cut` as a
    /// note.
    fn line(&mut self, line: Span, edge: &Edge, cut: CutBlock) {
        let units = self.lines.units(line);
        let around = edge.wrap.as_ref().map_or(0, |wrap| wrap.open_units + wrap.close_units);
        if self.keeps_lines || units + around <= self.room().prose {
            self.push(line.start, Measure { units, gap: 0 }, edge.clone());
        } else {
            self.text(line, edge, Some(cut));
        }
    }

    pub(super) fn lines_from(&self, stretch: Span) -> Vec<Span> {
        lines_of(self.source(), stretch).filter(|line| line.end > self.from).collect()
    }

    /// Returns whether a line contains only whitespace and block quote markers.
    pub(super) fn is_blank(&self, line: Span) -> bool {
        line.of(self.source()).trim_matches(is_margin).trim().is_empty()
    }
}
