//! Merging: hits and the tree above them come in, results that share no byte go out.
//!
//! A pure function. Applied bottom-up, on parents, over the hits and what is above them:
//!
//! 1. *Sibling aggregation*: when more than `aggregation_threshold` of a parent's children match,
//!    and at least `min_aggregation_matches`, the parent is one result in their place. It counts as
//!    a match for its own parent.
//! 2. *Parent match priority*: a parent that matches in its own right takes the place of its
//!    matching children.
//! 3. *Score*: the sum of the children's scores, at most `score_cap_multiplier` times the best; or
//!    the parent's own score, if that is larger.
//! 4. *Depth limit*: a document is aggregated only when all its children match.
//! 5. *Standalone* hits otherwise.
//!
//! Two bounds say what a match is, and 0 switches either off: a hit matches when its score is at
//! least `match_ratio` of the best one, and a parent of more than `max_merge_tokens` is not
//! assembled. Hits that do not match stand for themselves, add to no sum, and vanish only into
//! something above them that became a result.

use serde::{Deserialize, Serialize};

/// When hits become one result.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Merging {
    /// The share of a parent's children that must be exceeded. Default: 0.5.
    pub aggregation_threshold: f64,
    /// The least number of children, whatever their share. Default: 2.
    pub min_aggregation_matches: usize,
    /// A merged score is at most this many times the best child's. Default: 2.0.
    pub score_cap_multiplier: f64,
    /// A hit matches from this share of the best score on; 0: every hit. Default: 0.7.
    pub match_ratio: f64,
    /// The largest parent that is assembled, in tokens; 0: any. Default: 800.
    pub max_merge_tokens: usize,
}

impl Default for Merging {
    fn default() -> Self {
        Self {
            aggregation_threshold: 0.5,
            min_aggregation_matches: 2,
            score_cap_multiplier: 2.0,
            match_ratio: 0.7,
            max_merge_tokens: 800,
        }
    }
}

/// A node as merging sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// The place of its parent in the list, before its own; none for a document.
    pub parent: Option<usize>,
    /// How many children it has, hits or not.
    pub children: usize,
    /// The tokens of it and all below it.
    pub tokens: usize,
}

/// A node that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Its place in the list of nodes.
    pub node: usize,
    /// How good it is; above 0.
    pub score: f64,
    /// Whether its own title or body was found, rather than what it inherits.
    pub own: bool,
}

/// A node to return.
#[derive(Clone, Debug, PartialEq)]
pub struct Merged {
    /// Its place in the list of nodes.
    pub node: usize,
    /// How good it is.
    pub score: f64,
    /// Whether it stands with all below it, or with its own text only.
    pub whole: bool,
    /// Its own score, if it is a hit.
    pub own: Option<f64>,
    /// The results that it took the place of.
    pub from: Vec<Merged>,
    /// Which rule made it.
    pub rule: Rule,
}

/// Which rule made a result, and its numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// Enough children match.
    Siblings {
        /// How many match.
        matched: usize,
        /// How many there are.
        children: usize,
        /// The sum of their scores, and what it is capped at.
        score: Capped,
    },
    /// It matches in its own right, and so do children.
    Parent {
        /// How many children match.
        matched: usize,
        /// The sum of their scores, and what it is capped at.
        score: Capped,
    },
    /// It would stand for its children, but is too large.
    TooLarge {
        /// Its tokens with all below it.
        tokens: usize,
    },
    /// Nothing to merge.
    Standalone,
    /// Its score is below the ratio.
    BelowRatio,
}

/// A sum of scores with its cap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capped {
    /// The sum of the scores.
    pub sum: f64,
    /// The most it may count.
    pub cap: f64,
}

impl Capped {
    fn of(scores: &[f64], multiplier: f64) -> Self {
        let best = scores.iter().copied().fold(0.0, f64::max);
        Self { sum: scores.iter().sum(), cap: best * multiplier }
    }

    /// What counts.
    pub fn value(self) -> f64 {
        self.sum.min(self.cap)
    }
}

impl Merged {
    /// What stands in its place when it cannot be returned: what it was made of, one level down.
    pub fn undone(self) -> Vec<Self> {
        let own = self.own.map(|score| Self::alone(self.node, score, Rule::Standalone));
        own.into_iter().chain(self.from).collect()
    }

    /// The hits that are in it, with their scores, in order.
    pub fn hits(&self) -> Vec<(usize, f64)> {
        let mut hits: Vec<_> = self.own.map(|score| (self.node, score)).into_iter().collect();
        hits.extend(self.from.iter().flat_map(Self::hits));
        hits.sort_by_key(|&(node, _)| node);
        hits
    }

