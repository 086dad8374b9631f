//! Scores the candidates of one segment from its posting lists.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use chunkwright_config::Ranking;
use tantivy::columnar::ColumnValues;
use tantivy::postings::{Postings, SegmentPostings};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocAddress, DocId, DocSet, SegmentReader, TERMINATED, Term};

use super::worth::{Worth, by_length, saturated};
use super::{Ranker, Score, Scored};
use crate::compile::WordSet;
use crate::outline::is_headless;
use crate::runs::{Runs, narrow};

/// The counts of the candidates in one segment.
pub(super) struct Counts<'a> {
    ranker: &'a Ranker<'a>,
    reader: &'a SegmentReader,
    parents: Arc<dyn ColumnValues<u64>>,
    files: Vec<FileCandidates>,
    /// The candidates and the nodes that they are parts of, sorted by document.
    nodes: Vec<CountedNode>,
    /// The index in `nodes` of each document.
    places: HashMap<DocId, usize>,
    /// For each node and word, the ranges in `positions`, one per index field.
    found: Vec<[Range<u32>; 3]>,
    positions: Vec<u32>,
}

/// A file with candidates.
pub(super) struct FileCandidates {
    pub(super) docs: Range<DocId>,
    /// The document after its last node. Documents from there on are parts.
    pub(super) nodes_end: DocId,
    k1: f32,
    length: f32,
    score: f32,
    weighted: f32,
    title: Title,
    name: Title,
    /// Whether its title or file name equals the query.
    is_named: bool,
}

/// A candidate, or a node that a candidate is a part of.
///
/// `weighted`, `has_word` and `shows_word` belong to the word that is being counted.
struct CountedNode {
    doc: DocId,
    file: usize,
    /// The weight of an occurrence in each index field.
    worth: [f32; 3],
    /// The number of terms in its parts, if its body is indexed only in parts.
    part_terms: u32,
    k1: f32,
    own: bool,
    score: f32,
    bigrams: f32,
    /// The weighted count of occurrences.
    weighted: f32,
    /// Whether its own title or body contains the word.
    has_word: bool,
    /// Whether its breadcrumb, title or body contains the word.
    shows_word: bool,
    /// The words in its breadcrumb, title or body.
    words: WordSet,
    /// The sum of the rarities of the words in its own title or body.
    covered: f32,
    title: Title,
}

impl FileCandidates {
    /// Returns the title coverage of its title or file name, whichever is higher.
    fn named(&self, total: f32) -> f32 {
        if self.is_named { 1.0 } else { self.title.coverage(total).max(self.name.coverage(total)) }
    }

    /// Returns the file that contains a document.
    fn around(doc: DocId, ranker: &Ranker<'_>, columns: &Runs<'_>) -> Self {
        let docs = columns.around(doc);
        let nodes = narrow(columns.subtree_end.get_val(docs.start));
        let nodes_end = docs.start + nodes;
        let length = columns.stamp(docs.start).bytes as f32;
        let tokens = columns.subtree_tokens.get_val(docs.start) as usize;
        let k1 = match is_headless(ranker.indexing, nodes as usize - 1, tokens) {
            true => ranker.ranking.headless_k1,
            false => ranker.ranking.k1,
        };
        Self {
            docs,
            nodes_end,
            k1,
            length,
            score: 0.0,
            weighted: 0.0,
            title: Title::default(),
            name: Title::default(),
            is_named: false,
        }
    }
}

impl<'a> Counts<'a> {
    pub(super) fn new(
        ranker: &'a Ranker<'a>,
        reader: &'a SegmentReader,
        candidates: Vec<DocId>,
    ) -> tantivy::Result<Self> {
        let columns = Runs::open(reader)?;
        let worth = Worth::open(ranker, reader)?;
        let mut files: Vec<FileCandidates> = Vec::new();
        let mut nodes = Vec::with_capacity(candidates.len());
        for doc in with_their_nodes(candidates, &columns) {
            if files.last().is_none_or(|file| file.docs.end <= doc) {
                let mut file = FileCandidates::around(doc, ranker, &columns);
                file.title.terms = worth.title_terms(file.docs.start);
                file.name.terms = worth.name_terms(file.docs.start);
                files.push(file);
            }
            let (place, file) = (files.len() - 1, &files[files.len() - 1]);
            let title_terms = worth.title_terms(doc);
            let (worth, part_terms) = worth.of(doc, file, &columns);
            nodes.push(CountedNode {
                doc,
                file: place,
                worth,
                part_terms,
                k1: file.k1,
                own: false,
                score: 0.0,
                bigrams: 0.0,
                weighted: 0.0,
                has_word: false,
                shows_word: false,
                words: 0,
                covered: 0.0,
                title: Title { terms: title_terms, ..Title::default() },
            });
        }
        let places = nodes.iter().enumerate().map(|(place, node)| (node.doc, place)).collect();
        let found = vec![[0..0, 0..0, 0..0]; nodes.len() * ranker.words.len()];
        let parents = Arc::clone(&columns.parent);
        Ok(Self { ranker, reader, parents, files, nodes, places, found, positions: Vec::new() })
    }

