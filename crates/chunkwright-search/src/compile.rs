//! Compiles a parsed query into a tantivy query for the first stage, and words for the second.

use std::collections::HashMap;

use chunkwright_config::Ranking;
use tantivy::query::{BooleanQuery, BoostQuery, EmptyQuery, Occur, PhraseQuery, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{Searcher, Term};

use crate::analyze::{self, Analyzer};
use crate::excluded::Excluded;
use crate::filter::WholeFiles;
use crate::query::{self, Clause, ClauseContent, Need};
use crate::schema::IndexFields;

/// Maximum number of distinct words in a query. [`WordSet`] has one bit per word.
const MOST_WORDS: usize = 128;

/// A bit set of the words of a query.
pub(crate) type WordSet = u128;

/// Maximum number of terms that a prefix expands to, most frequent first.
const MOST_OF_A_PREFIX: usize = 64;

/// First-stage boost for titles and file names.
const FIRST_STAGE_TITLE: f32 = 3.0;

/// First-stage boost for a page whose title or file name equals the query.
const FIRST_STAGE_KEY: f32 = 10.0;

/// A query compiled for both stages of ranking.
pub(crate) struct Compiled {
    /// The first-stage query, which selects candidates.
    pub(crate) query: Box<dyn Query>,
    /// The words that the second stage counts in the candidates.
    pub(crate) words: Vec<Word>,
    /// Pairs of words that are adjacent in the query.
    pub(crate) pairs: Vec<(usize, usize)>,
    /// The whole query as one term, if it contains only plain words.
    pub(crate) key: Option<Term>,
    pub(crate) warnings: Vec<String>,
}

/// A query word that the second stage counts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Word {
    /// The word as typed.
    pub(crate) typed: String,
    /// The index terms that match the word; several for a prefix.
    pub(crate) terms: Vec<String>,
    /// The only index field to count it in.
    pub(crate) field: Option<query::QueryField>,
    pub(crate) boost: f32,
    /// Whether its components are counted too, as for `ab` in `a-b`.
    pub(crate) is_compound: bool,
}

pub(crate) fn compile(
    query: &query::Query,
    analyzer: &Analyzer,
    fields: &IndexFields,
    searcher: &Searcher,
    ranking: &Ranking,
) -> tantivy::Result<Compiled> {
    let mut compiler = Compiler {
        analyzer,
        fields,
        searcher,
        with_breadcrumbs: ranking.weights.breadcrumb != 0.0,
        keeps_stop_words: !has_content(&query.clauses, analyzer),
        words: Vec::new(),
        known: HashMap::new(),
        sequence: Vec::new(),
        is_full: false,
        is_cut: false,
    };
    let mut found = compiler.clauses(&query.clauses, true)?;
    let key = words_alone(&query.clauses).and_then(|text| analyzer.key(&text));
    let key = key.map(|key| Term::from_field_text(fields.key, &key));
    if let Some(key) = key.clone() {
        let whole = Box::new(TermQuery::new(key, IndexRecordOption::Basic));
        let whole = boosted(whole, FIRST_STAGE_KEY);
        found = any(vec![(Occur::Should, found), (Occur::Should, whole)]);
    }
    let mut pairs: Vec<(usize, usize)> =
        compiler.sequence.windows(2).filter_map(|pair| pair[0].zip(pair[1])).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let is_cut = compiler.is_full || compiler.is_cut;
    let warnings =
        is_cut.then(|| format!("only the first {MOST_WORDS} words of the query are used"));
    Ok(Compiled {
        query: found,
        words: compiler.words,
        pairs,
        key,
        warnings: warnings.into_iter().collect(),
    })
}

/// Returns the text of a query that consists of plain words only.
fn words_alone(clauses: &[Clause]) -> Option<String> {
    let mut text = String::new();
    for clause in clauses {
        let ClauseContent::Word(word) = &clause.content else { return None };
        if clause.need != Need::Wanted || clause.field.is_some() {
            return None;
        }
        text.push_str(word);
    }
    Some(text)
}

