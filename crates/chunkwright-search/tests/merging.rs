//! Merging keeps its promises: rule by rule on one small tree, and in general on random ones.

use chunkwright_search::merge::{Capped, Hit, Merged, Merging, Node, Rule, merge};
use proptest::prelude::*;

/// The rules alone, without our bounds.
const UNBOUND: Merging = Merging {
    aggregation_threshold: 0.5,
    min_aggregation_matches: 2,
    score_cap_multiplier: 2.0,
    match_ratio: 0.0,
    max_merge_tokens: 0,
};

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
fn tree() -> Vec<Node> {
    let node = |parent: Option<usize>, children, tokens| Node { parent, children, tokens };
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
    scores.iter().map(|&(node, score)| Hit { node, score, own: true }).collect()
}

/// The results as node, score and whether it is whole.
fn merged(scores: &[(usize, f64)], merging: &Merging) -> Vec<(usize, f64, bool)> {
    let results = merge(&tree(), &hits(scores), merging);
    results.iter().map(|result| (result.node, result.score, result.whole)).collect()
}

#[test]
fn rule_1_most_siblings_become_their_parent() {
    let results = merge(&tree(), &hits(&[(2, 1.0), (3, 1.0), (7, 0.5)]), &UNBOUND);
    let [parent] = &results[..] else { panic!("{results:?}") };
    let score = Capped { sum: 2.5, cap: 2.0 };
    assert_eq!(parent.rule, Rule::Siblings { matched: 3, children: 4, score });
    assert_eq!(parent.hits(), [(2, 1.0), (3, 1.0), (7, 0.5)]);
}

#[test]
fn rule_1_half_of_the_siblings_are_not_most() {
    assert_eq!(merged(&[(2, 1.0), (3, 0.9)], &UNBOUND), [(2, 1.0, false), (3, 0.9, false)]);
}

#[test]
fn rule_1_one_match_is_not_enough_whatever_its_share() {
    assert_eq!(merged(&[(9, 1.0)], &UNBOUND), [(9, 1.0, false)]);
    let one = Merging { min_aggregation_matches: 1, ..UNBOUND };
    assert_eq!(merged(&[(9, 1.0)], &one), [(8, 1.0, true)]);
}

#[test]
fn rule_1_an_aggregated_child_is_a_match_for_its_own_parent() {
    let results = merged(&[(5, 1.0), (6, 1.0), (2, 1.0), (3, 1.0)], &UNBOUND);
    assert_eq!(results, [(1, 4.0, true)], "A3 has 2.0, and twice that is the cap");
}

#[test]
fn rule_2_a_parent_that_matches_takes_the_place_of_its_children() {
    let results = merge(&tree(), &hits(&[(8, 0.4), (9, 1.0)]), &UNBOUND);
    let [parent] = &results[..] else { panic!("{results:?}") };
    let score = Capped { sum: 1.0, cap: 2.0 };
    assert_eq!((parent.node, parent.score, parent.whole), (8, 1.0, true));
    assert_eq!(parent.rule, Rule::Parent { matched: 1, score });
}

#[test]
fn rule_2_a_breadcrumb_or_a_tag_is_not_a_match_in_its_own_right() {
    let mut found = hits(&[(8, 0.4), (9, 1.0)]);
    found[0].own = false;
    let results = merge(&tree(), &found, &UNBOUND);
    assert_eq!(
        results.iter().map(|r| (r.node, r.whole)).collect::<Vec<_>>(),
        [(9, false), (8, false)]
    );
}

#[test]
fn rule_3_the_sum_is_capped_and_the_own_score_counts_if_it_is_larger() {
    assert_eq!(merged(&[(5, 0.5), (6, 0.25)], &UNBOUND), [(4, 0.75, true)]);
    let low = Merging { score_cap_multiplier: 1.2, ..UNBOUND };
    assert_eq!(merged(&[(5, 0.5), (6, 0.25)], &low), [(4, 0.6, true)]);
    assert_eq!(merged(&[(4, 3.0), (5, 0.5), (6, 0.25)], &UNBOUND), [(4, 3.0, true)]);
}

#[test]
fn rule_4_a_document_needs_all_its_children() {
    let one = [(2, 1.0), (3, 1.0), (7, 1.0)];
    assert_eq!(merged(&one, &UNBOUND), [(1, 2.0, true)]);
    let all = [(2, 1.0), (3, 1.0), (7, 1.0), (8, 1.0)];
    assert_eq!(merged(&all, &UNBOUND), [(0, 3.0, true)]);
    let itself = [(0, 0.1), (2, 1.0), (3, 1.0), (7, 1.0)];
    assert_eq!(merged(&itself, &UNBOUND), [(0, 2.0, true)]);
}

#[test]
fn rule_5_other_hits_stand_for_themselves() {
    let results = merged(&[(5, 0.9), (2, 1.0), (9, 0.1)], &UNBOUND);
    assert_eq!(results, [(2, 1.0, false), (5, 0.9, false), (9, 0.1, false)]);
}

