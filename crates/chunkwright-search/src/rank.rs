//! The second stage of ranking: candidates come in, their scores go out.
//!
//! A node is scored by BM25F: how often a word is in each field, by the weight and the length of
//! the field, is one number, and only that number saturates. To this come the same over pairs of
//! words that are neighbours in the query too, and the score of the whole document. Each of the
//! three is divided by the best of all candidates before they are added.
//!
//! All counts are read from the postings of the index, file by file.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use tantivy::columnar::ColumnValues;
use tantivy::fieldnorm::FieldNormReader;
use tantivy::postings::{Postings, SegmentPostings};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocAddress, DocId, DocSet, Searcher, SegmentReader, TERMINATED, Term};

use crate::compile::Word;
use crate::options::{Indexing, Ranking};
use crate::query;
use crate::runs::{Runs, narrow};
use crate::schema::Fields;

/// A candidate with its score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scored {
    pub(crate) address: DocAddress,
    /// Whether a word is in its title or body.
    pub(crate) own: bool,
    pub(crate) score: Score,
}

/// What a score is made of; each of the three is 1 for the best candidate.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Score {
    /// The node's own words.
    pub(crate) words: f64,
    /// Neighbouring words.
    pub(crate) bigrams: f64,
    /// The whole document.
    pub(crate) document: f64,
    /// The weighted sum.
    pub(crate) total: f64,
}

/// What is known of the whole index.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Statistics {
    nodes: f64,
    title_terms: f32,
    breadcrumb_terms: f32,
    body_terms: f32,
    document_bytes: f32,
}

impl Statistics {
    pub(crate) fn of(searcher: &Searcher, fields: &Fields) -> tantivy::Result<Self> {
        let (mut nodes, mut bytes, mut documents) = (0, 0, 0);
        let mut terms = [0_u64; 3];
        for reader in searcher.segment_readers() {
            nodes += u64::from(reader.max_doc());
            for (sum, field) in terms.iter_mut().zip(fields.ranked()) {
                *sum += reader.inverted_index(field)?.total_num_tokens();
            }
            let (of_segment, count) = Runs::open(reader)?.total_bytes();
            bytes += of_segment;
            documents += count;
        }
        let mean = |sum: u64, count: u64| (sum as f64 / count.max(1) as f64).max(1.0) as f32;
        let [title, breadcrumb, body] = terms;
        Ok(Self {
            nodes: nodes as f64,
            title_terms: mean(title, nodes),
            breadcrumb_terms: mean(breadcrumb, nodes),
            body_terms: mean(body, nodes),
            document_bytes: mean(bytes, documents),
        })
    }

    /// How telling a word is that so many nodes have.
    fn rarity(&self, nodes: u64) -> f32 {
        let nodes = nodes as f64;
        (1.0 + (self.nodes - nodes + 0.5).max(0.5) / (nodes + 0.5)).ln() as f32
    }
}

impl Fields {
    /// The fields that nodes are ranked by, in the order of their slots.
    fn ranked(&self) -> [Field; 3] {
        [self.title, self.breadcrumb, self.body]
    }
}

/// What ranking needs besides the candidates.
pub(crate) struct Ranker<'a> {
    pub(crate) searcher: &'a Searcher,
    pub(crate) fields: &'a Fields,
    pub(crate) statistics: &'a Statistics,
    pub(crate) indexing: &'a Indexing,
    pub(crate) ranking: &'a Ranking,
    pub(crate) words: &'a [Word],
    pub(crate) pairs: &'a [(usize, usize)],
}

