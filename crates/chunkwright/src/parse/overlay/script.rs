//! JavaScript as far as it must be read to find its end: strings, templates, comments, brackets.

use memchr::memmem;

/// How deep brackets may nest.
const MOST_OPEN: usize = 1024;

/// Walks over code.
pub(super) struct Script<'s> {
    /// The source up to where to give up.
    bytes: &'s [u8],
    pub(super) at: usize,
    /// Brackets and templates that are open; `$` stands for `${`.
    open: Vec<u8>,
}

impl<'s> Script<'s> {
    /// From `at` on, for `limit` bytes at most.
    pub(super) fn new(source: &'s str, at: usize, limit: usize) -> Self {
        let end = at.saturating_add(limit).min(source.len());
        Self { bytes: &source.as_bytes()[..end], at, open: Vec::new() }
    }

    /// Whether nothing is open.
    pub(super) fn is_even(&self) -> bool {
        self.open.is_empty()
    }

    /// Moves over one string, comment, bracket or byte; none at the end, or where it is nested too
    /// deep.
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

    /// Whether the byte before the one just read is such a one.
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

    /// A string ends with its line at the latest: what looks like one may be an apostrophe.
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

    /// A brace closes also what was opened inside it and not closed.
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

/// The end of the code that opens with the brace at `at`; `Err` says how many bytes were looked at
/// in vain, at most `limit`.
pub(super) fn braces_end(source: &str, at: usize, limit: usize) -> Result<usize, usize> {
    let mut script = Script::new(source, at, limit);
    while script.step().is_some() {
        if script.is_even() {
            return Ok(script.at);
        }
    }
    Err(script.at - at)
}
