//! Merges hits along the heading hierarchy into results that share no byte.
//!
//! A pure function. Applied bottom-up, on parents, over the hits and what is above them:
//!
//! 1. *Sibling aggregation*: when more than `aggregation_threshold` of a parent's children match,
//!    and at least `min_aggregation_matches`, the parent is one result in their place. It counts as
//!    a match for its own parent.
//! 2. *Parent match priority*: a parent that matches in its own right takes the place of its
//!    matching children. Hits below it that have only its title are not listed beside it.
//! 3. *Score*: the combined score is the sum of the children's, at most `score_cap_multiplier` times
//!    the best; or the parent's own score, if that is larger. `order` decides whether results are
//!    sorted by it, or by their best member.
//! 4. *Depth limit*: a document is aggregated only when all its children match.
//! 5. *Standalone* hits otherwise.
//!
//! A node matches when its own title or body has words of the query, and two bounds hold: its score
//! is at least `match_ratio` of the best one, and it covers at least `match_coverage` of what the
//! best hit covers. A parent of more than `max_merge_tokens` is not assembled. 0 switches a bound
//! off. Hits that do not match are results of their own, add to no sum, and vanish only into something
//! above them that became a result.
//!
//! With any bound on, *short introductions* bring what they introduce: a node of hardly any text of
//! its own is returned with all below it, or, where that is too large, with its best child. Nothing
//! below it may be so much better that the introduction is below `match_ratio` of it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A node with children and fewer tokens of its own introduces them.
const INTRODUCTION_TOKENS: usize = 60;

/// Options for merging hits into results.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Merging {
    /// Share of a parent's children that must be exceeded by matching ones. Default: 0.5.
    pub aggregation_threshold: f64,
    /// Minimum number of matching children. Default: 2.
    pub min_aggregation_matches: usize,
    /// Cap on the combined score, as a multiple of the best child's score. Default: 2.0.
    pub score_cap_multiplier: f64,
    /// Minimum score of a match, as a share of the best score; 0 accepts every hit. Default: 0.7.
    pub match_ratio: f64,
    /// Minimum term weight that a match covers, as a share of what the best hit covers; 0 accepts
    /// every hit. Default: 0.9.
    pub match_coverage: f64,
    /// Maximum tokens of a parent that takes the place of its children; 0 is unlimited.
    /// Default: 800.
    pub max_merge_tokens: usize,
    /// Score that merged results are sorted by. Default: `best`.
    pub order: Order,
}

/// The score that merged results are sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// The score of the best member.
    #[default]
    Best,
    /// The combined score of the members.
    Sum,
}

