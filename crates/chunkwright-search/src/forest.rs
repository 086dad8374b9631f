//! Groups the hits of a search by file, and turns them into items to return.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use chunkwright_config::Merging;
use tantivy::{DocAddress, DocId};

use crate::compile::WordSet;
use crate::index::Snapshot;
use crate::merge::{self, Hit, Merged};
use crate::options::Request;
use crate::rank::{Score, Scored};
use crate::runs::{Runs, narrow};

/// A candidate for a result.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) score: f64,
    pub(crate) shown: ShownText,
    pub(crate) merged: Merged,
}

/// The text of a node that a result shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ShownText {
    /// The node's own text.
    Own,
    /// The node with its subsections.
    Whole,
    /// A range of its parts, by the indexes of the first and the last one.
    Parts(usize, usize),
}

impl Item {
    /// Orders by score, best first, then by reading order.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        let place = |item: &Self| (item.merged.node, item.shown);
        other.score.total_cmp(&self.score).then_with(|| place(self).cmp(&place(other)))
    }
}

/// The hits and their ancestors, grouped by file.
pub(crate) struct Forest {
    pub(crate) files: Vec<FileHits>,
    /// The file of each node and its ordinal there, in reading order.
    pub(crate) places: Vec<(usize, usize)>,
    nodes: Vec<merge::MergeNode>,
    hits: Vec<Hit>,
    /// The score components of each hit.
    pub(crate) scores: HashMap<usize, Score>,
    /// The query words that each hit contains.
    words: HashMap<usize, WordSet>,
}

/// A file with hits.
pub(crate) struct FileHits {
    pub(crate) tree: String,
    pub(crate) path: String,
    /// The address of its first node.
    pub(crate) address: DocAddress,
    nodes: BTreeMap<usize, NodeHit>,
}

/// A node that matches, itself or by its parts.
#[derive(Clone, Debug, Default)]
struct NodeHit {
    score: Score,
    own: bool,
    /// The weight of the query words in its own title or body.
    covered: f64,
    words: WordSet,
    tokens: usize,
    /// Its parts, as ordinals in the run of the file.
    parts: Vec<usize>,
    /// The parts that match.
    found: BTreeMap<usize, Score>,
}

impl Forest {
    pub(crate) fn grow(snapshot: &Snapshot, scored: &[Scored]) -> tantivy::Result<Self> {
        let mut files: BTreeMap<(String, String), FileHits> = BTreeMap::new();
        let mut above: BTreeMap<(String, String), Vec<Branch>> = BTreeMap::new();
        for (segment_ord, reader) in (0..).zip(snapshot.searcher.segment_readers()) {
            let columns = Runs::open(reader)?;
            let mut starts: BTreeMap<DocId, Vec<&Scored>> = BTreeMap::new();
            for one in scored.iter().filter(|one| one.address.segment_ord == segment_ord) {
                starts.entry(columns.around(one.address.doc_id).start).or_default().push(one);
            }
            for (start, hits) in starts {
                let name = columns.name(start)?;
                let address = DocAddress { segment_ord, doc_id: start };
                let nodes = node_hits(&columns, start, &hits);
                above.insert(name.clone(), branches(&columns, start, nodes.keys().copied()));
                let (tree, path) = name.clone();
                files.insert(name, FileHits { tree, path, address, nodes });
            }
        }
        let mut forest = Self {
            files: Vec::new(),
            places: Vec::new(),
            nodes: Vec::new(),
            hits: Vec::new(),
            scores: HashMap::new(),
            words: HashMap::new(),
        };
        for (name, file) in files {
            forest.plant(file, &above[&name]);
        }
        Ok(forest)
    }

