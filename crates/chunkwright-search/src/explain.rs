//! Explains results: one line for each merging rule that applied, and one for each score.

use chunkwright_config::{Merging, Order};

use crate::forest::{Forest, Item, ShownText};
use crate::merge::{Capped, Merged, Rule};
use crate::options::Request;
use crate::rank::{Score, ScoreWeights};

/// Returns the explanation of a result. `named` returns the id of a node in the forest.
pub(crate) fn lines(
    item: &Item,
    forest: &Forest,
    request: &Request,
    weights: &ScoreWeights,
    named: &dyn Fn(usize) -> String,
) -> Vec<String> {
    let mut lines = Vec::new();
    match request.merging() {
        Some(merging) => rules(&item.merged, merging, named, &mut lines),
        None => lines.push("merging is off".to_owned()),
    }
    if let ShownText::Parts(first, last) = item.shown {
        let parts = match first == last {
            true => format!("part {}", first + 1),
            false => format!("parts {} to {}", first + 1, last + 1),
        };
        let most = request.tuning.max_result_tokens;
        let id = named(item.merged.node);
        lines.push(format!("only {parts} shown: {id} has more than {most} tokens"));
    }
    for (node, _) in item.merged.hits() {
        if let Some(score) = forest.scores.get(&node) {
            let whose = match node == item.merged.node {
                true => "own".to_owned(),
                false => format!("{}:", named(node)),
            };
            lines.push(format!("{whose} {}", in_words(score, weights)));
        }
    }
    lines
}

/// Returns a score as the sum of its components.
fn in_words(score: &Score, weights: &ScoreWeights) -> String {
    let parts = [
        (1.0, score.words, "words"),
        (weights.bigrams, score.bigrams, "adjacent words"),
        (weights.document, score.document, "document"),
        (weights.page_title, score.page_title, "page title"),
        (weights.title, score.title, "heading"),
    ];
    let parts = parts.iter().filter(|(weight, value, _)| weight * value > 0.0);
    let parts: Vec<String> = parts
        .map(|(weight, value, what)| match *weight == 1.0 {
            true => format!("{what} {value:.3}"),
            false => format!("{what} {:.3} ({weight:.2} × {value:.3})", weight * value),
        })
        .collect();
    format!("score {:.3} = {}", score.total, parts.join(" + "))
}

/// Adds the rules that produced a result, after those of its members.
fn rules(
    merged: &Merged,
    merging: &Merging,
    named: &dyn Fn(usize) -> String,
    lines: &mut Vec<String>,
) {
    for part in merged.from.iter().filter(|part| part.whole) {
        rules(part, merging, named, lines);
    }
    let id = named(merged.node);
    match merged.rule {
        Rule::Siblings { matched, children, score } => {
            let share = matched as f64 / children as f64;
            let threshold = merging.aggregation_threshold;
            lines.push(format!(
                "{matched} of {children} children matched ({share:.2} > {threshold}): merged into \
                 {id}"
            ));
            lines.push(scored(score, merged, merging));
        }
        Rule::Parent { matched, score } => {
            let own = merged.own.unwrap_or_default();
            let children = if matched == 1 { "child" } else { "children" };
            lines.push(format!(
                "{id} matched ({own:.3}), as did {matched} {children}: returned with its \
                 subsections"
            ));
            lines.push(scored(score, merged, merging));
        }
        Rule::TooLarge { tokens } => lines.push(format!(
            "{tokens} tokens with its subsections (> {}): too large to merge",
            merging.max_merge_tokens
        )),
        Rule::Standalone => lines.push("matched; nothing to merge with".to_owned()),
        Rule::BelowCoverage => {
            lines.push(format!(
                "covers less than {} of the term weight that the best hit covers: not a match",
                merging.match_coverage
            ));
        }
        Rule::Inherited => {
            lines.push("no query word in its own heading or text: not a match".to_owned());
        }
        Rule::Introduction { tokens } => lines
            .push(format!("introduction of only {tokens} tokens: returned with its subsections")),
        Rule::Introduced { by, score } => lines.push(format!(
            "placed after the short introduction {}, with its score instead of {score:.3}",
            named(by)
        )),
        Rule::BelowRatio => {
            lines.push(format!("below {} of the best score: not a match", merging.match_ratio));
        }
    }
}

/// Explains how the score of a merged result follows from those of its members.
fn scored(sum: Capped, merged: &Merged, merging: &Merging) -> String {
    let Capped { sum: added, cap } = sum;
    let times = merging.score_cap_multiplier;
    let best = cap / times;
    let capped = match added > cap {
        true => format!("{added:.3}, capped at {times} × {best:.3}"),
        false => format!("{added:.3}, within the cap of {times} × {best:.3}"),
    };
    let own = match merged.own {
        Some(own) if own >= sum.value() => format!("; its own score of {own:.3} is higher"),
        _ => String::new(),
    };
    let combined = format!("children total {capped}{own}");
    match merging.order {
        Order::Best => format!("score {:.3}: best member ({combined})", merged.score),
        Order::Sum => format!("score {:.3}: {combined}", merged.score),
    }
}
