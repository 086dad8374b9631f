//! Finds the tables of an HTML block and where their rows begin.
//!
//! End tags may be left out where HTML allows it. A table that contains another one, or whose tags
//! or text are not where they belong, has no rows.

use std::ops::Range;

use super::tags::Element::{
    self, Body, Caption, Column, ColumnGroup, DataCell, Foot, Head, HeaderCell,
};
use super::tags::{RowSpan, Tag, Tags};
use crate::span::{Span, next_line};

/// A table, from its start tag to its end tag.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) span: Span,
    /// Its start tag, with its line where it has one of its own.
    pub(super) opening: Span,
    /// Its `thead`, or its first row if that has header cells only.
    pub(super) head: Option<Span>,
    /// How many of the rows are in the head.
    pub(super) head_rows: usize,
    /// Rows in order; those that a `rowspan` joins are one. Empty where rows cannot be found.
    pub(super) rows: Vec<Row>,
}

/// The start of a row, which ends where the next one begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// The first row of a section begins with the start tag of the section.
    pub(super) at: usize,
    /// The start tag of the section that is open there.
    pub(super) section: Option<Span>,
}

/// The start tags that are open at some place in a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Open {
    pub(super) section: Option<Span>,
    pub(super) row: Option<Span>,
    pub(super) cell: Option<Span>,
}

/// A place in a row from which on other tags are open.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) at: usize,
    /// None behind the table.
    pub(super) open: Option<Open>,
    /// Whether a cell or a row begins here.
    pub(super) is_start: bool,
}

/// Finds the tables of a block, and the tags that have attributes.
pub(super) fn tables(source: &str, block: Span) -> (Vec<Table>, Vec<Range<usize>>) {
    let mut tables: Vec<Table> = Vec::new();
    let mut whole = Vec::new();
    let mut draft: Option<Draft<'_>> = None;
    let mut line_end = block.start;
    for tag in Tags::of(source, block) {
        if tag.span.of(source).contains(|c: char| c.is_ascii_whitespace()) {
            whole.push(tag.span.start - block.start..tag.span.end - block.start);
        }
        let is_start = tag.element == Element::Table && !tag.is_end;
        match &mut draft {
            None if is_start => draft = Some(Draft::new(source, block, tag)),
            None => {}
            Some(open) => open.add(tag),
        }
        if let Some(closed) = draft.take_if(|draft| draft.depth == 0) {
            // A line is part of one table at most.
            if closed.table.span.start >= line_end {
                line_end = next_line(source, closed.table.span.end);
                tables.push(closed.table);
            }
        }
    }
    (tables, whole)
}

/// The places in a row of a table, in order.
pub(super) fn places(source: &str, row: Span, section: Option<Span>) -> Vec<Place> {
    let mut open = Open { section, ..Open::default() };
    let mut places = vec![Place { at: row.start, open: Some(open), is_start: true }];
    for tag in Tags::of(source, row) {
        let lined = lined(source, row, tag.span);
        let outer = match tag.element {
            Element::HeaderCell | Element::DataCell => Open { cell: None, ..open },
            Element::Row => Open { section: open.section, ..Open::default() },
            Element::Head | Element::Body | Element::Foot | Element::Table => Open::default(),
            _ => continue,
        };
        open = outer;
        if !tag.is_end {
            places.push(Place { at: lined.start, open: Some(outer), is_start: true });
            match tag.element {
                Element::HeaderCell | Element::DataCell => open.cell = Some(lined),
                Element::Row => open.row = Some(lined),
                _ => open.section = Some(lined),
            }
        }
        let is_inside = tag.element != Element::Table;
        places.push(Place { at: lined.end, open: is_inside.then_some(open), is_start: false });
    }
    places
}

/// A tag with the white space around it, up to the start and the end of its line.
fn lined(source: &str, within: Span, tag: Span) -> Span {
    let blank = [' ', '\t'];
    let before = source[within.start..tag.start].trim_end_matches(blank);
    let is_first = before.is_empty() || before.ends_with(['\n', '\r']);
    let start = if is_first { within.start + before.len() } else { tag.start };
    let after = source[tag.end..within.end].trim_start_matches(blank);
    let line_end = ["\r\n", "\n", "\r"].into_iter().find(|end| after.starts_with(end));
    let end = line_end.map_or(tag.end, |end| within.end - after.len() + end.len());
    Span::new(start, end)
}

/// What a tag or text inside a table is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inside {
    /// The table, or a section of it.
    Table,
    Caption,
    ColumnGroup,
    Row,
    Cell(Element),
}

