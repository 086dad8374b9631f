//! Measures the speed of the library, its parts and its peers.

use anyhow::Result;
use chunkwright::{Chunker, Document, StrategyName};
use serde_json::json;

use crate::corpus::{Corpus, Page, bytes};
use crate::ours::{self, COUNTERS, EXACT, limited};
use crate::plot::{Dot, Mark, dots};
use crate::race::{Race, Results};
use crate::report::Report;
use crate::tables;

/// The limit at which peers are compared, in characters.
pub const CHARS: usize = 2000;
/// The limit at which peers are compared, in tokens.
pub const TOKENS: usize = 512;

/// Runs the benchmark, prints tables and saves them.
///
/// # Errors
/// If a vocabulary cannot be loaded or the report cannot be written.
pub fn run(corpus: &Corpus, rounds: usize, report: &Report) -> Result<()> {
    let (whole, sample) = (corpus.whole(), corpus.sample());
    let reader = ours::chunker(StrategyName::Hierarchical, "estimate", None)?;
    let documents: Vec<_> = corpus.pages.iter().map(|page| reader.read(&page.source())).collect();
    let mut race = Race::default();
    parts(&mut race, &whole, &documents, &reader)?;
    totals(&mut race, &whole, &documents)?;
    at_limits(&mut race, &whole, &sample)?;
    let results = race.run(rounds);
    println!("{}", tables::head(corpus, &sample));
    println!("{}", tables::all(&results));
    let corpus =
        json!({ "name": corpus.name, "pages": whole.len(), "bytes": bytes(&corpus.pages) });
    report.save("speed", json!({ "corpus": corpus, "contenders": results.json() }))?;
    report.plot("speed.svg", &plot(&results))
}

/// Adds the stages of splitting, and the lower bounds.
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
        let chunker = ours::chunker(StrategyName::Hierarchical, name, None)?;
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

/// Adds every strategy with its default options and every counter.
fn totals<'c>(
    race: &mut Race<'c>,
    whole: &'c [&'c Page],
    documents: &'c [Document<'c>],
) -> Result<()> {
    let all = bytes(whole.iter().copied());
    for strategy in StrategyName::ALL {
        for counter in COUNTERS {
            let planner = ours::chunker(*strategy, counter, None)?;
            race.add_work(format!("plan {strategy} {counter}"), all, move || {
                ours::plan(&planner, documents)
            });
            let chunker = ours::chunker(*strategy, counter, None)?;
            race.add(format!("{strategy} {counter}"), whole, move |pages| {
                ours::cut(&chunker, pages)
            });
        }
    }
    Ok(())
}

/// Adds the library and its peers at the same limits.
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
        for strategy in StrategyName::ALL {
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
    dots("Megabytes per second of CPU time", &all)
}
