//! Scans the tags of an HTML block, in the detail that tables need.

use memchr::{memchr, memmem};

use crate::span::Span;

/// An element of a table, or any other element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TableElement {
    Table,
    Caption,
    ColumnGroup,
    Column,
    Head,
    Body,
    Foot,
    Row,
    HeaderCell,
    DataCell,
    OtherElement,
}

const ELEMENTS: [(&str, TableElement); 10] = [
    ("td", TableElement::DataCell),
    ("tr", TableElement::Row),
    ("th", TableElement::HeaderCell),
    ("table", TableElement::Table),
    ("thead", TableElement::Head),
    ("tbody", TableElement::Body),
    ("tfoot", TableElement::Foot),
    ("caption", TableElement::Caption),
    ("colgroup", TableElement::ColumnGroup),
    ("col", TableElement::Column),
];

/// Elements whose content is raw text: only their own end tag is recognized in it.
const RAW_TEXT: [&str; 4] = ["script", "style", "textarea", "title"];

/// The rows that a cell spans, its own included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RowSpan {
    Rows(usize),
    /// All rows up to the end of the section.
    All,
}

impl RowSpan {
    pub(super) fn less_one(self) -> Self {
        match self {
            Self::Rows(rows) => Self::Rows(rows.saturating_sub(1)),
            Self::All => Self::All,
        }
    }
}

/// A start tag or an end tag.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tag {
    pub(super) element: TableElement,
    pub(super) is_end: bool,
    pub(super) span: Span,
    pub(super) rows: RowSpan,
    /// Whether there is text between the previous tag and this one.
    pub(super) follows_text: bool,
}

/// An iterator over the tags in a part of the source. It skips comments and raw text, and stops at
/// an unclosed tag or comment.
pub(super) struct Tags<'s> {
    /// The source up to the end of the part.
    source: &'s str,
    at: usize,
}

impl<'s> Tags<'s> {
    pub(super) fn of(source: &'s str, stretch: Span) -> Self {
        Self { source: &source[..stretch.end], at: stretch.start }
    }

    /// Parses the tag that starts at a byte, and moves past it.
    fn tag(&mut self, open: usize, follows_text: bool) -> Option<Tag> {
        let is_end = self.source[open + 1..].starts_with('/');
        let name_start = open + 1 + usize::from(is_end);
        let name_end = self.until(name_start, |byte| is_space(byte) || b"/>".contains(&byte))?;
        let name = &self.source[name_start..name_end];
        let (end, rows) = self.attributes(name_end)?;
        let is_raw = !is_end && RAW_TEXT.iter().any(|raw| raw.eq_ignore_ascii_case(name));
        let raw_end = || self.end_tag(name, end).unwrap_or(self.source.len());
        self.at = if is_raw { raw_end() } else { end };
        Some(Tag { element: element(name), is_end, span: Span::new(open, end), rows, follows_text })
    }

    /// Parses attributes from a byte on, and returns the end of the tag and its `rowspan`.
    fn attributes(&self, start: usize) -> Option<(usize, RowSpan)> {
        let (mut at, mut rows) = (start, RowSpan::Rows(1));
        loop {
            let name_start = self.until(at, |byte| !is_space(byte) && byte != b'/')?;
            if self.byte(name_start)? == b'>' {
                return Some((name_start + 1, rows));
            }
            let is_name_end = |byte| is_space(byte) || b"/>=".contains(&byte);
            let name_end = self.until(name_start + 1, is_name_end)?;
            let sign = self.until(name_end, |byte| !is_space(byte))?;
            at = name_end;
            if self.byte(sign)? == b'=' {
                let value = self.value(sign + 1)?;
                let name = self.source.get(name_start..name_end);
                if name.is_some_and(|name| name.eq_ignore_ascii_case("rowspan")) {
                    rows = row_span(value.of(self.source));
                }
                at = value.end;
            }
        }
    }

    /// Returns the value of an attribute, including quotes. `at` is after the equals sign.
    fn value(&self, at: usize) -> Option<Span> {
        let start = self.until(at, |byte| !is_space(byte))?;
        let end = match self.byte(start)? {
            quote @ (b'"' | b'\'') => {
                start + 2 + memchr(quote, &self.source.as_bytes()[start + 1..])?
            }
            _ => self.until(start, |byte| is_space(byte) || byte == b'>')?,
        };
        Some(Span::new(start, end))
    }

