//! Builds wraps, which keep parts valid Markdown: code fences, table headers, HTML tags and block
//! quote markers.

use std::rc::Rc;

use super::{Splitter, Wrap};
use crate::format::Format;
use crate::parse::line::{ListMarker, indent, is_margin};
use crate::piece::Piece;
use crate::span::Span;

/// The maximum size of a wrap in bytes per token of the limit. Without it, a counter that counts
/// long text as few tokens would allow wraps of any size.
const MOST_BYTES: usize = 8;

impl Splitter<'_> {
    /// Creates the wrap of fenced code: its opening line, and a closing fence, with the same
    /// indentation and block quote markers.
    pub(super) fn fence_wrap(&self, mark: usize, opening: Span) -> Option<Rc<Wrap>> {
        let margin = self.source()[opening.start..mark].chars();
        let indent: String = margin.map(|c| if is_margin(c) { c } else { ' ' }).collect();
        let text = &self.source()[mark..opening.end];
        let sign = text.chars().next().unwrap_or('`');
        let fence: String = text.chars().take_while(|&c| c == sign).collect();
        let mut open = Vec::new();
        if !indent.is_empty() {
            open.push(Piece::Glue(indent.clone().into()));
        }
        open.push(Piece::Echo(Span::new(mark, opening.end)));
        self.wrap(open, format!("{indent}{fence}"), self.rooms.rest.solid)
    }

    /// Creates the wrap of a table if headers are repeated: its header. A list marker before the
    /// header is replaced with indentation.
    pub(super) fn table_wrap(&self, head: Span) -> Option<Rc<Wrap>> {
        if !self.brief.repeat_table_headers {
            return None;
        }
        let text = head.of(self.source());
        let cells = text.find(|c: char| !is_margin(c)).unwrap_or(0);
        let marker = list_marker(&text.as_bytes()[cells..]);
        let mut open = Vec::new();
        let mut start = head.start;
        if marker > 0 {
            open.push(Piece::Glue(format!("{}{:marker$}", &text[..cells], "").into()));
            start += cells + marker;
        }
        open.push(Piece::Echo(Span::new(start, head.end)));
        self.wrap(open, String::new(), self.rooms.rest.solid)
    }

    /// Extends a wrap for cuts inside a line by the line's block quote markers, if any.
    pub(super) fn quote_wrap(&self, stretch: Span, wrap: Option<&Rc<Wrap>>) -> Option<Rc<Wrap>> {
        let line = &self.source()[self.lines.line_at(stretch.start).start..stretch.end];
        let margin = &line[..line.find(|c: char| !is_margin(c)).unwrap_or(line.len())];
        if !margin.contains('>') || self.brief.document.format == Format::Text {
            return wrap.cloned();
        }
        let mut open = wrap.map_or_else(Vec::new, |wrap| wrap.open.clone());
        open.push(Piece::Glue(margin.to_owned().into()));
        let close = wrap.map_or_else(String::new, |wrap| wrap.close.clone());
        self.wrap(open, close, self.rooms.rest.prose).or_else(|| wrap.cloned())
    }

    /// Creates a wrap, or returns `None` if it takes more than half of the limit.
    pub(super) fn wrap(&self, open: Vec<Piece>, close: String, room: usize) -> Option<Rc<Wrap>> {
        let bytes = open.iter().map(bytes_of).sum::<usize>() + close.len();
        if bytes > self.brief.ruler.scale().tokens(room).saturating_mul(MOST_BYTES) {
            return None;
        }
        let open_units = open.iter().map(|piece| self.units_of(piece)).sum();
        let close_units = match close.as_str() {
            "" => 0,
            close => self.brief.ruler.glue(&format!("\n{close}")),
        };
        let wrap = Wrap { open, close, open_units, close_units };
        ((wrap.open_units + wrap.close_units) * 2 <= room).then(|| Rc::new(wrap))
    }

    fn units_of(&self, piece: &Piece) -> usize {
        match piece {
            Piece::Own(span) | Piece::Echo(span) => self.brief.ruler.part(*span),
            Piece::Glue(glue) => self.brief.ruler.glue(glue),
            Piece::Hidden(_) => 0,
        }
    }
}

fn bytes_of(piece: &Piece) -> usize {
    match piece {
        Piece::Own(span) | Piece::Echo(span) | Piece::Hidden(span) => span.len(),
        Piece::Glue(glue) => glue.len(),
    }
}

/// Returns the length in bytes of a list marker and the whitespace after it, or 0.
fn list_marker(text: &[u8]) -> usize {
    let Some(marker) = ListMarker::of(text) else { return 0 };
    match indent(&text[marker.length..]) {
        0 => 0,
        space => marker.length + space,
    }
}