impl Ranker<'_> {
    /// Scores candidates, and the nodes that candidates are parts of.
    pub(crate) fn rank(&self, candidates: &[DocAddress]) -> tantivy::Result<Vec<Scored>> {
        let rarities = self.rarities()?;
        let mut scored = Vec::new();
        for (segment, reader) in (0..).zip(self.searcher.segment_readers()) {
            let here = candidates.iter().filter(|candidate| candidate.segment_ord == segment);
            let docs: Vec<DocId> = here.map(|candidate| candidate.doc_id).collect();
            if docs.is_empty() {
                continue;
            }
            let mut counts = Counts::new(self, reader, docs)?;
            for (nth, rarity) in rarities.iter().enumerate() {
                counts.count(nth, *rarity)?;
            }
            counts.count_pairs(&rarities);
            scored.extend(counts.scored(segment));
        }
        self.combine(&mut scored);
        Ok(scored)
    }

    fn rarities(&self) -> tantivy::Result<Vec<f32>> {
        let rarity = |word: &Word| {
            let mut most = 0;
            for field in self.fields_of(word) {
                let mut nodes = 0;
                for term in &word.terms {
                    nodes += self.searcher.doc_freq(&Term::from_field_text(field, term))?;
                }
                most = most.max(nodes);
            }
            Ok(self.statistics.rarity(most) * word.boost)
        };
        self.words.iter().map(rarity).collect()
    }

    /// Where a word is counted.
    fn fields_of(&self, word: &Word) -> Vec<Field> {
        let fields = self.fields;
        match word.field {
            None => vec![fields.title, fields.breadcrumb, fields.body, fields.about],
            Some(query::Field::Title) => vec![fields.title],
            Some(query::Field::Body) => vec![fields.body],
            Some(query::Field::Path) => vec![fields.path],
            Some(query::Field::Tag) => vec![fields.tag],
            Some(query::Field::Tree) => Vec::new(),
        }
    }

    fn combine(&self, scored: &mut [Scored]) {
        let best = |part: fn(&Score) -> f64| {
            let best = scored.iter().map(|one| part(&one.score)).fold(0.0, f64::max);
            if best > 0.0 { best } else { 1.0 }
        };
        let (words, bigrams) = (best(|score| score.words), best(|score| score.bigrams));
        let document = best(|score| score.document);
        for Scored { score, .. } in scored {
            score.words /= words;
            score.bigrams /= bigrams;
            score.document /= document;
            score.total = score.words
                + f64::from(self.ranking.bigrams) * score.bigrams
                + f64::from(self.ranking.document) * score.document;
        }
    }
}

/// The counts of the candidates in one segment.
struct Counts<'a> {
    ranker: &'a Ranker<'a>,
    reader: &'a SegmentReader,
    parents: Arc<dyn ColumnValues<u64>>,
    runs: Vec<Run>,
    /// The candidates and the nodes they are parts of, in order.
    units: Vec<Unit>,
    /// The place of each unit by its document.
    places: HashMap<DocId, usize>,
    /// Where each unit has each word, field by field: stretches of `positions`.
    found: Vec<[Range<u32>; 3]>,
    positions: Vec<u32>,
}

/// A file with candidates.
struct Run {
    docs: Range<DocId>,
    /// One past its last node; what follows are parts.
    nodes_end: DocId,
    k1: f32,
    length: f32,
    score: f32,
    weighted: f32,
}

/// A candidate, or a node that a candidate is a part of.
struct Unit {
    doc: DocId,
    run: usize,
    /// What a count in each field is worth.
    worth: [f32; 3],
    /// The terms of the parts of a node that has no body of its own in the index.
    part_terms: u32,
    k1: f32,
    own: bool,
    score: f32,
    bigrams: f32,
    /// Of the word that is being counted.
    weighted: f32,
}

impl<'a> Counts<'a> {
    fn new(
        ranker: &'a Ranker<'a>,
        reader: &'a SegmentReader,
        mut docs: Vec<DocId>,
    ) -> tantivy::Result<Self> {
        let columns = Runs::open(reader)?;
        let is_part = |doc: DocId| columns.subtree_end.get_val(doc) == 0;
        let node_of = |doc: DocId| columns.around(doc).start + narrow(columns.parent.get_val(doc));
        let nodes: Vec<DocId> = docs.iter().copied().filter(|&d| is_part(d)).map(node_of).collect();
        docs.extend(nodes);
        docs.sort_unstable();
        docs.dedup();
        let norms = Norms::open(ranker, reader)?;
        let mut runs: Vec<Run> = Vec::new();
        let mut units = Vec::with_capacity(docs.len());
        for &doc in &docs {
            if runs.last().is_none_or(|run| run.docs.end <= doc) {
                let docs = columns.around(doc);
                let nodes = narrow(columns.subtree_end.get_val(docs.start));
                let bytes = columns.stamp(docs.start).bytes as f32;
                let nodes_end = docs.start + nodes;
                let tokens = columns.tree_tokens.get_val(docs.start) as usize;
                let is_headless = ranker.indexing.is_headless(nodes as usize - 1, tokens);
                let k1 = match is_headless {
                    true => ranker.ranking.headless_k1,
                    false => ranker.ranking.k1,
                };
                runs.push(Run { length: bytes, docs, nodes_end, k1, score: 0.0, weighted: 0.0 });
            }
            let (place, run) = (runs.len() - 1, &runs[runs.len() - 1]);
            let (worth, part_terms) = norms.worth(doc, run, &columns);
            units.push(Unit {
                doc,
                run: place,
                worth,
                part_terms,
                k1: run.k1,
                own: false,
                score: 0.0,
                bigrams: 0.0,
                weighted: 0.0,
            });
        }
        let places = units.iter().enumerate().map(|(place, unit)| (unit.doc, place)).collect();
        let found = vec![[0..0, 0..0, 0..0]; units.len() * ranker.words.len()];
        let parents = Arc::clone(&columns.parent);
        Ok(Self { ranker, reader, parents, runs, units, places, found, positions: Vec::new() })
    }

