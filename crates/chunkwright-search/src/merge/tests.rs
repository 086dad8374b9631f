//! Tests each merging rule on a small outline, and invariants on random outlines.

use proptest::prelude::*;

use super::{Capped, Hit, MergeNode, Merged, Merging, Order, Rule, merge};

/// Returns the five rules alone (no bounds, results sorted by combined score), changed by `set`.
fn unbound(set: impl FnOnce(&mut Merging)) -> Merging {
    let mut merging = Merging::default();
    merging.match_ratio = 0.0;
    merging.match_coverage = 0.0;
    merging.max_merge_tokens = 0;
    merging.order = Order::Sum;
    set(&mut merging);
    merging
}

/// ```text
/// 0 document
/// 1   A          four children
/// 2     A1
/// 3     A2
/// 4     A3       two children
/// 5       A3a
/// 6       A3b
/// 7     A4
/// 8   B          one child
/// 9     B1
/// ```
fn tree() -> Vec<MergeNode> {
    let node = |parent: Option<usize>, children, tokens| MergeNode {
        parent,
        children,
        tokens,
        own_tokens: 100,
    };
    vec![
        node(None, 2, 1000),
        node(Some(0), 4, 700),
        node(Some(1), 0, 100),
        node(Some(1), 0, 100),
        node(Some(1), 2, 300),
        node(Some(4), 0, 100),
        node(Some(4), 0, 100),
        node(Some(1), 0, 100),
        node(Some(0), 1, 300),
        node(Some(8), 0, 200),
    ]
}

fn hits(scores: &[(usize, f64)]) -> Vec<Hit> {
    scores.iter().map(|&(node, score)| Hit { node, score, own: true, covered: 1.0 }).collect()
}

/// Returns node, score and `whole` of each result.
fn merged(scores: &[(usize, f64)], merging: &Merging) -> Vec<(usize, f64, bool)> {
    let results = merge(&tree(), &hits(scores), merging);
    results.iter().map(|result| (result.node, result.score, result.whole)).collect()
}

#[test]
fn rule_1_a_parent_replaces_a_majority_of_its_children() {
    let results = merge(&tree(), &hits(&[(2, 1.0), (3, 1.0), (7, 0.5)]), &unbound(|_| {}));
    let [parent] = &results[..] else { panic!("{results:?}") };
    let score = Capped { sum: 2.5, cap: 2.0 };
    assert_eq!(parent.rule, Rule::Siblings { matched: 3, children: 4, score });
    assert_eq!(parent.hits(), [(2, 1.0), (3, 1.0), (7, 0.5)]);
}

#[test]
fn rule_1_half_of_the_children_are_not_a_majority() {
    assert_eq!(merged(&[(2, 1.0), (3, 0.9)], &unbound(|_| {})), [(2, 1.0, false), (3, 0.9, false)]);
}

#[test]
fn rule_1_needs_the_minimum_number_of_matches() {
    assert_eq!(merged(&[(9, 1.0)], &unbound(|_| {})), [(9, 1.0, false)]);
    let one = unbound(|merging| merging.min_aggregation_matches = 1);
    assert_eq!(merged(&[(9, 1.0)], &one), [(8, 1.0, true)]);
}

#[test]
fn rule_1_an_aggregated_child_is_a_match_for_its_own_parent() {
    let results = merged(&[(5, 1.0), (6, 1.0), (2, 1.0), (3, 1.0)], &unbound(|_| {}));
    assert_eq!(results, [(1, 4.0, true)], "the cap is twice the 2.0 of A3");
}

#[test]
fn rule_2_a_matching_parent_replaces_its_children() {
    let results = merge(&tree(), &hits(&[(8, 0.4), (9, 1.0)]), &unbound(|_| {}));
    let [parent] = &results[..] else { panic!("{results:?}") };
    let score = Capped { sum: 1.0, cap: 2.0 };
    assert_eq!((parent.node, parent.score, parent.whole), (8, 1.0, true));
    assert_eq!(parent.rule, Rule::Parent { matched: 1, score });
}

