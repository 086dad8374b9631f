//! Parses the query language.
//!
//! | syntax | meaning |
//! |---|---|
//! | `a b` | optional words; each adds to the score |
//! | `+a`, `-a` | a required word, a forbidden word |
//! | `"a b"` | a phrase |
//! | `a OR b` | either word, as one clause |
//! | `( )` | a group |
//! | `title:a` | a word in one index field: `title`, `body`, `path`, `tag` or `tree` |
//! | `a^2` | a word with twice the weight |
//! | `pre*` | words with a prefix |
//!
//! Parsing never fails. Signs are operators only where they cannot be prose. Anything with a syntax
//! error is read as plain words, and reported as an [`Oddity`].

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

/// Maximum nesting of groups. Deeper ones are read as words.
const DEEPEST_GROUP: usize = 20;

/// A parsed query.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Query {
    /// The clauses, in order.
    pub(crate) clauses: Vec<Clause>,
    /// The syntax errors, in order.
    pub(crate) oddities: Vec<Oddity>,
}

/// A clause of a query.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Clause {
    /// Whether a match is optional, required or forbidden.
    pub(crate) need: Need,
    /// The text to search for.
    pub(crate) content: ClauseContent,
    /// The only index field to search, if any.
    pub(crate) field: Option<QueryField>,
    /// The factor for its weight.
    pub(crate) boost: f32,
}

/// The effect of a clause on which documents match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// A match adds to the score.
    Wanted,
    /// Only documents that match are found.
    Required,
    /// Documents that match are not found.
    Forbidden,
}

/// The content of a clause.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ClauseContent {
    /// A word, or several without spaces between them.
    Word(String),
    /// Any word with this prefix.
    Prefix(String),
    /// Words in this order.
    Phrase(String),
    /// Several clauses.
    Group(Vec<Clause>),
}

/// An index field that a query can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub(crate) enum QueryField {
    Title,
    Body,
    Path,
    Tag,
    Tree,
}

impl QueryField {
    /// All index fields, with their names in queries.
    pub(crate) const NAMES: &'static [(&'static str, Self)] = &[
        ("title", Self::Title),
        ("body", Self::Body),
        ("path", Self::Path),
        ("tag", Self::Tag),
        ("tree", Self::Tree),
    ];
}

/// A syntax error in a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Oddity {
    /// The byte offset in the query.
    pub(crate) at: usize,
    /// The message.
    pub(crate) message: &'static str,
}

impl Oddity {
    /// Returns the message and the query, with a caret under the position.
    pub(crate) fn pointed(&self, query: &str) -> String {
        let line = query.replace(['\n', '\r', '\t'], " ");
        let before = query.get(..self.at).unwrap_or(query).chars().count();
        format!("{}\n  {line}\n  {}^", self.message, " ".repeat(before))
    }
}

impl fmt::Display for Oddity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.message, self.at)
    }
}

/// Parses a query. Never fails.
pub(crate) fn parse(text: &str) -> Query {
    let closings = closings(text);
    let mut reader =
        QueryParser { text, closings, quoteless: 0, signs: Signs::Operators, oddities: Vec::new() };
    let mut clauses = reader.clauses(0..text.len(), 0);
    if !has_plain(&clauses) && clauses.iter().any(|clause| clause.need != Need::Wanted) {
        reader.signs = Signs::Text;
        reader.quoteless = 0;
        reader.oddities.clear();
        clauses = reader.clauses(0..text.len(), 0);
        let at = text.find(['+', '-']).unwrap_or(0);
        let message = "signs ignored: every word has a `+` or `-`";
        reader.oddities.push(Oddity { at, message });
    }
    let mut oddities = reader.oddities;
    oddities.sort_by_key(|oddity| oddity.at);
    Query { clauses, oddities }
}

/// Maps each opening parenthesis to its closing one. A single pass keeps parsing linear if many are
/// unclosed.
fn closings(text: &str) -> HashMap<usize, usize> {
    let mut open = Vec::new();
    let mut closings = HashMap::new();
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => open.push(at),
            b')' => closings.extend(open.pop().map(|start| (start, at))),
            _ => {}
        }
    }
    closings
}

/// Returns whether any clause has no sign.
fn has_plain(clauses: &[Clause]) -> bool {
    clauses.iter().any(|clause| clause.need == Need::Wanted)
}

/// The meaning of `+` and `-`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Signs {
    Operators,
    Text,
}

struct QueryParser<'a> {
    text: &'a str,
    /// The closing parenthesis of each opening one.
    closings: HashMap<usize, usize>,
    /// The end of a range known to contain no closing quote. It keeps parsing linear.
    quoteless: usize,
    signs: Signs,
    oddities: Vec<Oddity>,
}

