//! Scans JavaScript just enough to find its end: strings, templates, comments and brackets.

use memchr::memmem;

/// The maximum nesting depth of brackets.
const MOST_OPEN: usize = 1024;

pub(super) struct Script<'s> {
    /// The source up to the scan limit.
    bytes: &'s [u8],
    pub(super) at: usize,
    /// The open brackets and templates; `$` stands for `${`.
    open: Vec<u8>,
}

impl<'s> Script<'s> {
    /// Creates a scanner that starts at `at` and scans at most `limit` bytes.
    pub(super) fn new(source: &'s str, at: usize, limit: usize) -> Self {
        let end = at.saturating_add(limit).min(source.len());
        Self { bytes: &source.as_bytes()[..end], at, open: Vec::new() }
    }

    /// Returns whether all brackets and templates are closed.
    pub(super) fn is_even(&self) -> bool {
        self.open.is_empty()
    }

    /// Skips one string, comment, bracket or other byte, and returns its first byte. Returns `None`
    /// at the end, or if brackets are nested too deeply.
    pub(super) fn step(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        let next = self.bytes.get(self.at + 1).copied();
        self.at += 1;
        if self.open.last() == Some(&b'`') {
            self.template(byte, next);
            return Some(byte);
        }
        match byte {
            b'"' => self.string(byte),
            b'\'' if !self.is_after(|before| before.is_ascii_alphanumeric()) => self.string(byte),
            b'/' if next == Some(b'/') && !self.is_after(|before| before == b':') => {
                self.line_comment()
            }
            b'/' if next == Some(b'*') => self.block_comment(),
            b'{' | b'(' | b'[' | b'`' => self.open.push(byte),
            b'}' => self.close_brace(),
            b')' => self.close(b'('),
            b']' => self.close(b'['),
            _ => {}
        }
        (self.open.len() <= MOST_OPEN).then_some(byte)
    }

    fn skip(&mut self, bytes: usize) {
        self.at = (self.at + bytes).min(self.bytes.len());
    }

    /// Tests the byte before the current one.
    fn is_after(&self, is_such: impl Fn(u8) -> bool) -> bool {
        self.at >= 2 && is_such(self.bytes[self.at - 2])
    }

    fn template(&mut self, byte: u8, next: Option<u8>) {
        match (byte, next) {
            (b'\\', _) => self.skip(1),
            (b'`', _) => {
                self.open.pop();
            }
            (b'$', Some(b'{')) => {
                self.at += 1;
                self.open.push(b'$');
            }
            _ => {}
        }
    }

    /// Skips a string, at most to the end of the line, because the quote may be an apostrophe.
    fn string(&mut self, quote: u8) {
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' | b'\r' => return,
                b'\\' => self.skip(2),
                _ => self.skip(1),
            }
            if byte == quote {
                return;
            }
        }
    }

    fn line_comment(&mut self) {
        let rest = &self.bytes[self.at..];
        self.at += memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
    }

    fn block_comment(&mut self) {
        self.at += 1;
        let rest = &self.bytes[self.at..];
        self.at += memmem::find(rest, b"*/").map_or(rest.len(), |end| end + 2);
    }

    /// Closes a brace, together with unclosed brackets inside it.
    fn close_brace(&mut self) {
        while self.open.pop_if(|open| matches!(open, b'(' | b'[')).is_some() {}
        self.open.pop();
    }

    fn close(&mut self, bracket: u8) {
        if self.open.last() == Some(&bracket) {
            self.open.pop();
        }
    }
}

/// Returns the end of the code in braces that starts at `at`.
///
/// # Errors
/// If there is no closing brace within `limit` bytes: the number of bytes scanned.
pub(super) fn braces_end(source: &str, at: usize, limit: usize) -> Result<usize, usize> {
    let mut script = Script::new(source, at, limit);
    while script.step().is_some() {
        if script.is_even() {
            return Ok(script.at);
        }
    }
    Err(script.at - at)
}