/// Returns hits, of which those in `inherited` match only through the titles above them.
fn hits_with_inherited(own: &[(usize, f64)], inherited: &[(usize, f64)]) -> Vec<Hit> {
    let inherited = hits(inherited).into_iter().map(|hit| Hit { own: false, covered: 0.0, ..hit });
    hits(own).into_iter().chain(inherited).collect()
}

#[test]
fn rule_1_ignores_children_that_match_only_through_a_title_above() {
    let found = hits_with_inherited(&[(2, 1.0)], &[(3, 0.9), (7, 0.9)]);
    let results = merge(&tree(), &found, &unbound(|_| {}));
    let shown: Vec<_> = results.iter().map(|r| (r.node, r.whole)).collect();
    assert_eq!(shown, [(2, false), (3, false), (7, false)]);
}

#[test]
fn rule_2_ignores_a_parent_that_matches_only_through_a_title_above() {
    let results = merge(&tree(), &hits_with_inherited(&[(9, 1.0)], &[(8, 0.4)]), &unbound(|_| {}));
    let shown: Vec<_> = results.iter().map(|r| (r.node, r.whole)).collect();
    assert_eq!(shown, [(9, false), (8, false)]);
}

#[test]
fn rule_2_drops_sections_that_match_only_through_the_title_of_a_match() {
    // Only A contains the word, in its title: it is a separate result, merged from nothing.
    let found = hits_with_inherited(&[(1, 1.0)], &[(2, 0.5), (3, 0.5), (4, 0.5), (5, 0.5)]);
    let results = merge(&tree(), &found, &unbound(|_| {}));
    let [only] = &results[..] else { panic!("{results:?}") };
    assert_eq!((only.node, only.whole, only.hits()), (1, false, vec![(1, 1.0)]));
    // One of two children of A3 contains it too, but A3 does not: two results.
    let found = hits_with_inherited(&[(1, 1.0), (5, 0.8)], &[(4, 0.5), (6, 0.5)]);
    let results = merge(&tree(), &found, &unbound(|_| {}));
    let shown: Vec<_> = results.iter().map(|r| (r.node, r.whole)).collect();
    assert_eq!(shown, [(1, false), (5, false)]);
}

#[test]
fn rule_3_caps_the_sum_and_prefers_a_higher_own_score() {
    assert_eq!(merged(&[(5, 0.5), (6, 0.25)], &unbound(|_| {})), [(4, 0.75, true)]);
    let low = unbound(|merging| merging.score_cap_multiplier = 1.2);
    assert_eq!(merged(&[(5, 0.5), (6, 0.25)], &low), [(4, 0.6, true)]);
    assert_eq!(merged(&[(4, 3.0), (5, 0.5), (6, 0.25)], &unbound(|_| {})), [(4, 3.0, true)]);
}

#[test]
fn rule_3_sorts_by_combined_score_only_on_request() {
    let found = [(9, 1.0), (5, 0.9), (6, 0.9)];
    assert_eq!(merged(&found, &unbound(|_| {})), [(4, 1.8, true), (9, 1.0, false)]);
    let best = unbound(|merging| merging.order = Order::Best);
    let results = merge(&tree(), &hits(&found), &best);
    let shown: Vec<_> = results.iter().map(|r| (r.node, r.score, r.combined)).collect();
    assert_eq!(shown, [(9, 1.0, 1.0), (4, 0.9, 1.8)]);
    let equal = merge(&tree(), &hits(&[(2, 0.9), (5, 0.9), (6, 0.9)]), &best);
    let shown: Vec<_> = equal.iter().map(|r| r.node).collect();
    assert_eq!(shown, [4, 2], "the combined score breaks ties");
}

