//! Histograms as a picture: one panel for each way to cut, readable on light and dark pages.

use std::fmt::Write as _;

use crate::bins::Bins;
use crate::stats::Way;
use crate::style::{count, number};

const WIDTH: usize = 760;
const LEFT: usize = 56;
const RIGHT: usize = 20;
const TOP: usize = 68;
const PANEL: usize = 150;
const BARS: usize = 96;

/// Colours that are told apart on white and on black, and by the colour-blind.
const STYLE: &str = "\
text{font:13px system-ui,sans-serif;fill:#1f2328}.head{font-weight:600}.dim{fill:#59636e}\
.bar{fill:#2f6fb5}.axis{stroke:#d1d9e0}.limit{stroke:#b3541e;stroke-dasharray:4 3}.page{fill:#fff}\
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.dim{fill:#9198a1}.bar{fill:#6cb0f5}\
.axis{stroke:#3d444d}.limit{stroke:#f0a067}.page{fill:#0d1117}}";

/// How many chunks of each way have how many tokens.
pub(crate) fn sizes(ways: &[Way], bins: &Bins) -> String {
    let height = TOP + PANEL * ways.len() + 10;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
         aria-label=\"Chunks by tokens\">\n<style>{STYLE}</style>\n\
         <rect class=\"page\" width=\"{WIDTH}\" height=\"{height}\"/>\n",
    );
    let title = ways.first().map_or_else(String::new, |way| {
        format!("{} · tokens by {}", count(way.stats.files, "file"), way.counter)
    });
    text(&mut svg, (LEFT, 26), "head", "start", "Chunks by tokens");
    text(&mut svg, (WIDTH - RIGHT, 26), "dim", "end", &title);
    for (nth, way) in ways.iter().enumerate() {
        panel(&mut svg, TOP + nth * PANEL, way, bins);
    }
    svg + "</svg>\n"
}

fn panel(svg: &mut String, top: usize, way: &Way, bins: &Bins) {
    let foot = top + BARS;
    let each: Vec<_> = bins.each().collect();
    let width = (WIDTH - LEFT - RIGHT) / each.len().max(1);
    let stats = &way.stats;
    let facts = format!(
        "{} · half have at most {} tokens · {} tokens in all",
        count(stats.chunks, "chunk"),
        number(stats.percentile(50)),
        number(stats.tokens),
    );
    text(svg, (LEFT, top - 8), "head", "start", &way.name);
    text(svg, (WIDTH - RIGHT, top - 8), "dim", "end", &facts);
    let counts = bins.counts(stats);
    let most = counts.iter().max().copied().unwrap_or(0).max(1);
    text(svg, (LEFT - 8, top + 11), "dim", "end", &number(most));
    for (nth, chunks) in counts.iter().enumerate() {
        let (x, high) = (LEFT + nth * width, (chunks * (BARS - 4)).div_ceil(most));
        let (y, w) = (foot - high, width.saturating_sub(2).max(1));
        let _ = writeln!(svg, r#"<rect class="bar" x="{x}" y="{y}" width="{w}" height="{high}"/>"#);
    }
    line(svg, "axis", (LEFT, foot), (LEFT + width * each.len(), foot));
    for (nth, (from, to)) in each.iter().enumerate() {
        let open = if to.is_none() { "+" } else { "" };
        let label = format!("{}{open}", number(*from));
        text(svg, (LEFT + nth * width, foot + 16), "dim", "start", &label);
    }
    if let Some(max) = way.max.filter(|max| *max < bins.width * each.len()) {
        let x = LEFT + max * width / bins.width.max(1);
        line(svg, "limit", (x, top), (x, foot));
    }
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