    fn alone(node: usize, score: f64, rule: Rule) -> Self {
        Self { node, score, whole: false, own: Some(score), from: Vec::new(), rule }
    }
}

/// Merges hits; the best comes first, and of equal ones the first in the list of nodes.
///
/// `nodes` has every hit and all nodes above it, in reading order, so that a parent comes before
/// its children. A node is hit at most once.
pub fn merge(nodes: &[Node], hits: &[Hit], merging: &Merging) -> Vec<Merged> {
    let mut results = Pass::new(nodes, hits, merging).run();
    sort(&mut results);
    results
}

/// Each hit as a result of its own.
pub fn unmerged(hits: &[Hit]) -> Vec<Merged> {
    let alone = |hit: &Hit| Merged::alone(hit.node, hit.score, Rule::Standalone);
    let mut results: Vec<Merged> = hits.iter().map(alone).collect();
    sort(&mut results);
    results
}

fn sort(results: &mut [Merged]) {
    results.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.node.cmp(&other.node)));
}

/// One pass from the leaves to the documents.
struct Pass<'a> {
    nodes: &'a [Node],
    merging: &'a Merging,
    hits: Vec<Option<Hit>>,
    /// The score from which on a hit matches.
    bar: f64,
    /// For each node, the results below it that stand so far.
    standing: Vec<Vec<Merged>>,
    /// For each node, the scores of the children that match.
    matching: Vec<Vec<f64>>,
}

impl<'a> Pass<'a> {
    fn new(nodes: &'a [Node], given: &[Hit], merging: &'a Merging) -> Self {
        let mut hits = vec![None; nodes.len()];
        given.iter().for_each(|hit| hits[hit.node] = Some(*hit));
        let best = given.iter().map(|hit| hit.score).fold(0.0, f64::max);
        Self {
            nodes,
            merging,
            hits,
            bar: best * merging.match_ratio,
            standing: vec![Vec::new(); nodes.len()],
            matching: vec![Vec::new(); nodes.len()],
        }
    }

    fn run(mut self) -> Vec<Merged> {
        let mut done = Vec::new();
        for node in (0..self.nodes.len()).rev() {
            let matched = self.settle(node);
            let standing = std::mem::take(&mut self.standing[node]);
            match self.nodes[node].parent {
                Some(parent) => {
                    self.standing[parent].extend(standing);
                    self.matching[parent].extend(matched);
                }
                None => done.extend(standing),
            }
        }
        done
    }

    /// Decides about a node whose children are settled. Tells its score if it matches.
    fn settle(&mut self, node: usize) -> Option<f64> {
        // Children came last to first; sums must not depend on it.
        self.matching[node].reverse();
        let hit = self.hits[node];
        if let Some(rule) = self.rule(node) {
            let (Rule::Siblings { score, .. } | Rule::Parent { score, .. }) = rule else {
                return self.stand(node, rule);
            };
            let own = hit.map(|hit| hit.score);
            let score = score.value().max(own.unwrap_or(0.0));
            let mut from = std::mem::take(&mut self.standing[node]);
            sort(&mut from);
            self.standing[node] = vec![Merged { node, score, whole: true, own, from, rule }];
            return Some(score);
        }
        let rule = if self.matches(hit?) { Rule::Standalone } else { Rule::BelowRatio };
        self.stand(node, rule)
    }

    /// Lets a hit stand for itself.
    fn stand(&mut self, node: usize, rule: Rule) -> Option<f64> {
        let hit = self.hits[node]?;
        self.standing[node].push(Merged::alone(node, hit.score, rule));
        self.matches(hit).then_some(hit.score)
    }

    /// The rule that fires for a node with matching children.
    fn rule(&self, node: usize) -> Option<Rule> {
        let Node { parent, children, tokens } = self.nodes[node];
        let matching = &self.matching[node];
        let matched = matching.len();
        let is_match = self.hits[node].is_some_and(|hit| hit.own && self.matches(hit));
        let enough = matched >= self.merging.min_aggregation_matches.max(1)
            && matched as f64 > self.merging.aggregation_threshold * children as f64
            && (parent.is_some() || matched == children);
        if matched == 0 || !(is_match || enough) {
            return None;
        }
        let limit = self.merging.max_merge_tokens;
        if limit > 0 && tokens > limit {
            return Some(Rule::TooLarge { tokens });
        }
        let score = Capped::of(matching, self.merging.score_cap_multiplier);
        Some(match is_match {
            true => Rule::Parent { matched, score },
            false => Rule::Siblings { matched, children, score },
        })
    }

    fn matches(&self, hit: Hit) -> bool {
        hit.score >= self.bar
    }
}