#[test]
fn rule_4_a_document_is_aggregated_only_if_all_children_match() {
    let one = [(2, 1.0), (3, 1.0), (7, 1.0)];
    assert_eq!(merged(&one, &unbound(|_| {})), [(1, 2.0, true)]);
    let all = [(2, 1.0), (3, 1.0), (7, 1.0), (8, 1.0)];
    assert_eq!(merged(&all, &unbound(|_| {})), [(0, 3.0, true)]);
    let itself = [(0, 0.1), (2, 1.0), (3, 1.0), (7, 1.0)];
    assert_eq!(merged(&itself, &unbound(|_| {})), [(0, 2.0, true)]);
}

#[test]
fn rule_5_other_hits_are_separate_results() {
    let results = merged(&[(5, 0.9), (2, 1.0), (9, 0.1)], &unbound(|_| {}));
    assert_eq!(results, [(2, 1.0, false), (5, 0.9, false), (9, 0.1, false)]);
}

#[test]
fn a_hit_below_the_ratio_does_not_match_but_is_absorbed_by_its_parent() {
    let bound = unbound(|merging| merging.match_ratio = 0.7);
    assert_eq!(merged(&[(5, 1.0), (6, 0.6)], &bound), [(5, 1.0, false), (6, 0.6, false)]);
    let results = merge(&tree(), &hits(&[(2, 1.0), (3, 0.9), (7, 0.8), (5, 0.1)]), &bound);
    let [parent] = &results[..] else { panic!("{results:?}") };
    assert_eq!((parent.node, parent.score), (1, 2.0));
    assert_eq!(parent.hits().len(), 4);
}

#[test]
fn a_hit_that_covers_too_little_of_the_query_does_not_match() {
    let covering = |shares: [f64; 3]| {
        let found = hits(&[(9, 1.0), (5, 0.9), (6, 0.9)]).into_iter().zip(shares);
        found.map(|(hit, covered)| Hit { covered, ..hit }).collect::<Vec<_>>()
    };
    let bound = unbound(|merging| merging.match_coverage = 0.9);
    let results = merge(&tree(), &covering([2.0, 1.0, 1.0]), &bound);
    let rules: Vec<_> = results.iter().map(|r| (r.node, r.rule)).collect();
    assert_eq!(rules, [(9, Rule::Standalone), (5, Rule::BelowCoverage), (6, Rule::BelowCoverage)]);
    let results = merge(&tree(), &covering([2.0, 1.8, 1.8]), &bound);
    assert_eq!(results.iter().map(|r| r.node).collect::<Vec<_>>(), [4, 9]);
}

/// Returns the tree with one-line introductions in the document and in A.
fn tree_with_introductions() -> Vec<MergeNode> {
    let mut nodes = tree();
    nodes[0].own_tokens = 20;
    nodes[1].own_tokens = 20;
    nodes
}

#[test]
fn a_short_introduction_includes_a_small_subtree() {
    let bound = unbound(|merging| merging.max_merge_tokens = 800);
    let results = merge(&tree_with_introductions(), &hits(&[(1, 1.0)]), &bound);
    let [only] = &results[..] else { panic!("{results:?}") };
    assert_eq!((only.node, only.whole), (1, true));
    assert_eq!(only.rule, Rule::Introduction { tokens: 20 });
    let unbound = merge(&tree_with_introductions(), &hits(&[(1, 1.0)]), &unbound(|_| {}));
    assert!(!unbound[0].whole, "without bounds, an introduction is an ordinary node");
}

#[test]
fn a_short_introduction_does_not_absorb_a_much_better_section() {
    let bound = unbound(|merging| {
        merging.max_merge_tokens = 800;
        merging.match_ratio = 0.7;
    });
    let results = merge(&tree_with_introductions(), &hits(&[(1, 0.5), (5, 1.0)]), &bound);
    let shown: Vec<_> = results.iter().map(|r| (r.node, r.whole)).collect();
    assert_eq!(shown, [(5, false), (1, false)]);
}

