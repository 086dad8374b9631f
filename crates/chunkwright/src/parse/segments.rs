//! Segments: a text comes in; stretches of it that can be read alone go out, most of them with
//! their block already known.
//!
//! Most of a document is headings, paragraphs and fences that begin at the start of a line, and
//! these need no parser. Where anything else begins, the parser reads on from there to a place at
//! which nothing can be open any more: a blank line, and after it a line that begins at its very
//! start with something other than a list item. What can be open beyond such a place (fences, and
//! HTML with an end of its own) is followed; where that is not sure, the segment only grows.

use memchr::{memchr, memmem};

use crate::span::Span;

/// A stretch of whole lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) kind: Known,
    pub(super) span: Span,
}

/// What is known of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    Paragraph,
    /// A heading that opens with so many `#`.
    Heading(u8),
    /// Code between fences; the last one may be missing.
    Fence,
    Rule,
    /// Its blocks are for the parser to find.
    Nothing,
}

/// The segments of a text whose lines end with line feeds.
pub(super) fn segments(text: &str) -> impl Iterator<Item = Segment> {
    let text = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        let mut first = Line::at(text, at);
        while first.is_blank() && first.start < text.len() {
            first = Line::at(text, first.next);
        }
        (first.start < text.len()).then(|| {
            let (kind, end) =
                known(text, first).unwrap_or_else(|| (Known::Nothing, open_end(text, first)));
            at = end;
            Segment { kind, span: Span::new(first.start, end) }
        })
    })
}

/// A line of a text.
#[derive(Clone, Copy)]
struct Line<'t> {
    /// What stands on it, without its end.
    bytes: &'t [u8],
    start: usize,
    /// Where the next line begins.
    next: usize,
}

impl<'t> Line<'t> {
    fn at(text: &'t [u8], start: usize) -> Self {
        let rest = &text[start..];
        let (bytes, next) = match memchr(b'\n', rest) {
            Some(end) => (&rest[..end], start + end + 1),
            None => (rest, text.len()),
        };
        Self { bytes: bytes.strip_suffix(b"\r").unwrap_or(bytes), start, next }
    }

    fn is_blank(&self) -> bool {
        indent(self.bytes) == self.bytes.len()
    }
}

/// The level of a heading that opens with `#` at the start of its line.
fn heading(line: &[u8]) -> Option<u8> {
    let level = run(line, b'#');
    let is_heading =
        (1..=6).contains(&level) && matches!(line.get(level), None | Some(b' ' | b'\t'));
    is_heading.then_some(level as u8)
}

/// The block that begins with a line, and where it ends, if a look at its lines tells.
fn known(text: &[u8], first: Line<'_>) -> Option<(Known, usize)> {
    match first.bytes[0] {
        b'#' => {
            if let Some(level) = heading(first.bytes) {
                return Some((Known::Heading(level), first.next));
            }
        }
        b'`' | b'~' => {
            if let Some(fence) = Fence::opens(first.bytes) {
                return Some(fence.block(text, first.next));
            }
        }
        b'-' | b'*' | b'_' if is_rule(first.bytes) => return Some((Known::Rule, first.next)),
        _ => {}
    }
    if !is_running(first.bytes) {
        return None;
    }
    let mut at = first.next;
    while at < text.len() {
        let line = Line::at(text, at);
        let indent = indent(line.bytes);
        if indent == line.bytes.len() || (indent == 0 && interrupts(line.bytes)) {
            break;
        }
        let text = &line.bytes[indent..];
        // Definitions of links do not end paragraphs, those of footnotes do.
        if !is_running(text) && (text[0] != b'[' || text.get(1) == Some(&b'^')) {
            return None;
        }
        at = line.next;
    }
    Some((Known::Paragraph, at))
}

/// Whether a line is sure to end a paragraph before it.
fn interrupts(line: &[u8]) -> bool {
    match line[0] {
        b'#' => heading(line).is_some(),
        b'`' | b'~' => Fence::opens(line).is_some(),
        b'>' => true,
        b'-' | b'+' | b'*' => is_filled_item(&line[1..]),
        b'1' if matches!(line.get(1), Some(b'.' | b')')) => is_filled_item(&line[2..]),
        _ => false,
    }
}

