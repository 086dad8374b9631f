//! Counts for people: one column for each way to cut, one row for each count, and a histogram.

use std::fmt::Write as _;

use chunkwright_io::Blocks;

use crate::bins::Bins;
use crate::stats::Way;
use crate::style::{BOLD, DIM, GOOD, PLACE, WARN, columns, count, number, paint};

/// Columns of the names of rows, and of each way.
const LABEL: usize = 20;
const COLUMN: usize = 18;

/// Columns of the longest bar.
const BAR: usize = 8;

/// What is to be shown.
pub(crate) struct Shown<'w> {
    pub(crate) ways: &'w [Way],
    pub(crate) bins: &'w Bins,
    /// Whether each way is about files of its own, rather than all about the same.
    pub(crate) is_parted: bool,
    /// Chunks of fewer tokens are told apart.
    pub(crate) tiny: usize,
    /// The price of embedding a million tokens.
    pub(crate) price: Option<f64>,
}

/// All counts.
pub(crate) fn of(shown: &Shown<'_>) -> String {
    let Shown { ways, bins, is_parted, tiny, price } = *shown;
    let mut table = Table { ways, out: format!("{}\n\n", paint(DIM, head(ways, is_parted))) };
    table.head();
    if is_parted {
        table.row("files", |way| number(way.stats.files));
        table.row("tokens by", |way| way.counter.clone());
    }
    table.row("limits", limits);
    table.row("chunks", |way| number(way.stats.chunks));
    table.row("tokens to embed", |way| number(way.stats.tokens));
    if let Some(price) = price {
        table.row(&format!("at {price} a million"), |way| cost(price, way.stats.tokens));
    }
    table.gap("tokens a chunk");
    table.row("  smallest", |way| number(way.stats.percentile(0)));
    table.row("  10 % have at most", |way| number(way.stats.percentile(10)));
    table.row("  half", |way| number(way.stats.percentile(50)));
    table.row("  90 %", |way| number(way.stats.percentile(90)));
    table.row("  99 %", |way| number(way.stats.percentile(99)));
    table.row("  largest", |way| number(way.stats.percentile(100)));
    table.row("  mean", |way| format!("{:.0}", way.stats.mean()));
    table.gap("");
    table.fault("over the maximum", |way| (way.stats.over_max, way.stats.chunks));
    table.fault("headings only", |way| (way.stats.headings_only, way.stats.chunks));
    table.row(&format!("under {tiny} tokens"), |way| {
        share(way.stats.between(0, tiny), way.stats.chunks)
    });
    table.row("code blocks cut", |way| cut(way.stats.code));
    table.row("tables cut", |way| cut(way.stats.tables));
    table.row("subtrees torn", |way| match way.max {
        Some(_) => out_of(way.stats.subtrees.torn, way.stats.subtrees.fit),
        None => "–".to_owned(),
    });
    table.row("payloads elided", |way| number(way.stats.payloads));
    table.row("text repeated", |way| percent(way.stats.repeated_bytes, way.stats.shown_bytes));
    if ways.iter().any(|way| way.stats.chunks > 0) {
        table.histogram(bins);
    }
    table.out
}

/// What was read, and how it was counted if that is the same for all.
fn head(ways: &[Way], is_parted: bool) -> String {
    let readers = if is_parted { ways } else { &ways[..1.min(ways.len())] };
    let files = readers.iter().map(|way| way.stats.files).sum();
    let read = readers.iter().map(|way| way.stats.source_bytes).sum();
    let counter = match ways {
        [first, ..] if !is_parted => format!(" · tokens by {}", first.counter),
        _ => String::new(),
    };
    format!("{} · {}{counter}", count(files, "file"), bytes(read))
}

struct Table<'w> {
    ways: &'w [Way],
    out: String,
}