impl<'a> QueryParser<'a> {
    /// Parses the clauses in a range of the query.
    fn clauses(&mut self, stretch: Range<usize>, depth: usize) -> Vec<Clause> {
        let mut clauses: Vec<Clause> = Vec::new();
        // The offset of an `OR` that has no right operand yet.
        let mut or: Option<usize> = None;
        let mut at = stretch.start;
        while let Some(start) = self.skip_space(at, stretch.end) {
            if let Some(end) = self.or_at(start, stretch.end) {
                match clauses.last() {
                    Some(last) if last.need != Need::Forbidden && or.is_none() => or = Some(start),
                    _ => clauses.push(self.odd_word(start..end, "`OR` without a left operand")),
                }
                at = end;
                continue;
            }
            let (clause, end) = self.clause(start, stretch.end, depth);
            at = end.max(start + 1);
            match (or.take(), clause) {
                (Some(_), Some(clause)) => join(&mut clauses, clause),
                (waiting, None) => or = waiting,
                (None, Some(clause)) => clauses.push(clause),
            }
        }
        if let Some(start) = or {
            clauses.push(self.odd_word(start..start + 2, "`OR` without a right operand"));
        }
        clauses
    }

    /// Parses one clause, and returns it with its end.
    fn clause(&mut self, start: usize, limit: usize, depth: usize) -> (Option<Clause>, usize) {
        let (need, after_sign) = self.sign(start, limit);
        let (field, at) = self.field(after_sign, limit);
        let (content, end) = match self.text.as_bytes()[at] {
            b'"' => match self.phrase(at, limit) {
                Some(found) => found,
                None => return (self.rest_of_word(start, limit), self.word_end(start, limit)),
            },
            b'(' if field.is_none() && need == Need::Wanted => match self.group(at, limit, depth) {
                Some(found) => found,
                None => return (self.rest_of_word(start, limit), self.word_end(start, limit)),
            },
            _ => return self.word(need, field, at, limit),
        };
        let (boost, end) = self.boost_after(end, limit);
        let is_empty = matches!(&content, ClauseContent::Group(clauses) if clauses.is_empty());
        ((!is_empty).then_some(Clause { need, content, field, boost }), end)
    }

    /// Parses a sign, which is an operator only before a letter or a quote.
    fn sign(&self, start: usize, limit: usize) -> (Need, usize) {
        let mut rest = self.text[start..limit].chars();
        let need = match rest.next() {
            Some('+') => Need::Required,
            Some('-') => Need::Forbidden,
            _ => return (Need::Wanted, start),
        };
        let counts = rest.next().is_some_and(|c| c.is_alphabetic() || c == '"');
        if counts && self.signs == Signs::Operators {
            return (need, start + 1);
        }
        (Need::Wanted, if counts { start + 1 } else { start })
    }

    /// Parses the name of an index field, which must be known and directly followed by a value.
    fn field(&self, start: usize, limit: usize) -> (Option<QueryField>, usize) {
        let rest = &self.text[start..limit];
        for &(name, field) in QueryField::NAMES {
            let Some(value) = rest.strip_prefix(name).and_then(|rest| rest.strip_prefix(':'))
            else {
                continue;
            };
            if value
                .starts_with(|c: char| c.is_alphanumeric() || matches!(c, '"' | '_' | '/' | '.'))
            {
                return (Some(field), start + name.len() + 1);
            }
        }
        (None, start)
    }

    /// Parses a phrase. Quotes open at the start of a word, and close at the end of one.
    fn phrase(&mut self, start: usize, limit: usize) -> Option<(ClauseContent, usize)> {
        let inside = start + 1;
        let closes = |at: &usize| self.ends_word(at + 1, limit);
        let quotes = self.text[inside..limit].match_indices('"').map(|(at, _)| inside + at);
        let end = if limit <= self.quoteless { None } else { quotes.into_iter().find(closes) };
        let Some(end) = end else {
            self.quoteless = self.quoteless.max(limit);
            self.odd(start, "unclosed quote");
            return None;
        };
        let words = &self.text[inside..end];
        if !words.contains(char::is_alphanumeric) {
            self.odd(start, "no words between the quotes");
            return None;
        }
        Some((ClauseContent::Phrase(words.to_owned()), end + 1))
    }

    fn group(
        &mut self,
        start: usize,
        limit: usize,
        depth: usize,
    ) -> Option<(ClauseContent, usize)> {
        let Some(end) = self.closings.get(&start).copied().filter(|&end| end < limit) else {
            self.odd(start, "unclosed parenthesis");
            return None;
        };
        if depth == DEEPEST_GROUP {
            self.odd(start, "parentheses nested too deeply");
            return None;
        }
        Some((ClauseContent::Group(self.clauses(start + 1..end, depth + 1)), end + 1))
    }

