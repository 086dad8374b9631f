//! Compares the builds of the command with the profiles `dist` and `release`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Result;
use serde_json::json;

use crate::many::{Cost, cost_of};
use crate::report::Report;
use crate::table::{figures, table, times};
use crate::vocabulary;

const ROUNDS: usize = 7;

/// The rows of the table, with the arguments before the paths.
const WORK: [(&str, &[&str]); 6] = [
    ("`chunk`, `estimate`", &["chunk", "--tokenizer", "estimate"]),
    ("`chunk`, `o200k`", &["chunk", "--tokenizer", "o200k"]),
    ("`chunk`, Parquet", &["chunk", "--tokenizer", "estimate", "--format", "parquet"]),
    ("`stats`, `blocks`", &["stats", "--strategy", "blocks"]),
    ("`index`", &["index", "--rebuild"]),
    ("`search`", &["search", "water OR heading OR the"]),
];

/// Runs both builds alternately on the same pages, prints a table and saves it.
///
/// # Errors
/// If pages cannot be written, or the command fails.
pub fn run(
    [dist, release]: [&Path; 2],
    directory: Option<&Path>,
    out: &Path,
    report: &Report,
) -> Result<()> {
    let pages = match directory {
        Some(directory) => directory.to_owned(),
        None => {
            let pages = out.join("pages");
            vocabulary::write_pages(&pages)?;
            pages
        }
    };
    let mut rows = Vec::new();
    let mut saved = Vec::new();
    for (name, args) in WORK {
        let mut best = [Cost::WORST; 2];
        for _ in 0..ROUNDS {
            for (command, best) in [dist, release].into_iter().zip(&mut best) {
                *best = best.best(cost_of(call(command, args, &pages, out))?);
            }
        }
        let [dist, release] = best.map(|cost| cost.cpu);
        rows.push(vec![
            name.to_owned(),
            figures(dist * 1e3),
            figures(release * 1e3),
            times(release / dist),
        ]);
        saved.push(json!({ "work": name, "dist": dist, "release": release }));
    }
    println!("# Profiles: CPU milliseconds of the process\n");
    println!("{}", table(&["", "`dist`", "`release`", "`release` ÷ `dist`"], &rows));
    report.save("profiles", json!(saved))
}

fn call(command: &Path, args: &[&str], pages: &Path, out: &Path) -> Command {
    let mut call = Command::new(command);
    call.args(args).stdout(Stdio::null()).stderr(Stdio::null());
    let index: PathBuf = out.join("profiles-index");
    match args[0] {
        "search" => call.arg("--index").arg(index),
        "index" => call.arg(pages).arg("--index").arg(index),
        _ => call.arg(pages).args(["--jobs", "1"]),
    };
    call
}
