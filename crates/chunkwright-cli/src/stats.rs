//! `chunkwright stats`: files come in; what their chunks are like goes out.

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::{Result, bail};
use chunkwright::{Chunker, Strategy};
use chunkwright_config::{Settings, chunker};
use chunkwright_io::{Found, Stats};
use serde_json::{Value, json};

use crate::bins::Bins;
use crate::chunkers;
use crate::options::{Common, strategies};
use crate::progress::Progress;
use crate::sink::Sink;
use crate::table::Shown;
use crate::{files, plot, style, table};

/// The counter of all strategies that are compared, unless the user names one: numbers of
/// different counters do not compare.
const COMMON_COUNTER: &str = "o200k";

/// Tell what chunks are like: how many, how large, what was cut
///
/// Examples:
///
///   chunkwright stats docs
///   chunkwright stats docs --compare hierarchical,window,blocks,tree
///   chunkwright stats docs --price 0.02            what it costs to embed them
///   chunkwright stats docs --compare hierarchical,blocks --max 512 --plot sizes.svg
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// Files, directories, or - for standard input
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Strategies to put side by side, counted alike; overrides are left aside
    #[arg(
        long,
        value_name = "NAME,…",
        value_delimiter = ',',
        value_parser = strategies(),
        conflicts_with = "strategy"
    )]
    compare: Vec<String>,
    /// The price of embedding a million tokens
    #[arg(long, value_name = "PRICE", value_parser = price, allow_negative_numbers = true)]
    price: Option<f64>,
    /// Chunks of fewer tokens are told apart
    #[arg(long, value_name = "N", default_value_t = 50)]
    tiny: usize,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Draw the sizes of chunks
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

fn price(text: &str) -> Result<f64, String> {
    let price: f64 = text.parse().map_err(|_| "it takes a number".to_owned())?;
    let is_price = price.is_finite() && price >= 0.0;
    is_price.then_some(price).ok_or_else(|| "it takes a number from 0 up".to_owned())
}

/// One way to cut, and what came of it.
pub(crate) struct Way {
    pub(crate) name: String,
    pub(crate) counter: String,
    pub(crate) target: Option<usize>,
    pub(crate) max: Option<usize>,
    pub(crate) stats: Stats,
}

/// What came of all ways.
struct Counted {
    ways: Vec<Way>,
    /// How many files could not be read.
    failed: usize,
    /// Where sizes are drawn.
    picture: Option<Sink>,
}

/// Counts chunks; tells how many files could not be read.
pub(crate) fn run(args: &Args) -> Result<usize> {
    args.common.colors.apply();
    let settings = args.common.settings(&[])?;
    let Counted { ways, failed, picture } = match args.compare.is_empty() {
        true => args.one(&settings)?,
        false => args.several(&settings)?,
    };
    let bins = Bins::of(&ways);
    if let Some(mut picture) = picture {
        picture.write_all(plot::sizes(&ways, &bins).as_bytes())?;
        picture.finish()?;
    }
    let shown = match args.json {
        true => format!("{}\n", args.as_json(&ways, &bins)),
        false => table::of(&Shown {
            ways: &ways,
            bins: &bins,
            is_parted: args.compare.is_empty() && ways.len() > 1,
            tiny: args.tiny,
            price: args.price,
        }),
    };
    style::print(&shown)?;
    Ok(failed)
}

impl Args {
    /// The counts of files as `chunk` cuts them: those that overrides are about stand apart.
    fn one(&self, settings: &Settings) -> Result<Counted> {
        let (chunkers, found) = chunkers::prepare(
            settings,
            &self.common.reading,
            &self.paths,
            self.common.working.quiet,
        )?;
        let ways = chunkers.all().iter().map(|chunker| Way::of(chunker)).collect();
        let mut counted = self.count(settings, &found, ways, |path, nth| {
            (chunkers.nth(path) == nth).then(|| &*chunkers.all()[nth])
        })?;
        let is_used = counted.ways.iter().any(|way| way.stats.files > 0);
        counted.ways.retain(|way| way.stats.files > 0 || !is_used);
        Ok(counted)
    }

