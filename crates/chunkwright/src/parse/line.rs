//! Recognizes lines of Markdown, in the terms of
//! [CommonMark 0.31.2](https://spec.commonmark.org/0.31.2/).
//!
//! A `line` starts with its indentation, a `text` after the indentation and the markers of any list
//! items and block quotes. Both may include the line ending, and the lines after it.

/// The distance between tab stops in columns (§2.2).
const TAB_STOP: usize = 4;

/// The indentation of indented code in columns (§4.4).
pub(crate) const CODE_INDENT: usize = 4;

/// Returns whether a character is in the margin of a line: indentation, or a block quote marker
/// (§5.1).
pub(crate) fn is_margin(c: char) -> bool {
    matches!(c, ' ' | '\t' | '>')
}

/// Returns whether a byte is a space or a tab.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn is_line_ending(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Returns the length of a line's indentation in bytes.
pub(crate) fn indent(line: &[u8]) -> usize {
    line.iter().take_while(|&&byte| is_space(byte)).count()
}

/// Returns the width of a line's indentation in columns (§2.2).
pub(crate) fn columns(line: &str) -> usize {
    column(line.as_bytes(), indent(line.as_bytes()))
}

/// Returns the column at which byte `at` of a line starts (§2.2).
pub(crate) fn column(line: &[u8], at: usize) -> usize {
    line[..at].iter().fold(0, |column, &byte| after(column, byte))
}

/// Returns the number of bytes of a line's indentation that start before `column`.
pub(crate) fn bytes_to(line: &str, column: usize) -> usize {
    let mut at = 0;
    let bytes = line.bytes().take_while(|&byte| {
        let starts_before = at < column;
        at = after(at, byte);
        is_space(byte) && starts_before
    });
    bytes.count()
}

/// Returns the column after a byte.
fn after(column: usize, byte: u8) -> usize {
    if byte == b'\t' { column + TAB_STOP - column % TAB_STOP } else { column + 1 }
}

/// Returns whether only spaces and tabs precede the line ending: a blank line (§2.1).
pub(crate) fn is_blank(line: &[u8]) -> bool {
    line.get(indent(line)).is_none_or(|&byte| is_line_ending(byte))
}

/// Returns the length of the run of `sign` at the start of a text.
pub(crate) fn run(text: &[u8], sign: u8) -> usize {
    text.iter().take_while(|&&byte| byte == sign).count()
}

/// Returns whether a text is a thematic break (§4.1).
pub(crate) fn is_thematic_break(text: &[u8]) -> bool {
    let Some(&sign @ (b'-' | b'*' | b'_')) = text.first() else { return false };
    let mut line = text.iter().take_while(|&&byte| !is_line_ending(byte));
    line.clone().all(|&byte| byte == sign || is_space(byte))
        && line.by_ref().filter(|&&byte| byte == sign).count() >= 3
}

/// Returns the level of an ATX heading (§4.2).
pub(crate) fn atx_level(text: &[u8]) -> Option<u8> {
    let level = run(text, b'#');
    let is_heading = (1..=6).contains(&level) && ends_word(text, level);
    is_heading.then_some(level as u8)
}

/// Returns whether a text is a setext heading underline (§4.3).
pub(crate) fn is_setext_underline(text: &[u8]) -> bool {
    let Some(&sign @ (b'=' | b'-')) = text.first() else { return false };
    is_blank(&text[run(text, sign)..])
}

/// Returns whether a space, a tab or the end of the line is at `at`.
fn ends_word(text: &[u8], at: usize) -> bool {
    text.get(at).is_none_or(|&byte| is_space(byte) || is_line_ending(byte))
}

/// A code fence (§4.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fence {
    sign: u8,
    /// The length in bytes.
    pub(crate) length: usize,
}

impl Fence {
    /// Recognizes an opening code fence.
    pub(crate) fn opens(text: &[u8]) -> Option<Self> {
        let sign = *text.first().filter(|sign| matches!(sign, b'`' | b'~'))?;
        let length = run(text, sign);
        let info = || text[length..].iter().take_while(|&&byte| !is_line_ending(byte));
        let is_fence = length >= 3 && (sign == b'~' || info().all(|&byte| byte != b'`'));
        is_fence.then_some(Self { sign, length })
    }

    /// Returns whether a text is a closing fence for this opening fence.
    pub(crate) fn is_closed_by(self, text: &[u8]) -> bool {
        let length = run(text, self.sign);
        length >= self.length && is_blank(&text[length..])
    }
}

/// The start and end conditions of HTML blocks that may contain blank lines (§4.6): condition 1,
/// where the name is followed by a space, a tab, `>` or the end of the line.
const RAW_ELEMENTS: [(&[u8], &str); 4] = [
    (b"<script", "</script>"),
    (b"<pre", "</pre>"),
    (b"<style", "</style>"),
    (b"<textarea", "</textarea>"),
];

