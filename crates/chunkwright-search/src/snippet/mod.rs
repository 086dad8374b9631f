//! Picks the passage of a text that best matches a query, and shows it as a single line.
//!
//! The Markdown is first reduced to running text, so that link targets and other markup neither
//! match nor take up space. Every passage that starts at the sentence of a match is then scored by
//! the distinct query words in it.

mod inline;
mod plain;

use std::collections::HashMap;
use std::ops::Range;

use crate::analyze::{Analyzer, Term, is_paired};
use plain::{Plain, PlainKind};

/// The maximum length of a snippet.
const SNIPPET_BYTES: usize = 240;

/// The mark of a truncated sentence.
const ELLIPSIS: &str = "…";

/// The maximum length of the text between two ellipses.
const PASSAGE_BYTES: usize = SNIPPET_BYTES - 2 * ELLIPSIS.len();

/// The maximum distance of a match from the start of its sentence, if the passage starts there.
const FARTHEST_MATCH: usize = PASSAGE_BYTES * 2 / 3;

/// The length of the text before a match that is farther into its sentence.
const LEAD_BYTES: usize = PASSAGE_BYTES / 4;

/// The maximum number of bytes between matches that are close together.
const CLOSE_BYTES: usize = 24;

/// The bonus for a word close to the match before it, as a share of its worth.
const CLOSENESS: f32 = 0.2;

/// A term of the query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct QueryTerm {
    /// The index of its word; a word with a wildcard has several terms.
    pub(crate) word: usize,
    /// Its weight, which is larger for rarer words.
    pub(crate) worth: f32,
}

/// A passage of a text, and the matches in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Snippet {
    pub(crate) text: String,
    /// Byte ranges of `text`.
    pub(crate) highlights: Vec<(usize, usize)>,
}

/// Returns the snippet of a text whose body starts at `body`. The heading before it is shown only
/// if the body has no visible text.
pub(crate) fn snippet(
    text: &str,
    body: usize,
    analyzer: &Analyzer,
    wanted: &HashMap<String, QueryTerm>,
) -> Snippet {
    let mut plain = Plain::of(text.get(body..).unwrap_or(text));
    if plain.text.is_empty() {
        plain = Plain::of(text);
    }
    let matches = matches(&plain, analyzer, wanted);
    let sentences = sentences(&plain);
    let start = best_start(&plain, &sentences, &matches);
    let passage = passage(&plain, &sentences, &matches, start);
    show(&plain, &sentences, passage, &matches)
}

/// An occurrence of a query word in the text.
#[derive(Clone, Debug, PartialEq)]
struct Match {
    bytes: Range<usize>,
    word: usize,
    worth: f32,
}

/// Returns the matches in reading order.
fn matches(plain: &Plain, analyzer: &Analyzer, wanted: &HashMap<String, QueryTerm>) -> Vec<Match> {
    let mut blocks = plain.blocks.iter().peekable();
    let found =
        analyzer.terms(&plain.text).into_iter().filter_map(|Term { text, bytes, .. }| {
            while blocks.peek().is_some_and(|block| block.end <= bytes.start) {
                blocks.next();
            }
            let QueryTerm { word, worth } = *wanted.get(&text)?;
            let kind = blocks.peek().map_or(PlainKind::Prose, |block| block.kind);
            Some(Match { bytes, word, worth: worth * preference(kind) })
        });
    found.collect()
}

/// Returns the weight of matches in a kind of block. Prose and code are more likely to answer a
/// question than headings and links.
fn preference(kind: PlainKind) -> f32 {
    match kind {
        PlainKind::Prose => 1.0,
        PlainKind::Code => 0.9,
        PlainKind::Row => 0.8,
        PlainKind::Links => 0.6,
        PlainKind::Heading => 0.5,
    }
}