#[test]
fn a_short_introduction_of_a_large_subtree_is_followed_by_its_best_child() {
    let bound = unbound(|merging| {
        merging.max_merge_tokens = 600;
        merging.match_ratio = 0.7;
    });
    let found = [(1, 1.0), (9, 0.6), (7, 0.5), (2, 0.4)];
    let results = merge(&tree_with_introductions(), &hits(&found), &bound);
    let shown: Vec<_> = results.iter().map(|r| (r.node, r.score, r.whole)).collect();
    assert_eq!(shown, [(1, 1.0, false), (7, 1.0, false), (9, 0.6, false), (2, 0.4, false)]);
    assert_eq!(results[1].rule, Rule::Introduced { by: 1, score: 0.5 });
}

#[test]
fn a_large_parent_that_matches_does_not_replace_its_children() {
    let bound = unbound(|merging| merging.max_merge_tokens = 299);
    let results = merge(&tree(), &hits(&[(8, 0.4), (9, 1.0)]), &bound);
    assert_eq!(
        results.iter().map(|r| (r.node, r.whole)).collect::<Vec<_>>(),
        [(9, false), (8, false)]
    );
    assert_eq!(results[1].rule, Rule::TooLarge { tokens: 300 });
}

#[test]
fn undoes_a_merge() {
    let results = merge(&tree(), &hits(&[(8, 0.4), (9, 1.0)]), &unbound(|_| {}));
    let undone: Vec<_> = results[0].clone().undone().iter().map(|r| (r.node, r.whole)).collect();
    assert_eq!(undone, [(8, false), (9, false)]);
}

/// A random forest with its hits.
fn forests() -> impl Strategy<Value = (Vec<MergeNode>, Vec<Hit>)> {
    let node = (0..6_usize, 0..400_usize, 0..4_usize, any::<bool>(), 1..100_u32);
    proptest::collection::vec(node, 1..60).prop_map(|drawn| {
        let mut nodes: Vec<MergeNode> = Vec::new();
        let mut hits = Vec::new();
        for (place, &(up, tokens, kind, own, score)) in drawn.iter().enumerate() {
            // In reading order, a parent is the preceding node or one of its ancestors.
            let mut parent = place.checked_sub(1);
            for _ in 0..up {
                parent = parent.and_then(|parent| nodes[parent].parent);
            }
            if let Some(parent) = parent {
                nodes[parent].children += 1;
            }
            nodes.push(MergeNode { parent, children: 0, tokens: 0, own_tokens: tokens });
            if kind > 0 {
                let covered = if own { kind as f64 } else { 0.0 };
                hits.push(Hit { node: place, score: f64::from(score) / 100.0, own, covered });
            }
        }
        for place in (0..nodes.len()).rev() {
            nodes[place].tokens += nodes[place].own_tokens;
            if let Some(parent) = nodes[place].parent {
                nodes[parent].tokens += nodes[place].tokens;
            }
        }
        (nodes, hits)
    })
}

fn parameters() -> impl Strategy<Value = Merging> {
    let ratio = prop_oneof![Just(0.0), 0.0..1.0];
    let limit = prop_oneof![Just(0_usize), 1..1500_usize];
    let order = prop_oneof![Just(Order::Best), Just(Order::Sum)];
    (0.0..1.0, 1..4_usize, 1.0..3.0, ratio.clone(), ratio, limit, order).prop_map(
        |(threshold, least, cap, ratio, coverage, most, order)| {
            unbound(|merging| {
                merging.aggregation_threshold = threshold;
                merging.min_aggregation_matches = least;
                merging.score_cap_multiplier = cap;
                merging.match_ratio = ratio;
                merging.match_coverage = coverage;
                merging.max_merge_tokens = most;
                merging.order = order;
            })
        },
    )
}

/// Returns the nodes whose own text a result shows.
fn shown(nodes: &[MergeNode], result: &Merged) -> Vec<usize> {
    if !result.whole {
        return vec![result.node];
    }
    let above = |node: usize| std::iter::successors(Some(node), |&node| nodes[node].parent);
    (0..nodes.len()).filter(|&node| above(node).any(|above| above == result.node)).collect()
}