    /// Counts a word in all candidates and their files.
    fn count(&mut self, nth: usize, rarity: f32) -> tantivy::Result<()> {
        let word = &self.ranker.words[nth];
        let needs_positions = self.ranker.pairs.iter().any(|pair| pair.0 == nth || pair.1 == nth);
        for field in self.ranker.fields_of(word) {
            let slot = self.ranker.fields.ranked().iter().position(|ranked| *ranked == field);
            let option = match needs_positions && slot.is_some() {
                true => IndexRecordOption::WithFreqsAndPositions,
                false => IndexRecordOption::WithFreqs,
            };
            let index = self.reader.inverted_index(field)?;
            for term in &word.terms {
                let term = Term::from_field_text(field, term);
                if let Some(postings) = index.read_postings(&term, option)? {
                    self.walk(postings, nth, slot, needs_positions);
                }
            }
        }
        self.saturate(rarity);
        Ok(())
    }

    fn walk(
        &mut self,
        mut postings: SegmentPostings,
        nth: usize,
        slot: Option<usize>,
        needs_positions: bool,
    ) {
        for run in 0..self.runs.len() {
            let docs = self.runs[run].docs.clone();
            let mut doc = postings.doc();
            if doc < docs.start {
                doc = postings.seek(docs.start);
            }
            while doc < docs.end {
                let count = postings.term_freq();
                self.add_to_run(run, doc, slot, count as f32);
                if let Some(&place) = self.places.get(&doc) {
                    self.add_to_unit(place, slot, count as f32);
                    if let (true, Some(slot)) = (needs_positions, slot) {
                        let start = self.positions.len() as u32;
                        postings.append_positions_with_offset(0, &mut self.positions);
                        let stretch = start..self.positions.len() as u32;
                        self.found[place * self.ranker.words.len() + nth][slot] = stretch;
                    }
                }
                self.add_to_node(run, doc, slot, count as f32);
                doc = postings.advance();
            }
            if doc == TERMINATED {
                return;
            }
        }
    }

    /// A document's title counts as a title, its headings as breadcrumbs; each text once.
    fn add_to_run(&mut self, run: usize, doc: DocId, slot: Option<usize>, count: f32) {
        let weights = self.ranker.ranking.weights;
        let run = &mut self.runs[run];
        run.weighted += match slot {
            Some(0) if doc == run.docs.start => weights.title * count,
            Some(0) if doc < run.nodes_end => weights.breadcrumb * count,
            Some(2) => weights.body * count,
            None => weights.about * count,
            Some(_) => 0.0,
        };
    }

    fn add_to_unit(&mut self, place: usize, slot: Option<usize>, count: f32) {
        let about = self.ranker.ranking.weights.about;
        let unit = &mut self.units[place];
        unit.weighted += slot.map_or(about, |slot| unit.worth[slot]) * count;
        unit.own |= matches!(slot, Some(0 | 2));
    }

    /// The body of a large node is in the index part by part.
    fn add_to_node(&mut self, run: usize, doc: DocId, slot: Option<usize>, count: f32) {
        if slot != Some(2) || doc < self.runs[run].nodes_end {
            return;
        }
        let node = self.runs[run].docs.start + narrow(self.parents.get_val(doc));
        if let Some(&place) = self.places.get(&node)
            && self.units[place].part_terms > 0
        {
            self.add_to_unit(place, slot, count);
        }
    }

    /// Adds the word that was counted to all scores.
    fn saturate(&mut self, rarity: f32) {
        let Ranking { k1, b, .. } = *self.ranker.ranking;
        for unit in &mut self.units {
            let weighted = std::mem::take(&mut unit.weighted);
            unit.score += rarity * saturated(weighted, unit.k1);
        }
        for run in &mut self.runs {
            let length = run.length / self.ranker.statistics.document_bytes;
            let weighted = std::mem::take(&mut run.weighted) / (1.0 - b + b * length);
            run.score += rarity * saturated(weighted, k1);
        }
    }