/// Returns the sentences of the text. A line of code counts as a sentence.
fn sentences(plain: &Plain) -> Vec<Range<usize>> {
    let mut sentences = Vec::new();
    for block in &plain.blocks {
        let mut start = block.start;
        if block.kind != PlainKind::Code {
            for end in sentence_ends(&plain.text[block.start..block.end]) {
                let end = block.start + end;
                sentences.push(start..end);
                start = end + plain.text[end..].len() - plain.text[end..].trim_start().len();
            }
        }
        if start < block.end {
            sentences.push(start..block.end);
        }
    }
    sentences
}

/// Returns the offsets at which sentences end, except for the last sentence of a block.
fn sentence_ends(block: &str) -> impl Iterator<Item = usize> {
    block.match_indices(['.', '!', '?', '。', '！', '？']).filter_map(|(at, mark)| {
        let after = &block[at + mark.len()..];
        let closing = after.trim_start_matches(['"', '\'', ')', '”', '’', '」', '』']);
        let end = block.len() - closing.len();
        let next = closing.trim_start().chars().next()?;
        let is_start = closing.starts_with(' ') && !next.is_lowercase() && next != '·';
        let is_end = !mark.is_ascii() || (is_start && !is_abbreviation(&block[..at]));
        is_end.then_some(end)
    })
}

/// Returns whether the period after this text belongs to an abbreviation.
fn is_abbreviation(before: &str) -> bool {
    let word = before.rsplit([' ', '(']).next().unwrap_or_default();
    matches!(word, "e.g" | "i.e" | "etc" | "vs" | "cf" | "aka" | "approx" | "Mr" | "Mrs" | "Dr")
        || (word.len() == 1 && word.bytes().all(|byte| byte.is_ascii_uppercase()))
}

/// Returns the start of the passage with the best matches, or of the first among equals.
fn best_start(plain: &Plain, sentences: &[Range<usize>], matches: &[Match]) -> usize {
    let words = matches.iter().map(|one| one.word + 1).max().unwrap_or(0);
    let mut scorer = Scorer { seen: vec![(0, 0.0); words], passage: 0 };
    let mut best = (0.0, 0);
    let mut last = None;
    for (nth, one) in matches.iter().enumerate() {
        let sentence = sentences.partition_point(|sentence| sentence.end <= one.bytes.start);
        let start = sentences.get(sentence).map_or(0, |sentence| sentence.start);
        let start = match one.bytes.end > start + FARTHEST_MATCH {
            true => next_break(
                &plain.text,
                start.max(one.bytes.start.saturating_sub(LEAD_BYTES)),
                one.bytes.start,
            ),
            false => start,
        };
        if last.replace(start) == Some(start) {
            continue;
        }
        let before = matches[..nth].iter().rev().take_while(|one| one.bytes.start >= start).count();
        let inside = &matches[nth - before..];
        let score = scorer.score(inside, start + PASSAGE_BYTES);
        if score > best.0 + 1e-3 {
            best = (score, start);
        }
    }
    best.1
}

/// Scores passages.
struct Scorer {
    /// For each word, the last passage that contains it, and its worth there.
    seen: Vec<(usize, f32)>,
    passage: usize,
}

impl Scorer {
    /// Adds up the worth of the distinct words among the matches before `end`.
    fn score(&mut self, matches: &[Match], end: usize) -> f32 {
        self.passage += 1;
        let mut sum = 0.0;
        let mut last: Option<&Match> = None;
        for one in matches.iter().take_while(|one| one.bytes.end <= end) {
            let (passage, counted) = &mut self.seen[one.word];
            if *passage != self.passage {
                (*passage, *counted) = (self.passage, 0.0);
                let is_close = |last: &Match| one.bytes.start <= last.bytes.end + CLOSE_BYTES;
                if last.is_some_and(is_close) {
                    sum += one.worth * CLOSENESS;
                }
            }
            if one.worth > *counted {
                sum += one.worth - *counted;
                *counted = one.worth;
            }
            last = Some(one);
        }
        sum
    }
}

