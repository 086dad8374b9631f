//! Explanations: a result comes in, one line for every rule that fired goes out.

use crate::assemble::{Item, Shown};
use crate::merge::{Capped, Merged, Merging, Rule};
use crate::options::Request;
use crate::search::Forest;

/// Why a result is as it is. `named` gives the id of a place in the forest.
pub(crate) fn lines(
    item: &Item,
    forest: &Forest,
    request: &Request,
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
            let ranking = &request.tuning.ranking;
            lines.push(format!(
                "{}: {:.3} = words {:.3} + {} × bigrams {:.3} + {} × document {:.3}",
                named(node),
                score.total,
                score.words,
                ranking.bigrams,
                score.bigrams,
                ranking.document,
                score.document,
            ));
        }
    }
    lines
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
                "{id} matched itself ({own:.3}), and so did {matched} of its {children}: returned \
                 with all below it"
            ));
            lines.push(scored(score, merged, merging));
        }
        Rule::TooLarge { tokens } => lines.push(format!(
            "{id} has {tokens} tokens with all below it (> {}): not merged",
            merging.max_merge_tokens
        )),
        Rule::Standalone => lines.push("matched, and nothing to merge with".to_owned()),
        Rule::BelowRatio => {
            lines.push(format!("below {} of the best score: no match", merging.match_ratio));
        }
    }
}

fn scored(score: Capped, merged: &Merged, merging: &Merging) -> String {
    let Capped { sum, cap } = score;
    let times = merging.score_cap_multiplier;
    let best = cap / times;
    let capped = match sum > cap {
        true => format!("sum {sum:.3}, capped at {times} × {best:.3}"),
        false => format!("sum {sum:.3}, not above {times} × {best:.3}"),
    };
    match merged.own {
        Some(own) if own >= score.value() => format!("score {own:.3}: its own, above {capped}"),
        _ => format!("score {:.3}: {capped}", merged.score),
    }
}