    /// Counts a word in all candidates and their files, and adds it to their scores.
    pub(super) fn count(&mut self, nth: usize, rarity: f32) -> tantivy::Result<()> {
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
        if word.field.is_none() {
            self.count_names(nth)?;
        }
        self.saturate(nth, rarity);
        Ok(())
    }

    /// Counts a word in file names.
    fn count_names(&mut self, nth: usize) -> tantivy::Result<()> {
        let index = self.reader.inverted_index(self.ranker.fields.name)?;
        for term in &self.ranker.words[nth].terms {
            let term = Term::from_field_text(self.ranker.fields.name, term);
            let Some(postings) = index.read_postings(&term, IndexRecordOption::WithFreqs)? else {
                continue;
            };
            self.files_of(postings, |file, count| file.name.add(count as f32));
        }
        Ok(())
    }

    /// Marks the files whose title or file name equals the query.
    pub(super) fn find_key(&mut self) -> tantivy::Result<()> {
        let Some(key) = self.ranker.key else { return Ok(()) };
        let index = self.reader.inverted_index(self.ranker.fields.key)?;
        if let Some(postings) = index.read_postings(key, IndexRecordOption::Basic)? {
            self.files_of(postings, |file, _| file.is_named = true);
        }
        Ok(())
    }

    /// Calls `work` for each file whose first document is in the posting list.
    fn files_of(
        &mut self,
        mut postings: SegmentPostings,
        mut work: impl FnMut(&mut FileCandidates, u32),
    ) {
        for file in &mut self.files {
            let mut doc = postings.doc();
            if doc < file.docs.start {
                doc = postings.seek(file.docs.start);
            }
            if doc == file.docs.start {
                work(file, postings.term_freq());
            }
        }
    }

    fn walk(
        &mut self,
        mut postings: SegmentPostings,
        nth: usize,
        slot: Option<usize>,
        needs_positions: bool,
    ) {
        for file in 0..self.files.len() {
            let docs = self.files[file].docs.clone();
            let mut doc = postings.doc();
            if doc < docs.start {
                doc = postings.seek(docs.start);
            }
            while doc < docs.end {
                let count = postings.term_freq();
                self.add_to_file(file, doc, slot, count as f32);
                if let Some(&place) = self.places.get(&doc) {
                    self.add_to_node(place, slot, count as f32);
                    if let (true, Some(slot)) = (needs_positions, slot) {
                        let start = self.positions.len() as u32;
                        postings.append_positions_with_offset(0, &mut self.positions);
                        let stretch = start..self.positions.len() as u32;
                        self.found[place * self.ranker.words.len() + nth][slot] = stretch;
                    }
                }
                self.add_part_to_node(file, doc, slot, count as f32);
                doc = postings.advance();
            }
            if doc == TERMINATED {
                return;
            }
        }
    }

    /// Adds occurrences to a file. Its title weighs as a title, and its headings as breadcrumbs, so
    /// that every text is counted once.
    fn add_to_file(&mut self, file: usize, doc: DocId, slot: Option<usize>, count: f32) {
        let weights = self.ranker.ranking.weights;
        let file = &mut self.files[file];
        if slot == Some(0) && doc == file.docs.start {
            file.title.add(count);
        }
        file.weighted += match slot {
            Some(0) if doc == file.docs.start => weights.title * count,
            Some(0) if doc < file.nodes_end => weights.breadcrumb * count,
            Some(2) => weights.body * count,
            None => weights.about * count,
            Some(_) => 0.0,
        };
    }

    fn add_to_node(&mut self, place: usize, slot: Option<usize>, count: f32) {
        let about = self.ranker.ranking.weights.about;
        let node = &mut self.nodes[place];
        node.weighted += slot.map_or(about, |slot| node.worth[slot]) * count;
        node.has_word |= matches!(slot, Some(0 | 2));
        node.shows_word |= slot.is_some();
        if slot == Some(0) {
            node.title.add(count);
        }
    }

