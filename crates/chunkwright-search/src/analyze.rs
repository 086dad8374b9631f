//! Text comes in, the terms that are looked up go out.
//!
//! A term is a Unicode word in lower case, stemmed. `snake_case` and `foo.bar` are terms, and so
//! are their parts; of `a-b` the parts are, and `ab`. Chinese, Japanese and Korean text is cut into
//! pairs of characters.
//!
//! Positions count words that are not stop words. A stop word has the position of the word after
//! it, so that two words with only stop words between them are neighbours.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use rust_stemmers::Stemmer;
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};
use unicode_segmentation::UnicodeSegmentation;

use crate::language::Language;

/// Longer words are data, not language.
const LONGEST_TERM_BYTES: usize = 80;

/// How many words are remembered.
const MOST_REMEMBERED: usize = 1 << 16;

/// English words that say little; sorted.
const STOP_WORDS: &[&str] = &[
    "a", "about", "an", "and", "any", "are", "as", "at", "be", "been", "being", "but", "by", "can",
    "could", "did", "do", "does", "for", "from", "had", "has", "have", "how", "i", "if", "in",
    "into", "is", "it", "its", "may", "me", "might", "my", "no", "nor", "not", "of", "on", "or",
    "our", "shall", "should", "so", "such", "than", "that", "the", "their", "them", "then",
    "there", "these", "they", "this", "those", "to", "was", "we", "were", "what", "when", "where",
    "which", "while", "who", "whom", "why", "will", "with", "would", "you", "your",
];

/// A term of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// What is looked up.
    pub text: String,
    /// Which word of the text it is.
    pub position: usize,
    /// The bytes it was made of.
    pub bytes: Range<usize>,
    /// Whether it says little.
    pub is_stop_word: bool,
}

/// Turns text into terms.
#[derive(Clone)]
pub struct Analyzer {
    language: Language,
    stemmer: Option<Arc<Stemmer>>,
    memory: Memory,
}

/// What became of words before: most words of a text were seen already, and stemming is slow.
#[derive(Default)]
struct Memory {
    words: HashMap<Box<str>, Stem>,
}

/// A word as it is looked up.
#[derive(Clone)]
struct Stem {
    term: Box<str>,
    is_stop_word: bool,
}

impl Clone for Memory {
    /// Everyone has a memory of their own.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Analyzer {
    /// An analyzer for text in this language.
    pub fn new(language: Language) -> Self {
        let stemmer = language.algorithm().map(|algorithm| Arc::new(Stemmer::create(algorithm)));
        Self { language, stemmer, memory: Memory::default() }
    }

    /// The language.
    pub fn language(&self) -> Language {
        self.language
    }

    /// All terms of a text, in reading order.
    pub fn terms(&self, text: &str) -> Vec<Term> {
        let mut analyzer = self.clone();
        let mut stream = Stream::new(&mut analyzer, text);
        let mut terms = Vec::new();
        while stream.advance() {
            terms.push(Term {
                text: stream.token.text.clone(),
                position: stream.token.position,
                bytes: stream.token.offset_from..stream.token.offset_to,
                is_stop_word: stream.is_stop_word,
            });
        }
        terms
    }

    /// Whether a word in lower case says little.
    fn is_stop_word(&self, word: &str) -> bool {
        self.language == Language::English && STOP_WORDS.binary_search(&word).is_ok()
    }

    /// Cuts off the ending of a word in lower case; tells whether the word says little.
    fn stem(&mut self, word: &mut String) -> bool {
        if let Some(known) = self.memory.words.get(word.as_str()) {
            word.clear();
            word.push_str(&known.term);
            return known.is_stop_word;
        }
        let is_stop_word = self.is_stop_word(word);
        let has_digit = word.bytes().any(|byte| byte.is_ascii_digit());
        let term = match &self.stemmer {
            Some(stemmer) if !is_stop_word && !has_digit => stemmer.stem(word).into_owned(),
            _ => word.clone(),
        };
        if self.memory.words.len() == MOST_REMEMBERED {
            self.memory.words.clear();
        }
        let stem = Stem { term: term.as_str().into(), is_stop_word };
        self.memory.words.insert(word.as_str().into(), stem);
        *word = term;
        is_stop_word
    }
}