impl Default for Merging {
    fn default() -> Self {
        Self {
            aggregation_threshold: 0.5,
            min_aggregation_matches: 2,
            score_cap_multiplier: 2.0,
            match_ratio: 0.7,
            match_coverage: 0.9,
            max_merge_tokens: 800,
            order: Order::default(),
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
    /// The tokens of its own text.
    pub own_tokens: usize,
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
    /// The weight of the words of the query that its own title or body has.
    pub covered: f64,
}

/// A node to return.
#[derive(Clone, Debug, PartialEq)]
pub struct Merged {
    /// Its place in the list of nodes.
    pub node: usize,
    /// How good it is: what results are sorted by.
    pub score: f64,
    /// The scores of its members, added up and capped.
    pub combined: f64,
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
    /// It covers too little of the query.
    BelowCoverage,
    /// None of the words are in its own title or body.
    Inherited,
    /// It has hardly any text of its own, and is returned with all below it.
    Introduction {
        /// The tokens of its own text.
        tokens: usize,
    },
    /// It follows the short introduction above it.
    Introduced {
        /// The introduction.
        by: usize,
        /// Its score before it followed.
        score: f64,
    },
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
        Self {
            node,
            score,
            combined: score,
            whole: false,
            own: Some(score),
            from: Vec::new(),
            rule,
        }
    }
}

/// Merges hits; the best comes first, and of equal ones the first in the list of nodes.
///
/// `nodes` has every hit and all nodes above it, in reading order, so that a parent comes before
/// its children. A node is hit at most once.
pub fn merge(nodes: &[Node], hits: &[Hit], merging: &Merging) -> Vec<Merged> {
    let mut results = Pass::new(nodes, hits, merging).run();
    sort(&mut results);
    if merging.is_bounded() {
        results = introduce(nodes, results, merging);
    }
    results
}

/// Each hit as a result of its own.
pub fn unmerged(hits: &[Hit]) -> Vec<Merged> {
    let alone = |hit: &Hit| Merged::alone(hit.node, hit.score, Rule::Standalone);
    let mut results: Vec<Merged> = hits.iter().map(alone).collect();
    sort(&mut results);
    results
}

impl Merging {
    /// Whether any bound is on; without one, only the five rules apply.
    fn is_bounded(&self) -> bool {
        self.match_ratio > 0.0 || self.match_coverage > 0.0 || self.max_merge_tokens > 0
    }
}

/// The best first; of equal ones the better in sum, then the first in reading order.
fn sort(results: &mut [Merged]) {
    results.sort_by(|one, other| {
        let by_score = other.score.total_cmp(&one.score);
        let by_sum = || other.combined.total_cmp(&one.combined);
        by_score.then_with(by_sum).then(one.node.cmp(&other.node))
    });
}

/// Lets short introductions bring what they introduce.
fn introduce(nodes: &[Node], results: Vec<Merged>, merging: &Merging) -> Vec<Merged> {
    let mut results = with_subtrees(nodes, results, merging);
    sort(&mut results);
    let mut place = 0;
    while place < results.len() {
        let Merged { node, score, whole, .. } = results[place];
        place += 1;
        if whole || !nodes[node].is_introduction() {
            continue;
        }
        let is_child = |result: &Merged| nodes[result.node].parent == Some(node);
        if let Some(later) = results[place..].iter().position(is_child) {
            let mut child = results.remove(place + later);
            child.rule = Rule::Introduced { by: node, score: child.score };
            child.score = score;
            results.insert(place, child);
            place += 1;
        }
    }
    results
}

/// Returns the introductions of small subtrees with all below them, unless something below one is
/// so much better that it is better returned alone.
fn with_subtrees(nodes: &[Node], results: Vec<Merged>, merging: &Merging) -> Vec<Merged> {
    let mut best_below = vec![0.0_f64; nodes.len()];
    for result in &results {
        for above in above(nodes, result.node).skip(1) {
            best_below[above] = best_below[above].max(result.score);
        }
    }
    let mut brings = vec![false; nodes.len()];
    for result in results.iter().filter(|result| !result.whole && result.rule != Rule::Inherited) {
        let node = &nodes[result.node];
        let is_small = merging.max_merge_tokens == 0 || node.tokens <= merging.max_merge_tokens;
        let is_as_good = result.score >= best_below[result.node] * merging.match_ratio;
        brings[result.node] = node.is_introduction() && is_small && is_as_good;
    }
    let mut members: BTreeMap<usize, Vec<Merged>> = BTreeMap::new();
    let mut kept = Vec::new();
    for result in results {
        match above(nodes, result.node).filter(|&node| brings[node]).last() {
            Some(introduction) => members.entry(introduction).or_default().push(result),
            None => kept.push(result),
        }
    }
    kept.extend(members.into_iter().map(|(node, members)| with_members(nodes, node, members)));
    kept
}

/// An introduction with the results below it.
fn with_members(nodes: &[Node], node: usize, members: Vec<Merged>) -> Merged {
    let best = |score: fn(&Merged) -> f64| members.iter().map(score).fold(0.0, f64::max);
    let (score, combined) = (best(|member| member.score), best(|member| member.combined));
    let (own, mut from): (Vec<_>, Vec<_>) =
        members.into_iter().partition(|member| member.node == node);
    sort(&mut from);
    let own = own.first().and_then(|own| own.own);
    let rule = Rule::Introduction { tokens: nodes[node].own_tokens };
    Merged { node, score, combined, whole: true, own, from, rule }
}

/// A node and all above it.
fn above(nodes: &[Node], node: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(node), |&node| nodes[node].parent)
}