    fn word(
        &mut self,
        need: Need,
        field: Option<QueryField>,
        start: usize,
        limit: usize,
    ) -> (Option<Clause>, usize) {
        let end = self.word_end(start, limit);
        let word = &self.text[start..end];
        if word.contains(')') && !word.contains('(') && limit == self.text.len() {
            let at = start + word.find(')').unwrap_or(0);
            self.odd(at, "unmatched closing parenthesis");
        }
        let (word, boost) = boosted(word);
        let content = match word.strip_suffix('*').filter(|stem| is_stem(stem)) {
            Some(stem) => ClauseContent::Prefix(stem.to_owned()),
            None => ClauseContent::Word(word.to_owned()),
        };
        let has_letters = word.contains(char::is_alphanumeric);
        (has_letters.then_some(Clause { need, content, field, boost }), end)
    }

    /// Reads a word with all its signs as plain text.
    fn rest_of_word(&self, start: usize, limit: usize) -> Option<Clause> {
        let word = &self.text[start..self.word_end(start, limit)];
        word.contains(char::is_alphanumeric).then(|| plain(word))
    }

    fn odd_word(&mut self, word: Range<usize>, message: &'static str) -> Clause {
        self.odd(word.start, message);
        plain(&self.text[word])
    }

    fn odd(&mut self, at: usize, message: &'static str) {
        self.oddities.push(Oddity { at, message });
    }

    /// Parses `^2` after a quote or a parenthesis.
    fn boost_after(&self, end: usize, limit: usize) -> (f32, usize) {
        let word_end = self.word_end(end, limit);
        let number = self.text[end..word_end].strip_prefix('^').and_then(boost);
        number.map_or((1.0, end), |boost| (boost, word_end))
    }

    fn or_at(&self, start: usize, limit: usize) -> Option<usize> {
        let end = self.word_end(start, limit);
        (&self.text[start..end] == "OR").then_some(end)
    }

    fn skip_space(&self, at: usize, limit: usize) -> Option<usize> {
        let rest = &self.text[at..limit];
        rest.find(|c: char| !c.is_whitespace()).map(|skipped| at + skipped)
    }

    fn word_end(&self, start: usize, limit: usize) -> usize {
        let rest = &self.text[start..limit];
        start + rest.find(char::is_whitespace).unwrap_or(rest.len())
    }

    fn ends_word(&self, at: usize, limit: usize) -> bool {
        let next = self.text[at..limit].chars().next();
        next.is_none_or(|c| c.is_whitespace() || matches!(c, '^' | ')' | ',' | '.' | '?' | '!'))
    }
}

/// Groups a clause after an `OR` with the one before it.
fn join(clauses: &mut Vec<Clause>, clause: Clause) {
    let Some(last) = clauses.last_mut() else { return clauses.push(clause) };
    let need = last.need;
    if let ClauseContent::Group(group) = &mut last.content
        && group.iter().all(|inner| inner.need == Need::Wanted)
        && last.boost == 1.0
    {
        group.push(Clause { need: Need::Wanted, ..clause });
        return;
    }
    let first = Clause { need: Need::Wanted, ..last.clone() };
    let second = Clause { need: Need::Wanted, ..clause };
    *last = Clause {
        need,
        content: ClauseContent::Group(vec![first, second]),
        field: None,
        boost: 1.0,
    };
}

fn plain(word: &str) -> Clause {
    Clause {
        need: Need::Wanted,
        content: ClauseContent::Word(word.to_owned()),
        field: None,
        boost: 1.0,
    }
}

/// Splits a boost such as `^2` from a word. `x^2` is mathematics: a boost needs a longer word.
fn boosted(word: &str) -> (&str, f32) {
    let parted = word.rsplit_once('^').and_then(|(base, number)| Some((base, boost(number)?)));
    match parted {
        Some((base, boost)) if is_stem(base.trim_end_matches('*')) => (base, boost),
        _ => (word, 1.0),
    }
}

fn boost(number: &str) -> Option<f32> {
    let digits = number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let value = number.parse::<f32>().ok().filter(|_| digits);
    value.filter(|value| (0.0..=100.0).contains(value))
}

/// Returns whether a text is a plain word of at least two letters or digits.
fn is_stem(word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    word.chars().filter(|c| c.is_alphanumeric()).count() >= 2 && word.chars().all(is_part)
}

#[cfg(test)]
mod tests;
