//! Iterates over the terms of a text, as a token stream for tantivy.

use std::ops::Range;

use tantivy::tokenizer::{Token, TokenStream};

use super::Term;
use super::characters::{
    end_of, end_of_word, is_hyphen, is_letter, is_paired, is_sign, starts_word,
};
use super::stems::Stems;

/// Maximum length of a term. Longer words are data, such as hashes or Base64.
const LONGEST_TERM_BYTES: usize = 80;

/// The terms of a text, in reading order.
pub(crate) struct Stream<'a> {
    stems: &'a mut Stems,
    text: &'a str,
    /// The offset where the search for the next word starts.
    at: usize,
    /// The remaining pieces of the last word, in reverse order.
    pending: Vec<TermSpan>,
    /// The position of the next word that is not a stop word.
    next_position: usize,
    token: Token,
    is_stop_word: bool,
}

/// A byte range that becomes one term.
#[derive(Clone, Debug)]
struct TermSpan {
    bytes: Range<usize>,
    form: Form,
}

/// The way in which a piece becomes a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// A word, lowercased and stemmed.
    Word,
    /// Words joined by `_` or `.`, lowercased, at the position of the first.
    Compound,
    /// Hyphenated words, joined without hyphens and stemmed, at the position of the first.
    Joined,
    /// Two characters of Chinese, Japanese or Korean text.
    Pair,
}

impl<'a> Stream<'a> {
    pub(super) fn new(stems: &'a mut Stems, text: &'a str) -> Self {
        Self {
            stems,
            text,
            at: 0,
            pending: Vec::new(),
            next_position: 0,
            token: Token::default(),
            is_stop_word: false,
        }
    }

    /// Returns the current term.
    pub(super) fn term(&self) -> Term {
        Term {
            text: self.token.text.clone(),
            position: self.token.position,
            bytes: self.token.offset_from..self.token.offset_to,
            is_stop_word: self.is_stop_word,
        }
    }

    /// Finds the next run of letters and digits, including signs between them.
    fn next_run(&mut self) -> Option<Range<usize>> {
        let rest = &self.text[self.at..];
        let start = self.at + rest.find(starts_word)?;
        let first = self.text[start..].chars().next()?;
        let end = match is_paired(first) {
            true => end_of(self.text, start, is_paired),
            false => self.end_of_run(start),
        };
        self.at = end;
        Some(start..end)
    }

    /// Returns the end of a run. A sign is part of it only between two letters or digits.
    fn end_of_run(&self, start: usize) -> usize {
        let mut end = start;
        loop {
            end = end_of_word(self.text, end);
            let mut rest = self.text[end..].chars();
            let (sign, next) = (rest.next(), rest.next());
            match (sign, next) {
                (Some(sign), Some(next)) if is_sign(sign) && is_letter(next) => {
                    end += sign.len_utf8();
                }
                _ => return end,
            }
        }
    }

    /// Queues the pieces of a run.
    fn split(&mut self, run: Range<usize>) {
        let text = &self.text[run.clone()];
        if text.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            self.pending.push(TermSpan { bytes: run, form: Form::Word });
            return;
        }
        if text.starts_with(is_paired) {
            self.pairs(run);
        } else {
            self.words(run);
        }
        self.pending.reverse();
    }

    fn pairs(&mut self, run: Range<usize>) {
        let starts = self.text[run.clone()].char_indices().map(|(at, _)| run.start + at);
        let bounds: Vec<usize> = starts.chain([run.end]).collect();
        let width = 2.min(bounds.len() - 1);
        let pairs = bounds.windows(width + 1).map(|pair| pair[0]..pair[width]);
        self.pending.extend(pairs.map(|bytes| TermSpan { bytes, form: Form::Pair }));
    }

    fn words(&mut self, run: Range<usize>) {
        let mut hyphenated = 0;
        for part in parts(self.text, run.clone(), is_hyphen) {
            hyphenated += 1;
            let words: Vec<_> =
                parts(self.text, part.clone(), |c| matches!(c, '_' | '.')).collect();
            if words.len() > 1 {
                self.pending.push(TermSpan { bytes: part, form: Form::Compound });
            }
            self.pending
                .extend(words.into_iter().map(|bytes| TermSpan { bytes, form: Form::Word }));
        }
        if hyphenated > 1 {
            self.pending.insert(0, TermSpan { bytes: run, form: Form::Joined });
        }
    }

    /// Sets a piece as the current token. Returns false if it yields no term.
    fn show(&mut self, piece: TermSpan) -> bool {
        let source = &self.text[piece.bytes.clone()];
        if source.len() > LONGEST_TERM_BYTES {
            self.next_position += usize::from(matches!(piece.form, Form::Word));
            return false;
        }
        let term = &mut self.token.text;
        term.clear();
        lower(source, piece.form, term);
        self.is_stop_word = match piece.form {
            Form::Word | Form::Joined => self.stems.stem(term),
            Form::Compound | Form::Pair => false,
        };
        self.is_stop_word &= piece.form == Form::Word;
        self.token.position = self.next_position;
        let moves = matches!(piece.form, Form::Word | Form::Pair) && !self.is_stop_word;
        self.next_position += usize::from(moves);
        (self.token.offset_from, self.token.offset_to) = (piece.bytes.start, piece.bytes.end);
        !term.is_empty()
    }
}

impl TokenStream for Stream<'_> {
    fn advance(&mut self) -> bool {
        loop {
            if let Some(piece) = self.pending.pop() {
                if self.show(piece) {
                    return true;
                }
                continue;
            }
            let Some(run) = self.next_run() else { return false };
            self.split(run);
        }
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}

/// Appends a piece in lower case, with typographic apostrophes replaced by ASCII ones.
fn lower(source: &str, form: Form, term: &mut String) {
    if source.is_ascii() && form != Form::Joined {
        term.push_str(source);
        term.make_ascii_lowercase();
        return;
    }
    let kept = source.chars().filter(|&c| form != Form::Joined || !is_hyphen(c));
    let plain = kept.map(|c| if c == '’' { '\'' } else { c });
    term.extend(plain.flat_map(char::to_lowercase));
}

/// Returns the nonempty ranges between separators.
fn parts(
    text: &str,
    run: Range<usize>,
    separates: impl Fn(char) -> bool,
) -> impl Iterator<Item = Range<usize>> {
    let pieces = text[run].split(separates).filter(|part| !part.is_empty());
    pieces.map(|part| {
        let start = part.as_ptr() as usize - text.as_ptr() as usize;
        start..start + part.len()
    })
}
