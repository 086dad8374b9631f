//! Finds the tables of an HTML block and the starts of their rows.
//!
//! End tags may be omitted where HTML allows it. A malformed table, or one that contains another
//! table, has no rows and is split between lines.

use std::ops::Range;

use super::tags::TableElement::{
    self, Body, Caption, Column, ColumnGroup, DataCell, Foot, Head, HeaderCell,
};
use super::tags::{RowSpan, Tag, Tags};
use crate::span::{Span, next_line};

/// A table, from its start tag to its end tag.
#[derive(Debug)]
pub(super) struct HtmlTable {
    pub(super) span: Span,
    /// The start tag, extended to the whole line if there is nothing else on it.
    pub(super) opening: Span,
    /// The `thead`, or the first row if it has only header cells.
    pub(super) head: Option<Span>,
    /// The number of rows in the head.
    pub(super) head_rows: usize,
    /// The rows in order. Rows joined by a `rowspan` count as one. Empty for malformed tables.
    pub(super) rows: Vec<TableRow>,
}

/// The start of a row, which ends where the next one starts.
#[derive(Clone, Copy, Debug)]
pub(super) struct TableRow {
    /// The start. The first row of a section includes the section's start tag.
    pub(super) at: usize,
    /// The start tag of the section, if it is open before this row.
    pub(super) section: Option<Span>,
}

/// The start tags that are open at a position in a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct OpenTags {
    pub(super) section: Option<Span>,
    pub(super) row: Option<Span>,
    pub(super) cell: Option<Span>,
}

/// A position in a row at which the set of open tags changes.
#[derive(Clone, Copy, Debug)]
pub(super) struct TagChange {
    pub(super) at: usize,
    /// The open tags, or `None` after the table.
    pub(super) open: Option<OpenTags>,
    /// Whether a cell, a row or a section starts here.
    pub(super) is_start: bool,
}

/// Finds the tables of a block, and the tags that contain whitespace, which should not be split.
pub(super) fn tables(source: &str, block: Span) -> (Vec<HtmlTable>, Vec<Range<usize>>) {
    let mut tables: Vec<HtmlTable> = Vec::new();
    let mut whole = Vec::new();
    let mut open_table: Option<OpenTable<'_>> = None;
    let mut line_end = block.start;
    for tag in Tags::of(source, block) {
        if tag.span.of(source).contains(|c: char| c.is_ascii_whitespace()) {
            whole.push(tag.span.start - block.start..tag.span.end - block.start);
        }
        let is_start = tag.element == TableElement::Table && !tag.is_end;
        match &mut open_table {
            None if is_start => open_table = Some(OpenTable::new(source, block, tag)),
            None => {}
            Some(open) => open.add(tag),
        }
        if let Some(closed) = open_table.take_if(|open| open.depth == 0) {
            // A line belongs to at most one table.
            if closed.table.span.start >= line_end {
                line_end = next_line(source, closed.table.span.end);
                tables.push(closed.table);
            }
        }
    }
    (tables, whole)
}

/// Returns the positions in a row at which open tags change, in order.
pub(super) fn tag_changes(source: &str, row: Span, section: Option<Span>) -> Vec<TagChange> {
    let mut open = OpenTags { section, ..OpenTags::default() };
    let mut changes = vec![TagChange { at: row.start, open: Some(open), is_start: true }];
    for tag in Tags::of(source, row) {
        let lined = lined(source, row, tag.span);
        let outer = match tag.element {
            TableElement::HeaderCell | TableElement::DataCell => OpenTags { cell: None, ..open },
            TableElement::Row => OpenTags { section: open.section, ..OpenTags::default() },
            TableElement::Head | TableElement::Body | TableElement::Foot | TableElement::Table => {
                OpenTags::default()
            }
            _ => continue,
        };
        open = outer;
        if !tag.is_end {
            changes.push(TagChange { at: lined.start, open: Some(outer), is_start: true });
            match tag.element {
                TableElement::HeaderCell | TableElement::DataCell => open.cell = Some(lined),
                TableElement::Row => open.row = Some(lined),
                _ => open.section = Some(lined),
            }
        }
        let is_inside = tag.element != TableElement::Table;
        changes.push(TagChange { at: lined.end, open: is_inside.then_some(open), is_start: false });
    }
    changes
}