    /// Adds the nodes of a file.
    fn plant(&mut self, file: FileHits, branches: &[Branch]) {
        let mut placed: HashMap<usize, usize> = HashMap::new();
        for branch in branches {
            let place = self.nodes.len();
            placed.insert(branch.ordinal, place);
            self.places.push((self.files.len(), branch.ordinal));
            self.nodes.push(merge::MergeNode {
                parent: branch.parent.map(|parent| placed[&parent]),
                children: branch.children,
                tokens: branch.tokens,
                own_tokens: branch.own_tokens,
            });
            if let Some(hit) = file.nodes.get(&branch.ordinal) {
                let score = hit.score.total;
                let NodeHit { own, covered, .. } = *hit;
                self.hits.push(Hit { node: place, score, own, covered });
                self.scores.insert(place, hit.score);
                self.words.insert(place, hit.words);
            }
        }
        self.files.push(file);
    }

    /// Returns the query words that an item contains.
    pub(crate) fn words(&self, item: &Item) -> WordSet {
        let hits = item.merged.hits().into_iter();
        hits.filter_map(|(node, _)| self.words.get(&node)).fold(0, |all, words| all | words)
    }

    /// Returns the items, best first.
    pub(crate) fn items(&self, request: &Request) -> Vec<Item> {
        let merged = match request.merging() {
            Some(merging) => merge::merge(&self.nodes, &self.hits, merging),
            None => merge::unmerged(&self.hits),
        };
        let mut items: Vec<Item> =
            merged.into_iter().flat_map(|result| self.item(result, request)).collect();
        items.sort_by(Item::order);
        match request.merging() {
            Some(merging) => self.join(items, merging, request.tuning.max_result_tokens),
            None => items,
        }
    }

    /// Joins parts that are adjacent both in the text and in rank, so that no other result moves
    /// down.
    fn join(&self, items: Vec<Item>, merging: &Merging, most_tokens: usize) -> Vec<Item> {
        let best = self.hits.iter().map(|hit| hit.score).fold(0.0, f64::max);
        let mut joined: Vec<Item> = Vec::with_capacity(items.len());
        for item in items {
            let (file, ordinal) = self.places[item.merged.node];
            let part_tokens = self.files[file].nodes.get(&ordinal).map_or(0, NodeHit::part_tokens);
            let matches = item.score >= merging.match_ratio * best;
            match (joined.last_mut(), item.shown) {
                (
                    Some(Item { shown: ShownText::Parts(first, last), merged, .. }),
                    ShownText::Parts(from, to),
                ) if merged.node == item.merged.node
                    && matches
                    && (from == *last + 1 || to + 1 == *first)
                    && (most_tokens == 0
                        || (to.max(*last) - from.min(*first) + 1) * part_tokens <= most_tokens) =>
                {
                    (*first, *last) = (from.min(*first), to.max(*last));
                }
                _ => joined.push(item),
            }
        }
        joined
    }

    /// Returns the items of a merged result: one per matching part for a large node.
    pub(crate) fn item(&self, merged: Merged, request: &Request) -> Vec<Item> {
        let (file, ordinal) = self.places[merged.node];
        let hit = self.files[file].nodes.get(&ordinal);
        let by_parts = hit.filter(|hit| {
            let limit = request.tuning.max_result_tokens;
            !merged.whole && limit > 0 && hit.tokens > limit && !hit.parts.is_empty()
        });
        let Some(hit) = by_parts else {
            let shown = if merged.whole { ShownText::Whole } else { ShownText::Own };
            return vec![Item { score: merged.score, shown, merged }];
        };
        let parts = hit.shown_parts().into_iter();
        parts
            .map(|(part, score)| Item {
                score,
                shown: ShownText::Parts(part, part),
                merged: merged.clone(),
            })
            .collect()
    }
}

impl NodeHit {
    /// Estimates the tokens per part. Parts have about the same size.
    fn part_tokens(&self) -> usize {
        self.tokens / self.parts.len().max(1)
    }

    /// Adds the matches of another node.
    fn take(&mut self, other: &Self) {
        if other.score.total > self.score.total {
            self.score = other.score;
        }
        self.own |= other.own;
        self.covered = self.covered.max(other.covered);
        self.words |= other.words;
    }