proptest! {
    #[test]
    fn results_do_not_overlap((nodes, hits) in forests(), merging in parameters()) {
        let mut seen = vec![false; nodes.len()];
        for result in merge(&nodes, &hits, &merging) {
            for node in shown(&nodes, &result) {
                prop_assert!(!seen[node], "node {node} is shown twice");
                seen[node] = true;
            }
        }
    }

    #[test]
    fn every_match_is_in_one_result_and_other_hits_are_dropped_only_below_one(
        (nodes, hits) in forests(),
        merging in parameters(),
    ) {
        let results = merge(&nodes, &hits, &merging);
        let best = hits.iter().map(|hit| hit.score).fold(0.0, f64::max);
        let own = hits.iter().filter(|hit| hit.own);
        let covered = own.max_by(|a, b| (a.score, a.covered).partial_cmp(&(b.score, b.covered)).unwrap());
        let covered = covered.map_or(0.0, |hit| hit.covered);
        for hit in &hits {
            let holders = results.iter().filter(|r| shown(&nodes, r).contains(&hit.node)).count();
            let is_match = hit.own
                && hit.score >= best * merging.match_ratio
                && hit.covered >= covered * merging.match_coverage;
            let above = std::iter::successors(nodes[hit.node].parent, |&node| nodes[node].parent);
            let is_below = above.into_iter().any(|node| results.iter().any(|r| r.node == node));
            prop_assert!(holders == 1 || (holders == 0 && !is_match && is_below), "{hit:?}");
        }
        for result in &results {
            prop_assert!(!result.hits().is_empty(), "node {} contains no hit", result.node);
        }
    }

    #[test]
    fn results_are_sorted_by_score((nodes, hits) in forests(), merging in parameters()) {
        let results = merge(&nodes, &hits, &merging);
        prop_assert!(results.is_sorted_by(|one, next| one.score >= next.score));
    }

    #[test]
    fn no_result_scores_higher_than_its_best_member((nodes, hits) in forests(), merging in parameters()) {
        let mut merging = merging;
        merging.order = Order::Best;
        let best = hits.iter().map(|hit| hit.score).fold(0.0, f64::max);
        for result in merge(&nodes, &hits, &merging) {
            prop_assert!(result.score <= best);
        }
    }

    #[test]
    fn the_order_of_hits_does_not_matter(
        ((nodes, hits), shuffled) in forests().prop_flat_map(|(nodes, hits)| {
            let shuffled = Just(hits.clone()).prop_shuffle();
            (Just((nodes, hits)), shuffled)
        }),
        merging in parameters(),
    ) {
        prop_assert_eq!(merge(&nodes, &hits, &merging), merge(&nodes, &shuffled, &merging));
    }

    #[test]
    fn never_merges_beyond_the_token_limit((nodes, hits) in forests(), merging in parameters()) {
        for result in merge(&nodes, &hits, &merging).iter().filter(|result| result.whole) {
            let limit = merging.max_merge_tokens;
            prop_assert!(limit == 0 || nodes[result.node].tokens <= limit);
        }
    }

    #[test]
    fn undoing_every_merge_returns_the_hits((nodes, hits) in forests(), merging in parameters()) {
        let mut open = merge(&nodes, &hits, &merging);
        let mut alone = Vec::new();
        while let Some(result) = open.pop() {
            match result.whole {
                true => open.extend(result.undone()),
                false => alone.push((result.node, result.own)),
            }
        }
        let nodes: Vec<usize> = alone.iter().map(|&(node, _)| node).collect();
        prop_assert!(nodes.iter().collect::<std::collections::BTreeSet<_>>().len() == nodes.len());
        for one in alone {
            prop_assert!(hits.iter().any(|hit| (hit.node, Some(hit.score)) == one));
        }
    }
}
