//! Works around differences between the Markdown parser and CommonMark.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr2;

use super::line::{Fence, is_margin};

/// Changes `text` so that pulldown-cmark parses it like CommonMark. All offsets stay the same, and
/// text that needs no change is borrowed.
///
/// It differs from CommonMark 0.31.2 in two places, which `tests/parser_quirks.rs` shows:
///
/// - A carriage return without a line feed is not always a line ending. Here it becomes a line feed.
/// - A closing code fence must not be followed by tabs. Here such tabs become spaces.
///
/// Whether a line closes a fence depends on the lines before it, so the second change applies to
/// every line that could be a closing fence. On other lines it is harmless: an opening fence has an
/// empty info string either way, and elsewhere only trailing whitespace changes.
pub(crate) fn for_parser(text: &str) -> Cow<'_, str> {
    let mut changes = changes(text.as_bytes()).peekable();
    if changes.peek().is_none() {
        return Cow::Borrowed(text);
    }
    let mut adapted = String::with_capacity(text.len());
    for (range, replacement) in changes {
        adapted.push_str(&text[adapted.len()..range.start]);
        adapted.extend(range.map(|_| replacement));
    }
    adapted.push_str(&text[adapted.len()..]);
    Cow::Owned(adapted)
}

/// Returns the ranges to replace, in order, each with the replacement for its bytes.
fn changes(text: &[u8]) -> impl Iterator<Item = (Range<usize>, char)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        while let Some(found) = memchr2(b'\r', b'\t', &text[from..]) {
            let at = from + found;
            if text[at] == b'\r' {
                from = at + 1;
                if text.get(from) != Some(&b'\n') {
                    return Some((at..from, '\n'));
                }
            } else {
                let start = text[from..at].iter().rposition(|&byte| byte == b'\n');
                let start = start.map_or(from, |newline| from + newline + 1);
                from = memchr2(b'\r', b'\n', &text[at..]).map_or(text.len(), |end| at + end);
                let after = closing_fence(&text[start..from]).map(|length| start + length..from);
                if let Some(after) = after.filter(|after| text[after.clone()].contains(&b'\t')) {
                    return Some((after, ' '));
                }
            }
        }
        None
    })
}

/// Returns the length of a line up to the spaces and tabs after a fence, if the line can be a
/// closing fence.
fn closing_fence(line: &[u8]) -> Option<usize> {
    let margin = line.iter().take_while(|&&byte| is_margin(byte.into())).count();
    let text = &line[margin..];
    let fence = Fence::opens(text).filter(|fence| fence.is_closed_by(text))?;
    Some(margin + fence.length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borrows_text_that_needs_no_change() {
        let pages = [
            "",
            "a\tb\n\tc\n",
            "```\r\ncode\r\n```  \r\n",
            "```\ta\n``\t\n",
            "a ```\t\n",
            "- ```\t\n",
            "``~\t\n",
            "`\t``\t\n",
            "\t",
            " \t \t \t",
            "```\t\u{c}\n",
            "```\t\u{a0}\n",
            "\t```\n",
            "\t```  \n",
        ];
        for page in pages {
            assert!(matches!(for_parser(page), Cow::Borrowed(text) if text == page), "{page:?}");
        }
    }

    #[test]
    fn replaces_lone_carriage_returns_with_line_feeds() {
        assert_eq!(for_parser("a\rb\r\nc\r\rd\r"), "a\nb\r\nc\n\nd\n");
    }

    #[test]
    fn replaces_tabs_after_a_closing_fence_with_spaces() {
        let pages = [
            ("```\t", "``` "),
            ("~~~~\t\t\n", "~~~~  \n"),
            ("a\n``` \t \t\r\nb", "a\n```    \r\nb"),
            ("a\r```\t\rb", "a\n``` \nb"),
            ("> \t```\t\n>```\t\n", "> \t``` \n>``` \n"),
            ("- a\n\n  ```\t\n\tb\t\n  ```\t\n", "- a\n\n  ``` \n\tb\t\n  ``` \n"),
        ];
        for (page, adapted) in pages {
            assert_eq!(for_parser(page), adapted, "{page:?}");
        }
    }
}
