//! Speed: a corpus comes in; what the library, its parts and its peers take goes out.

use anyhow::Result;
use chunkwright::{Chunker, Document, Strategy};
use serde_json::json;

use crate::corpus::{Corpus, Page, bytes};
use crate::ours::{self, COUNTERS};
use crate::plot::{Dot, Mark, dots};
use crate::race::{Race, Results};
use crate::report::{Report, machine};
use crate::table::{figures, table, times};

/// The limits at which peers are compared.
const CHARS: usize = 2000;
const TOKENS: usize = 512;

/// The counters whose bound is a count of all text rather than the parser.
const EXACT: [&str; 2] = ["cl100k", "o200k"];

/// Measures everything, prints tables, and saves them.
///
/// # Errors
/// When a vocabulary does not load or the report cannot be written.
pub fn run(corpus: &Corpus, rounds: usize, report: &Report) -> Result<()> {
    let (whole, sample) = (corpus.whole(), corpus.sample());
    let reader = ours::chunker(Strategy::Hierarchical, "estimate", None)?;
    let documents: Vec<_> = corpus.pages.iter().map(|page| reader.read(&page.source())).collect();
    let mut race = Race::default();
    parts(&mut race, &whole, &documents, &reader)?;
    totals(&mut race, &whole)?;
    at_limits(&mut race, &whole, &sample)?;
    let results = race.run(rounds);
    print(corpus, &sample, &results);
    let corpus =
        json!({ "name": corpus.name, "pages": whole.len(), "bytes": bytes(&corpus.pages) });
    report.save("speed", json!({ "corpus": corpus, "contenders": results.json() }))?;
    report.plot("speed.svg", &plot(&results))
}

/// What is part of every total, and what nobody can do without.
fn parts<'c>(
    race: &mut Race<'c>,
    whole: &'c [&'c Page],
    documents: &'c [Document<'c>],
    reader: &'c Chunker,
) -> Result<()> {
    race.add("parse", whole, ours::parse);
    race.add("read", whole, |pages| ours::read(reader, pages));
    let all = bytes(whole.iter().copied());
    for name in COUNTERS {
        let counter = ours::counter(name)?;
        race.add_work(format!("count blocks {name}"), all, move || {
            ours::count_blocks(&*counter, documents)
        });
        let chunker = ours::chunker(Strategy::Hierarchical, name, None)?;
        race.add_work(format!("measure {name}"), all, move || ours::measure(&chunker, documents));
    }
    for name in EXACT {
        let (first, again) = (ours::counter(name)?, ours::counter(name)?);
        race.add(format!("count {name}"), whole, move |pages| ours::count(&*first, pages));
        race.add(format!("count {name} again"), whole, move |pages| ours::count(&*again, pages));
        race.warm_up_last();
    }
    Ok(())
}

/// Every strategy with its own options and every counter.
fn totals<'c>(race: &mut Race<'c>, whole: &'c [&'c Page]) -> Result<()> {
    for strategy in Strategy::ALL {
        for counter in COUNTERS {
            let chunker = ours::chunker(*strategy, counter, None)?;
            race.add(format!("{strategy} {counter}"), whole, move |pages| {
                ours::cut(&chunker, pages)
            });
        }
    }
    Ok(())
}

/// The library and its peers at the same limits.
fn at_limits<'c>(race: &mut Race<'c>, whole: &'c [&'c Page], sample: &'c [&'c Page]) -> Result<()> {
    for strategy in limited() {
        let by_chars = ours::chunker(strategy, "chars", Some(CHARS))?;
        let by_tokens = [
            ours::chunker(strategy, "cl100k", Some(TOKENS))?,
            ours::chunker(strategy, "cl100k", Some(TOKENS))?,
        ];
        let [all, some] = by_tokens;
        race.add(format!("{strategy} chars {CHARS}"), whole, move |pages| {
            ours::cut(&by_chars, pages)
        });
        race.add(format!("{strategy} cl100k {TOKENS}"), whole, move |pages| ours::cut(&all, pages));
        race.add(format!("{strategy} cl100k {TOKENS} sample"), sample, move |pages| {
            ours::cut(&some, pages)
        });
    }
    #[cfg(feature = "peers")]
    {
        use crate::peers;
        race.add("text-splitter chars", whole, peers::text_splitter_chars(CHARS));
        race.add("chunkr chars", whole, peers::chunkr(CHARS));
        race.add("chunkedrs cl100k", whole, peers::chunkedrs(TOKENS));
        race.add("text-splitter cl100k", sample, peers::text_splitter_tokens(TOKENS)?);
    }
    Ok(())
}

/// The strategies that have a limit.
fn limited() -> impl Iterator<Item = Strategy> {
    Strategy::ALL.iter().copied().filter(|&strategy| strategy != Strategy::Tree)
}