    /// Returns the start of the next end tag with this name.
    fn end_tag(&self, name: &str, from: usize) -> Option<usize> {
        let bytes = self.source.as_bytes();
        let mut ends = memmem::find_iter(&bytes[from..], b"</").map(|at| from + at);
        ends.find(|at| {
            let found = bytes.get(at + 2..at + 2 + name.len());
            found.is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes()))
        })
    }

    /// Returns the end of a comment, a declaration or a processing instruction.
    fn comment_end(&self, open: usize) -> Option<usize> {
        let inside = open + 2;
        let rest = &self.source.as_bytes()[inside..];
        match rest.starts_with(b"--") {
            true => memmem::find(rest, b"-->").map(|at| inside + at + 3),
            false => memchr(b'>', rest).map(|at| inside + at + 1),
        }
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.source.as_bytes().get(at).copied()
    }

    /// Returns the offset of the first matching byte from `at` on.
    fn until(&self, at: usize, is_wanted: impl Fn(u8) -> bool) -> Option<usize> {
        let rest = self.source.as_bytes().get(at..)?;
        rest.iter().position(|&byte| is_wanted(byte)).map(|found| at + found)
    }
}

impl Iterator for Tags<'_> {
    type Item = Tag;

    fn next(&mut self) -> Option<Tag> {
        let mut follows_text = false;
        loop {
            let text = &self.source.as_bytes()[self.at..];
            let open = self.at + memchr(b'<', text)?;
            follows_text |= !text[..open - self.at].iter().copied().all(is_space);
            match [self.byte(open + 1), self.byte(open + 2)] {
                [Some(b'!' | b'?'), _] => self.at = self.comment_end(open)?,
                [Some(letter), _] | [Some(b'/'), Some(letter)] if letter.is_ascii_alphabetic() => {
                    return self.tag(open, follows_text);
                }
                _ => (self.at, follows_text) = (open + 1, true),
            }
        }
    }
}

fn element(name: &str) -> TableElement {
    let known = ELEMENTS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
    known.map_or(TableElement::OtherElement, |&(_, element)| element)
}

/// Parses the value of a `rowspan`. 0 means all remaining rows of the section.
fn row_span(value: &str) -> RowSpan {
    match value.trim_matches(['"', '\'']).trim().parse() {
        Ok(0) => RowSpan::All,
        Ok(rows) => RowSpan::Rows(rows),
        Err(_) => RowSpan::Rows(1),
    }
}

const fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tags(text: &str) -> Vec<&str> {
        Tags::of(text, Span::new(0, text.len())).map(|tag| tag.span.of(text)).collect()
    }

    #[test]
    fn tags_end_after_their_attributes() {
        assert_eq!(tags("<a b='>' c=\">\" d=e/>x</A >"), ["<a b='>' c=\">\" d=e/>", "</A >"]);
        assert_eq!(tags("<td\n  a = b\n  c\n>"), ["<td\n  a = b\n  c\n>"]);
        assert_eq!(tags("<td é=ü ==>"), ["<td é=ü ==>"]);
    }

    #[test]
    fn ignores_tags_in_text_comments_and_raw_text() {
        assert_eq!(tags("1 < 2 <3 </ <!-- <tr> --><!---><?a <b?><i>"), ["<i>"]);
        assert_eq!(tags("<script><tr></SCRIPT><b>"), ["<script>", "</SCRIPT>", "<b>"]);
    }

    #[test]
    fn stops_at_an_unterminated_tag_or_comment() {
        for rest in ["<!-- <b>", "<td a=\"<b>", "<td a", "<td a=", "<td", "</t", "<", "</"] {
            assert_eq!(tags(&format!("<tr>{rest}")), ["<tr>"], "{rest}");
        }
    }

    #[test]
    fn reads_rowspan_from_attributes_only() {
        let rows = |text: &str| Tags::of(text, Span::new(0, text.len())).next().map(|tag| tag.rows);
        assert_eq!(rows("<td ROWSPAN = ' 3 '>"), Some(RowSpan::Rows(3)));
        assert_eq!(rows("<td rowspan=0>"), Some(RowSpan::All));
        assert_eq!(rows("<td title=\"rowspan=3\" rowspan=x>"), Some(RowSpan::Rows(1)));
    }
}