    /// Adds occurrences in a part to its node, whose body is indexed only in parts.
    fn add_part_to_node(&mut self, file: usize, doc: DocId, slot: Option<usize>, count: f32) {
        if slot != Some(2) || doc < self.files[file].nodes_end {
            return;
        }
        let node = self.files[file].docs.start + narrow(self.parents.get_val(doc));
        if let Some(&place) = self.places.get(&node)
            && self.nodes[place].part_terms > 0
        {
            self.add_to_node(place, slot, count);
        }
    }

    /// Adds the counted word to all scores.
    fn saturate(&mut self, nth: usize, rarity: f32) {
        let Ranking { k1, b, .. } = *self.ranker.ranking;
        for node in &mut self.nodes {
            let weighted = std::mem::take(&mut node.weighted);
            node.score += rarity * saturated(weighted, node.k1);
            if std::mem::take(&mut node.has_word) {
                node.own = true;
                node.covered += rarity;
            }
            node.words |= WordSet::from(std::mem::take(&mut node.shows_word)) << nth;
            node.title.saturate(rarity);
        }
        for file in &mut self.files {
            let length = file.length / self.ranker.statistics.document_bytes;
            let weighted = by_length(std::mem::take(&mut file.weighted), length, b);
            file.score += rarity * saturated(weighted, k1);
            file.title.saturate(rarity);
            file.name.saturate(rarity);
        }
    }

    pub(super) fn count_pairs(&mut self, rarities: &[f32]) {
        let words = self.ranker.words.len();
        for place in 0..self.nodes.len() {
            for &(first, second) in self.ranker.pairs {
                let [before, after] = [first, second].map(|nth| &self.found[place * words + nth]);
                let mut weighted = 0.0;
                for slot in 0..3 {
                    let positions = |stretch: &Range<u32>| {
                        &self.positions[stretch.start as usize..stretch.end as usize]
                    };
                    let count = neighbours(positions(&before[slot]), positions(&after[slot]));
                    weighted += self.nodes[place].worth[slot] * count as f32;
                }
                let rarity = (rarities[first] + rarities[second]) / 2.0;
                let node = &mut self.nodes[place];
                node.bigrams += rarity * saturated(weighted, node.k1);
            }
        }
    }

    pub(super) fn scored(self, segment_ord: u32, total: f32) -> impl Iterator<Item = Scored> {
        let files = self.files;
        self.nodes.into_iter().map(move |node| Scored {
            address: DocAddress { segment_ord, doc_id: node.doc },
            own: node.own,
            covered: node.covered.into(),
            words: node.words,
            score: Score {
                words: node.score.into(),
                bigrams: node.bigrams.into(),
                document: files[node.file].score.into(),
                title: node.title.coverage(total).into(),
                page_title: files[node.file].named(total).into(),
                total: 0.0,
            },
        })
    }
}

/// The title coverage of a title: how much of it the query covers, and vice versa.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Title {
    /// The number of its terms.
    pub(super) terms: u32,
    /// The number of its terms that are query words.
    pub(super) found: f32,
    /// The sum of the rarities of the query words in it.
    pub(super) covered: f32,
    /// Whether it contains the word that is being counted.
    pub(super) has_word: bool,
}

impl Title {
    pub(super) fn add(&mut self, count: f32) {
        self.found += count;
        self.has_word = true;
    }

    pub(super) fn saturate(&mut self, rarity: f32) {
        if std::mem::take(&mut self.has_word) {
            self.covered += rarity;
        }
    }

    /// Returns the share of the title that the query covers, times the share of the query that the
    /// title covers: from 0 to 1.
    pub(super) fn coverage(&self, total: f32) -> f32 {
        if self.terms == 0 || total <= 0.0 {
            return 0.0;
        }
        (self.found / self.terms as f32).min(1.0) * (self.covered / total).min(1.0)
    }
}

/// Adds the nodes that candidates are parts of, and sorts all of them.
fn with_their_nodes(mut docs: Vec<DocId>, columns: &Runs<'_>) -> Vec<DocId> {
    let is_part = |doc: DocId| columns.subtree_end.get_val(doc) == 0;
    let node_of = |doc: DocId| columns.around(doc).start + narrow(columns.parent.get_val(doc));
    let nodes: Vec<DocId> = docs.iter().copied().filter(|&d| is_part(d)).map(node_of).collect();
    docs.extend(nodes);
    docs.sort_unstable();
    docs.dedup();
    docs
}

/// Counts how often a position of the first list directly precedes one of the second. Both lists
/// are sorted.
pub(super) fn neighbours(before: &[u32], after: &[u32]) -> usize {
    let mut count = 0;
    let mut rest = after.iter().copied().peekable();
    for wanted in before.iter().map(|position| position + 1) {
        while rest.next_if(|&position| position < wanted).is_some() {}
        count += usize::from(rest.next_if_eq(&wanted).is_some());
    }
    count
}
