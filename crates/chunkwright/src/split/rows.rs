//! Splits HTML tables between rows, and rows that don't fit between cells and lines.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::rc::Rc;

use super::html_table::{HtmlTable, OpenTags, TagChange, tag_changes};
use super::{CutBlock, Edge, Grade, Measure, Splitter, Wrap};
use crate::document::BlockKind;
use crate::piece::Piece;
use crate::span::{Span, lines_of};

/// The state of the table that is being split.
#[derive(Default)]
pub(super) struct TableState {
    /// The head, if each part repeats it.
    head: Option<Span>,
    /// The wraps for sets of open tags.
    wraps: HashMap<OpenTags, Option<Rc<Wrap>>>,
    /// The start of the last row that didn't fit, and its positions.
    row: Option<(usize, Rc<[TagChange]>)>,
}

impl Splitter<'_> {
    /// Splits a table between rows. The text before the first row stays with that row, including
    /// the head if each part repeats it.
    pub(super) fn html_table(&mut self, table: &HtmlTable, stretch: Span, grade: Grade) {
        let cut = CutBlock { kind: BlockKind::Table, start: stretch.start };
        let rows = &table.rows[self.begin_table(table)..];
        let first = rows.first().map_or(stretch.end, |row| row.at);
        self.lead(Span::new(stretch.start, first), grade, cut, !rows.is_empty());
        let ends = rows.iter().skip(1).map(|row| row.at).chain([stretch.end]);
        let from = self.from;
        for (row, end) in rows.iter().zip(ends).filter(|(_, end)| *end > from) {
            let span = Span::new(row.at.max(from), end);
            let grade = if row.at == first { Grade::NEVER } else { Grade::ROW };
            let wrap =
                self.wrap_at(table, Some(OpenTags { section: row.section, ..OpenTags::default() }));
            let edge = Edge { grade, wrap, cut: Some(cut) };
            match self.fitting(span, edge.wrap.as_ref()) {
                Some(measure) => self.push(span.start, measure, edge),
                None => self.row(table, span, &edge, cut),
            }
        }
    }

    /// Splits part of a row that was split before. Returns `false` if the part is not inside a row.
    pub(super) fn part_of_row(&mut self, part: Span, edge: &Edge) -> bool {
        let next = self.tables.partition_point(|table| table.span.start <= part.start);
        let Some(table) = next.checked_sub(1).map(|nth| Rc::clone(&self.tables[nth])) else {
            return false;
        };
        let first = self.begin_table(&table);
        let in_rows = table.rows.get(first).is_some_and(|row| row.at <= part.start);
        if in_rows && part.start < table.span.end {
            let start = self.lines.line_at(table.span.start).start;
            self.row(&table, part, edge, CutBlock { kind: BlockKind::Table, start });
            return true;
        }
        false
    }

    /// Resets the state for a table. Returns the number of rows in the head if each part repeats
    /// it, and 0 otherwise.
    fn begin_table(&mut self, table: &HtmlTable) -> usize {
        self.table_state.wraps.clear();
        let is_small =
            |head: &Span| self.tags_wrap(table, Some(*head), OpenTags::default()).is_some();
        let head = table.head.filter(|_| self.brief.repeat_table_headers).filter(is_small);
        self.table_state.head = head;
        head.map_or(0, |_| table.head_rows)
    }

    /// Adds the text before the first row, or a table without rows.
    fn lead(&mut self, lead: Span, grade: Grade, cut: CutBlock, has_rows: bool) {
        let whole = (has_rows && lead.start >= self.from).then(|| self.fitting(lead, None));
        if let Some(measure) = whole.flatten() {
            return self.push(lead.start, measure, Edge::plain(grade));
        }
        for line in self.lines_from(lead) {
            let grade = if line.start == lead.start { grade } else { Grade::LINE };
            let edge = Edge { cut: cut.inside(line), ..Edge::plain(grade) };
            match self.fitting(line, None) {
                Some(measure) => self.push(line.start, measure, edge),
                None => self.text(line, &edge, Some(cut)),
            }
        }
    }

    /// Splits a row that doesn't fit between cells and lines, then like a paragraph. Each part
    /// reopens the row and the cell that it starts in.
    fn row(&mut self, table: &HtmlTable, row: Span, edge: &Edge, cut: CutBlock) {
        let changes = self.tag_changes(table, row.start);
        for (part, grade) in self.parts_of_row(row, &changes) {
            let before = open_at(&changes, part.start);
            let edge = match part.start == row.start {
                true => edge.clone(),
                false => Edge { grade, wrap: self.wrap_at(table, before), cut: Some(cut) },
            };
            if let Some(measure) = self.fitting(part, edge.wrap.as_ref()) {
                self.push(part.start, measure, edge);
                continue;
            }
            let inside = self.wrap_at(table, cell_in(&changes, part).or(before));
            let known = self.atoms.len();
            self.text(part, &Edge { wrap: inside, ..edge.clone() }, Some(cut));
            for nth in known..self.atoms.len() {
                let at = self.atoms[nth].at;
                self.atoms[nth].edge.wrap = match at == part.start {
                    true => edge.wrap.clone(),
                    false => self.wrap_at(table, open_at(&changes, at)),
                };
            }
        }
    }

    /// Returns the positions in the row at a byte.
    fn tag_changes(&mut self, table: &HtmlTable, at: usize) -> Rc<[TagChange]> {
        let next = table.rows.partition_point(|row| row.at <= at);
        let row = table.rows[next - 1];
        let end = table.rows.get(next).map_or(table.span.end, |next| next.at);
        let known = self.table_state.row.take().filter(|(start, _)| *start == row.at);
        let made = || tag_changes(self.source(), Span::new(row.at, end), row.section).into();
        let changes = known.map_or_else(made, |(_, changes)| changes);
        self.table_state.row = Some((row.at, Rc::clone(&changes)));
        changes
    }

    /// Splits a row between cells and lines, and returns each part with the grade of a cut before
    /// it.
    fn parts_of_row(&self, row: Span, changes: &[TagChange]) -> Vec<(Span, Grade)> {
        let lines = lines_of(self.source(), row).filter(|line| !self.is_blank(*line));
        let cells = changes.iter().filter(|change| change.is_start).map(|change| change.at);
        let cells = cells.filter(|at| (row.start..row.end).contains(at));
        let mut starts = vec![(row.start, Grade::CELL)];
        starts.extend(lines.map(|line| (line.start, Grade::LINE)));
        starts.extend(cells.map(|at| (at, Grade::CELL)));
        starts.sort_by_key(|&(at, grade)| (at, Reverse(grade)));
        starts.dedup_by_key(|(at, _)| *at);
        let ends: Vec<usize> = starts.iter().skip(1).map(|(at, _)| *at).chain([row.end]).collect();
        starts.into_iter().zip(ends).map(|((at, grade), end)| (Span::new(at, end), grade)).collect()
    }

    /// Measures a part, and returns `None` if it doesn't fit together with its wrap.
    fn fitting(&self, part: Span, wrap: Option<&Rc<Wrap>>) -> Option<Measure> {
        let around = wrap.map_or(0, |wrap| wrap.open_units + wrap.close_units);
        let units = match self.keeps_lines {
            true => self.units(part),
            false => self.units_within(part, self.room().prose.checked_sub(around)?)?,
        };
        Some(Measure { units, gap: 0 })
    }

    /// Returns the wrap for a cut where these tags are open. It repeats the tags and the head, or
    /// as much of them as is small enough.
    fn wrap_at(&mut self, table: &HtmlTable, open: Option<OpenTags>) -> Option<Rc<Wrap>> {
        let open = open?;
        if let Some(known) = self.table_state.wraps.get(&open) {
            return known.clone();
        }
        let head = self.table_state.head;
        let outer = OpenTags { section: open.section, ..OpenTags::default() };
        let tries = [(head, open), (None, open), (head, outer), (None, outer)];
        let wrap = tries.into_iter().find_map(|(head, open)| self.tags_wrap(table, head, open));
        self.table_state.wraps.insert(open, wrap.clone());
        wrap
    }

    fn tags_wrap(&self, table: &HtmlTable, head: Option<Span>, open: OpenTags) -> Option<Rc<Wrap>> {
        let OpenTags { section, row, cell } = open;
        let is_above = |section: &Span| head.is_some_and(|head| section.start < head.start);
        let above = section.filter(is_above);
        let below = section.filter(|section| !is_above(section));
        let mut echoes = vec![table.opening];
        for next in [above, head].into_iter().flatten() {
            match echoes.last_mut() {
                Some(last) if last.end == next.start => last.end = next.end,
                _ => echoes.push(next),
            }
        }
        // Kept as separate echoes: all sections share the ones above, which are measured once.
        echoes.extend([below, row, cell].into_iter().flatten());
        let tags = [cell, row, section, Some(table.opening)].into_iter().flatten();
        let close = tags.map(|tag| format!("</{}>", name(tag.of(self.source())))).collect();
        self.wrap(echoes.into_iter().map(Piece::Echo).collect(), close, self.rooms.rest.solid)
    }
}

fn open_at(changes: &[TagChange], at: usize) -> Option<OpenTags> {
    let next = changes.partition_point(|change| change.at <= at);
    next.checked_sub(1).and_then(|nth| changes[nth].open)
}

/// Returns the tags that are open in the first cell that starts in a part of a row.
fn cell_in(changes: &[TagChange], part: Span) -> Option<OpenTags> {
    let first = changes.partition_point(|change| change.at < part.start);
    let inside = changes[first..].iter().take_while(|change| change.at < part.end);
    inside.filter_map(|change| change.open).find(|open| open.cell.is_some())
}

/// Returns the name of a tag as written.
fn name(tag: &str) -> &str {
    let name = tag.trim_start().trim_start_matches('<');
    &name[..name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len())]
}