/// Conditions 2, 3 and 5. Condition 4 is `<!` and a letter.
const OTHERS: [(&[u8], &str); 3] = [(b"<!--", COMMENT_END), (b"<?", "?>"), (b"<![CDATA[", "]]>")];

/// The end of an HTML comment.
pub(crate) const COMMENT_END: &str = "-->";

/// Returns the end of the HTML block that starts with a text by one of conditions 1 to 5 (§4.6),
/// which may contain blank lines. For condition 1, it is the end tag of the same element.
pub(crate) fn html_end(text: &[u8]) -> Option<&'static str> {
    let is_raw = |start: &[u8]| {
        text.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start))
            && (ends_word(text, start.len()) || text[start.len()] == b'>')
    };
    let mut raw = RAW_ELEMENTS.iter().filter(|(start, _)| is_raw(start));
    let mut others = OTHERS.iter().filter(|(start, _)| text.starts_with(start));
    let declaration = || {
        let name = text.strip_prefix(b"<!").and_then(<[u8]>::first);
        name.is_some_and(u8::is_ascii_alphabetic).then_some(">")
    };
    raw.next().or_else(|| others.next()).map(|(_, end)| *end).or_else(declaration)
}

/// Returns whether a text starts with a tag, so that it may start an HTML block by condition 6 or 7
/// (§4.6). Such a block ends at a blank line.
pub(crate) fn starts_tag(text: &[u8]) -> bool {
    let Some(name) = text.strip_prefix(b"<") else { return false };
    name.strip_prefix(b"/").unwrap_or(name).first().is_some_and(u8::is_ascii_alphabetic)
}

/// The maximum number of digits in an ordered list marker (§5.2).
const MOST_DIGITS: usize = 9;

/// A list marker (§5.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ListMarker {
    /// The bullet, or the delimiter after the number. It is the same for all items of a list.
    pub(crate) sign: u8,
    /// The number of an ordered list item.
    pub(crate) number: Option<u32>,
    /// The length in bytes.
    pub(crate) length: usize,
}

impl ListMarker {
    /// Recognizes a list marker. Nothing but the end of the line may follow that of an empty item.
    pub(crate) fn of(text: &[u8]) -> Option<Self> {
        let digits = text.iter().take(MOST_DIGITS).take_while(|byte| byte.is_ascii_digit()).count();
        let sign = *text.get(digits)?;
        let is_marker = match sign {
            b'-' | b'+' | b'*' => digits == 0,
            b'.' | b')' => digits > 0,
            _ => false,
        };
        let length = digits + 1;
        (is_marker && ends_word(text, length)).then(|| {
            let value = |value, digit: &u8| value * 10 + u32::from(digit - b'0');
            let number = (digits > 0).then(|| text[..digits].iter().fold(0, value));
            Self { sign, number, length }
        })
    }

    /// Returns whether a list that starts with this item can interrupt a paragraph, unless the item
    /// is empty.
    pub(crate) fn can_interrupt(self) -> bool {
        self.number.is_none_or(|number| number == 1)
    }