impl fmt::Debug for Analyzer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Analyzer").field("language", &self.language).finish_non_exhaustive()
    }
}

impl Tokenizer for Analyzer {
    type TokenStream<'a> = Stream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Stream<'a> {
        Stream::new(self, text)
    }
}

/// The terms of a text, one after the other.
pub struct Stream<'a> {
    analyzer: &'a mut Analyzer,
    text: &'a str,
    /// Where the next word is looked for.
    at: usize,
    /// What the last word still gives, last first.
    pending: Vec<Piece>,
    /// The position of the next word that is not a stop word.
    next_position: usize,
    token: Token,
    is_stop_word: bool,
}

/// A stretch of text that gives one term.
#[derive(Clone, Debug)]
struct Piece {
    bytes: Range<usize>,
    form: Form,
}

/// How a piece becomes a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// A word: lower case, stemmed.
    Word,
    /// Several words with signs between them, as they stand; at the position of the first.
    Compound,
    /// Several words with hyphens, joined and stemmed; at the position of the first.
    Joined,
    /// Two characters.
    Pair,
}

impl<'a> Stream<'a> {
    fn new(analyzer: &'a mut Analyzer, text: &'a str) -> Self {
        Self {
            analyzer,
            text,
            at: 0,
            pending: Vec::new(),
            next_position: 0,
            token: Token::default(),
            is_stop_word: false,
        }
    }

    /// Finds the next run of letters, digits and the signs between them.
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

    /// Where a run ends: a sign belongs to it only between two letters or digits.
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

    /// Queues what a run gives.
    fn split(&mut self, run: Range<usize>) {
        let text = &self.text[run.clone()];
        if text.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            self.pending.push(Piece { bytes: run, form: Form::Word });
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
        self.pending.extend(pairs.map(|bytes| Piece { bytes, form: Form::Pair }));
    }

    fn words(&mut self, run: Range<usize>) {
        let mut hyphenated = 0;
        for part in parts(self.text, run.clone(), is_hyphen) {
            hyphenated += 1;
            let words: Vec<_> =
                parts(self.text, part.clone(), |c| matches!(c, '_' | '.')).collect();
            if words.len() > 1 {
                self.pending.push(Piece { bytes: part, form: Form::Compound });
            }
            self.pending.extend(words.into_iter().map(|bytes| Piece { bytes, form: Form::Word }));
        }
        if hyphenated > 1 {
            self.pending.insert(0, Piece { bytes: run, form: Form::Joined });
        }
    }