/// A table that is open.
struct Draft<'s> {
    source: &'s str,
    block: Span,
    table: Table,
    /// How many tables are open.
    depth: usize,
    /// Whether it is a table whose rows can be found.
    is_sound: bool,
    inside: Inside,
    /// The section that is open, with its start tag.
    section: Option<(Element, Span)>,
    /// Where a section begins that has no row yet.
    fresh: Option<usize>,
    /// Which of the next rows belong to the last one.
    spanned: RowSpan,
    /// Where the first row begins and ends, its section aside.
    first: Option<Span>,
    /// Whether the first row has header cells only, if it has cells.
    is_header: Option<bool>,
}

impl<'s> Draft<'s> {
    fn new(source: &'s str, block: Span, tag: Tag) -> Self {
        let opening = lined(source, block, tag.span);
        let table = Table { span: tag.span, opening, head: None, head_rows: 0, rows: Vec::new() };
        Self {
            source,
            block,
            table,
            depth: 1,
            is_sound: true,
            inside: Inside::Table,
            section: None,
            fresh: None,
            spanned: RowSpan::Rows(0),
            first: None,
            is_header: None,
        }
    }

    fn add(&mut self, tag: Tag) {
        match (tag.element, tag.is_end) {
            (Element::Table, false) => (self.depth, self.is_sound) = (self.depth + 1, false),
            (Element::Table, true) => self.depth -= 1,
            _ => {}
        }
        self.is_sound = self.is_sound && self.place(tag).is_some();
        if self.depth == 0 {
            self.finish(tag.span.end);
        }
    }

    /// Moves on behind a tag; none if the tag, or the text before it, must not be where it is.
    fn place(&mut self, tag: Tag) -> Option<()> {
        let has_content = matches!(self.inside, Inside::Caption | Inside::Cell(_));
        if tag.follows_text && !has_content {
            return None;
        }
        let lined = lined(self.source, self.block, tag.span);
        let is_between_rows = self.inside == Inside::Table;
        let in_columns = is_between_rows || self.inside == Inside::ColumnGroup;
        let in_row = matches!(self.inside, Inside::Row | Inside::Cell(_));
        match (tag.element, tag.is_end) {
            (Element::Row, false) if in_columns || in_row => self.start_row(lined),
            (Element::Row, true) if in_row => self.end_row(lined.end),
            (Head | Body | Foot, false) if in_columns || in_row => {
                self.end_section(lined.start);
                (self.section, self.fresh) = (Some((tag.element, lined)), Some(lined.start));
            }
            (Head | Body | Foot, true) if is_between_rows || in_row => {
                self.section.filter(|(open, _)| *open == tag.element)?;
                self.end_section(lined.end);
            }
            (HeaderCell | DataCell, false) if in_row => self.start_cell(tag),
            (cell, true) if self.inside == Inside::Cell(cell) => self.inside = Inside::Row,
            (Caption, false) if is_between_rows && self.is_blank() => self.inside = Inside::Caption,
            (Caption, true) if self.inside == Inside::Caption => self.inside = Inside::Table,
            (ColumnGroup, false) if in_columns && self.is_blank() => {
                self.inside = Inside::ColumnGroup;
            }
            (ColumnGroup, true) if self.inside == Inside::ColumnGroup => {
                self.inside = Inside::Table;
            }
            (Column, false) if in_columns && self.is_blank() => {}
            (Element::Table, true) if in_columns || in_row => self.end_section(lined.start),
            (Element::Other, _) if has_content => {}
            _ => return None,
        }
        Some(())
    }

    /// Whether no section and no row has begun.
    fn is_blank(&self) -> bool {
        self.section.is_none() && self.table.rows.is_empty()
    }

    fn start_row(&mut self, tag: Span) {
        self.end_row(tag.start);
        self.inside = Inside::Row;
        if self.spanned > RowSpan::Rows(0) {
            self.spanned = self.spanned.less_one();
            return;
        }
        let fresh = self.fresh.take();
        let section = self.section.filter(|_| fresh.is_none()).map(|(_, tag)| tag);
        self.table.rows.push(Row { at: fresh.unwrap_or(tag.start), section });
        self.first.get_or_insert(tag);
    }

    fn start_cell(&mut self, tag: Tag) {
        self.inside = Inside::Cell(tag.element);
        self.spanned = self.spanned.max(tag.rows.less_one());
        if self.table.rows.len() == 1 {
            let is_header = tag.element == HeaderCell && self.is_header != Some(false);
            self.is_header = Some(is_header);
        }
    }