    /// Returns the offset of the item's content in `text`, which starts with the marker. Content
    /// after five or more spaces is indented code, and starts after the first of them.
    pub(crate) fn content(self, text: &[u8]) -> usize {
        let spaces = indent(&text[self.length..]);
        self.length + if spaces > CODE_INDENT { 1 } else { spaces }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tabs_stop_at_multiples_of_four_columns() {
        let widths = [("", 0), ("  a", 2), ("\ta", 4), (" \ta", 4), ("   \t a", 5), ("\t\ta", 8)];
        for (line, width) in widths {
            assert_eq!(columns(line), width, "{line:?}");
        }
        assert_eq!(column(b"-\t\tx", 3), 8);
        assert_eq!(column(b"> \tx", 3), 4);
        assert_eq!([0, 1, 4, 5, 9].map(|column| bytes_to("\t  x", column)), [0, 1, 1, 2, 3]);
    }

    #[test]
    fn only_spaces_and_tabs_are_blank() {
        assert!(["", " \t", " \n", "\r\n"].iter().all(|line| is_blank(line.as_bytes())));
        assert!(["a", "\u{a0}", "\u{c}\n", " a\n"].iter().all(|line| !is_blank(line.as_bytes())));
    }

    #[test]
    fn a_thematic_break_has_three_equal_characters() {
        let breaks = ["---", "***\n", "_ _\t_ \r\n", "-----", "* * *\na"];
        assert!(breaks.iter().all(|text| is_thematic_break(text.as_bytes())));
        let others = ["", "--", "-*-", "+++", "--- a", "***a", "--\n-"];
        assert!(others.iter().all(|text| !is_thematic_break(text.as_bytes())));
    }

    #[test]
    fn an_atx_heading_has_one_to_six_signs_and_a_space() {
        let levels = [("#", 1), ("## a", 2), ("###\ta", 3), ("######\n", 6), ("# #\r\n", 1)];
        for (text, level) in levels {
            assert_eq!(atx_level(text.as_bytes()), Some(level), "{text:?}");
        }
        let others = ["", "a", "#a", "####### a", "\\# a", "#\u{a0}a", "#\u{c}a"];
        assert!(others.iter().all(|text| atx_level(text.as_bytes()).is_none()));
    }

    #[test]
    fn a_setext_underline_has_one_run() {
        assert!(["=", "---\n", "== \t"].iter().all(|text| is_setext_underline(text.as_bytes())));
        let others = ["", "= =", "=-", "=a", "***"];
        assert!(others.iter().all(|text| !is_setext_underline(text.as_bytes())));
    }

    #[test]
    fn a_backtick_fence_has_no_backtick_in_its_info_string() {
        let fences = ["```", "````\n`", "``` a b\r\n", "~~~ a`b", "~~~~~~~"];
        assert!(fences.iter().all(|text| Fence::opens(text.as_bytes()).is_some()));
        let others = ["", "``", "``` a`", "~~", "a```", "``~"];
        assert!(others.iter().all(|text| Fence::opens(text.as_bytes()).is_none()));
    }

    #[test]
    fn a_closing_fence_is_as_long_as_the_opening_fence() {
        let fence = Fence::opens(b"````rust").unwrap();
        let closing = ["````", "`````", "```` \t\n"];
        assert!(closing.iter().all(|text| fence.is_closed_by(text.as_bytes())));
        let others = ["", "```", "````a", "~~~~", "```` `", "````\u{a0}"];
        assert!(others.iter().all(|text| !fence.is_closed_by(text.as_bytes())));
    }

    #[test]
    fn html_blocks_end_as_their_start_demands() {
        let ends = [
            ("<PRE>", "</pre>"),
            ("<script\n", "</script>"),
            ("<style a=b>", "</style>"),
            ("<textarea", "</textarea>"),
            ("<!-- a", "-->"),
            ("<!-->", "-->"),
            ("<?php", "?>"),
            ("<!doctype html>", ">"),
            ("<![CDATA[ a", "]]>"),
        ];
        for (text, end) in ends {
            assert_eq!(html_end(text.as_bytes()), Some(end), "{text:?}");
        }
        let others = ["", "<", "<div>", "<prefix>", "</pre>", "<!1", "<![cdata[", "<!-"];
        assert!(others.iter().all(|text| html_end(text.as_bytes()).is_none()));
    }

    #[test]
    fn tags_start_with_a_letter() {
        assert!(["<a", "</div>", "<X-y>"].iter().all(|text| starts_tag(text.as_bytes())));
        assert!(
            ["", "<", "< a", "<1", "<//a", "<!a"].iter().all(|text| !starts_tag(text.as_bytes()))
        );
    }

    #[test]
    fn a_list_marker_ends_with_a_space() {
        let marker = |text: &str| {
            let marker = ListMarker::of(text.as_bytes())?;
            let content = marker.content(text.as_bytes());
            Some((char::from(marker.sign), marker.number, marker.length, content))
        };
        assert_eq!(marker("- a"), Some(('-', None, 1, 2)));
        assert_eq!(marker("+    a"), Some(('+', None, 1, 5)));
        assert_eq!(marker("*     a"), Some(('*', None, 1, 2)));
        assert_eq!(marker("1. a"), Some(('.', Some(1), 2, 3)));
        assert_eq!(marker("012)\ta"), Some((')', Some(12), 4, 5)));
        assert_eq!(marker("123456789. a"), Some(('.', Some(123_456_789), 10, 11)));
        assert_eq!(marker("-"), Some(('-', None, 1, 1)));
        assert_eq!(marker("7.\n"), Some(('.', Some(7), 2, 2)));
        let others = ["", "-a", "1", "1a", "1.a", ". a", "1234567890. a", "–  a", "1- a", "#. a"];
        assert!(others.iter().all(|text| marker(text).is_none()));
    }

    #[test]
    fn only_bullets_and_the_number_one_interrupt_paragraphs() {
        let interrupts = |text: &str| ListMarker::of(text.as_bytes()).unwrap().can_interrupt();
        assert!(["- a", "1. a", "001) a"].into_iter().all(interrupts));
        assert!(!["0. a", "2) a", "10. a"].into_iter().any(interrupts));
    }
}
