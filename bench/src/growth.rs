//! Growth: ever longer documents and ever more of them come in; what a part of each costs goes out.

use anyhow::Result;
use chunkwright::{Chunker, Strategy};
use serde_json::{Value, json};

use crate::clock::cpu_seconds;
use crate::corpus::{Page, bytes};
use crate::generate;
use crate::ours;
use crate::plot::{Line, lines};
use crate::report::Report;
use crate::table::{figures, table};

const MEGABYTES: [usize; 5] = [1, 2, 4, 8, 16];
const FILES: [usize; 5] = [1_000, 3_000, 10_000, 30_000, 100_000];
const ROUNDS: usize = 3;

/// Measures, prints tables and saves them.
///
/// # Errors
/// When a vocabulary does not load or the report cannot be written.
pub fn run(report: &Report) -> Result<()> {
    let one = |megabytes: usize| {
        vec![Page { path: "long.md".to_owned(), text: generate::page(1, megabytes * 1_000_000) }]
    };
    let long = sweep("One document", "megabytes", "ms/MB", &MEGABYTES, one, |pages| {
        bytes(pages) as f64 / 1e9
    })?;
    let tiny = |files: usize| {
        let page = |nth| Page {
            path: format!("part-{}/tiny-{nth}.md", nth / 1000),
            text: generate::page(nth as u64, 400),
        };
        (0..files).map(page).collect()
    };
    let many = sweep("Many tiny documents", "files", "µs/file", &FILES, tiny, |pages| {
        pages.len() as f64 / 1e6
    })?;
    report.plot("growth-bytes.svg", &lines("One document: ms/MB by megabytes", &long))?;
    report.plot("growth-files.svg", &lines("Many documents: µs a file by files", &many))?;
    report.save("growth", json!({ "bytes": to_json(&long), "files": to_json(&many) }))
}

/// What each chunker costs at each size, in `unit`; `parts` says how many units a second is.
fn sweep(
    title: &str,
    axis: &str,
    unit: &str,
    sizes: &[usize],
    make: impl Fn(usize) -> Vec<Page>,
    parts: impl Fn(&[Page]) -> f64,
) -> Result<Vec<Line>> {
    let chunkers = chunkers()?;
    let mut found: Vec<Line> = Vec::new();
    found.extend(chunkers.iter().map(|(name, _)| Line { name: name.clone(), points: Vec::new() }));
    for &size in sizes {
        eprintln!("{title}: {size} {axis}");
        let pages = make(size);
        for ((_, chunker), line) in chunkers.iter().zip(&mut found) {
            line.points.push((size as f64, best(chunker, &pages) / parts(&pages)));
        }
    }
    println!("## {title} ({unit})\n\n{}", growth_table(axis, sizes, &found));
    Ok(found)
}

/// Every strategy with `estimate`, and the one that counts exactly by default.
fn chunkers() -> Result<Vec<(String, Chunker)>> {
    let estimates = Strategy::ALL.iter().map(|&strategy| (strategy, "estimate"));
    let all = estimates.chain([(Strategy::Hierarchical, "o200k")]);
    all.map(|(strategy, counter)| {
        Ok((format!("{strategy} {counter}"), ours::chunker(strategy, counter, None)?))
    })
    .collect()
}

fn best(chunker: &Chunker, pages: &[Page]) -> f64 {
    let pages: Vec<&Page> = pages.iter().collect();
    let seconds = (0..ROUNDS).map(|_| cpu_seconds(|| (), || ours::cut(chunker, &pages)).0);
    seconds.fold(f64::INFINITY, f64::min)
}

fn growth_table(axis: &str, sizes: &[usize], lines: &[Line]) -> String {
    let row = |nth: usize| {
        let cells = lines.iter().map(|line| figures(line.points[nth].1));
        std::iter::once(sizes[nth].to_string()).chain(cells).collect()
    };
    let columns: Vec<&str> =
        std::iter::once(axis).chain(lines.iter().map(|line| line.name.as_str())).collect();
    table(&columns, &(0..sizes.len()).map(row).collect::<Vec<_>>())
}

fn to_json(lines: &[Line]) -> Value {
    lines.iter().map(|line| json!({ "name": line.name, "points": line.points })).collect()
}