/// Returns the passage that starts at `start`.
///
/// It ends with a sentence if one ends near the limit and no query word is lost, or else with a
/// word. A passage at the end of the text starts earlier to use its full length.
fn passage(
    plain: &Plain,
    sentences: &[Range<usize>],
    matches: &[Match],
    start: usize,
) -> Range<usize> {
    let text = &*plain.text;
    if text.len() - start <= PASSAGE_BYTES {
        let earliest = text.len().saturating_sub(PASSAGE_BYTES);
        let heading = plain
            .blocks
            .iter()
            .rfind(|block| block.kind == PlainKind::Heading && block.end <= start);
        let earliest = earliest.max(heading.map_or(0, |heading| heading.end));
        let first = sentences.partition_point(|sentence| sentence.start < earliest);
        let first = sentences.get(first).map_or(start, |sentence| sentence.start);
        return first.min(start)..text.len();
    }
    let limit = start + PASSAGE_BYTES;
    let last = sentences.partition_point(|sentence| sentence.end <= limit);
    let end = last.checked_sub(1).map_or(0, |last| sentences[last].end);
    let first = matches.partition_point(|one| one.bytes.start < start);
    let inside = matches[first..].iter().take_while(|one| one.bytes.end <= limit);
    let (shown, left_out): (Vec<_>, Vec<_>) = inside.partition(|one| one.bytes.end <= end);
    let is_complete = left_out.iter().all(|one| shown.iter().any(|other| other.word == one.word));
    if end >= start + PASSAGE_BYTES * 3 / 4 && is_complete {
        return start..end;
    }
    start..last_break(text, start, limit)
}

/// Returns whether a position is not inside a word.
fn is_break(text: &str, at: usize) -> bool {
    let (Some(before), Some(after)) = (text[..at].chars().next_back(), text[at..].chars().next())
    else {
        return true;
    };
    let is_wide =
        |c: char| is_paired(c) || matches!(c, '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ff0f}');
    before.is_whitespace() || after.is_whitespace() || is_wide(before) || is_wide(after)
}

/// Returns the first position from `from` up to `to` where a word starts, or `to`.
fn next_break(text: &str, from: usize, to: usize) -> usize {
    let mut places = (from..to).filter(|&at| text.is_char_boundary(at) && is_break(text, at));
    places.find(|&at| !text[at..].starts_with([' ', '·'])).unwrap_or(to)
}

/// Returns the last position up to `to` where a word ends. A word longer than a snippet is split
/// between two characters.
fn last_break(text: &str, from: usize, to: usize) -> usize {
    let places = || (from + 1..=to.min(text.len())).rev().filter(|&at| text.is_char_boundary(at));
    let end = places().find(|&at| is_break(text, at)).or_else(|| places().next()).unwrap_or(from);
    from + text[from..end].trim_end_matches([' ', '·']).len()
}

/// Writes a passage with its ellipses and highlights.
fn show(
    plain: &Plain,
    sentences: &[Range<usize>],
    passage: Range<usize>,
    matches: &[Match],
) -> Snippet {
    let sentence = |at: usize| sentences.partition_point(|sentence| sentence.start < at);
    let is_start =
        sentences.get(sentence(passage.start)).map_or(0, |next| next.start) == passage.start;
    let last = sentence(passage.end).checked_sub(1).map_or(0, |last| sentences[last].end);
    let mut text = String::with_capacity(SNIPPET_BYTES);
    text.push_str(if is_start { "" } else { ELLIPSIS });
    let lead = text.len();
    text.push_str(&plain.text[passage.clone()]);
    text.push_str(if last <= passage.end { "" } else { ELLIPSIS });
    let mut highlights: Vec<(usize, usize)> = Vec::new();
    let first = matches.partition_point(|one| one.bytes.start < passage.start);
    for one in matches[first..].iter().take_while(|one| one.bytes.start < passage.end) {
        let (from, to) =
            (one.bytes.start - passage.start + lead, one.bytes.end - passage.start + lead);
        match highlights.last_mut() {
            _ if one.bytes.end > passage.end => {}
            Some(last) if from < last.1 => last.1 = last.1.max(to),
            _ => highlights.push((from, to)),
        }
    }
    Snippet { text, highlights }
}

#[cfg(test)]
mod tests;