/// Extends a tag to the start and the end of its line, if only whitespace is between them.
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

/// The innermost open element of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inside {
    /// The table itself, or one of its sections.
    Table,
    Caption,
    ColumnGroup,
    Row,
    Cell(TableElement),
}

/// A table that is still open.
struct OpenTable<'s> {
    source: &'s str,
    block: Span,
    table: HtmlTable,
    /// The number of open tables, including nested ones.
    depth: usize,
    /// Whether the table is well-formed so far.
    is_sound: bool,
    inside: Inside,
    /// The open section, with its start tag.
    section: Option<(TableElement, Span)>,
    /// The start of the open section, if it has no rows yet.
    fresh: Option<usize>,
    /// The following rows that a `rowspan` joins to the last one.
    spanned: RowSpan,
    /// The span of the first row, without its section's start tag.
    first: Option<Span>,
    /// Whether the first row has only header cells. `None` if it has no cells.
    is_header: Option<bool>,
}

impl<'s> OpenTable<'s> {
    fn new(source: &'s str, block: Span, tag: Tag) -> Self {
        let opening = lined(source, block, tag.span);
        let table =
            HtmlTable { span: tag.span, opening, head: None, head_rows: 0, rows: Vec::new() };
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
            (TableElement::Table, false) => (self.depth, self.is_sound) = (self.depth + 1, false),
            (TableElement::Table, true) => self.depth -= 1,
            _ => {}
        }
        self.is_sound = self.is_sound && self.accept(tag).is_some();
        if self.depth == 0 {
            self.finish(tag.span.end);
        }
    }

    /// Processes a tag. Returns `None` if the tag, or the text before it, is misplaced.
    fn accept(&mut self, tag: Tag) -> Option<()> {
        let has_content = matches!(self.inside, Inside::Caption | Inside::Cell(_));
        if tag.follows_text && !has_content {
            return None;
        }
        let lined = lined(self.source, self.block, tag.span);
        let is_between_rows = self.inside == Inside::Table;
        let in_columns = is_between_rows || self.inside == Inside::ColumnGroup;
        let in_row = matches!(self.inside, Inside::Row | Inside::Cell(_));
        match (tag.element, tag.is_end) {
            (TableElement::Row, false) if in_columns || in_row => self.start_row(lined),
            (TableElement::Row, true) if in_row => self.end_row(lined.end),
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
            (TableElement::Table, true) if in_columns || in_row => self.end_section(lined.start),
            (TableElement::OtherElement, _) if has_content => {}
            _ => return None,
        }
        Some(())
    }

    /// Returns whether the table has no sections and no rows yet.
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
        self.table.rows.push(TableRow { at: fresh.unwrap_or(tag.start), section });
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
        // Only a `thead` that contains the first row of the table is its head.
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

    /// Returns the head and the rows of the only table.
    fn parts(text: &str) -> (Option<&str>, Vec<&str>) {
        let (tables, _) = tables(text, Span::new(0, text.len()));
        let [table] = &tables[..] else { return (Some("no table"), Vec::new()) };
        let starts = table.rows.iter().map(|row| row.at);
        let ends = starts.clone().skip(1).chain([table.span.end]);
        let rows = starts.zip(ends).map(|(start, end)| &text[start..end]).collect();
        (table.head.map(|head| head.of(text)), rows)
    }

    #[test]
    fn rows_include_their_indentation_and_section_tags() {
        let text = "<table>\n <tbody>\n  <tr><td>1\n  <tr><td>2</tr>\n <tfoot><tr></table>";
        let rows = vec![" <tbody>\n  <tr><td>1\n", "  <tr><td>2</tr>\n", " <tfoot><tr></table>"];
        assert_eq!(parts(text), (None, rows));
    }

    #[test]
    fn a_header_is_a_leading_thead_or_leading_rows_of_header_cells() {
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
    fn rows_joined_by_rowspan_stay_together() {
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
    fn unclosed_tables_and_tables_that_share_a_line_are_not_separate_tables() {
        let count = |text: &str| tables(text, Span::new(0, text.len())).0.len();
        assert_eq!(count("<table><tr><td>"), 0);
        assert_eq!(count("<tr><td></table>"), 0);
        assert_eq!(count("<table></table><table></table>\n<table></table>"), 2);
    }
}