    /// Makes a piece the current token; tells whether it is a term.
    fn show(&mut self, piece: Piece) -> bool {
        let source = &self.text[piece.bytes.clone()];
        if source.len() > LONGEST_TERM_BYTES {
            self.next_position += usize::from(matches!(piece.form, Form::Word));
            return false;
        }
        let term = &mut self.token.text;
        term.clear();
        lower(source, piece.form, term);
        self.is_stop_word = match piece.form {
            Form::Word | Form::Joined => self.analyzer.stem(term),
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

/// Writes a piece in lower case, typographic apostrophes as plain ones.
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

/// The stretches between separators.
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

/// Where the letters, digits and what belongs to them end.
fn end_of_word(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let mut end = start;
    while bytes.get(end).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_') {
        end += 1;
    }
    match bytes.get(end) {
        Some(byte) if !byte.is_ascii() => end_of(text, end, |c| {
            c == '_' || is_letter(c) || (!c.is_ascii() && !is_paired(c) && is_mark(c))
        }),
        _ => end,
    }
}

fn end_of(text: &str, start: usize, belongs: impl Fn(char) -> bool) -> usize {
    let rest = &text[start..];
    start + rest.find(|c| !belongs(c)).unwrap_or(rest.len())
}

fn starts_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// A letter or digit of a script that has words.
fn is_letter(c: char) -> bool {
    c.is_alphanumeric() && !is_paired(c)
}

fn is_hyphen(c: char) -> bool {
    matches!(c, '-' | '\u{2010}' | '\u{2011}')
}

fn is_sign(c: char) -> bool {
    is_hyphen(c) || matches!(c, '.' | '\'' | '’')
}

/// Whether a character belongs to the letter before it, as accents do.
fn is_mark(c: char) -> bool {
    // Punctuation, the most of what is not ASCII and no letter.
    if matches!(c, '\u{2000}'..='\u{200b}' | '\u{2010}'..='\u{206f}' | '\u{3000}'..='\u{303f}') {
        return false;
    }
    let mut buffer = [b'a', 0, 0, 0, 0];
    let length = 1 + c.encode_utf8(&mut buffer[1..]).len();
    std::str::from_utf8(&buffer[..length]).is_ok_and(|pair| pair.graphemes(true).count() == 1)
}

/// Whether a character belongs to a script without spaces between words, or is Korean.
pub(crate) fn is_paired(c: char) -> bool {
    matches!(c,
        '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{ac00}'..='\u{d7af}'
        | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{323af}')
        && c.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str) -> Vec<String> {
        Analyzer::new(Language::English).terms(text).into_iter().map(|term| term.text).collect()
    }

    fn positions(text: &str) -> Vec<(String, usize)> {
        let terms = Analyzer::new(Language::English).terms(text);
        terms.into_iter().map(|term| (term.text, term.position)).collect()
    }

    #[test]
    fn words_are_lower_case_and_stemmed() {
        assert_eq!(terms("Running Containers"), ["run", "contain"]);
        assert_eq!(terms("Straße ÉCOLE"), ["straße", "école"]);
        let plain = Analyzer::new(Language::None).terms("Running");
        assert_eq!(plain[0].text, "running");
        let german = Analyzer::new(Language::German).terms("Häuser");
        assert_eq!(german[0].text, "haus");
    }

    #[test]
    fn identifiers_are_terms_and_so_are_their_parts() {
        assert_eq!(terms("snake_case"), ["snake_case", "snake", "case"]);
        assert_eq!(terms("foo.bar"), ["foo.bar", "foo", "bar"]);
        assert_eq!(terms("e-mail"), ["email", "e", "mail"]);
        assert_eq!(terms("_private __init__"), ["privat", "init"].map(String::from));
        assert_eq!(terms("camelCase"), ["camelcas"]);
    }

    #[test]
    fn signs_around_words_do_not_count() {
        assert_eq!(terms("--dry-run, (end). 'quoted'"), ["dryrun", "dri", "run", "end", "quot"]);
        assert_eq!(terms("don’t"), terms("don't"));
        assert_eq!(terms("C++ … — !"), ["c"]);
    }

    #[test]
    fn accents_belong_to_their_letters() {
        assert_eq!(terms("cafe\u{301}s").len(), 1);
        assert_eq!(terms("हिन्दी").len(), 1);
    }

    #[test]
    fn chinese_japanese_and_korean_are_cut_into_pairs() {
        assert_eq!(terms("検索語"), ["検索", "索語"]);
        assert_eq!(terms("字 한국어"), ["字", "한국", "국어"]);
        assert_eq!(terms("用Rust写"), ["用", "rust", "写"]);
    }

    #[test]
    fn stop_words_do_not_part_neighbours() {
        let found = positions("state of the union");
        let expected = [("state", 0), ("of", 1), ("the", 1), ("union", 1)];
        assert_eq!(found, expected.map(|(word, at)| (word.to_owned(), at)));
    }

    #[test]
    fn parts_of_an_identifier_are_neighbours() {
        let found = positions("a kube_proxy mode");
        let expected = [("a", 0), ("kube_proxy", 0), ("kube", 0), ("proxi", 1), ("mode", 2)];
        assert_eq!(found, expected.map(|(word, at)| (word.to_owned(), at)));
    }

    #[test]
    fn data_is_no_term() {
        assert_eq!(terms(&format!("a {} b", "x".repeat(100))), ["a", "b"]);
    }

    #[test]
    fn bytes_name_what_a_term_was_made_of() {
        let text = "Über die Häuser";
        let terms = Analyzer::new(Language::German).terms(text);
        assert_eq!(&text[terms[2].bytes.clone()], "Häuser");
    }

    #[test]
    fn stop_words_are_sorted() {
        assert!(STOP_WORDS.is_sorted());
    }
}