impl Table<'_> {
    fn head(&mut self) {
        self.out += &" ".repeat(LABEL);
        for way in self.ways {
            self.out += &right(&paint(BOLD, &way.name), columns(&way.name), COLUMN);
        }
        self.out.push('\n');
    }

    fn row(&mut self, label: &str, cell: impl Fn(&Way) -> String) {
        let _ = write!(self.out, "{}", left(label));
        for way in self.ways {
            let cell = cell(way);
            self.out += &right(&cell, columns(&cell), COLUMN);
        }
        self.out.push('\n');
    }

    /// A row of counts that should be nought.
    fn fault(&mut self, label: &str, counts: impl Fn(&Way) -> (usize, usize)) {
        let _ = write!(self.out, "{}", left(label));
        for way in self.ways {
            let (faults, all) = counts(way);
            let cell = share(faults, all);
            let style = if faults == 0 { GOOD } else { WARN };
            self.out += &right(&paint(style, &cell), columns(&cell), COLUMN);
        }
        self.out.push('\n');
    }

    fn gap(&mut self, label: &str) {
        let _ = writeln!(self.out, "{}", paint(DIM, label));
    }

    fn histogram(&mut self, bins: &Bins) {
        self.gap("");
        self.gap("chunks by tokens");
        let counts: Vec<_> = self.ways.iter().map(|way| bins.counts(&way.stats)).collect();
        for (nth, (from, to)) in bins.each().enumerate() {
            let range = match to {
                Some(to) => format!("{} – {}", number(from), number(to - 1)),
                None => format!("{} and more", number(from)),
            };
            let _ = write!(self.out, "{}", right(&range, columns(&range), LABEL - 2));
            self.out.push_str("  ");
            for counts in &counts {
                let most = counts.iter().max().copied().unwrap_or(0).max(1);
                let bar = bar(counts[nth], most);
                let pad = " ".repeat(BAR - columns(&bar));
                let many = number(counts[nth]);
                let room = COLUMN - BAR - 2;
                let _ = write!(self.out, "  {}{pad}", paint(PLACE, &bar));
                self.out += &right(&many, columns(&many), room);
            }
            self.out.push('\n');
        }
    }
}

fn bytes(bytes: usize) -> String {
    match bytes as f64 {
        few if few < 1e6 => format!("{:.1} kB", few / 1e3),
        many => format!("{:.1} MB", many / 1e6),
    }
}

/// A bar as long as its share of the most, to an eighth of a column.
fn bar(part: usize, most: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (part * BAR * 8).div_ceil(most);
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}

fn left(label: &str) -> String {
    format!("{label}{}", " ".repeat(LABEL.saturating_sub(columns(label))))
}

fn right(painted: &str, width: usize, room: usize) -> String {
    format!("{}{painted}", " ".repeat(room.saturating_sub(width)))
}

fn limits(way: &Way) -> String {
    match (way.target, way.max) {
        (Some(target), Some(max)) if target < max => {
            format!("{} – {}", number(target), number(max))
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
    format!("{:.1} %", 100.0 * part as f64 / all.max(1) as f64)
}

fn cut(blocks: Blocks) -> String {
    out_of(blocks.cut, blocks.all)
}

fn out_of(part: usize, all: usize) -> String {
    format!("{} of {}", number(part), number(all))
}

fn cost(price: f64, tokens: usize) -> String {
    let cost = price * tokens as f64 / 1e6;
    // Two digits that tell something, and never fewer than cents.
    let zeros = if cost > 0.0 { (-cost.log10()).ceil().max(1.0) } else { 1.0 };
    format!("{cost:.*}", 1 + zeros as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_have_two_digits_at_least() {
        let costs = [0, 909, 4_000, 90_000, 3_000_000].map(|tokens| cost(0.02, tokens));
        assert_eq!(costs, ["0.00", "0.000018", "0.000080", "0.0018", "0.060"]);
        assert_eq!(cost(2.0, 3_500_000), "7.00");
    }

    #[test]
    fn bars_show_even_the_least() {
        assert_eq!(bar(0, 100), "");
        assert_eq!(bar(1, 100_000), "▏");
        assert_eq!(bar(100, 100), "█".repeat(BAR));
    }
}
