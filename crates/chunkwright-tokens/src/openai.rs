//! Counting as OpenAI's models do: text comes in, the number of its BPE tokens goes out.
//!
//! A regular expression cuts the text into words first, and each word becomes tokens on its own.
//! So counts add up wherever a word is certain to begin, and that is where long texts are cut into
//! slices to count.
//!
//! One count is known to be off: o200k makes a single word of ` I'ſ`, which here has one token too
//! many, because the vocabulary's crate knows contractions with an s but not with a long s.

use std::sync::{LazyLock, OnceLock};

use chunkwright::{TextKind, TokenCounter};
use tiktoken::CoreBpe;

/// Bytes in a slice, at least. Small, because the crate looks through all the rest of its text
/// wherever it meets white space that is not ASCII.
const SLICE: usize = 1024;

/// Bytes in the longest token of either vocabulary, which is all spaces.
const LONGEST_TOKEN: usize = 128;

/// Spaces from which on a count is that of the longest token less, and one.
const MANY_SPACES: usize = 3 * LONGEST_TOKEN;

/// One of OpenAI's vocabularies.
pub(crate) struct OpenAi {
    name: &'static str,
    /// Loads the vocabulary when something is counted for the first time: that takes a tenth of a
    /// second, and many commands count nothing.
    encoding: LazyLock<&'static CoreBpe>,
    /// Whether slashes after punctuation and line ends belong to the same word, as in `.\n/`.
    joins_slashes: bool,
    /// The tokens in so many spaces, where they were counted before.
    spaces: [OnceLock<usize>; MANY_SPACES],
}

impl OpenAi {
    pub(crate) fn cl100k() -> Self {
        Self::new("cl100k", || encoding("cl100k_base"), false)
    }

    pub(crate) fn o200k() -> Self {
        Self::new("o200k", || encoding("o200k_base"), true)
    }

    fn new(name: &'static str, load: fn() -> &'static CoreBpe, joins_slashes: bool) -> Self {
        let spaces = [const { OnceLock::new() }; MANY_SPACES];
        Self { name, encoding: LazyLock::new(load), joins_slashes, spaces }
    }

    /// The tokens in `text`, unless they are more than `limit`.
    fn count_up_to(&self, text: &str, limit: usize) -> Option<usize> {
        let (mut rest, mut count) = (text, 0);
        while !rest.is_empty() {
            let spaces = word_of_spaces(rest);
            let (tokens, end) = if spaces < LONGEST_TOKEN {
                let end = self.slice_end(rest);
                (self.encoding.count(&rest[..end]), end)
            } else {
                (self.spaces(spaces), spaces)
            };
            count += tokens;
            if count > limit {
                return None;
            }
            rest = &rest[end..];
        }
        Some(count)
    }

    /// The tokens in a word of spaces, such as what indents a line: merging many takes long.
    fn spaces(&self, spaces: usize) -> usize {
        let most = spaces.saturating_sub(MANY_SPACES - LONGEST_TOKEN);
        let longest_tokens = most / LONGEST_TOKEN;
        let rest = spaces - longest_tokens * LONGEST_TOKEN;
        let count = || self.encoding.count(&" ".repeat(rest));
        longest_tokens + self.spaces[rest].get_or_init(count)
    }

    /// The first place, one slice in or later, where counts add up.
    fn slice_end(&self, text: &str) -> usize {
        (SLICE..text.len())
            .find(|&at| text.is_char_boundary(at) && self.adds_at(text, at))
            .unwrap_or(text.len())
    }

    /// Whether a word begins where `line` does, given that a line end stands before it.
    ///
    /// All line ends in a run of white space belong to one word, so there must be none between
    /// here and the line's first letter.
    fn opens_word(&self, line: &str) -> bool {
        let first = line.chars().find(|&letter| !is_space(letter));
        first.is_some_and(|letter| !is_line_end(letter))
            && !(self.joins_slashes && line.starts_with('/'))
    }
}

impl TokenCounter for OpenAi {
    fn name(&self) -> &str {
        self.name
    }

