//! Histograms as SVG: one panel per strategy, readable on light and dark pages.

use std::fmt::Write as _;

use super::StrategyStats;
use super::bins::Bins;
use crate::style::{fit_middle, grouped, plural};

const WIDTH: usize = 760;
const LEFT: usize = 56;
const RIGHT: usize = 20;
const TOP: usize = 68;
const PANEL: usize = 158;
const BARS: usize = 104;

/// Height of the limit's label above the bars.
const LABEL: usize = 16;

/// Width of the bar of the open bin.
const OPEN: usize = 76;

/// Minimum distance between two numbers below the axis.
const TICK: usize = 44;

/// Colors that contrast on white and on black, for color-blind readers too.
const STYLE: &str = "\
text{font:13px system-ui,sans-serif;fill:#1f2328}.head{font-weight:600}.dim{fill:#59636e}\
.bar{fill:#2f6fb5}.axis{stroke:#d1d9e0}.limit{stroke:#b3541e;stroke-dasharray:4 3}\
.max{fill:#b3541e}.page{fill:#fff}\
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.dim{fill:#9198a1}.bar{fill:#6cb0f5}\
.axis{stroke:#3d444d}.limit{stroke:#f0a067}.max{fill:#f0a067}.page{fill:#0d1117}}";

/// Draws the distribution of chunk sizes of each strategy.
pub(crate) fn sizes(strategies: &[StrategyStats], bins: &Bins) -> String {
    let height = TOP + PANEL * strategies.len() + 10;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
         aria-label=\"Chunks by tokens\">\n<style>{STYLE}</style>\n\
         <rect class=\"page\" width=\"{WIDTH}\" height=\"{height}\"/>\n",
    );
    let title = strategies.first().map_or_else(String::new, |strategy| {
        format!(
            "{} · tokenizer: {}",
            count(strategy.stats.files, "file"),
            fit_middle(&strategy.counter, 60)
        )
    });
    text(&mut svg, (LEFT, 26), "head", "start", "Chunks by tokens");
    text(&mut svg, (WIDTH - RIGHT, 26), "dim", "end", &title);
    let counts: Vec<_> = strategies.iter().map(|strategy| bins.counts(&strategy.stats)).collect();
    let most = counts.iter().flatten().max().copied().unwrap_or(0).max(1);
    for (nth, (strategy, counts)) in strategies.iter().zip(&counts).enumerate() {
        Panel { top: TOP + nth * PANEL, bins, most }.draw(&mut svg, strategy, counts);
    }
    svg + "</svg>\n"
}

/// The histogram of one strategy.
struct Panel<'b> {
    top: usize,
    bins: &'b Bins,
    /// Number of chunks in the largest bin of all panels, which share one scale.
    most: usize,
}

impl Panel<'_> {
    fn draw(&self, svg: &mut String, strategy: &StrategyStats, counts: &[usize]) {
        let (top, foot) = (self.top, self.top + BARS);
        let stats = &strategy.stats;
        let facts = format!(
            "{} · median {} tokens · {} tokens in total",
            count(stats.chunks, "chunk"),
            grouped(stats.percentile(50)),
            grouped(stats.tokens),
        );
        text(svg, (LEFT, top - 8), "head", "start", &strategy.name);
        text(svg, (WIDTH - RIGHT, top - 8), "dim", "end", &facts);
        text(svg, (LEFT - 8, top + LABEL + 9), "dim", "end", &grouped(self.most));
        text(svg, (LEFT - 8, foot), "dim", "end", "0");
        for ((from, to), chunks) in self.bins.each().zip(counts) {
            let left = self.x(from.saturating_sub(1)) + 1;
            let right = to.map_or(WIDTH - RIGHT, |to| self.x(to)).saturating_sub(1);
            let (width, height) =
                (right.saturating_sub(left).max(1), (chunks * (BARS - LABEL)).div_ceil(self.most));
            let y = foot - height;
            let _ = writeln!(
                svg,
                r#"<rect class="bar" x="{left}" y="{y}" width="{width}" height="{height}"/>"#
            );
        }
        line(svg, "axis", (LEFT, foot), (WIDTH - RIGHT, foot));
        self.ticks(svg, foot + 16);
        if let Some(max) = strategy.max.filter(|max| self.bins.ends.contains(max)) {
            let x = self.x(max);
            line(svg, "limit", (x, top), (x, foot));
            let label = format!("max {}", grouped(max));
            // The label is left of the line, unless it would leave the panel.
            let (x, anchor) = if x < LEFT + 100 { (x + 5, "start") } else { (x - 5, "end") };
            text(svg, (x, top + 11), "max", anchor, &label);
        }
    }

    /// Writes the ends of bins below the axis, except those too close to the previous one.
    fn ticks(&self, svg: &mut String, y: usize) {
        let mut last = LEFT;
        text(svg, (last, y), "dim", "middle", "0");
        for end in &self.bins.ends {
            let x = self.x(*end);
            if x >= last + TICK {
                text(svg, (x, y), "dim", "middle", &grouped(*end));
                last = x;
            }
        }
        if self.bins.is_open {
            text(svg, (WIDTH - RIGHT, y), "dim", "end", "more");
        }
    }

    /// Returns the position of a token count on the axis.
    fn x(&self, tokens: usize) -> usize {
        let open = if self.bins.is_open { OPEN } else { 0 };
        let last = self.bins.ends.last().copied().unwrap_or(1);
        LEFT + tokens * (WIDTH - LEFT - RIGHT - open) / last
    }
}

fn count(value: usize, noun: &str) -> String {
    format!("{} {}", grouped(value), plural(value, noun))
}

fn text(svg: &mut String, (x, y): (usize, usize), class: &str, anchor: &str, text: &str) {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    let _ = writeln!(
        svg,
        r#"<text class="{class}" x="{x}" y="{y}" text-anchor="{anchor}">{text}</text>"#
    );
}

fn line(svg: &mut String, class: &str, (x1, y1): (usize, usize), (x2, y2): (usize, usize)) {
    let _ = writeln!(svg, r#"<line class="{class}" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>"#);
}