    fn end_row(&mut self, end: usize) {
        let is_open = matches!(self.inside, Inside::Row | Inside::Cell(_));
        if let Some(first) = self.first.as_mut().filter(|_| is_open && self.table.rows.len() == 1) {
            first.end = end;
        }
        self.inside = Inside::Table;
    }

    fn end_section(&mut self, end: usize) {
        self.end_row(end);
        self.spanned = RowSpan::Rows(0);
        self.fresh = None;
        let Some((element, tag)) = self.section.take() else { return };
        // The first row of the table begins with its section.
        if element == Head && self.table.rows.first().is_some_and(|row| row.at == tag.start) {
            self.table.head = Some(Span::new(tag.start, end));
            self.table.head_rows = self.table.rows.len();
        }
    }

    fn finish(&mut self, end: usize) {
        let table = &mut self.table;
        table.span.end = end;
        if !self.is_sound {
            (table.head, table.head_rows) = (None, 0);
            table.rows.clear();
        } else if table.head.is_none() && self.is_header == Some(true) {
            (table.head, table.head_rows) = (self.first, 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The head of the only table, and its rows.
    fn parts(text: &str) -> (Option<&str>, Vec<&str>) {
        let (tables, _) = tables(text, Span::new(0, text.len()));
        let [table] = &tables[..] else { return (Some("no table"), Vec::new()) };
        let starts = table.rows.iter().map(|row| row.at);
        let ends = starts.clone().skip(1).chain([table.span.end]);
        let rows = starts.zip(ends).map(|(start, end)| &text[start..end]).collect();
        (table.head.map(|head| head.of(text)), rows)
    }

    #[test]
    fn rows_take_their_indentation_and_their_section_along() {
        let text = "<table>\n <tbody>\n  <tr><td>1\n  <tr><td>2</tr>\n <tfoot><tr></table>";
        let rows = vec![" <tbody>\n  <tr><td>1\n", "  <tr><td>2</tr>\n", " <tfoot><tr></table>"];
        assert_eq!(parts(text), (None, rows));
    }

    #[test]
    fn a_head_is_the_first_section_or_a_row_of_header_cells() {
        let head = |text: &str| parts(text).0.map(str::to_owned);
        let text = "<table><caption>c</caption><thead><tr><th>a<tr><th>b</thead><tr><td></table>";
        assert_eq!(head(text).as_deref(), Some("<thead><tr><th>a<tr><th>b</thead>"));
        let text = "<table>\n<tr>\n<th>a\n</tr>\n<tr><td></table>";
        assert_eq!(head(text).as_deref(), Some("<tr>\n<th>a\n</tr>\n"));
        let text = "<table><tbody><tr><th rowspan=2>a<tr><th>b<tr><td></table>";
        assert_eq!(head(text).as_deref(), Some("<tr><th rowspan=2>a<tr><th>b"));
        for none in ["<tr><th>a<td>b<tr><td>", "<tr><tr><td>", "<tr><td>a<thead><tr><th>b"] {
            assert_eq!(head(&format!("<table>{none}</table>")), None, "{none}");
        }
    }

    #[test]
    fn rows_that_a_cell_spans_are_one() {
        let rows = |text: &str| parts(&format!("<table>{text}</table>")).1.len();
        assert_eq!(rows("<tr><td rowspan=3><tr><td><tr><td><tr><td>"), 2);
        assert_eq!(rows("<tr><td rowspan=2><tr><td rowspan=2><tr><td><tr><td>"), 2);
        assert_eq!(rows("<tr><td rowspan=0><tr><td><tr><td><tbody><tr><td>"), 2);
    }

    #[test]
    fn malformed_tables_have_no_rows() {
        for text in [
            "<tr><td><table></table>",
            "text<tr><td>",
            "<tr>text<td>",
            "<td>a",
            "<tr><td>a</th>",
            "<tr><td></tbody>",
            "<caption><tr><td>",
            "<tr><td>a</tr></tr>",
            "<b><tr><td>",
            "<tr><td><caption>",
        ] {
            assert_eq!(parts(&format!("<table>{text}</table>")), (None, Vec::new()), "{text}");
        }
    }

    #[test]
    fn what_is_never_closed_or_shares_a_line_is_no_table_of_its_own() {
        let count = |text: &str| tables(text, Span::new(0, text.len())).0.len();
        assert_eq!(count("<table><tr><td>"), 0);
        assert_eq!(count("<tr><td></table>"), 0);
        assert_eq!(count("<table></table><table></table>\n<table></table>"), 2);
    }
}