impl Node {
    /// Whether it has hardly any text of its own, but something below it.
    fn is_introduction(&self) -> bool {
        self.children > 0 && self.own_tokens < INTRODUCTION_TOKENS
    }
}

/// One pass from the leaves to the documents.
struct Pass<'a> {
    nodes: &'a [Node],
    merging: &'a Merging,
    hits: Vec<Option<Hit>>,
    /// The score from which on a hit matches.
    bar: f64,
    /// The term weight from which on a hit matches.
    coverage: f64,
    /// For each node, the results below it that stand so far.
    standing: Vec<Vec<Merged>>,
    /// For each node, the combined scores of the children that match.
    matching: Vec<Vec<f64>>,
}

impl<'a> Pass<'a> {
    fn new(nodes: &'a [Node], given: &[Hit], merging: &'a Merging) -> Self {
        let mut hits = vec![None; nodes.len()];
        given.iter().for_each(|hit| hits[hit.node] = Some(*hit));
        let best = given.iter().map(|hit| hit.score).fold(0.0, f64::max);
        let own = given.iter().filter(|hit| hit.own);
        let covered = own.max_by(|one, other| {
            // Of equally good hits, the one that covers more.
            one.score.total_cmp(&other.score).then(one.covered.total_cmp(&other.covered))
        });
        Self {
            nodes,
            merging,
            hits,
            bar: best * merging.match_ratio,
            coverage: covered.map_or(0.0, |hit| hit.covered) * merging.match_coverage,
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

    /// Decides about a node whose children are settled. Returns its combined score if it matches.
    fn settle(&mut self, node: usize) -> Option<f64> {
        // Children came last to first; sums must not depend on it.
        self.matching[node].reverse();
        let rule = self.rule(node);
        if self.hits[node].is_some_and(|hit| self.fault(hit).is_none()) {
            // What has only its title is not listed beside it.
            self.standing[node].retain(|result| result.rule != Rule::Inherited);
        }
        match rule {
            Some(rule @ (Rule::Siblings { score, .. } | Rule::Parent { score, .. })) => {
                Some(self.replace(node, rule, score))
            }
            rule => {
                let hit = self.hits[node]?;
                let fault = self.fault(hit);
                let rule = rule.or(fault).unwrap_or(Rule::Standalone);
                self.standing[node].push(Merged::alone(node, hit.score, rule));
                fault.is_none().then_some(hit.score)
            }
        }
    }

    /// Puts a node in the place of all below it.
    fn replace(&mut self, node: usize, rule: Rule, sum: Capped) -> f64 {
        let own = self.hits[node].map(|hit| hit.score);
        let combined = sum.value().max(own.unwrap_or(0.0));
        let mut from = std::mem::take(&mut self.standing[node]);
        sort(&mut from);
        let best = from.iter().map(|member| member.score).fold(own.unwrap_or(0.0), f64::max);
        let score = match self.merging.order {
            Order::Best => best,
            Order::Sum => combined,
        };
        self.standing[node] = vec![Merged { node, score, combined, whole: true, own, from, rule }];
        combined
    }

    /// The rule that fires for a node with matching children.
    fn rule(&self, node: usize) -> Option<Rule> {
        let Node { parent, children, tokens, .. } = self.nodes[node];
        let matching = &self.matching[node];
        let matched = matching.len();
        let is_match = self.hits[node].is_some_and(|hit| self.fault(hit).is_none());
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

    /// Why a hit is no match, if it is none.
    fn fault(&self, hit: Hit) -> Option<Rule> {
        if !hit.own {
            Some(Rule::Inherited)
        } else if hit.score < self.bar {
            Some(Rule::BelowRatio)
        } else if hit.covered < self.coverage {
            Some(Rule::BelowCoverage)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests;
