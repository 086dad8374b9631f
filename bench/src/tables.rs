//! Formats the results of the speed benchmark as tables.

use chunkwright::StrategyName;

use crate::corpus::{Corpus, Page, bytes};
use crate::ours::{COUNTERS, EXACT};
use crate::race::Results;
use crate::report::machine;
use crate::table::{figures, table, times};

/// Describes the machine and the corpus.
pub fn head(corpus: &Corpus, sample: &[&Page]) -> String {
    let megabytes = |bytes: usize| bytes as f64 / 1e6;
    format!(
        "# Speed\n\n{}\n\n{}: {} pages, {:.1} MB; sample: {} pages, {:.1} MB. CPU time of one \
         thread, best round.\n",
        machine(),
        corpus.name,
        corpus.pages.len(),
        megabytes(bytes(&corpus.pages)),
        sample.len(),
        megabytes(bytes(sample.iter().copied())),
    )
}

/// Returns all tables.
pub fn all(results: &Results) -> String {
    let mut text = format!("## Parts (MB/s)\n\n{}\n", parts(results));
    text += &format!("## Totals: MB/s, and cost ÷ bound\n\n{}\n", totals(results));
    text += &format!("## Stages (ms/MB)\n\n{}\n", stages(results));
    #[cfg(feature = "peers")]
    {
        text += &format!("## Peers at the same limit\n\n{}\n", of_peers::peers(results));
        text += &format!("## Goals\n\n{}\n", of_peers::goals(results));
    }
    text
}

/// Returns the lower bound for a counter: the bare parser, or one count of all text.
fn bound(counter: &str) -> String {
    if EXACT.contains(&counter) { format!("count {counter}") } else { "parse".to_owned() }
}

fn parts(results: &Results) -> String {
    let row = |name: String, part: &str| vec![name, figures(results.speed(part))];
    let mut rows = vec![
        row("bare pulldown-cmark loop (bound)".to_owned(), "parse"),
        row("`Chunker::read`".to_owned(), "read"),
    ];
    for counter in COUNTERS {
        let name = format!("each block counted once, `{counter}`");
        rows.push(row(name, &format!("count blocks {counter}")));
        rows.push(row(format!("`Chunker::measure`, `{counter}`"), &format!("measure {counter}")));
    }
    for counter in EXACT {
        let name = format!("all text counted, `{counter}`, first pass (bound)");
        rows.push(row(name, &format!("count {counter}")));
        let name = format!("all text counted, `{counter}`, second pass");
        rows.push(row(name, &format!("count {counter} again")));
    }
    table(&["part", "MB/s"], &rows)
}

fn totals(results: &Results) -> String {
    let cell = |strategy: &StrategyName, counter: &str| {
        let name = format!("{strategy} {counter}");
        let ratio = results.ratio(&name, &bound(counter));
        format!("{} ({})", figures(results.speed(&name)), times(ratio))
    };
    let row = |strategy: &StrategyName| {
        let cells = COUNTERS.iter().map(|counter| cell(strategy, counter));
        std::iter::once(format!("`{strategy}`")).chain(cells).collect()
    };
    let columns: Vec<&str> = std::iter::once("strategy").chain(COUNTERS).collect();
    table(&columns, &StrategyName::ALL.iter().map(row).collect::<Vec<_>>())
}

fn stages(results: &Results) -> String {
    let row = |strategy: &StrategyName, counter: &str| {
        let (read, total) = (results.cost("read"), results.cost(&format!("{strategy} {counter}")));
        let count = results.cost(&format!("count blocks {counter}"));
        let plan = results.cost(&format!("plan {strategy} {counter}"));
        let costs = [read, count, plan - count, total - read - plan, total].map(figures);
        [vec![format!("`{strategy}` `{counter}`")], costs.to_vec()].concat()
    };
    let of_strategy = |strategy| COUNTERS.into_iter().map(move |counter| row(strategy, counter));
    let rows: Vec<_> = StrategyName::ALL.iter().flat_map(of_strategy).collect();
    table(&["", "read", "count blocks", "plan", "render", "total"], &rows)
}

/// Tables that compare the library with its peers.
#[cfg(feature = "peers")]
mod of_peers {
    use super::*;
    use crate::ours::limited;
    use crate::speed::{CHARS, TOKENS};

    /// Returns the speed of each peer, and its cost divided by that of each strategy.
    pub(super) fn peers(results: &Results) -> String {
        let peers = [
            ("text-splitter chars", format!("chars {CHARS}")),
            ("chunkr chars", format!("chars {CHARS}")),
            ("chunkedrs cl100k", format!("cl100k {TOKENS}")),
            ("text-splitter cl100k", format!("cl100k {TOKENS} sample")),
        ];
        let row = |(peer, limit): &(&str, String)| {
            let times_ours = |strategy: StrategyName| {
                let ours = format!("{strategy} {limit}");
                format!("{} ({})", times(results.ratio(peer, &ours)), figures(results.speed(&ours)))
            };
            let name = peer.split(' ').next().unwrap_or_default();
            let chunks = results.made(peer).to_string();
            let of_peer = [name.to_owned(), limit.clone(), figures(results.speed(peer)), chunks];
            of_peer.into_iter().chain(limited().map(times_ours)).collect()
        };
        let ours = limited().map(|strategy| format!("cost ÷ `{strategy}` (its MB/s)"));
        let of_peer = ["peer", "limit", "MB/s", "chunks"].map(str::to_owned);
        let columns: Vec<String> = of_peer.into_iter().chain(ours).collect();
        table(&columns, &peers.iter().map(row).collect::<Vec<_>>())
    }

    /// Returns the goals, and the result of the worst strategy for each.
    pub(super) fn goals(results: &Results) -> String {
        let most = |counter: &str| {
            let ratio = |strategy| results.ratio(&format!("{strategy} {counter}"), &bound(counter));
            StrategyName::ALL.iter().map(ratio).fold(0.0, f64::max)
        };
        let least = |peer: &str, limit: &str| {
            let ratio = |strategy| results.ratio(peer, &format!("{strategy} {limit}"));
            limited().map(ratio).fold(f64::INFINITY, f64::min)
        };
        let row = |what: &str, goal: String, now: f64, met: bool| {
            vec![what.to_owned(), goal, times(now), if met { "yes" } else { "no" }.to_owned()]
        };
        let at_most = |what: &str, goal: f64, now: f64| {
            row(what, format!("≤ {}", times(goal)), now, now <= goal)
        };
        let at_least = |what: &str, goal: f64, now: f64| {
            row(what, format!("≥ {}", times(goal)), now, now >= goal)
        };
        let by_chars = least("text-splitter chars", &format!("chars {CHARS}"));
        let by_tokens = least("text-splitter cl100k", &format!("cl100k {TOKENS} sample"));
        let rows = [
            at_most("`estimate` ÷ bare pulldown-cmark loop", 1.5, most("estimate")),
            at_most("`cl100k` ÷ one count, first pass", 1.3, most("cl100k")),
            at_most("`o200k` ÷ one count, first pass", 1.3, most("o200k")),
            at_least("text-splitter ÷ ours, by characters", 1.5, by_chars),
            at_least("text-splitter ÷ ours, by tokens", 20.0, by_tokens),
        ];
        table(&["", "goal", "worst strategy", "met"], &rows)
    }
}