/// Returns whether any word that is not forbidden is not a stop word.
fn has_content(clauses: &[Clause], analyzer: &Analyzer) -> bool {
    let wanted = clauses.iter().filter(|clause| clause.need != Need::Forbidden);
    wanted.into_iter().any(|clause| match &clause.content {
        ClauseContent::Word(text) | ClauseContent::Phrase(text) => {
            analyzer.terms(text).iter().any(|term| !term.is_stop_word)
        }
        ClauseContent::Prefix(_) => true,
        ClauseContent::Group(group) => has_content(group, analyzer),
    })
}

struct Compiler<'a> {
    analyzer: &'a Analyzer,
    fields: &'a IndexFields,
    searcher: &'a Searcher,
    /// Whether breadcrumbs have any weight.
    with_breadcrumbs: bool,
    /// Whether stop words are searched for, because the query has no other words.
    keeps_stop_words: bool,
    words: Vec<Word>,
    /// The position of each word, by its index field and first term.
    known: HashMap<(Option<query::QueryField>, String), usize>,
    /// The words in query order; `None` between words that are not adjacent.
    sequence: Vec<Option<usize>>,
    /// Whether the query has more than [`MOST_WORDS`] words.
    is_full: bool,
    /// Whether a clause has more than [`MOST_WORDS`] terms.
    is_cut: bool,
}

type Subquery = (Occur, Box<dyn Query>);

