//! Splits a text into words, each of which is encoded separately (pre-tokenization).
//!
//! OpenAI publishes the rules as regular expressions with lookahead and backtracking. This module
//! implements the same rules by hand; each function documents the part of the expression it
//! matches.

use super::layout::class::{LINE_END, LOWERCASE, MARK, NUMBER, SPACE, UNCASED, UPPERCASE};

const LETTER: u8 = UPPERCASE | LOWERCASE | UNCASED;

/// The start of a capitalized word: `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`.
const OPENING: u8 = UPPERCASE | UNCASED | MARK;

/// The rest of a capitalized word: `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`.
const FOLLOWING: u8 = LOWERCASE | UNCASED | MARK;

static PAGE_NUMBERS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/page_numbers"));
static PAGES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/pages"));

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WordRules {
    Cl100k,
    O200k,
}

pub(crate) struct WordSplitter<'a> {
    text: &'a str,
    at: usize,
    rules: WordRules,
}

impl<'a> WordSplitter<'a> {
    pub(crate) fn new(text: &'a str, rules: WordRules) -> Self {
        Self { text, at: 0, rules }
    }
}

impl<'a> Iterator for WordSplitter<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        let start = self.at;
        let (first, after) = self.class(start)?;
        self.at = match self.rules {
            WordRules::Cl100k => self.cl100k(start, first, after),
            WordRules::O200k => self.o200k(start, first, after),
        };
        Some(&self.text.as_bytes()[start..self.at])
    }
}

/// Each function takes the offset at which its part of the expression is tried, and returns the end
/// of the match.
impl WordSplitter<'_> {
    fn cl100k(&self, start: usize, first: u8, after: usize) -> usize {
        if let Some(end) = self.contraction(start) {
            return end;
        }
        if first & LETTER != 0 {
            return self.run(after, LETTER);
        }
        if first & (NUMBER | LINE_END) == 0 {
            let end = self.run(after, LETTER);
            if end > after {
                return end;
            }
        }
        self.not_letters(start, first, after)
    }

    fn o200k(&self, start: usize, first: u8, after: usize) -> usize {
        let word = if first & LETTER != 0 {
            self.capitalized(start).or_else(|| self.capitals(start))
        } else if first & MARK != 0 {
            self.capitalized(after).or_else(|| self.capitalized(start))
        } else if first & (NUMBER | LINE_END) == 0 {
            self.capitalized(after).or_else(|| self.capitals(after))
        } else {
            None
        };
        match word {
            Some(end) => self.contraction(end).unwrap_or(end),
            None => self.not_letters(start, first, after),
        }
    }

    /// `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+`
    ///
    /// If nothing follows the run of the first class, the expression backtracks to the last
    /// character that is in both classes.
    #[inline]
    fn capitalized(&self, start: usize) -> Option<usize> {
        let (mut at, mut last_of_both) = (start, None);
        loop {
            match self.class(at) {
                Some((class, after)) if class & OPENING != 0 => {
                    at = after;
                    if class & FOLLOWING != 0 {
                        last_of_both = Some(after);
                    }
                }
                Some((class, after)) if class & FOLLOWING != 0 => {
                    return Some(self.run(after, FOLLOWING));
                }
                _ => return last_of_both,
            }
        }
    }

    /// `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+`
    fn capitals(&self, start: usize) -> Option<usize> {
        let end = self.run(start, OPENING);
        (end > start).then_some(end)
    }

    /// `(?i:'s|'t|'re|'ve|'m|'ll|'d)`
    #[inline]
    fn contraction(&self, start: usize) -> Option<usize> {
        let [b'\'', rest @ ..] = &self.text.as_bytes()[start..] else { return None };
        let len = match *rest {
            [b's' | b'S' | b't' | b'T' | b'm' | b'M' | b'd' | b'D', ..] => 1,
            [b'r' | b'R' | b'v' | b'V', b'e' | b'E', ..] | [b'l' | b'L', b'l' | b'L', ..] => 2,
            // The long s (U+017F), which matches `s` if case is ignored.
            [0xc5, 0xbf, ..] => 2,
            _ => return None,
        };
        Some(start + 1 + len)
    }

    /// Matches numbers, punctuation and whitespace.
    fn not_letters(&self, start: usize, first: u8, after: usize) -> usize {
        if first & NUMBER != 0 {
            return self.number(after);
        }
        let signs = if self.text.as_bytes()[start] == b' ' { after } else { start };
        let end = self.signs(signs);
        if end > signs { self.line_ends(end) } else { self.white_space(start) }
    }

    /// `\p{N}{1,3}`, after its first character.
    fn number(&self, second: usize) -> usize {
        let digit = |at| self.class(at).filter(|(class, _)| class & NUMBER != 0);
        digit(second).map_or(second, |(_, third)| digit(third).map_or(third, |(_, end)| end))
    }

    /// `[^\s\p{L}\p{N}]*`
    fn signs(&self, start: usize) -> usize {
        self.run_while(start, |class| class & (SPACE | LETTER | NUMBER) == 0)
    }

    /// `[\r\n]*`, or `[\r\n/]*`
    fn line_ends(&self, start: usize) -> usize {
        let belongs = |byte: &u8| match byte {
            b'\r' | b'\n' => true,
            b'/' => self.rules == WordRules::O200k,
            _ => false,
        };
        let rest = &self.text.as_bytes()[start..];
        start + rest.iter().position(|byte| !belongs(byte)).unwrap_or(rest.len())
    }

    /// `\s*[\r\n]+|\s+(?!\S)|\s+`
    ///
    /// Matches up to the last line ending. Without one, it matches the whole run at the end of the
    /// text, and elsewhere all but its last character, which belongs to the next word.
    fn white_space(&self, start: usize) -> usize {
        let (mut at, mut last, mut line_end) = (start, start, None);
        while let Some((class, after)) = self.class(at) {
            if class & SPACE == 0 {
                break;
            }
            last = at;
            at = after;
            if class & LINE_END != 0 {
                line_end = Some(after);
            }
        }
        match line_end {
            Some(end) => end,
            None if at == self.text.len() || last == start => at,
            None => last,
        }
    }

    #[inline]
    fn run(&self, start: usize, classes: u8) -> usize {
        self.run_while(start, |class| class & classes != 0)
    }

    #[inline]
    fn run_while(&self, mut at: usize, belongs: impl Fn(u8) -> bool) -> usize {
        while let Some((class, after)) = self.class(at)
            && belongs(class)
        {
            at = after;
        }
        at
    }

    /// Returns the classes of the character at `at`, and the offset of the next character.
    #[inline]
    fn class(&self, at: usize) -> Option<(u8, usize)> {
        let byte = *self.text.as_bytes().get(at)?;
        if byte.is_ascii() {
            return Some((PAGES[usize::from(byte)], at + 1));
        }
        let character = self.text[at..].chars().next()?;
        let code = u32::from(character) as usize;
        let page = usize::from(PAGE_NUMBERS[code / 256]);
        Some((PAGES[page * 256 + code % 256], at + character.len_utf8()))
    }
}
