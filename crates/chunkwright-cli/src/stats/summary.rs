//! The summary of `stats`: one column per strategy, one row per count, and a histogram.

use anstyle::Style;
use chunkwright_records::Blocks;

use super::Way;
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
pub(crate) struct Summary<'w> {
    pub(crate) ways: &'w [Way],
    pub(crate) bins: &'w Bins,
    /// Whether each strategy applies to different files.
    pub(crate) is_parted: bool,
    /// Chunks with fewer tokens are counted separately.
    pub(crate) tiny: usize,
    /// Price of embedding a million tokens.
    pub(crate) price: Option<f64>,
}

/// A label with one cell per strategy. A row without cells is the title of the rows below.
struct Row {
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

impl Summary<'_> {
    /// Renders the summary. Strategies that do not fit side by side are placed below each other.
    pub(crate) fn text(&self) -> String {
        let rows = self.rows();
        let label = rows.iter().map(|row| columns(&row.label)).max().unwrap_or(0);
        let cells = rows.iter().flat_map(|row| &row.cells);
        let needed = cells.map(Cell::columns).max().unwrap_or(0) + GAP;
        let room = table_width().saturating_sub(label);
        let abreast = (room / needed).clamp(1, self.ways.len().max(1));
        let column = (room / abreast).min(COLUMN).max(needed);
        let mut out = format!("{}\n", paint(DIM, head(self.ways, self.is_parted)));
        for first in (0..self.ways.len()).step_by(abreast) {
            out.push('\n');
            for row in &rows {
                let cells = row.cells.iter().skip(first).take(abreast);
                out += &match row.cells.is_empty() {
                    true => paint(DIM, &row.label),
                    false => format!("{}{}", row.label, " ".repeat(label - columns(&row.label))),
                };
                out.extend(cells.map(|cell| cell.text(column)));
                out.push('\n');
            }
        }
        out
    }

    fn rows(&self) -> Vec<Row> {
        let plain = |label: &str, text: &dyn Fn(&Way) -> String| {
            self.row(label, |way| Cell::Text(PLAIN, text(way)))
        };
        let tokens =
            |label: &str, percent| plain(label, &|way| number(way.stats.percentile(percent)));
        let mut rows = vec![self.row("", |way| Cell::Text(BOLD, way.name.clone()))];
        if self.is_parted {
            rows.push(plain("files", &|way| number(way.stats.files)));
            let tokenizer = |way: &Way| fit_middle(&harmless(&way.counter), TOKENIZER).into_owned();
            rows.push(plain("tokenizer", &tokenizer));
        }
        rows.push(plain("limits", &limits));
        rows.push(plain("chunks", &|way| number(way.stats.chunks)));
        rows.push(plain("tokens to embed", &|way| number(way.stats.tokens)));
        if let Some(price) = self.price {
            rows.push(plain("embedding cost", &|way| cost(price, way.stats.tokens)));
        }
        let torn = |way: &Way| match way.max {
            Some(_) => out_of(way.stats.subtrees.torn, way.stats.subtrees.fit),
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
            plain("  mean", &|way| format!("{:.0}", way.stats.mean())),
            title(""),
            self.row("over the maximum", |way| fault(way.stats.over_max, way.stats.chunks)),
            self.row("headings only", |way| fault(way.stats.headings_only, way.stats.chunks)),
            plain(&format!("under {} tokens", number(self.tiny)), &|way| {
                share(way.stats.within(..self.tiny), way.stats.chunks)
            }),
            plain("code blocks split", &|way| cut(way.stats.code)),
            plain("tables split", &|way| cut(way.stats.tables)),
            plain("subtrees split", &torn),
            plain("payloads elided", &|way| number(way.stats.payloads)),
            plain("text repeated", &|way| percent(way.stats.repeated_bytes, way.stats.shown_bytes)),
        ]);
        if self.ways.iter().any(|way| way.stats.chunks > 0) {
            rows.extend([title(""), title("chunks by tokens")]);
            rows.extend(self.histogram());
        }
        rows
    }

    fn row(&self, label: &str, cell: impl Fn(&Way) -> Cell) -> Row {
        Row { label: label.to_owned(), cells: self.ways.iter().map(cell).collect() }
    }

    /// Returns one row per bin. All bars have the same scale.
    fn histogram(&self) -> Vec<Row> {
        let counts: Vec<_> = self.ways.iter().map(|way| self.bins.counts(&way.stats)).collect();
        let most = counts.iter().flatten().max().copied().unwrap_or(0).max(1);
        let range = |(from, to): (usize, Option<usize>)| match to {
            Some(to) => format!("{}–{}", number(from), number(to)),
            None => format!("over {}", number(from - 1)),
        };
        let labels: Vec<_> = self.bins.each().map(range).collect();
        let widest = labels.iter().map(|label| columns(label)).max().unwrap_or(0);
        let row = |(nth, label): (usize, String)| Row {
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
    fn text(&self, column: usize) -> String {
        match self {
            Self::Text(style, text) => right(&paint(*style, text), columns(text), column),
            Self::Bar { chunks, most } => {
                let longest = column - GAP - 1 - columns(&number(*most));
                let bar = bar(*chunks, *most, longest);
                let chunks = number(*chunks);
                let room = column - GAP - columns(&bar);
                let bar = format!("{}{}", " ".repeat(GAP), paint(PLACE, bar));
                bar + &right(&chunks, columns(&chunks), room)
            }
        }
    }
}

/// Returns the number and size of the files, and the tokenizer if there is only one.
pub(crate) fn head(ways: &[Way], is_parted: bool) -> String {
    let readers = if is_parted { ways } else { &ways[..1.min(ways.len())] };
    let files = readers.iter().map(|way| way.stats.files).sum();
    let read: usize = readers.iter().map(|way| way.stats.source_bytes).sum();
    let head = format!("{} · {}", count(files, "file"), bytes(read as u64));
    match ways {
        [first, ..] if !is_parted => {
            let room = table_width().saturating_sub(columns(&head) + columns(" · tokenizer: "));
            format!("{head} · tokenizer: {}", fit_middle(&harmless(&first.counter), room))
        }
        _ => head,
    }
}

fn title(label: &str) -> Row {
    Row { label: label.to_owned(), cells: Vec::new() }
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

fn limits(way: &Way) -> String {
    match (way.target, way.max) {
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

fn cut(blocks: Blocks) -> String {
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
