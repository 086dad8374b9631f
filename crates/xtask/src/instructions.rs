//! Counts the instructions of the hot path with Valgrind, and compares them with recorded counts.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use lexopt::{Arg, Parser};

use crate::bench::{build, out, program};
use crate::steps::{Steps, root, say};

/// The work to measure: parsing only, without each shortcut of the parser, and every strategy.
const WORK: [&str; 12] = [
    "read",
    "read-without-any",
    "read-without-paragraphs",
    "read-without-lists",
    "read-without-fences",
    "read-without-headings",
    "read-without-titles",
    "read-without-front-matter",
    "hierarchical",
    "window",
    "blocks",
    "tree",
];

/// The largest growth of a count, in percent.
const GROWTH: u64 = 5;

const HEAD: &str = "\
# Instructions for splitting the generated pages of `bench/src/bin/instructions.rs` with `estimate`.
# `cargo xtask instructions` compares with these counts; add `--update` to replace them.
";

pub(crate) fn run(mut args: Parser) -> Result<()> {
    let mut update = false;
    while let Some(arg) = args.next()? {
        match arg {
            Arg::Long("update") => update = true,
            other => return Err(other.unexpected().into()),
        }
    }
    Steps::default().run("hot path", build("dist", &["--bin", "instructions"]))?;
    let counts = WORK.into_iter().map(|work| Ok((work.to_owned(), count(work)?)));
    let counts = counts.collect::<Result<BTreeMap<_, _>>>()?;
    if update {
        let rows = counts.iter().map(|(work, count)| format!("{work} = {count}\n"));
        return Ok(fs::write(written(), HEAD.to_owned() + &rows.collect::<String>())?);
    }
    compare(&counts)
}

fn compare(counts: &BTreeMap<String, u64>) -> Result<()> {
    let text = fs::read_to_string(written()).context("bench/instructions.toml")?;
    let rows = text.lines().filter_map(|line| line.split_once(" = "));
    let before: BTreeMap<&str, u64> =
        rows.map(|(work, count)| Ok((work, count.parse()?))).collect::<Result<_>>()?;
    let mut grown = Vec::new();
    for (work, &count) in counts {
        let before =
            *before.get(work.as_str()).with_context(|| format!("{work} has no recorded count"))?;
        let percent = (count as f64 / before as f64 - 1.0) * 100.0;
        say(&format!("{work}: {count} instructions ({percent:+.1} %)"));
        if count * 100 > before * (100 + GROWTH) {
            grown.push(work.as_str());
        }
    }
    ensure!(grown.is_empty(), "instructions grew by more than {GROWTH} %: {}", grown.join(", "));
    Ok(())
}

/// Returns the number of instructions inside the function `under_valgrind`.
fn count(work: &str) -> Result<u64> {
    let mut valgrind = Command::new("valgrind");
    valgrind.args([
        "--tool=callgrind",
        "--collect-atstart=no",
        "--toggle-collect=*::under_valgrind*",
    ]);
    valgrind.arg(format!("--callgrind-out-file={}", out().join("callgrind.out").display()));
    valgrind.arg(program("instructions")).arg(work);
    let output = valgrind.output().context("cannot run valgrind (install it first)")?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "valgrind failed: {said}");
    let collected = said.lines().find_map(|line| line.split_once("Collected :"));
    match collected.map(|(_, count)| count.trim().parse()) {
        Some(Ok(count)) if count > 0 => Ok(count),
        _ => bail!("valgrind printed no instruction count: {said}"),
    }
}

fn written() -> PathBuf {
    root().join("bench/instructions.toml")
}
