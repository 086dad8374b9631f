//! Merges hits along the outline into results that do not overlap.
//!
//! [`merge`] is a pure function. It visits the hits and their ancestors from the leaves to the root
//! and applies these rules to each parent:
//!
//! 1. *Sibling aggregation*: if more than `aggregation_threshold` of a parent's children match, and
//!    at least `min_aggregation_matches`, the parent replaces them as one result. It counts as a
//!    match for its own parent.
//! 2. *Parent match priority*: a parent that matches itself replaces its matching children. Hits
//!    below it that match only through its title are dropped.
//! 3. *Score*: the combined score is the sum of the children's scores, capped at
//!    `score_cap_multiplier` times the best one, or the parent's own score if that is higher.
//!    `order` selects whether results are sorted by it or by their best member.
//! 4. *Depth limit*: a document is aggregated only if all its children match.
//! 5. *Standalone*: any other hit is a separate result.
//!
//! A node *matches* if its own title or body contains query words and it is within two bounds. Its
//! score is at least `match_ratio` of the best score. It covers at least `match_coverage` of the
//! term weight that the best hit covers. A parent of more than `max_merge_tokens` does not replace
//! its children. 0 turns a bound off.
//!
//! A hit that does not match is a separate result and adds to no sum. It is dropped only if an
//! ancestor that became a result contains it.
//!
//! If any bound is on, *short introductions* are returned with the text they introduce. A node with
//! hardly any own text is returned with its whole subtree. If that is too large, its best child
//! follows it. If a node below scores so much higher that the introduction is below `match_ratio`
//! of it, both stay separate.

use std::collections::BTreeMap;

use chunkwright_config::{Merging, Order};

/// A node with children and fewer own tokens than this is a short introduction.
const INTRODUCTION_TOKENS: usize = 60;

/// A node of an outline, as input of [`merge`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MergeNode {
    /// The index of its parent, which precedes it in the list; `None` for a document.
    pub(crate) parent: Option<usize>,
    /// The number of its children, whether they are hits or not.
    pub(crate) children: usize,
    /// The tokens of the node with its descendants.
    pub(crate) tokens: usize,
    /// The tokens of its own text.
    pub(crate) own_tokens: usize,
}

/// A node that the search found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Hit {
    /// The index of the node in the list of nodes.
    pub(crate) node: usize,
    /// The score, greater than 0.
    pub(crate) score: f64,
    /// Whether its own title or body contains query words, not only the titles above it.
    pub(crate) own: bool,
    /// The weight of the query words in its own title or body.
    pub(crate) covered: f64,
}

/// A result of [`merge`].
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Merged {
    /// The index of the node in the list of nodes.
    pub(crate) node: usize,
    /// The score that results are sorted by.
    pub(crate) score: f64,
    /// The sum of the members' scores, capped.
    pub(crate) combined: f64,
    /// Whether the result includes the node's descendants, or only its own text.
    pub(crate) whole: bool,
    /// The node's own score, if it is a hit.
    pub(crate) own: Option<f64>,
    /// The results that it replaced.
    pub(crate) from: Vec<Merged>,
    /// The rule that produced it.
    pub(crate) rule: Rule,
}

/// The rule that produced a result, with its numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Rule {
    /// Enough children match.
    Siblings {
        /// The number of matching children.
        matched: usize,
        /// The number of children.
        children: usize,
        /// The sum of their scores, with its cap.
        score: Capped,
    },
    /// The node matches, and so do some of its children.
    Parent {
        /// The number of matching children.
        matched: usize,
        /// The sum of their scores, with its cap.
        score: Capped,
    },
    /// The node would replace its children, but is too large.
    TooLarge {
        /// The tokens of the node with its descendants.
        tokens: usize,
    },
    /// The node matches, but there is nothing to merge.
    Standalone,
    /// The score is below `match_ratio` of the best one.
    BelowRatio,
    /// The node covers too little of the query.
    BelowCoverage,
    /// No query word is in the node's own title or body.
    Inherited,
    /// The node is a short introduction, and includes its descendants.
    Introduction {
        /// The tokens of its own text.
        tokens: usize,
    },
    /// The node follows its parent, a short introduction.
    Introduced {
        /// The index of the parent.
        by: usize,
        /// The node's own score, which its parent's score replaces.
        score: f64,
    },
}

/// A sum of scores with its cap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Capped {
    /// The sum of the scores.
    pub(crate) sum: f64,
    /// The maximum that counts.
    pub(crate) cap: f64,
}

impl Capped {
    fn of(scores: &[f64], multiplier: f64) -> Self {
        let best = scores.iter().copied().fold(0.0, f64::max);
        Self { sum: scores.iter().sum(), cap: best * multiplier }
    }

    /// Returns the sum, or the cap if that is lower.
    pub(crate) fn value(self) -> f64 {
        self.sum.min(self.cap)
    }
}

