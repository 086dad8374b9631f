//! The summary of `stats`: one column per strategy, one row per count, and a histogram.

use anstyle::Style;
use chunkwright_records::BlockCounts;

use super::StrategyStats;
use super::bins::Bins;
use crate::style::{
    BOLD, DIM, GOOD, PLACE, PLAIN, WARN, bytes, columns, count, fit_middle, harmless, number,
    paint, table_width,
};

/// Width of a strategy's column, if the terminal is wide enough.
const COLUMN: usize = 18;

/// Spaces before each cell.
const GAP: usize = 2;

/// Maximum columns of a tokenizer's name.
const TOKENIZER: usize = 14;

/// Minimum columns for the longest bar.
const LEAST_BAR: usize = 4;

/// The statistics to summarize.
pub(crate) struct StatsSummary<'w> {
    pub(crate) strategies: &'w [StrategyStats],
    pub(crate) bins: &'w Bins,
    /// Whether each strategy applies to different files.
    pub(crate) is_parted: bool,
    /// Chunks with fewer tokens are counted separately.
    pub(crate) tiny: usize,
    /// Price of embedding a million tokens.
    pub(crate) price: Option<f64>,
}

/// A label with one cell per strategy. A row without cells is the title of the rows below.
struct SummaryRow {
    label: String,
    cells: Vec<Cell>,
}

enum Cell {
    Text(Style, String),
    /// A bar of the histogram.
    Bar {
        chunks: usize,
        most: usize,
    },
}

impl StatsSummary<'_> {
    /// Renders the summary. Strategies that do not fit side by side are placed below each other.
    pub(crate) fn text(&self) -> String {
        let rows = self.rows();
        let label = rows.iter().map(|row| columns(&row.label)).max().unwrap_or(0);
        let cells = rows.iter().flat_map(|row| &row.cells);
        let needed = cells.map(Cell::columns).max().unwrap_or(0) + GAP;
        let room = table_width().saturating_sub(label);
        let abreast = (room / needed).clamp(1, self.strategies.len().max(1));
        let width = (room / abreast).min(COLUMN).max(needed);
        let mut out = format!("{}\n", paint(DIM, head(self.strategies, self.is_parted)));
        for first in (0..self.strategies.len()).step_by(abreast) {
            out.push('\n');
            for row in &rows {
                let cells = row.cells.iter().skip(first).take(abreast);
                out += &match row.cells.is_empty() {
                    true => paint(DIM, &row.label),
                    false => format!("{}{}", row.label, " ".repeat(label - columns(&row.label))),
                };
                out.extend(cells.map(|cell| cell.text(width)));
                out.push('\n');
            }
        }
        out
    }

    fn rows(&self) -> Vec<SummaryRow> {
        let plain = |label: &str, text: &dyn Fn(&StrategyStats) -> String| {
            self.row(label, |strategy| Cell::Text(PLAIN, text(strategy)))
        };
        let tokens = |label: &str, percent| {
            plain(label, &|strategy| number(strategy.stats.percentile(percent)))
        };
        let mut rows = vec![self.row("", |strategy| Cell::Text(BOLD, strategy.name.clone()))];
        if self.is_parted {
            rows.push(plain("files", &|strategy| number(strategy.stats.files)));
            let tokenizer = |strategy: &StrategyStats| {
                fit_middle(&harmless(&strategy.counter), TOKENIZER).into_owned()
            };
            rows.push(plain("tokenizer", &tokenizer));
        }
        rows.push(plain("limits", &limits));
        rows.push(plain("chunks", &|strategy| number(strategy.stats.chunks)));
        rows.push(plain("tokens to embed", &|strategy| number(strategy.stats.tokens)));
        if let Some(price) = self.price {
            rows.push(plain("embedding cost", &|strategy| cost(price, strategy.stats.tokens)));
        }
        let torn = |strategy: &StrategyStats| match strategy.max {
            Some(_) => out_of(strategy.stats.subtrees.torn, strategy.stats.subtrees.fit),
            None => "–".to_owned(),
        };
        rows.extend([
            title("tokens per chunk"),
            tokens("  smallest", 0),
            tokens("  p10", 10),
            tokens("  median", 50),
            tokens("  p90", 90),
            tokens("  p99", 99),
            tokens("  largest", 100),
            plain("  mean", &|strategy| format!("{:.0}", strategy.stats.mean())),
            title(""),
            self.row("over the maximum", |strategy| {
                fault(strategy.stats.over_max, strategy.stats.chunks)
            }),
            self.row("headings only", |strategy| {
                fault(strategy.stats.headings_only, strategy.stats.chunks)
            }),
            plain(&format!("under {} tokens", number(self.tiny)), &|strategy| {
                share(strategy.stats.within(..self.tiny), strategy.stats.chunks)
            }),
            plain("code blocks split", &|strategy| split_blocks(strategy.stats.code)),
            plain("tables split", &|strategy| split_blocks(strategy.stats.tables)),
            plain("subtrees split", &torn),
            plain("payloads elided", &|strategy| number(strategy.stats.payloads)),
            plain("text repeated", &|strategy| {
                percent(strategy.stats.repeated_bytes, strategy.stats.shown_bytes)
            }),
        ]);
        if self.strategies.iter().any(|strategy| strategy.stats.chunks > 0) {
            rows.extend([title(""), title("chunks by tokens")]);
            rows.extend(self.histogram());
        }
        rows
    }

    fn row(&self, label: &str, cell: impl Fn(&StrategyStats) -> Cell) -> SummaryRow {
        SummaryRow { label: label.to_owned(), cells: self.strategies.iter().map(cell).collect() }
    }

    /// Returns one row per bin. All bars have the same scale.
    fn histogram(&self) -> Vec<SummaryRow> {
        let counts: Vec<_> =
            self.strategies.iter().map(|strategy| self.bins.counts(&strategy.stats)).collect();
        let most = counts.iter().flatten().max().copied().unwrap_or(0).max(1);
        let range = |(from, to): (usize, Option<usize>)| match to {
            Some(to) => format!("{}–{}", number(from), number(to)),
            None => format!("over {}", number(from - 1)),
        };
        let labels: Vec<_> = self.bins.each().map(range).collect();
        let widest = labels.iter().map(|label| columns(label)).max().unwrap_or(0);
        let row = |(nth, label): (usize, String)| SummaryRow {
            label: format!("  {}{label}", " ".repeat(widest - columns(&label))),
            cells: counts.iter().map(|counts| Cell::Bar { chunks: counts[nth], most }).collect(),
        };
        labels.into_iter().enumerate().map(row).collect()
    }
}

