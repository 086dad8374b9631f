//! `chunkwright stats`: prints chunk statistics in total, per file or per chunk.

mod bins;
mod plot;
mod rows;
mod summary;

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use chunkwright::{Chunker, StrategyName};
use chunkwright_config::{Chunkers, Settings};
use chunkwright_io::{Entry, Found, shown};
use chunkwright_records::{ChunkStats, Stats};
use clap::ValueEnum;
use serde_json::{Value, json};

use crate::chunkers;
use crate::options::{Common, strategies};
use crate::progress::Progress;
use crate::sink::Destination;
use crate::{files, sink, style};

use bins::Bins;
use rows::{ChunkRows, FileRow};
use summary::StatsSummary;

/// Default tokenizer of `--compare`. Strategies have different defaults, and counts of different
/// tokenizers are not comparable.
const COMMON_COUNTER: &str = "o200k";

/// Show chunk statistics, and compare strategies
///
/// Examples:
///
///   chunkwright stats docs               # summarize a directory
///   chunkwright stats docs --by file     # list files, worst first
///   chunkwright stats docs --price 0.02  # estimate the embedding cost
///   chunkwright stats docs --compare hierarchical,window,blocks,tree
///   chunkwright stats docs --compare hierarchical,blocks --plot sizes.svg
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// Files or directories to count, or - for standard input
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Strategies to compare; all use one tokenizer, and overrides do not apply
    #[arg(
        long,
        value_name = "NAME,…",
        value_delimiter = ',',
        value_parser = strategies(),
        conflicts_with = "strategy"
    )]
    compare: Vec<String>,
    /// Print one row per file, worst first
    #[arg(long, value_enum, value_name = "file", hide_possible_values = true,
        conflicts_with_all = ["compare", "chunks"])]
    by: Option<By>,
    /// Print one row per chunk
    #[arg(long, conflicts_with = "compare")]
    chunks: bool,
    /// Embedding price per million tokens
    #[arg(long, value_name = "PRICE", value_parser = price, allow_negative_numbers = true)]
    price: Option<f64>,
    /// Count chunks below N tokens as tiny [default: 50]
    #[arg(long, value_name = "N", default_value_t = 50, hide_default_value = true)]
    tiny: usize,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Write a histogram of chunk sizes to an SVG file
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

#[derive(Clone, Copy, ValueEnum)]
enum By {
    File,
}

fn price(text: &str) -> Result<f64, String> {
    let price = text.parse().ok().filter(|price: &f64| price.is_finite() && *price >= 0.0);
    price.ok_or_else(|| "expected a non-negative number".to_owned())
}

/// A strategy with its limits and the statistics of its chunks.
pub(crate) struct StrategyStats {
    pub(crate) name: String,
    pub(crate) counter: String,
    pub(crate) target: Option<usize>,
    pub(crate) max: Option<usize>,
    pub(crate) stats: Stats,
}

/// The view to print.
enum StatsView {
    Summary,
    Files(Vec<FileRow>),
    Chunks(Box<ChunkRows>),
}

/// The statistics of all strategies.
struct Collected {
    strategies: Vec<StrategyStats>,
    view: StatsView,
    /// Number of files that could not be read.
    failed: usize,
    /// The output of `--plot`.
    picture: Option<Destination>,
}

/// Prints chunk statistics; returns the number of files that could not be read.
pub(crate) fn run(args: &Args) -> Result<usize> {
    args.common.colors.apply();
    args.plot.as_deref().map_or(Ok(()), check_svg)?;
    let settings = args.common.settings(&[])?;
    let Collected { strategies, view, failed, picture } = match args.compare.is_empty() {
        true => args.one(&settings)?,
        false => args.several(&settings)?,
    };
    let bins = Bins::of(&strategies);
    if let Some(mut picture) = picture {
        picture.write_all(plot::sizes(&strategies, &bins).as_bytes())?;
        picture.finish()?;
    }
    let is_parted = args.compare.is_empty() && strategies.len() > 1;
    let statistics = || args.statistics(&strategies, &bins);
    match view {
        StatsView::Chunks(rows) => rows.finish(&statistics())?,
        StatsView::Files(mut files) => {
            rows::sort(&mut files);
            sink::print(&match args.json {
                true => {
                    let files: Vec<_> = files.iter().map(FileRow::json).collect();
                    format!("{}\n", json!({"files": files, "strategies": statistics()}))
                }
                false => {
                    let head = style::paint(style::DIM, summary::head(&strategies, is_parted));
                    format!("{head}\n{}", rows::files(&files))
                }
            })?;
        }
        StatsView::Summary if args.json => {
            sink::print(&format!("{}\n", json!({"strategies": statistics()})))?;
        }
        StatsView::Summary => {
            let (tiny, price) = (args.tiny, args.price);
            let summary =
                StatsSummary { strategies: &strategies, bins: &bins, is_parted, tiny, price };
            sink::print(&summary.text())?;
        }
    }
    Ok(failed)
}

/// Rejects extensions other than `.svg`.
fn check_svg(path: &Path) -> Result<()> {
    match path.extension() {
        Some(extension) if !extension.eq_ignore_ascii_case("svg") => {
            bail!("cannot write {}: plots are SVG; use a file that ends in .svg", shown(path))
        }
        _ => Ok(()),
    }
}