    /// Strings that look like special tokens, such as `<|endoftext|>`, count as the text they are.
    fn count(&self, text: &str, _: TextKind) -> usize {
        self.count_up_to(text, usize::MAX).expect("no count is above the largest number")
    }

    fn count_within(&self, text: &str, _: TextKind, limit: usize) -> Option<usize> {
        if text.len().div_ceil(LONGEST_TOKEN) > limit {
            return None;
        }
        self.count_up_to(text, limit)
    }

    /// Three places are certain: the start of a line that is not blank, white space after something
    /// that is not, and a sign or a line end after a letter or a digit; but for an apostrophe, as in
    /// `it's`. At the start of `text` a line end is taken to stand before it.
    fn adds_at(&self, text: &str, at: usize) -> bool {
        let (before, after) = text.split_at(at);
        match before.chars().next_back() {
            None => self.opens_word(after),
            Some(last) if is_line_end(last) => self.opens_word(after),
            Some(last) => {
                let ends_word = |next: char| is_line_end(next) || next.is_ascii_punctuation();
                (!last.is_whitespace() && after.starts_with(is_space))
                    || (last.is_ascii_alphanumeric()
                        && after.starts_with(|next| next != '\'' && ends_word(next)))
            }
        }
    }
}

/// The spaces that are the first word of `text`: all but the last before anything that is no white
/// space, to which that one belongs.
fn word_of_spaces(text: &str) -> usize {
    let spaces = text.bytes().take_while(|&byte| byte == b' ').count();
    match text[spaces..].chars().next() {
        None => spaces,
        Some(next) if next.is_whitespace() => 0,
        Some(_) => spaces.saturating_sub(1),
    }
}

fn encoding(name: &str) -> &'static CoreBpe {
    tiktoken::get_encoding(name).expect("both vocabularies are compiled in")
}

/// White space within a line, as the words' regular expression sees lines.
fn is_space(letter: char) -> bool {
    letter.is_whitespace() && !is_line_end(letter)
}

fn is_line_end(letter: char) -> bool {
    matches!(letter, '\n' | '\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_token_is_longer_than_the_bound() {
        for encoding in [OpenAi::cl100k().encoding, OpenAi::o200k().encoding] {
            let tokens = 0..u32::try_from(encoding.vocab_size()).unwrap();
            let longest = tokens.map(|token| encoding.decode(&[token]).len()).max();
            assert_eq!(longest, Some(LONGEST_TOKEN));
        }
    }

    #[test]
    fn spaces_are_counted_as_their_merges_would_be() {
        for counter in [OpenAi::cl100k(), OpenAi::o200k()] {
            for spaces in (0..1000).chain([4096, 10_001]) {
                for rest in ["", "a", "-", "7", "\n", "\ta", "\u{a0}a", "é", "a\n    b"] {
                    let text = " ".repeat(spaces) + rest;
                    let merged = counter.encoding.count(&text);
                    assert_eq!(counter.count(&text, TextKind::Code), merged, "{spaces} {rest:?}");
                }
            }
        }
    }

    #[test]
    fn a_word_with_a_slash_in_it_is_not_cut() {
        let text = ".\n/x";
        assert!(OpenAi::cl100k().adds_at(text, 2));
        assert!(!OpenAi::o200k().adds_at(text, 2));
        assert!(OpenAi::o200k().adds_at(".\n /x", 2));
    }

    #[test]
    fn the_start_of_a_text_is_judged_by_what_follows() {
        let counter = OpenAi::o200k();
        for (text, adds) in
            [("a", true), ("  a", true), ("", false), ("  ", false), (" \na", false), ("/", false)]
        {
            assert_eq!(counter.adds_at(text, 0), adds, "{text:?}");
        }
    }

    #[test]
    fn the_end_of_a_text_is_never_certain() {
        for text in ["a", "a\n", "a "] {
            assert!(!OpenAi::cl100k().adds_at(text, text.len()), "{text:?}");
        }
    }
}