    /// Returns the indexes and scores of the parts to show. The best part takes the score of the
    /// node. If only the heading matches, the first part is shown.
    fn shown_parts(&self) -> Vec<(usize, f64)> {
        let number = |part: &usize| self.parts.iter().position(|own| own == part);
        let found = self.found.iter();
        let mut parts: Vec<(usize, f64)> =
            found.filter_map(|(part, score)| Some((number(part)?, score.total))).collect();
        if parts.is_empty() {
            parts.push((0, 0.0));
        }
        let best = parts.iter_mut().max_by(|one, other| one.1.total_cmp(&other.1));
        if let Some(best) = best {
            best.1 = self.score.total;
        }
        parts
    }
}

/// Returns the matching nodes of a file. A document that starts with a heading has no own text to
/// show, so that heading takes its place.
fn node_hits(columns: &Runs<'_>, start: DocId, hits: &[&Scored]) -> BTreeMap<usize, NodeHit> {
    let mut nodes: BTreeMap<usize, NodeHit> = BTreeMap::new();
    let run = columns.around(start);
    let nodes_end = start + narrow(columns.subtree_end.get_val(start));
    for hit in hits {
        let doc = hit.address.doc_id;
        let is_part = doc >= nodes_end;
        let place = if is_part { columns.parent.get_val(doc) } else { u64::from(doc - start) };
        let node = nodes.entry(place as usize).or_insert_with(|| NodeHit {
            tokens: columns.tokens.get_val(start + narrow(place)) as usize,
            ..NodeHit::default()
        });
        if is_part {
            node.found.insert((doc - start) as usize, hit.score);
        }
        if hit.score.total > node.score.total {
            node.score = hit.score;
        }
        node.own |= hit.own;
        node.covered = node.covered.max(hit.covered);
        node.words |= hit.words;
    }
    if nodes.get(&0).is_some_and(|document| document.tokens == 0)
        && nodes_end > start + 1
        && let Some(document) = nodes.remove(&0)
    {
        let tokens = columns.tokens.get_val(start + 1) as usize;
        nodes.entry(1).or_insert(NodeHit { tokens, ..NodeHit::default() }).take(&document);
    }
    for part in nodes_end..run.end {
        if let Some(node) = nodes.get_mut(&(columns.parent.get_val(part) as usize)) {
            node.parts.push((part - start) as usize);
        }
    }
    nodes
}

/// A node, read from the columns of the index.
struct Branch {
    ordinal: usize,
    parent: Option<usize>,
    children: usize,
    tokens: usize,
    own_tokens: usize,
}

/// Returns nodes and their ancestors, in reading order.
fn branches(
    columns: &Runs<'_>,
    start: DocId,
    ordinals: impl Iterator<Item = usize>,
) -> Vec<Branch> {
    let doc = |ordinal: usize| start + ordinal as DocId;
    let parent =
        |&ordinal: &usize| (ordinal > 0).then(|| columns.parent.get_val(doc(ordinal)) as usize);
    let with_above = ordinals.flat_map(|ordinal| std::iter::successors(Some(ordinal), parent));
    let all: BTreeSet<usize> = with_above.collect();
    let branch = |ordinal: usize| {
        let end = columns.subtree_end.get_val(doc(ordinal)) as usize;
        let child = |child: usize| (child < end).then_some(child);
        let next = |&before: &usize| child(columns.subtree_end.get_val(doc(before)) as usize);
        Branch {
            ordinal,
            parent: parent(&ordinal),
            children: std::iter::successors(child(ordinal + 1), next).count(),
            tokens: columns.subtree_tokens.get_val(doc(ordinal)) as usize,
            own_tokens: columns.tokens.get_val(doc(ordinal)) as usize,
        }
    };
    all.into_iter().map(branch).collect()
}