impl Cell {
    /// Returns the columns that the cell needs.
    fn columns(&self) -> usize {
        match self {
            Self::Text(_, text) => columns(text),
            Self::Bar { most, .. } => LEAST_BAR + 1 + columns(&number(*most)),
        }
    }

    /// Renders the cell in a column of this width.
    fn text(&self, width: usize) -> String {
        match self {
            Self::Text(style, text) => right(&paint(*style, text), columns(text), width),
            Self::Bar { chunks, most } => {
                let longest = width - GAP - 1 - columns(&number(*most));
                let bar = bar(*chunks, *most, longest);
                let chunks = number(*chunks);
                let room = width - GAP - columns(&bar);
                let bar = format!("{}{}", " ".repeat(GAP), paint(PLACE, bar));
                bar + &right(&chunks, columns(&chunks), room)
            }
        }
    }
}

/// Returns the number and size of the files, and the tokenizer if there is only one.
pub(crate) fn head(strategies: &[StrategyStats], is_parted: bool) -> String {
    let readers = if is_parted { strategies } else { &strategies[..1.min(strategies.len())] };
    let files = readers.iter().map(|strategy| strategy.stats.files).sum();
    let read: usize = readers.iter().map(|strategy| strategy.stats.source_bytes).sum();
    let head = format!("{} · {}", count(files, "file"), bytes(read as u64));
    match strategies {
        [first, ..] if !is_parted => {
            let room = table_width().saturating_sub(columns(&head) + columns(" · tokenizer: "));
            format!("{head} · tokenizer: {}", fit_middle(&harmless(&first.counter), room))
        }
        _ => head,
    }
}

fn title(label: &str) -> SummaryRow {
    SummaryRow { label: label.to_owned(), cells: Vec::new() }
}

/// Returns the cell for a count that should be zero.
fn fault(faults: usize, all: usize) -> Cell {
    Cell::Text(if faults == 0 { GOOD } else { WARN }, share(faults, all))
}

/// Returns a bar with a length proportional to `part / most`, to an eighth of a column.
fn bar(part: usize, most: usize, longest: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (part * longest * 8).div_ceil(most);
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}

fn right(painted: &str, width: usize, room: usize) -> String {
    format!("{}{painted}", " ".repeat(room.saturating_sub(width)))
}

fn limits(strategy: &StrategyStats) -> String {
    match (strategy.target, strategy.max) {
        (Some(target), Some(max)) if target < max => {
            format!("{}–{}", number(target), number(max))
        }
        (_, Some(max)) => number(max),
        _ => "none".to_owned(),
    }
}

fn share(part: usize, all: usize) -> String {
    match part {
        0 => "0".to_owned(),
        part => format!("{} ({})", number(part), percent(part, all)),
    }
}

fn percent(part: usize, all: usize) -> String {
    format!("{:.1}%", 100.0 * part as f64 / all.max(1) as f64)
}

fn split_blocks(blocks: BlockCounts) -> String {
    out_of(blocks.cut, blocks.all)
}

fn out_of(part: usize, all: usize) -> String {
    format!("{} of {}", number(part), number(all))
}

fn cost(price: f64, tokens: usize) -> String {
    let cost = price * tokens as f64 / 1e6;
    // Two significant digits, and at least two decimals.
    let zeros = if cost > 0.0 { (-cost.log10()).ceil().max(1.0) } else { 1.0 };
    format!("{cost:.*}", 1 + zeros as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_costs_with_two_significant_digits() {
        let costs = [0, 909, 4_000, 90_000, 3_000_000].map(|tokens| cost(0.02, tokens));
        assert_eq!(costs, ["0.00", "0.000018", "0.000080", "0.0018", "0.060"]);
        assert_eq!(cost(2.0, 3_500_000), "7.00");
    }

    #[test]
    fn draws_a_bar_for_the_smallest_count() {
        assert_eq!(bar(0, 100, 8), "");
        assert_eq!(bar(1, 100_000, 8), "▏");
        assert_eq!(bar(100, 100, 8), "█".repeat(8));
    }
}