    /// The counts of files as each strategy cuts them.
    fn several(&self, settings: &Settings) -> Result<Counted> {
        let mut named: Vec<Strategy> = Vec::new();
        for name in &self.compare {
            let strategy = name.parse()?;
            if named.contains(&strategy) {
                bail!("--compare: {strategy} is named twice");
            }
            named.push(strategy);
        }
        let make = |mut config: chunkwright::Config| {
            config.tokenizer.get_or_insert_with(|| COMMON_COUNTER.to_owned());
            chunker(settings, &[], config)
        };
        let configs = settings.cutting_by(&named)?.into_iter();
        let chunkers = configs.map(make).collect::<Result<Vec<_>, _>>()?;
        let found = self.common.reading.find(&self.paths, settings)?;
        let ways = chunkers.iter().map(Way::of).collect();
        self.count(settings, &found, ways, |_, nth| Some(&chunkers[nth]))
    }

    fn count<'c>(
        &self,
        settings: &Settings,
        found: &Found,
        mut ways: Vec<Way>,
        chunker: impl Fn(&str, usize) -> Option<&'c Chunker> + Sync,
    ) -> Result<Counted> {
        files::check_any(found, self.common.working.quiet)?;
        let picture = self.plot.as_deref().map(|path| Sink::file(path, "--plot", found));
        let picture = picture.transpose()?;
        let progress = Progress::new(found.entries.len(), self.common.working.quiet, false);
        let number = ways.len();
        let failed = files::each(
            found,
            &settings.running(),
            progress,
            |entry, text| {
                let source = entry.with_text(text);
                let count = |nth| Some(Stats::of(chunker(&entry.path, nth)?, &source));
                Ok((0..number).map(count).collect::<Vec<_>>())
            },
            |_| size_of::<Stats>() * number,
            |counted, _| {
                for (way, more) in ways.iter_mut().zip(counted) {
                    way.stats.add(&more.unwrap_or_default());
                }
                Ok(())
            },
        )?;
        Ok(Counted { ways, failed, picture })
    }

    fn as_json(&self, ways: &[Way], bins: &Bins) -> Value {
        let way = |way: &Way| {
            let Way { name, counter, target, max, stats } = way;
            let percentiles = [0, 10, 25, 50, 75, 90, 99, 100];
            let percentiles = percentiles.map(|p| (format!("p{p}"), json!(stats.percentile(p))));
            let bins = bins.each().zip(bins.counts(stats));
            let bins =
                bins.map(|((from, to), chunks)| json!({"from": from, "to": to, "chunks": chunks}));
            json!({
                "strategy": name, "tokenizer": counter, "target": target, "max": max,
                "files": stats.files, "source_bytes": stats.source_bytes,
                "chunks": stats.chunks, "tokens": stats.tokens,
                "tokens_per_chunk": percentiles.into_iter().chain([("mean".to_owned(), json!(stats.mean()))])
                    .collect::<serde_json::Map<_, _>>(),
                "histogram": bins.collect::<Vec<_>>(),
                "over_max": stats.over_max, "headings_only": stats.headings_only,
                "tiny": {"under": self.tiny, "chunks": stats.between(0, self.tiny)},
                "code": {"blocks": stats.code.all, "cut": stats.code.cut},
                "tables": {"blocks": stats.tables.all, "cut": stats.tables.cut},
                "payloads": stats.payloads,
                "subtrees": {"fit": stats.subtrees.fit, "torn": stats.subtrees.torn},
                "shown_bytes": stats.shown_bytes, "repeated_bytes": stats.repeated_bytes,
                "cost": self.price.map(|price| price * stats.tokens as f64 / 1e6),
            })
        };
        json!({ "strategies": ways.iter().map(way).collect::<Vec<_>>() })
    }
}

impl Way {
    fn of(chunker: &Chunker) -> Self {
        Self {
            name: chunker.config().strategy.to_string(),
            counter: chunker.config().counter_name().to_owned(),
            target: chunker.target_tokens(),
            max: chunker.max_tokens(),
            stats: Stats::default(),
        }
    }
}