    fn count_pairs(&mut self, rarities: &[f32]) {
        let words = self.ranker.words.len();
        for place in 0..self.units.len() {
            for &(first, second) in self.ranker.pairs {
                let [before, after] = [first, second].map(|nth| &self.found[place * words + nth]);
                let mut weighted = 0.0;
                for slot in 0..3 {
                    let positions = |stretch: &Range<u32>| {
                        &self.positions[stretch.start as usize..stretch.end as usize]
                    };
                    let count = neighbours(positions(&before[slot]), positions(&after[slot]));
                    weighted += self.units[place].worth[slot] * count as f32;
                }
                let rarity = (rarities[first] + rarities[second]) / 2.0;
                let unit = &mut self.units[place];
                unit.bigrams += rarity * saturated(weighted, unit.k1);
            }
        }
    }

    fn scored(self, segment_ord: u32) -> impl Iterator<Item = Scored> {
        let runs = self.runs;
        self.units.into_iter().map(move |unit| Scored {
            address: DocAddress { segment_ord, doc_id: unit.doc },
            own: unit.own,
            score: Score {
                words: unit.score.into(),
                bigrams: unit.bigrams.into(),
                document: runs[unit.run].score.into(),
                total: 0.0,
            },
        })
    }
}

/// What a count in each field is worth, by the length of the field.
struct Norms<'a> {
    ranker: &'a Ranker<'a>,
    lengths: [FieldNormReader; 3],
}

impl<'a> Norms<'a> {
    fn open(ranker: &'a Ranker<'a>, reader: &SegmentReader) -> tantivy::Result<Self> {
        let [title, breadcrumb, body] = ranker.fields.ranked();
        let lengths = [
            reader.get_fieldnorms_reader(title)?,
            reader.get_fieldnorms_reader(breadcrumb)?,
            reader.get_fieldnorms_reader(body)?,
        ];
        Ok(Self { ranker, lengths })
    }

    /// The worth of a count in each field, and for a node whose body is in its parts their length.
    fn worth(&self, doc: DocId, run: &Run, columns: &Runs<'_>) -> ([f32; 3], u32) {
        let weights = self.ranker.ranking.weights;
        let means = self.ranker.statistics;
        let b = self.ranker.ranking.b;
        let worth =
            |weight: f32, length: u32, mean: f32| weight / (1.0 - b + b * length as f32 / mean);
        let [title, breadcrumb, own_body] = [0, 1, 2].map(|slot| self.lengths[slot].fieldnorm(doc));
        let place = doc - run.docs.start;
        let mut part_terms = 0;
        if own_body == 0 && doc < run.nodes_end {
            let parts = (run.nodes_end..run.docs.end)
                .filter(|&part| narrow(columns.parent.get_val(part)) == place);
            part_terms = parts.map(|part| self.lengths[2].fieldnorm(part)).sum();
        }
        let worth = [
            worth(weights.title, title, means.title_terms),
            worth(weights.breadcrumb, breadcrumb, means.breadcrumb_terms),
            worth(weights.body, own_body + part_terms, means.body_terms),
        ];
        (worth, part_terms)
    }
}

fn saturated(weighted: f32, k1: f32) -> f32 {
    weighted * (k1 + 1.0) / (k1 + weighted)
}

/// How often a position of the first list is right before one of the second; both are sorted.
fn neighbours(before: &[u32], after: &[u32]) -> usize {
    let mut count = 0;
    let mut rest = after.iter().copied().peekable();
    for wanted in before.iter().map(|position| position + 1) {
        while rest.next_if(|&position| position < wanted).is_some() {}
        count += usize::from(rest.next_if_eq(&wanted).is_some());
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_counted_once_each() {
        assert_eq!(neighbours(&[0, 4, 9], &[1, 5, 7, 10]), 3);
        assert_eq!(neighbours(&[0, 4], &[0, 4]), 0);
        assert_eq!(neighbours(&[], &[1]), 0);
    }

    #[test]
    fn a_word_that_comes_again_counts_less_each_time() {
        let steps: Vec<f32> = [1.0, 2.0, 3.0].map(|count| saturated(count, 2.0)).into();
        assert_eq!(steps[0], 1.0);
        assert!(steps[2] - steps[1] < steps[1] - steps[0]);
    }
}