/// Whether what follows the sign of a list item makes it one that is not empty.
fn is_filled_item(rest: &[u8]) -> bool {
    let indent = indent(rest);
    indent > 0 && is_wordy(rest.get(indent))
}

/// Whether a byte begins a word, with what may stand around it.
fn is_wordy(byte: Option<&u8>) -> bool {
    matches!(
        byte,
        Some(b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | 0x80.. | b'`' | b'[' | b'(' | b'"')
    )
}

/// Whether a line can only be running text, at the start of a paragraph or inside one.
fn is_running(line: &[u8]) -> bool {
    let first = line[0];
    match first {
        b'a'..=b'z' | b'A'..=b'Z' | 0x80.. => true,
        b'(' | b')' | b'"' | b'\'' | b',' | b'.' | b'/' | b';' | b'?' | b'@' | b'%' => true,
        b'!' | b'$' | b'&' | b'\\' | b'^' | b'{' | b'}' => true,
        b'0'..=b'9' => !is_item(line),
        b'`' => run(line, first) < 3,
        b'*' | b'_' => is_wordy(line.get(run(line, first))),
        _ => false,
    }
}

/// Where a segment ends in which anything may begin.
fn open_end(text: &[u8], first: Line<'_>) -> usize {
    let mut at = first.start;
    let mut fence: Option<Fence> = None;
    let (mut after_blank, mut after_html) = (false, false);
    while at < text.len() {
        let line = Line::at(text, at);
        let (this, indent) = (line.bytes, indent(line.bytes));
        if indent == this.len() {
            (after_blank, after_html) = (true, false);
            at = line.next;
            continue;
        }
        fence = match fence.map(|fence| (fence, fence.takes(this))) {
            Some((fence, Taken::Inside)) => Some(fence),
            Some((_, Taken::Closing)) => None,
            Some((_, Taken::Unsure)) => return text.len(),
            None | Some((_, Taken::Outside)) => {
                if after_blank && indent == 0 && !is_item(this) {
                    return at;
                }
                if this[indent] == b'<' {
                    let Some(end) = html_end(text, line, at > first.start || indent > 0) else {
                        return text.len();
                    };
                    (at, after_html, after_blank, fence) = (end, true, false, None);
                    continue;
                }
                Fence::opens_inside(this)
            }
        };
        if fence.is_some() && after_html {
            return text.len();
        }
        after_blank = false;
        at = line.next;
    }
    at
}

/// Where to go on after a line that begins with HTML; none if that is not sure. What has an end of
/// its own goes on to there, blank lines or not.
fn html_end(text: &[u8], line: Line<'_>, is_inside: bool) -> Option<usize> {
    const ENDS: &[(&[u8], &[u8])] = &[
        (b"<!--", b"-->"),
        (b"<?", b"?>"),
        (b"<!", b">"),
        (b"<script", b"</script>"),
        (b"<pre", b"</pre>"),
        (b"<style", b"</style>"),
        (b"<textarea", b"</textarea>"),
    ];
    let inner = &line.bytes[indent(line.bytes)..];
    let starts = |start: &[u8]| {
        inner.len() >= start.len() && inner[..start.len()].eq_ignore_ascii_case(start)
    };
    let Some((start, end)) = ENDS.iter().find(|(start, _)| starts(start)) else {
        return Some(line.next);
    };
    if *start == b"<!--" && memmem::find(&inner[start.len()..], end).is_some() {
        return Some(line.next);
    }
    if *start != b"<!--" || is_inside {
        return None;
    }
    let from = line.start + start.len();
    memmem::find(&text[from..], end).map(|found| Line::at(text, from + found).next)
}

/// An open fence.
#[derive(Clone, Copy)]
struct Fence {
    sign: u8,
    length: usize,
    /// Where it stands in its line.
    column: usize,
    place: Place,
}

/// What a fence stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Nothing, or a list item that began before it.
    Open,
    /// A list item that begins on its line.
    Item,
    /// A quote.
    Quote,
}

/// What a line is to an open fence.
enum Taken {
    Inside,
    Closing,
    /// The fence ended before it, with what it stands in.
    Outside,
    Unsure,
}

