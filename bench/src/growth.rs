//! Measures how the cost grows with the size of a document and with the number of documents.

use anyhow::Result;
use chunkwright::StrategyName;
use serde_json::{Value, json};

use crate::corpus::{Page, bytes};
use crate::generate;
use crate::ours;
use crate::plot::{Line, lines};
use crate::race::Race;
use crate::report::Report;
use crate::table::{figures, table};

const MEGABYTES: [usize; 5] = [1, 2, 4, 8, 16];
const FILES: [usize; 5] = [1_000, 3_000, 10_000, 30_000, 100_000];
const ROUNDS: usize = 5;

/// Runs the benchmark, prints tables and saves them.
///
/// # Errors
/// If a vocabulary cannot be loaded or the report cannot be written.
pub fn run(report: &Report) -> Result<()> {
    let one = |megabytes: usize| {
        vec![Page { path: "long.md".to_owned(), text: generate::page(1, megabytes * 1_000_000) }]
    };
    let long = Sweep { title: "One document (ms/MB)", axis: "megabytes", sizes: &MEGABYTES };
    let long = long.run(one, |pages| bytes(pages) as f64 / 1e9)?;
    let tiny = |files: usize| {
        let page = |nth| Page {
            path: format!("part-{}/tiny-{nth}.md", nth / 1000),
            text: generate::page(nth as u64, 400),
        };
        (0..files).map(page).collect()
    };
    let many = Sweep { title: "Many tiny documents (µs/file)", axis: "files", sizes: &FILES };
    let many = many.run(tiny, |pages| pages.len() as f64 / 1e6)?;
    report.plot("growth-bytes.svg", &lines("One document: ms/MB by size in MB", &long))?;
    report.plot(
        "growth-files.svg",
        &lines("Many documents: µs per file by number of files", &many),
    )?;
    report.save("growth", json!({ "bytes": to_json(&long), "files": to_json(&many) }))
}

/// A series of sizes to measure.
struct Sweep<'a> {
    title: &'a str,
    axis: &'a str,
    sizes: &'a [usize],
}

impl Sweep<'_> {
    /// Returns the cost of each contender by size: its seconds divided by `parts`.
    fn run(
        &self,
        make: impl Fn(usize) -> Vec<Page>,
        parts: impl Fn(&[Page]) -> f64,
    ) -> Result<Vec<Line>> {
        let mut found: Vec<Line> = Vec::new();
        for &size in self.sizes {
            eprintln!("{size} {}", self.axis);
            let pages = make(size);
            let whole: Vec<&Page> = pages.iter().collect();
            let mut race = Race::default();
            let names = contenders(&mut race, &whole)?;
            let results = race.run(ROUNDS);
            found.resize_with(names.len(), Line::default);
            for (line, name) in found.iter_mut().zip(names) {
                line.points.push((size as f64, results.seconds(&name) / parts(&pages)));
                line.name = name;
            }
        }
        println!("## {}\n\n{}", self.title, self.table(&found));
        Ok(found)
    }

    fn table(&self, lines: &[Line]) -> String {
        let row = |nth: usize| {
            let cells = lines.iter().map(|line| figures(line.points[nth].1));
            std::iter::once(self.sizes[nth].to_string()).chain(cells).collect()
        };
        let names = lines.iter().map(|line| line.name.as_str());
        let columns: Vec<&str> = std::iter::once(self.axis).chain(names).collect();
        table(&columns, &(0..self.sizes.len()).map(row).collect::<Vec<_>>())
    }
}

/// Adds the bare parser, every strategy with `estimate`, and `hierarchical` with its exact default
/// counter.
fn contenders<'c>(race: &mut Race<'c>, pages: &'c [&'c Page]) -> Result<Vec<String>> {
    let mut names = vec!["bare parser".to_owned()];
    race.add(&names[0], pages, ours::parse);
    let estimates = StrategyName::ALL.iter().map(|&strategy| (strategy, "estimate"));
    for (strategy, counter) in estimates.chain([(StrategyName::Hierarchical, "o200k")]) {
        let chunker = ours::chunker(strategy, counter, None)?;
        names.push(format!("{strategy} {counter}"));
        race.add(names.last().expect("one was added"), pages, move |pages| {
            ours::cut(&chunker, pages)
        });
    }
    Ok(names)
}

fn to_json(lines: &[Line]) -> Value {
    lines.iter().map(|line| json!({ "name": line.name, "points": line.points })).collect()
}
