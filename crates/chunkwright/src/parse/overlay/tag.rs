//! Parses JSX tags.

use super::script::braces_end;

/// The kind of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TagKind {
    Opening,
    Closing,
    /// A tag without content: it ends with `/>`, or its HTML element is void.
    SelfClosing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct JsxTag<'s> {
    /// Empty for a fragment.
    pub(super) name: &'s str,
    pub(super) kind: TagKind,
    pub(super) end: usize,
}

/// HTML elements without content.
const VOID: &[&str] = &[
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr",
];

/// Parses the tag whose `<` is at `at`.
///
/// # Errors
/// If there is no tag: the number of bytes scanned.
pub(super) fn read(source: &str, at: usize, limit: usize) -> Result<JsxTag<'_>, usize> {
    let end = source.floor_char_boundary(at.saturating_add(limit));
    let mut cursor = Cursor { source, at: at + 1, end };
    let tag = cursor.tag();
    tag.ok_or(cursor.at.min(source.len()) - at)
}

struct Cursor<'s> {
    source: &'s str,
    at: usize,
    /// The scan limit.
    end: usize,
}

impl<'s> Cursor<'s> {
    fn tag(&mut self) -> Option<JsxTag<'s>> {
        let closes = self.eat(b'/');
        let name = self.name(|byte| matches!(byte, b'.' | b':' | b'-'));
        if name.starts_with(|c: char| c.is_ascii_digit() || "-.:".contains(c)) {
            return None;
        }
        let kind = match closes {
            true => {
                self.space();
                self.eat(b'>').then_some(TagKind::Closing)?
            }
            false if name.is_empty() => self.eat(b'>').then_some(TagKind::Opening)?,
            false => self.attributes()?,
        };
        let is_void = kind == TagKind::Opening && VOID.contains(&name);
        Some(JsxTag { name, kind: if is_void { TagKind::SelfClosing } else { kind }, end: self.at })
    }

    fn attributes(&mut self) -> Option<TagKind> {
        loop {
            let before = self.at;
            self.space();
            match self.peek()? {
                b'>' => {
                    self.at += 1;
                    return Some(TagKind::Opening);
                }
                b'/' => {
                    self.at += 1;
                    self.space();
                    return self.eat(b'>').then_some(TagKind::SelfClosing);
                }
                b'{' => self.braces()?,
                // Whitespace must separate a name from an attribute.
                _ if self.at == before => return None,
                _ => self.attribute()?,
            }
        }
    }

    fn attribute(&mut self) -> Option<()> {
        if self.name(|byte| matches!(byte, b'.' | b':' | b'-' | b'@')).is_empty() {
            return None;
        }
        let after = self.at;
        self.space();
        if !self.eat(b'=') {
            self.at = after;
            return Some(());
        }
        self.space();
        match self.peek()? {
            quote @ (b'"' | b'\'') => self.string(quote),
            b'{' => self.braces(),
            _ => None,
        }
    }

    fn name(&mut self, is_sign: impl Fn(u8) -> bool) -> &'s str {
        let start = self.at;
        let is_part = |byte: u8| {
            byte.is_ascii_alphanumeric()
                || matches!(byte, b'_' | b'$')
                || byte >= 0x80
                || is_sign(byte)
        };
        while self.peek().is_some_and(is_part) {
            self.at += 1;
        }
        &self.source[start..self.at]
    }

    /// Skips whitespace, including blank lines.
    fn space(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    /// Skips a string, which may span lines, but not blank lines.
    fn string(&mut self, quote: u8) -> Option<()> {
        self.at += 1;
        let mut in_blank = false;
        while let Some(byte) = self.peek() {
            self.at += 1;
            match byte {
                _ if byte == quote => return Some(()),
                b'\n' if in_blank => return None,
                b'\n' => in_blank = true,
                _ => in_blank &= byte.is_ascii_whitespace(),
            }
        }
        None
    }

    fn braces(&mut self) -> Option<()> {
        let end = braces_end(self.source, self.at, self.end.saturating_sub(self.at));
        self.at = end.unwrap_or_else(|bytes| self.at + bytes);
        end.ok().map(|_| ())
    }

    fn eat(&mut self, byte: u8) -> bool {
        let eaten = self.peek() == Some(byte);
        self.at += usize::from(eaten);
        eaten
    }

    fn peek(&self) -> Option<u8> {
        self.source.as_bytes().get(self.at).copied().filter(|_| self.at < self.end)
    }
}
