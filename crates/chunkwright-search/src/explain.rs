//! Explanations: a result comes in, one line for every rule that fired goes out.

use chunkwright_config::{Merging, Order};

use crate::forest::{Forest, Item, Shown};
use crate::merge::{Capped, Merged, Rule};
use crate::options::Request;
use crate::rank::{Score, ScoreWeights};

/// Why a result is as it is. `named` gives the id of a place in the forest.
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
        None => lines.push("not merged".to_owned()),
    }
    if let Shown::Parts(first, last) = item.shown {
        let parts = match first == last {
            true => format!("part {}", first + 1),
            false => format!("parts {} to {}", first + 1, last + 1),
        };
        let most = request.tuning.max_result_tokens;
        lines.push(format!("{parts}: {} has more than {most} tokens", named(item.merged.node)));
    }
    for (node, _) in item.merged.hits() {
        if let Some(score) = forest.scores.get(&node) {
            let name = if node == item.merged.node { "it".to_owned() } else { named(node) };
            lines.push(format!("{name} {}", in_words(score, weights)));
        }
    }
    lines
}

/// What a score is made of, as a sentence.
fn in_words(score: &Score, weights: &ScoreWeights) -> String {
    let parts = [
        (1.0, score.words, "for its words"),
        (weights.bigrams, score.bigrams, "for pairs of words"),
        (weights.document, score.document, "for its document"),
        (weights.page_title, score.page_title, "for the title of its page"),
        (weights.title, score.title, "for its heading"),
    ];
    let parts = parts.iter().filter(|(weight, value, _)| weight * value > 0.0);
    let parts: Vec<String> = parts
        .map(|(weight, value, what)| match *weight == 1.0 {
            true => format!("{value:.3} {what}"),
            false => format!("{:.3} {what} ({weight:.2} × {value:.3})", weight * value),
        })
        .collect();
    format!("scores {:.3}: {}", score.total, parts.join(", "))
}

/// The rules that made a result, those of what it was made of first.
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
                "{id} matched ({own:.3}), and so did {matched} of its {children}: returned \
                 with all below it"
            ));
            lines.push(scored(score, merged, merging));
        }
        Rule::TooLarge { tokens } => lines.push(format!(
            "it has {tokens} tokens with all below it (> {}): not merged",
            merging.max_merge_tokens
        )),
        Rule::Standalone => lines.push("matched, and nothing to merge with".to_owned()),
        Rule::BelowCoverage => {
            lines.push(format!(
                "covers less than {} of what the best hit covers: no match",
                merging.match_coverage
            ));
        }
        Rule::Inherited => {
            lines.push("none of the words are in its own title or text: no match".to_owned());
        }
        Rule::Introduction { tokens } => lines
            .push(format!("it has only {tokens} tokens of its own: returned with all below it")),
        Rule::Introduced { by, score } => lines.push(format!(
            "follows the short introduction {}, with its score instead of {score:.3}",
            named(by)
        )),
        Rule::BelowRatio => {
            lines.push(format!("below {} of the best score: no match", merging.match_ratio));
        }
    }
}

/// How the scores of the members make that of a result.
fn scored(sum: Capped, merged: &Merged, merging: &Merging) -> String {
    let Capped { sum: added, cap } = sum;
    let times = merging.score_cap_multiplier;
    let best = cap / times;
    let capped = match added > cap {
        true => format!("{added:.3}, capped at {times} × {best:.3}"),
        false => format!("{added:.3}, not above {times} × {best:.3}"),
    };
    let own = match merged.own {
        Some(own) if own >= sum.value() => format!("; its own score {own:.3} is larger"),
        _ => String::new(),
    };
    let combined = format!("the children's scores add up to {capped}{own}");
    match merging.order {
        Order::Best => format!("score {:.3}: that of its best member ({combined})", merged.score),
        Order::Sum => format!("score {:.3}: {combined}", merged.score),
    }
}