impl Merged {
    /// Undoes one level of merging. Returns the node's own hit, if any, and the replaced results.
    pub(crate) fn undone(self) -> Vec<Self> {
        let own = self.own.map(|score| Self::alone(self.node, score, Rule::Standalone));
        own.into_iter().chain(self.from).collect()
    }

    /// Returns the hits in the result with their scores, in reading order.
    pub(crate) fn hits(&self) -> Vec<(usize, f64)> {
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

/// Merges hits into results, best first. Equal results keep the order of the nodes.
///
/// `nodes` contains every hit and its ancestors in reading order, so that a parent precedes its
/// children. Each node occurs in `hits` at most once.
pub(crate) fn merge(nodes: &[MergeNode], hits: &[Hit], merging: &Merging) -> Vec<Merged> {
    let mut results = BottomUpMerge::new(nodes, hits, merging).run();
    sort(&mut results);
    if is_bounded(merging) {
        results = introduce(nodes, results, merging);
    }
    results
}

/// Returns every hit as a separate result, best first.
pub(crate) fn unmerged(hits: &[Hit]) -> Vec<Merged> {
    let alone = |hit: &Hit| Merged::alone(hit.node, hit.score, Rule::Standalone);
    let mut results: Vec<Merged> = hits.iter().map(alone).collect();
    sort(&mut results);
    results
}

/// Returns whether any bound is on. Without bounds, only the five rules apply.
fn is_bounded(merging: &Merging) -> bool {
    merging.match_ratio > 0.0 || merging.match_coverage > 0.0 || merging.max_merge_tokens > 0
}

/// Sorts by score, then by combined score, then in reading order.
fn sort(results: &mut [Merged]) {
    results.sort_by(|one, other| {
        let by_score = other.score.total_cmp(&one.score);
        let by_sum = || other.combined.total_cmp(&one.combined);
        by_score.then_with(by_sum).then(one.node.cmp(&other.node))
    });
}

/// Expands short introductions, or moves their best child right after them.
fn introduce(nodes: &[MergeNode], results: Vec<Merged>, merging: &Merging) -> Vec<Merged> {
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

/// Expands the introductions of small subtrees, unless a node below scores so much higher that it
/// is more useful alone.
fn with_subtrees(nodes: &[MergeNode], results: Vec<Merged>, merging: &Merging) -> Vec<Merged> {
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

/// Returns the result for an introduction that replaces the results below it.
fn with_members(nodes: &[MergeNode], node: usize, members: Vec<Merged>) -> Merged {
    let best = |score: fn(&Merged) -> f64| members.iter().map(score).fold(0.0, f64::max);
    let (score, combined) = (best(|member| member.score), best(|member| member.combined));
    let (own, mut from): (Vec<_>, Vec<_>) =
        members.into_iter().partition(|member| member.node == node);
    sort(&mut from);
    let own = own.first().and_then(|own| own.own);
    let rule = Rule::Introduction { tokens: nodes[node].own_tokens };
    Merged { node, score, combined, whole: true, own, from, rule }
}

/// Iterates over a node and its ancestors.
fn above(nodes: &[MergeNode], node: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(node), |&node| nodes[node].parent)
}

impl MergeNode {
    /// Returns whether the node has children, but hardly any own text.
    fn is_introduction(&self) -> bool {
        self.children > 0 && self.own_tokens < INTRODUCTION_TOKENS
    }
}

/// Merges hits in one pass from the leaves to the documents.
struct BottomUpMerge<'a> {
    nodes: &'a [MergeNode],
    merging: &'a Merging,
    hits: Vec<Option<Hit>>,
    /// Minimum score of a match.
    bar: f64,
    /// Minimum term weight that a match covers.
    coverage: f64,
    /// For each node, the results so far at or below it.
    standing: Vec<Vec<Merged>>,
    /// For each node, the combined scores of the children that match.
    matching: Vec<Vec<f64>>,
}

impl<'a> BottomUpMerge<'a> {
    fn new(nodes: &'a [MergeNode], given: &[Hit], merging: &'a Merging) -> Self {
        let mut hits = vec![None; nodes.len()];
        given.iter().for_each(|hit| hits[hit.node] = Some(*hit));
        let best = given.iter().map(|hit| hit.score).fold(0.0, f64::max);
        let own = given.iter().filter(|hit| hit.own);
        let covered = own.max_by(|one, other| {
            // Of hits with the same score, prefer the one that covers more.
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

    /// Applies the rules to a node whose children are settled. Returns its combined score if it
    /// matches.
    fn settle(&mut self, node: usize) -> Option<f64> {
        // Children were visited in reverse, and floating-point sums depend on the order.
        self.matching[node].reverse();
        let rule = self.rule(node);
        if self.hits[node].is_some_and(|hit| self.fault(hit).is_none()) {
            // Drop hits that match only through this title.
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

    /// Replaces the results below a node by the node.
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

    /// Returns the rule that applies to a node with matching children.
    fn rule(&self, node: usize) -> Option<Rule> {
        let MergeNode { parent, children, tokens, .. } = self.nodes[node];
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

    /// Returns the reason why a hit is not a match, or `None` if it is one.
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