impl StatsView {
    fn new(args: &Args) -> Result<Self> {
        Ok(match args.by {
            Some(By::File) => Self::Files(Vec::new()),
            None if args.chunks => Self::Chunks(Box::new(ChunkRows::new(args.json, args.tiny)?)),
            None => Self::Summary,
        })
    }

    /// Adds the counts of a file.
    fn add(&mut self, entry: &Entry, stats: &Stats, chunks: &[ChunkStats]) -> Result<()> {
        match self {
            Self::Summary => {}
            Self::Files(files) => files.push(FileRow::of(entry, stats)),
            Self::Chunks(rows) => chunks.iter().try_for_each(|chunk| rows.add(chunk))?,
        }
        Ok(())
    }
}

impl Args {
    /// Counts the chunks of `chunk`. Files with overrides are counted separately.
    fn one(&self, settings: &Settings) -> Result<Collected> {
        let (chunkers, found) = chunkers::prepare(
            settings,
            &self.common.reading,
            &self.paths,
            self.common.working.quiet,
        )?;
        let strategies = chunkers.all().iter().map(|chunker| StrategyStats::of(chunker)).collect();
        let mut counted = self.count(settings, &found, strategies, |path, nth| {
            (chunkers.nth(path) == nth).then(|| &*chunkers.all()[nth])
        })?;
        let is_used = counted.strategies.iter().any(|strategy| strategy.stats.files > 0);
        counted.strategies.retain(|strategy| strategy.stats.files > 0 || !is_used);
        Ok(counted)
    }

    /// Counts the chunks of each strategy to compare.
    fn several(&self, settings: &Settings) -> Result<Collected> {
        let mut named: Vec<StrategyName> = Vec::new();
        for name in &self.compare {
            let strategy = name.parse()?;
            if named.contains(&strategy) {
                bail!("duplicate strategy `{strategy}` in `--compare`");
            }
            named.push(strategy);
        }
        let chunkers = Chunkers::compared(settings, &named, COMMON_COUNTER)?;
        let found = self.common.reading.find(&self.paths, settings)?;
        let strategies = chunkers.iter().map(StrategyStats::of).collect();
        self.count(settings, &found, strategies, |_, nth| Some(&chunkers[nth]))
    }

    fn count<'c>(
        &self,
        settings: &Settings,
        found: &Found,
        mut strategies: Vec<StrategyStats>,
        chunker: impl Fn(&str, usize) -> Option<&'c Chunker> + Sync,
    ) -> Result<Collected> {
        files::check_any(found, self.common.working.quiet)?;
        let picture = self.plot.as_deref().map(|path| Destination::file(path, "--plot", found));
        let picture = picture.transpose()?;
        let progress = Progress::new(found.entries.len(), self.common.working.quiet, self.chunks);
        let mut view = StatsView::new(self)?;
        let number = strategies.len();
        let failed = files::each(
            found,
            &settings.processing(),
            progress,
            |entry, text| {
                let source = entry.with_text(text);
                let count = |nth| Some(Stats::with_chunks(chunker(&entry.path, nth)?, &source));
                let counted: Vec<_> = (0..number).map(count).collect();
                Ok((entry.clone(), counted))
            },
            |(_, counted)| counted.iter().flatten().map(weight).sum(),
            |(entry, counted), _| {
                for (strategy, counted) in strategies.iter_mut().zip(counted) {
                    if let Some((stats, chunks)) = counted {
                        strategy.stats.add(&stats);
                        view.add(&entry, &stats, &chunks)?;
                    }
                }
                Ok(())
            },
        )?;
        Ok(Collected { strategies, view, failed, picture })
    }

    fn statistics(&self, strategies: &[StrategyStats], bins: &Bins) -> Value {
        let strategy = |strategy: &StrategyStats| {
            let StrategyStats { name, counter, target, max, stats } = strategy;
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
                "tiny": {"under": self.tiny, "chunks": stats.within(..self.tiny)},
                "code": {"blocks": stats.code.all, "cut": stats.code.cut},
                "tables": {"blocks": stats.tables.all, "cut": stats.tables.cut},
                "payloads": stats.payloads,
                "subtrees": {"fit": stats.subtrees.fit, "torn": stats.subtrees.torn},
                "shown_bytes": stats.shown_bytes, "repeated_bytes": stats.repeated_bytes,
                "cost": self.price.map(|price| price * stats.tokens as f64 / 1e6),
            })
        };
        strategies.iter().map(strategy).collect()
    }
}

/// Returns the approximate size of a file's statistics in bytes.
fn weight((_, chunks): &(Stats, Vec<ChunkStats>)) -> usize {
    let chunk = |chunk: &ChunkStats| size_of::<ChunkStats>() + chunk.id.len();
    size_of::<Stats>() + chunks.iter().map(chunk).sum::<usize>()
}

impl StrategyStats {
    fn of(chunker: &Chunker) -> Self {
        Self {
            name: chunker.config().strategy.name().to_string(),
            counter: chunker.counter_name().to_owned(),
            target: chunker.target_tokens(),
            max: chunker.max_tokens(),
            stats: Stats::default(),
        }
    }
}