impl Compiler<'_> {
    fn clauses(&mut self, clauses: &[Clause], counts: bool) -> tantivy::Result<Box<dyn Query>> {
        let mut parts: Vec<Subquery> = Vec::new();
        for clause in clauses {
            let counts = counts && clause.need != Need::Forbidden;
            match clause.need {
                // Optional words stay at the top level: tantivy is fastest with a flat query.
                Need::Wanted => {
                    let wanted = self.wanted(clause, counts)?.into_iter();
                    parts.extend(wanted.map(|query| (Occur::Should, query)));
                }
                Need::Required => parts.push((Occur::Must, self.whole(clause, counts)?)),
                Need::Forbidden => {
                    let forbidden = Excluded(self.whole(clause, counts)?);
                    parts.push((Occur::MustNot, Box::new(forbidden)));
                }
            }
        }
        Ok(any(parts))
    }

    /// Compiles an optional clause to queries that each add to the score.
    fn wanted(&mut self, clause: &Clause, counts: bool) -> tantivy::Result<Vec<Box<dyn Query>>> {
        let mut found = Vec::new();
        match &clause.content {
            ClauseContent::Word(text) | ClauseContent::Prefix(text) if is_half_a_pair(text) => {
                let terms = self.expand(clause.field, text)?;
                found.extend(terms.iter().flat_map(|term| self.look_up(clause, term)));
                self.add(clause, text, terms, counts);
            }
            ClauseContent::Word(text) => {
                let terms = self.terms(text);
                for term in &terms {
                    if self.count(clause, text, term, &terms, counts) {
                        found.extend(self.look_up(clause, &term.text));
                    }
                }
            }
            ClauseContent::Prefix(stem) => {
                let terms = self.expand(clause.field, stem)?;
                found.extend(terms.iter().flat_map(|term| self.look_up(clause, term)));
                self.add(clause, &format!("{stem}*"), terms, counts);
                self.sequence.push(None);
            }
            ClauseContent::Phrase(_) | ClauseContent::Group(_) => {
                found.push(self.whole(clause, counts)?)
            }
        }
        Ok(found)
    }

    /// Compiles a clause to a single query that matches if the clause does.
    fn whole(&mut self, clause: &Clause, counts: bool) -> tantivy::Result<Box<dyn Query>> {
        match &clause.content {
            ClauseContent::Word(text) => {
                let terms = self.terms(text);
                for term in &terms {
                    self.count(clause, text, term, &terms, counts);
                }
                let outer = terms
                    .iter()
                    .filter(|term| !terms.iter().any(|other| other != *term && holds(other, term)));
                let all = outer.map(|term| {
                    let anywhere = self.look_up(clause, &term.text).into_iter();
                    (Occur::Must, any(anywhere.map(|query| (Occur::Should, query)).collect()))
                });
                Ok(any(all.collect()))
            }
            ClauseContent::Prefix(_) => {
                let found = self.wanted(clause, counts)?.into_iter();
                Ok(any(found.map(|query| (Occur::Should, query)).collect()))
            }
            ClauseContent::Phrase(text) => Ok(self.phrase(clause, text, counts)),
            ClauseContent::Group(group) => {
                let inner = self.clauses(group, counts)?;
                Ok(boosted(inner, clause.boost))
            }
        }
    }

    fn phrase(&mut self, clause: &Clause, text: &str, counts: bool) -> Box<dyn Query> {
        let terms = self.first(self.analyzer.terms(text));
        let inner: Vec<_> = terms
            .iter()
            .filter(|term| !terms.iter().any(|other| other != *term && holds(term, other)))
            .collect();
        for term in &inner {
            if !term.is_stop_word || self.keeps_stop_words {
                self.count(clause, text, term, &terms, counts);
            }
        }
        if let [term] = inner[..] {
            let found = self.look_up(clause, &term.text).into_iter();
            return any(found.map(|query| (Occur::Should, query)).collect());
        }
        if inner.is_empty() {
            return Box::new(EmptyQuery);
        }
        let fields = self.fields_with_positions(clause.field);
        let in_field = |field: Field| {
            let placed = inner
                .iter()
                .map(|term| (term.position, Term::from_field_text(field, &term.text)))
                .collect();
            let phrase = self.in_files(field, Box::new(PhraseQuery::new_with_offset(placed)));
            (Occur::Should, boosted(phrase, clause.boost * self.first_stage_boost(field)))
        };
        any(fields.into_iter().map(in_field).collect())
    }

    /// Returns the terms of a word, without stop words unless the query has nothing else.
    fn terms(&mut self, text: &str) -> Vec<analyze::Term> {
        let mut terms = self.analyzer.terms(text);
        if !self.keeps_stop_words {
            terms.retain(|term| !term.is_stop_word);
        }
        self.first(terms)
    }

    /// Truncates the terms of a clause, because every term is compared with every other one.
    fn first(&mut self, mut terms: Vec<analyze::Term>) -> Vec<analyze::Term> {
        self.is_cut |= terms.len() > MOST_WORDS;
        terms.truncate(MOST_WORDS);
        terms
    }

    /// Adds a term to the words of the second stage. Returns false if the query has too many words.
    fn count(
        &mut self,
        clause: &Clause,
        text: &str,
        term: &analyze::Term,
        all: &[analyze::Term],
        counts: bool,
    ) -> bool {
        let typed = &text[term.bytes.clone()];
        let Some(word) = self.add(clause, typed, vec![term.text.clone()], counts) else {
            return !self.is_full;
        };
        // Compound terms take no part in bigrams; their components do.
        match all.iter().any(|other| holds(term, other)) {
            true => self.words[word].is_compound = true,
            false => self.sequence.push(Some(word)),
        }
        true
    }

    /// Adds a word, or finds it among those added before. Returns its index, or `None` if it is not
    /// counted.
    fn add(
        &mut self,
        clause: &Clause,
        typed: &str,
        terms: Vec<String>,
        counts: bool,
    ) -> Option<usize> {
        let first = terms.first().filter(|_| counts)?;
        if clause.field == Some(query::QueryField::Tree) {
            return None;
        }
        let key = (clause.field, first.clone());
        if let Some(&known) = self.known.get(&key) {
            self.words[known].boost = self.words[known].boost.max(clause.boost);
            return Some(known);
        }
        if self.words.len() == MOST_WORDS {
            self.is_full = true;
            return None;
        }
        let place = self.words.len();
        self.known.insert(key, place);
        self.words.push(Word {
            typed: typed.to_owned(),
            terms,
            field: clause.field,
            boost: clause.boost,
            is_compound: false,
        });
        Some(place)
    }

    /// Returns a query for each index field that may contain a term.
    fn look_up(&self, clause: &Clause, term: &str) -> Vec<Box<dyn Query>> {
        let fields = match clause.field {
            None => {
                let IndexFields { title, breadcrumb, body, about, name, .. } = *self.fields;
                let above = self.with_breadcrumbs.then_some(breadcrumb);
                [title, body, about, name].into_iter().chain(above).collect()
            }
            Some(query::QueryField::Tree) => vec![self.fields.tree],
            Some(_) => self.fields_with_positions(clause.field),
        };
        let term = match (&clause.content, clause.field) {
            // Tree names are not stemmed.
            (ClauseContent::Word(name), Some(query::QueryField::Tree)) => name,
            _ => term,
        };
        let in_field = |field: Field| {
            let term = Term::from_field_text(field, term);
            let option = match field == self.fields.tree {
                true => IndexRecordOption::Basic,
                false => IndexRecordOption::WithFreqs,
            };
            let query = self.in_files(field, Box::new(TermQuery::new(term, option)));
            boosted(query, clause.boost * self.first_stage_boost(field))
        };
        fields.into_iter().map(in_field).collect()
    }

    /// Widens a match on a path or tag to all nodes of the file: only its first node has them.
    fn in_files(&self, field: Field, query: Box<dyn Query>) -> Box<dyn Query> {
        match field == self.fields.path || field == self.fields.tag {
            true => Box::new(WholeFiles(query)),
            false => query,
        }
    }

    fn first_stage_boost(&self, field: Field) -> f32 {
        if field == self.fields.title || field == self.fields.name {
            FIRST_STAGE_TITLE
        } else {
            1.0
        }
    }

    fn fields_with_positions(&self, field: Option<query::QueryField>) -> Vec<Field> {
        let fields = self.fields;
        match field {
            None if !self.with_breadcrumbs => vec![fields.title, fields.body],
            None => vec![fields.title, fields.breadcrumb, fields.body],
            Some(query::QueryField::Title) => vec![fields.title],
            Some(query::QueryField::Body) => vec![fields.body],
            Some(query::QueryField::Path) => vec![fields.path],
            Some(query::QueryField::Tag) => vec![fields.tag],
            Some(query::QueryField::Tree) => Vec::new(),
        }
    }

    /// Returns the most frequent indexed terms with a prefix, and the stem of the prefix itself.
    fn expand(
        &self,
        field: Option<query::QueryField>,
        prefix: &str,
    ) -> tantivy::Result<Vec<String>> {
        let prefix = prefix.to_lowercase();
        let mut found: HashMap<String, u64> = HashMap::new();
        for reader in self.searcher.segment_readers() {
            for field in self.fields_with_positions(field) {
                let index = reader.inverted_index(field)?;
                let mut terms = index.terms().range().ge(&prefix).into_stream()?;
                while let Some((term, info)) = terms.next() {
                    if !term.starts_with(prefix.as_bytes()) {
                        break;
                    }
                    let term = String::from_utf8_lossy(term).into_owned();
                    *found.entry(term).or_default() += u64::from(info.doc_freq);
                }
            }
        }
        let mut terms: Vec<(String, u64)> = found.into_iter().collect();
        terms.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
        terms.truncate(MOST_OF_A_PREFIX);
        let mut terms: Vec<String> = terms.into_iter().map(|(term, _)| term).collect();
        for own in self.analyzer.terms(&prefix) {
            if !terms.contains(&own.text) {
                terms.push(own.text);
            }
        }
        Ok(terms)
    }
}

/// Returns whether a word is a single character of a script that is indexed in pairs.
fn is_half_a_pair(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(analyze::is_paired) && letters.next().is_none()
}

/// Returns whether the source range of the first term strictly contains that of the second.
fn holds(outer: &analyze::Term, inner: &analyze::Term) -> bool {
    let is_inside = outer.bytes.start <= inner.bytes.start && inner.bytes.end <= outer.bytes.end;
    is_inside && outer.bytes != inner.bytes
}

fn any(mut parts: Vec<Subquery>) -> Box<dyn Query> {
    match parts.len() {
        0 => Box::new(EmptyQuery),
        1 if parts[0].0 != Occur::MustNot => parts.remove(0).1,
        _ => Box::new(BooleanQuery::new(parts)),
    }
}

fn boosted(query: Box<dyn Query>, boost: f32) -> Box<dyn Query> {
    if boost == 1.0 { query } else { Box::new(BoostQuery::new(query, boost)) }
}
