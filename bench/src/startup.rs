//! Measures whole processes that have little to do, such as a single search by a user or an agent.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result};
use serde_json::json;

use crate::corpus::Corpus;
use crate::many::{Cost, cost_of};
use crate::report::Report;
use crate::table::{figures, table, times};

const ROUNDS: usize = 9;

/// The minimum number of sections in the index.
const SECTIONS: usize = 20_000;

/// Placeholder for the id of the first page.
const FIRST_PAGE: &str = "ID";
/// Placeholder for a word of the first page.
const WORD: &str = "WORD";
/// Placeholder for nine words of the first page.
const QUESTION: &str = "NINE WORDS";

/// The arguments of each row, and its goal: the maximum CPU time in milliseconds.
const WORK: [(&[&str], Option<f64>); 8] = [
    (&["search", WORD], Some(30.0)),
    (&["search", QUESTION], Some(30.0)),
    (&["search", QUESTION, "--max-tokens", "2000"], Some(45.0)),
    (&["get", FIRST_PAGE], None),
    (&["ls"], None),
    (&["status"], None),
    (&["chunk", "tiny.md", "--tokenizer", "estimate"], None),
    (&["chunk", "tiny.md", "--tokenizer", "o200k"], Some(20.0)),
];

/// The scripts to measure. The first is the cost of Python itself.
const SCRIPTS: [(&str, &str); 4] = [
    ("nothing", "pass"),
    ("`import`", "import chunkwright"),
    (
        "first chunk, `estimate`",
        "import chunkwright as c; c.Chunker(tokenizer='estimate').chunk('# Tea')",
    ),
    (
        "first chunk, `o200k`",
        "import chunkwright as c; c.Chunker(tokenizer='o200k').chunk('# Tea')",
    ),
];

/// Runs `--version` and each command in several rounds, then each script in Python, prints tables
/// and saves them.
///
/// # Errors
/// If pages cannot be written, or the command fails.
pub fn run(
    command: &Path,
    python: &Path,
    directory: Option<&Path>,
    out: &Path,
    report: &Report,
) -> Result<()> {
    let place = out.join("startup");
    let corpus = Corpus::open(directory)?;
    let sections = write_pages(&corpus, &place)?;
    let first = corpus.pages.first().context("no pages")?;
    let id = format!("pages:0/{}", first.path);
    // From the end: a page may start with front matter, which is not searched.
    let words = first.text.rsplit(|letter: char| !letter.is_alphabetic());
    let words: Vec<&str> = words.filter(|word| word.len() > 3).take(9).collect();
    let question = words.join(" ");
    let real = |arg: &'static str| match arg {
        FIRST_PAGE => &*id,
        WORD => words.first().copied().unwrap_or_default(),
        QUESTION => &question,
        _ => arg,
    };
    let call = |args: &[&'static str]| {
        let mut call = Command::new(command);
        call.args(args.iter().map(|&arg| real(arg)))
            .current_dir(&place)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        call
    };
    cost_of(call(&["index", "pages", "--index", "index", "--rebuild"]))?;
    let mut version = Cost::WORST;
    let mut best = [Cost::WORST; WORK.len()];
    for _ in 0..ROUNDS {
        version = version.best(cost_of(call(&["--version"]))?);
        for ((args, _), best) in WORK.iter().zip(&mut best) {
            let mut call = call(args);
            if args[0] != "chunk" {
                call.args(["--index", "index"]);
            }
            *best = best.best(cost_of(call)?);
        }
    }
    let rows: Vec<Vec<String>> = WORK
        .iter()
        .zip(&best)
        .map(|((args, goal), cost)| {
            let goal = goal.map_or_else(String::new, |goal| format!("≤ {goal}"));
            let name = format!("`{}`", args.join(" "));
            vec![name, figures(cost.cpu * 1e3), times(cost.cpu / version.cpu), goal]
        })
        .collect();
    println!("# Start-up: CPU milliseconds of the process, {sections} sections\n");
    println!("{}", table(&["", "CPU", "÷ `--version`", "goal"], &rows));
    let saved: Vec<_> =
        WORK.iter().zip(&best).map(|((args, _), cost)| json!([args, cost.cpu])).collect();
    let scripts = python_costs(python)?;
    report.save(
        "startup",
        json!({
            "version": version.cpu, "sections": sections, "runs": saved, "python": scripts,
        }),
    )
}

/// Returns the CPU seconds of each script.
fn python_costs(python: &Path) -> Result<Vec<f64>> {
    let mut best = [Cost::WORST; SCRIPTS.len()];
    for _ in 0..ROUNDS {
        for ((_, script), best) in SCRIPTS.iter().zip(&mut best) {
            let mut call = Command::new(python);
            call.args(["-c", script]);
            *best = best.best(cost_of(call)?);
        }
    }
    let bare = best[0].cpu;
    let rows = SCRIPTS.iter().zip(&best).map(|((name, _), cost)| {
        let own = figures((cost.cpu - bare) * 1e3);
        vec![(*name).to_owned(), figures(cost.cpu * 1e3), own, times(cost.cpu / bare)]
    });
    println!("# Start-up in Python: CPU milliseconds of the process\n");
    println!("{}", table(&["", "CPU", "without Python", "÷ Python"], &rows.collect::<Vec<_>>()));
    Ok(best.map(|cost| cost.cpu).into())
}

/// Writes copies of the pages until there are enough sections, and returns the number of sections.
pub(crate) fn write_pages(corpus: &Corpus, place: &Path) -> Result<usize> {
    if place.exists() {
        fs::remove_dir_all(place)?;
    }
    let headings = |text: &str| text.lines().filter(|line| line.starts_with('#')).count();
    let in_one: usize = corpus.pages.iter().map(|page| headings(&page.text)).sum();
    let copies = SECTIONS.div_ceil(in_one.max(1));
    for copy in 0..copies {
        for page in &corpus.pages {
            let path = place.join("pages").join(copy.to_string()).join(&page.path);
            fs::create_dir_all(path.parent().context("a page has a directory")?)?;
            fs::write(path, &page.text)?;
        }
    }
    fs::write(place.join("tiny.md"), "# Tea\n\nBoil water first.\n")?;
    Ok(in_one * copies)
}