impl Fence {
    /// The fence that a line opens at its very start.
    fn opens(line: &[u8]) -> Option<Self> {
        let sign = *line.first().filter(|sign| matches!(sign, b'`' | b'~'))?;
        let length = run(line, sign);
        let is_fence = length >= 3 && (sign == b'~' || memchr(b'`', &line[length..]).is_none());
        is_fence.then_some(Self { sign, length, column: 0, place: Place::Open })
    }

    /// The fence that a line opens, possibly inside list items and quotes.
    fn opens_inside(line: &[u8]) -> Option<Self> {
        let is_margin = |byte: &&u8| {
            byte.is_ascii_digit()
                || matches!(byte, b' ' | b'\t' | b'>' | b'-' | b'+' | b'*' | b'.' | b')')
        };
        let margin = &line[..line.iter().take_while(is_margin).count()];
        let place = match margin {
            _ if margin.contains(&b'>') => Place::Quote,
            _ if indent(margin) == margin.len() => Place::Open,
            _ => Place::Item,
        };
        let column = |at: usize, byte: &u8| if *byte == b'\t' { (at | 3) + 1 } else { at + 1 };
        let column = margin.iter().fold(0, column);
        // What is indented too far is code, or so deep in a list that it ends with it.
        let fence = Self::opens(&line[margin.len()..]).filter(|_| !is_too_deep(line))?;
        Some(Self { column, place, ..fence })
    }

    /// What a line that is not blank is to it.
    fn takes(self, line: &[u8]) -> Taken {
        let indent = indent(line);
        match self.place {
            Place::Quote if line[indent] != b'>' => return Taken::Outside,
            Place::Item if line[..indent].contains(&b'\t') => return Taken::Unsure,
            Place::Item if indent < self.column => return Taken::Outside,
            Place::Open if self.column > 0 && indent < self.column => return Taken::Unsure,
            _ => {}
        }
        let inner = line.iter().position(|byte| !matches!(byte, b' ' | b'\t' | b'>'));
        let inner = &line[inner.unwrap_or(line.len())..];
        match self.is_closing(if self.place == Place::Quote { inner } else { &line[indent..] }) {
            true if self.place == Place::Open && is_too_deep(line) => Taken::Inside,
            true => Taken::Closing,
            false => Taken::Inside,
        }
    }

    fn is_closing(self, inner: &[u8]) -> bool {
        let length = run(inner, self.sign);
        // The parser takes no tabs after it.
        length >= self.length && inner[length..].iter().all(|&byte| byte == b' ')
    }

    /// The block of a fence whose first line ends at `at`.
    fn block(self, text: &[u8], mut at: usize) -> (Known, usize) {
        while at < text.len() {
            let Line { bytes, next, .. } = Line::at(text, at);
            at = next;
            if self.is_closing(&bytes[indent(bytes)..]) && !is_too_deep(bytes) {
                break;
            }
        }
        (Known::Fence, at)
    }
}

/// Whether a line is indented too far to be anything but code.
fn is_too_deep(line: &[u8]) -> bool {
    let indent = indent(line);
    indent >= 4 || line[..indent].contains(&b'\t')
}

fn is_rule(line: &[u8]) -> bool {
    let sign = line[0];
    matches!(sign, b'-' | b'*' | b'_')
        && line.iter().all(|byte| *byte == sign || matches!(byte, b' ' | b'\t'))
        && line.iter().filter(|byte| **byte == sign).count() >= 3
}

/// Whether a line may begin a list item.
fn is_item(line: &[u8]) -> bool {
    let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let ends = |at: usize| matches!(line.get(at), None | Some(b' ' | b'\t'));
    match line.get(digits) {
        Some(b'-' | b'+' | b'*') if digits == 0 => ends(1),
        Some(b'.' | b')') if digits > 0 => ends(digits + 1),
        _ => false,
    }
}

/// The bytes of white space that a line begins with.
fn indent(line: &[u8]) -> usize {
    line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// How often a text begins with a sign.
fn run(text: &[u8], sign: u8) -> usize {
    text.iter().take_while(|&&byte| byte == sign).count()
}