fn print(corpus: &Corpus, sample: &[&Page], results: &Results) {
    let megabytes = |bytes: usize| bytes as f64 / 1e6;
    println!("# Speed\n\n{}\n", machine());
    println!(
        "{}: {} pages, {:.1} MB; sample: {} pages, {:.1} MB. CPU time of one thread, best round.\n",
        corpus.name,
        corpus.pages.len(),
        megabytes(bytes(&corpus.pages)),
        sample.len(),
        megabytes(bytes(sample.iter().copied())),
    );
    println!("## Parts (MB/s)\n\n{}", parts_table(results));
    println!(
        "## Totals: MB/s, and the cost as a multiple of its bound\n\n{}",
        totals_table(results)
    );
    println!("## Stages (ms/MB)\n\n{}", stages_table(results));
    #[cfg(feature = "peers")]
    println!("## Peers at the same limit\n\n{}", peers_table(results));
}

/// What nobody can do without: the parser's loop, or one count of all text.
fn bound(counter: &str) -> String {
    if EXACT.contains(&counter) { format!("count {counter}") } else { "parse".to_owned() }
}

fn parts_table(results: &Results) -> String {
    let speed = |name: String| figures(results.speed(&name));
    let mut rows = vec![
        vec!["bare pulldown-cmark loop (bound)".to_owned(), speed("parse".to_owned())],
        vec!["`Chunker::read`".to_owned(), speed("read".to_owned())],
    ];
    for counter in COUNTERS {
        let name = format!("each block counted once, `{counter}`");
        rows.push(vec![name, speed(format!("count blocks {counter}"))]);
        let name = format!("`Chunker::measure`, `{counter}`");
        rows.push(vec![name, speed(format!("measure {counter}"))]);
    }
    for counter in EXACT {
        let name = format!("all text counted, `{counter}`, first pass (bound)");
        rows.push(vec![name, speed(format!("count {counter}"))]);
        let name = format!("all text counted, `{counter}`, second pass");
        rows.push(vec![name, speed(format!("count {counter} again"))]);
    }
    table(&["part", "MB/s"], &rows)
}

fn totals_table(results: &Results) -> String {
    let cell = |strategy: &Strategy, counter: &str| {
        let name = format!("{strategy} {counter}");
        let ratio = results.ratio(&name, &bound(counter));
        format!("{} ({})", figures(results.speed(&name)), times(ratio))
    };
    let row = |strategy: &Strategy| {
        let cells = COUNTERS.iter().map(|counter| cell(strategy, counter));
        std::iter::once(format!("`{strategy}`")).chain(cells).collect()
    };
    let columns: Vec<&str> = std::iter::once("strategy").chain(COUNTERS).collect();
    table(&columns, &Strategy::ALL.iter().map(row).collect::<Vec<_>>())
}

fn stages_table(results: &Results) -> String {
    let mut rows = Vec::new();
    for strategy in Strategy::ALL {
        for counter in COUNTERS {
            let (read, total) =
                (results.cost("read"), results.cost(&format!("{strategy} {counter}")));
            let count = results.cost(&format!("count blocks {counter}"));
            let costs = [read, count, total - read - count, total].map(figures);
            rows.push([vec![format!("`{strategy}` `{counter}`")], costs.to_vec()].concat());
        }
    }
    table(&["", "read", "count blocks", "plan and render", "total"], &rows)
}

/// Each peer with its own speed, and how many times as long it takes as each strategy.
#[cfg(feature = "peers")]
fn peers_table(results: &Results) -> String {
    let peers = [
        ("text-splitter chars", format!("chars {CHARS}")),
        ("chunkr chars", format!("chars {CHARS}")),
        ("chunkedrs cl100k", format!("cl100k {TOKENS}")),
        ("text-splitter cl100k", format!("cl100k {TOKENS} sample")),
    ];
    let row = |(peer, limit): &(&str, String)| {
        let times_ours = |strategy: Strategy| {
            let ours = format!("{strategy} {limit}");
            format!("{} ({})", times(results.ratio(peer, &ours)), figures(results.speed(&ours)))
        };
        let peer = vec![format!("{peer}, {limit}"), figures(results.speed(peer))];
        peer.into_iter().chain(limited().map(times_ours)).collect()
    };
    let ours = limited().map(|strategy| format!("cost ÷ `{strategy}` (its MB/s)"));
    let columns: Vec<String> = ["peer".into(), "MB/s".into()].into_iter().chain(ours).collect();
    table(&columns, &peers.iter().map(row).collect::<Vec<_>>())
}

fn plot(results: &Results) -> String {
    let mut all = vec![Dot {
        name: "bare pulldown-cmark loop".to_owned(),
        value: results.speed("parse"),
        mark: Mark::Bound,
    }];
    let mut add = |name: &str, mark| {
        all.push(Dot { name: name.to_owned(), value: results.speed(name), mark });
    };
    for counter in ["estimate", "o200k"] {
        if counter == "o200k" {
            add("count o200k", Mark::Bound);
        }
        for strategy in Strategy::ALL {
            add(&format!("{strategy} {counter}"), Mark::Ours);
        }
    }
    #[cfg(feature = "peers")]
    {
        add(&format!("hierarchical chars {CHARS}"), Mark::Ours);
        add("chunkr chars", Mark::Peer);
        add("text-splitter chars", Mark::Peer);
        add(&format!("hierarchical cl100k {TOKENS}"), Mark::Ours);
        add("chunkedrs cl100k", Mark::Peer);
        add("text-splitter cl100k", Mark::Peer);
    }
    dots("Megabytes a second of CPU time", &all)
}