#[test]
fn a_hit_below_the_ratio_is_no_match_but_vanishes_into_its_parent() {
    let bound = Merging { match_ratio: 0.7, ..UNBOUND };
    assert_eq!(merged(&[(5, 1.0), (6, 0.6)], &bound), [(5, 1.0, false), (6, 0.6, false)]);
    let results = merge(&tree(), &hits(&[(2, 1.0), (3, 0.9), (7, 0.8), (5, 0.1)]), &bound);
    let [parent] = &results[..] else { panic!("{results:?}") };
    assert_eq!((parent.node, parent.score), (1, 2.0));
    assert_eq!(parent.hits().len(), 4);
}

#[test]
fn a_large_parent_that_matches_stands_beside_its_children() {
    let bound = Merging { max_merge_tokens: 299, ..UNBOUND };
    let results = merge(&tree(), &hits(&[(8, 0.4), (9, 1.0)]), &bound);
    assert_eq!(
        results.iter().map(|r| (r.node, r.whole)).collect::<Vec<_>>(),
        [(9, false), (8, false)]
    );
    assert_eq!(results[1].rule, Rule::TooLarge { tokens: 300 });
}

#[test]
fn a_merge_can_be_undone() {
    let results = merge(&tree(), &hits(&[(8, 0.4), (9, 1.0)]), &UNBOUND);
    let undone: Vec<_> = results[0].clone().undone().iter().map(|r| (r.node, r.whole)).collect();
    assert_eq!(undone, [(8, false), (9, false)]);
}

/// A random forest with its hits.
fn forests() -> impl Strategy<Value = (Vec<Node>, Vec<Hit>)> {
    let node = (0..6_usize, 0..400_usize, 0..4_usize, any::<bool>(), 1..100_u32);
    proptest::collection::vec(node, 1..60).prop_map(|drawn| {
        let mut nodes: Vec<Node> = Vec::new();
        let mut own_tokens = Vec::new();
        let mut hits = Vec::new();
        for (place, &(up, tokens, kind, own, score)) in drawn.iter().enumerate() {
            // In reading order a parent is the node before, or one above it.
            let mut parent = place.checked_sub(1);
            for _ in 0..up {
                parent = parent.and_then(|parent| nodes[parent].parent);
            }
            if let Some(parent) = parent {
                nodes[parent].children += 1;
            }
            nodes.push(Node { parent, children: 0, tokens: 0 });
            own_tokens.push(tokens);
            if kind > 0 {
                hits.push(Hit { node: place, score: f64::from(score) / 100.0, own });
            }
        }
        for place in (0..nodes.len()).rev() {
            nodes[place].tokens += own_tokens[place];
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
    (0.0..1.0, 1..4_usize, 1.0..3.0, ratio, limit).prop_map(
        |(threshold, least, cap, ratio, most)| Merging {
            aggregation_threshold: threshold,
            min_aggregation_matches: least,
            score_cap_multiplier: cap,
            match_ratio: ratio,
            max_merge_tokens: most,
        },
    )
}

/// The nodes whose own text a result shows.
fn shown(nodes: &[Node], result: &Merged) -> Vec<usize> {
    if !result.whole {
        return vec![result.node];
    }
    let above = |node: usize| std::iter::successors(Some(node), |&node| nodes[node].parent);
    (0..nodes.len()).filter(|&node| above(node).any(|above| above == result.node)).collect()
}

proptest! {
    #[test]
    fn no_two_results_share_a_byte((nodes, hits) in forests(), merging in parameters()) {
        let mut seen = vec![false; nodes.len()];
        for result in merge(&nodes, &hits, &merging) {
            for node in shown(&nodes, &result) {
                prop_assert!(!seen[node], "node {node} is shown twice");
                seen[node] = true;
            }
        }
    }

    #[test]
    fn every_hit_lies_in_exactly_one_result((nodes, hits) in forests(), merging in parameters()) {
        let results = merge(&nodes, &hits, &merging);
        for hit in &hits {
            let holders = results.iter().filter(|r| shown(&nodes, r).contains(&hit.node)).count();
            let named = results.iter().flat_map(Merged::hits).filter(|h| h.0 == hit.node).count();
            prop_assert_eq!((holders, named), (1, 1), "hit {}", hit.node);
        }
        for result in &results {
            prop_assert!(!result.hits().is_empty(), "nothing was found in node {}", result.node);
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
    fn nothing_over_the_limit_is_assembled((nodes, hits) in forests(), merging in parameters()) {
        for result in merge(&nodes, &hits, &merging).iter().filter(|result| result.whole) {
            let limit = merging.max_merge_tokens;
            prop_assert!(limit == 0 || nodes[result.node].tokens <= limit);
        }
    }

    #[test]
    fn undoing_every_merge_gives_the_hits((nodes, hits) in forests(), merging in parameters()) {
        let mut open = merge(&nodes, &hits, &merging);
        let mut alone = Vec::new();
        while let Some(result) = open.pop() {
            match result.whole {
                true => open.extend(result.undone()),
                false => alone.push((result.node, result.score)),
            }
        }
        alone.sort_by_key(|&(node, _)| node);
        prop_assert_eq!(alone, hits.iter().map(|h| (h.node, h.score)).collect::<Vec<_>>());
    }
}
