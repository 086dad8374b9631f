//! Recognizes directives (`:::note` … `:::`) and admonitions (`!!! note`, `??? note`, `=== "Tab"`).

use super::scan::{ElementKey, Scanner};
use crate::document::BlockKind;
use crate::parse::line::columns;
use crate::span::{Span, without_leading_blank_lines};

/// The indentation of an admonition's body in columns.
const BODY_INDENT: usize = 4;

impl Scanner<'_> {
    /// Opens or closes a directive at a line that starts with colons.
    pub(super) fn directive(&mut self, line: Span) -> Option<usize> {
        let text = line.of(self.source).trim();
        let length = text.bytes().take_while(|&byte| byte == b':').count();
        let rest = text[length..].trim_start();
        match length {
            2 if is_leaf(&text[2..]) => self.leaf(BlockKind::Directive, line),
            0..=2 => return None,
            _ if rest.is_empty() => return self.close_directive(line, length),
            _ if rest.starts_with(|c: char| c.is_alphabetic() || c == '{') => {
                self.open(BlockKind::Directive, ElementKey::Directive(length), line, false);
            }
            _ => return None,
        }
        Some(line.end)
    }

    /// Closes a directive at a line of only colons: the innermost one with as many colons, or else
    /// the innermost element if it is a directive with fewer colons.
    fn close_directive(&mut self, line: Span, length: usize) -> Option<usize> {
        let key = match self.innermost() {
            _ if self.is_open(ElementKey::Directive(length)) => ElementKey::Directive(length),
            Some(ElementKey::Directive(fewer)) if fewer < length => ElementKey::Directive(fewer),
            _ => return None,
        };
        self.close(key, line);
        Some(line.end)
    }

    /// Opens an admonition or a tab, if it has an indented body.
    pub(super) fn admonition(&mut self, line: Span) -> Option<usize> {
        let text = line.of(self.source);
        if !is_admonition(text.trim()) {
            return None;
        }
        let after = &self.source[line.end..];
        let body = without_leading_blank_lines(after);
        if columns(body) < columns(text) + BODY_INDENT {
            return None;
        }
        self.body(BlockKind::Directive, line, BODY_INDENT);
        Some(line.end)
    }
}

/// Returns whether `text`, which follows two colons, is a leaf directive: `name`, `name[label]` or
/// `name{attributes}`.
fn is_leaf(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_alphanumeric() || c == '-' || c == '_');
    let named = text.starts_with(char::is_alphabetic);
    named && (rest.is_empty() || rest.starts_with(['[', '{']) && rest.ends_with([']', '}']))
}

fn is_admonition(text: &str) -> bool {
    let named = |rest: &str| rest.starts_with(|c: char| c.is_alphabetic() || c == '"');
    let after =
        |signs: &str| text.strip_prefix(signs).map(|rest| rest.trim_start_matches(['+', '!']));
    let spaced =
        |rest: &str| rest.strip_prefix([' ', '\t']).map(str::trim_start).is_some_and(named);
    match after("!!!").or_else(|| after("???")) {
        Some(rest) => spaced(rest),
        None => after("===").is_some_and(|rest| spaced(rest) && rest.ends_with(['"', '\''])),
    }
}
