//! `chunkwright search`: a query comes in, what was found goes out.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result};
use chunkwright_config::Settings;
use chunkwright_io::{FileError, MAX_FILE_BYTES, read_file};
use chunkwright_search::answer::Found;
use chunkwright_search::{Answer, Filter, Request, Snapshot, Tree, Update, update};
use serde::Deserialize;
use serde_json::json;

use crate::options::{Colors, Set, settings};
use crate::place::Place;
use crate::style::{self, BOLD, DIM, LAST_PLACE, PLACE, WARN, count, harmless, paint};

/// Search the index
///
/// Examples:
///
///   chunkwright search how do I rotate keys
///   chunkwright search 'backup +title:settings -windows'
///   chunkwright search rotation --max-tokens 2000 --json
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// What to look for; a query may start with -
    #[arg(value_name = "QUERY", required_unless_present = "queries", allow_hyphen_values = true)]
    query: Option<String>,
    /// More words of it
    #[arg(value_name = "WORD", hide = true)]
    more: Vec<String>,
    /// Many queries: JSON lines with "query", printed again with the answer; implies --json
    #[arg(long, value_name = "FILE", conflicts_with = "query")]
    queries: Option<PathBuf>,
    /// The most results
    #[arg(long, value_name = "N", default_value_t = 10)]
    limit: usize,
    /// The most tokens of all results together
    #[arg(long, value_name = "N")]
    max_tokens: Option<usize>,
    /// Only this tree; may be given more than once
    #[arg(long, value_name = "NAME")]
    tree: Vec<String>,
    /// Only paths like this: guide/**/*.md; may be given more than once
    #[arg(long, value_name = "GLOB")]
    path: Vec<String>,
    /// Only if front matter says so: KEY=VALUE, !=, < or >; may be given more than once
    #[arg(long = "where", value_name = "KEY=VALUE")]
    conditions: Vec<String>,
    /// Bring the index up to date first
    #[arg(long)]
    fresh: bool,
    /// Tell for each result which rules made it
    #[arg(long)]
    explain: bool,
    /// Return each hit by itself
    #[arg(long)]
    no_merge: bool,
    /// Refuse a query that does not parse
    #[arg(long)]
    strict: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    colors: Colors,
    #[command(flatten)]
    set: Set,
    #[command(flatten)]
    place: Place,
}

/// Searches; tells whether something was found.
pub(crate) fn run(args: &Args) -> Result<bool> {
    args.colors.apply();
    let settings = settings(&args.set, &[])?;
    let dir = args.place.existing(&settings)?;
    if args.fresh {
        refresh(&dir, &settings)?;
    }
    let snapshot = Snapshot::open(&dir)?;
    let request = args.request(&settings);
    if let Some(file) = &args.queries {
        return many(file, &snapshot, &request, args.explain);
    }
    let words: Vec<&str> = args.query.iter().chain(&args.more).map(String::as_str).collect();
    let mut answer = ask(&snapshot, &words.join(" "), &request, args.explain)?;
    answer.warnings.extend(mismatch(&snapshot, &settings));
    if args.json {
        style::print(&format!("{}\n", serde_json::to_string(&answer)?))?;
    } else {
        answer.warnings.iter().for_each(|warning| style::complain(warning));
        style::print(&shown(&answer))?;
    }
    Ok(!answer.results.is_empty() || !answer.handles.is_empty())
}

impl Args {
    fn request(&self, settings: &Settings) -> Request {
        Request {
            limit: self.limit,
            max_tokens: self.max_tokens,
            merge: !self.no_merge,
            strict: self.strict,
            filter: Filter {
                trees: self.tree.clone(),
                paths: self.path.clone(),
                conditions: self.conditions.clone(),
            },
            tuning: settings.tuning(),
        }
    }
}

/// Why the index should be made anew.
fn mismatch(snapshot: &Snapshot, settings: &Settings) -> Option<String> {
    let wanted = settings.indexing();
    let reason = match wanted.is_some_and(|wanted| wanted != *snapshot.indexing()) {
        true => "chunkwright.toml asks for other options",
        false if snapshot.is_outdated() => {
            "the index was built by a version that splits differently"
        }
        false => return None,
    };
    Some(format!("{reason}: run `chunkwright index`"))
}

fn ask(snapshot: &Snapshot, query: &str, request: &Request, explain: bool) -> Result<Answer> {
    let mut answer = snapshot.search(query, request)?;
    if !explain {
        answer.results.iter_mut().for_each(|found| found.explain.clear());
    }
    Ok(answer)
}

/// Answers many queries, each as one line of JSON with all that its line had.
fn many(file: &Path, snapshot: &Snapshot, request: &Request, explain: bool) -> Result<bool> {
    #[derive(Deserialize)]
    struct Line {
        query: String,
        #[serde(flatten)]
        rest: serde_json::Map<String, serde_json::Value>,
    }
    let text = read_file(file, MAX_FILE_BYTES);
    let text = text.map_err(|reason| FileError { path: file.to_owned(), reason })?;
    let mut found = false;
    for (nth, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let place = || format!("{}: line {}", chunkwright_io::shown(file), nth + 1);
        let Line { query, rest } = serde_json::from_str(line).with_context(place)?;
        let answer = ask(snapshot, &query, request, explain)?;
        found |= !answer.results.is_empty();
        let mut record = json!(answer);
        for (key, value) in rest {
            record.as_object_mut().expect("an answer is an object").entry(key).or_insert(value);
        }
        style::print(&format!("{record}\n"))?;
    }
    Ok(found)
}

/// Brings the trees of an index up to date.
fn refresh(dir: &Path, settings: &Settings) -> Result<()> {
    let running = settings.running();
    let trees = Snapshot::open(dir)?.trees();
    let trees = trees.into_iter().filter(|(_, root)| root.is_dir());
    let report = update(
        dir,
        &Update {
            trees: trees.map(|(name, path)| Tree { name: Some(name), path }).collect(),
            only_these: false,
            indexing: settings.indexing(),
            rebuild: false,
            jobs: running.threads(),
            max_file_bytes: running.max_file_size,
        },
    )?;
    report.errors.iter().for_each(|error| style::complain(&error.to_string()));
    Ok(())
}

fn shown(answer: &Answer) -> String {
    let mut out = String::new();
    for (nth, found) in answer.results.iter().enumerate() {
        if nth > 0 {
            out.push('\n');
        }
        result(&mut out, found);
    }
    if !answer.handles.is_empty() {
        let _ = writeln!(out, "\n{}", paint(DIM, "Did not fit; `chunkwright get ID` prints it:"));
    }
    for handle in &answer.handles {
        let tokens = paint(DIM, count(handle.tokens, "token"));
        let _ = writeln!(out, "  {}  {tokens}", paint(PLACE, harmless(&handle.id)));
    }
    if answer.results.is_empty() && answer.handles.is_empty() {
        style::complain("nothing was found");
    }
    out
}

fn result(out: &mut String, found: &Found) {
    let stale =
        if found.stale { paint(WARN, "  changed since it was indexed") } else { String::new() };
    let _ = writeln!(out, "{}{stale}", breadcrumb(&found.breadcrumb));
    let place = format!("{}:{}", harmless(&found.path), found.line_start);
    let merged = match found.merged_from.len() {
        0 => String::new(),
        hits => format!(" · {} merged", count(hits, "hit")),
    };
    let measures = format!("{} · score {:.3}{merged}", count(found.tokens, "token"), found.score);
    let _ = writeln!(out, "{place}  {}", paint(DIM, measures));
    for line in highlighted(found).lines().filter(|line| !line.trim().is_empty()) {
        let _ = writeln!(out, "  {line}");
    }
    let _ = writeln!(out, "  {}", paint(DIM, harmless(&found.id)));
    for line in &found.explain {
        let _ = writeln!(out, "  {}", paint(DIM, format!("· {}", harmless(line))));
    }
}

fn breadcrumb(titles: &[Arc<str>]) -> String {
    let Some((last, above)) = titles.split_last() else { return String::new() };
    let above: String = above.iter().map(|title| format!("{} › ", harmless(title))).collect();
    format!("{}{}", paint(PLACE, above), paint(LAST_PLACE, harmless(last)))
}

fn highlighted(found: &Found) -> String {
    let clean = |text: &str| {
        text.split('\n').map(|line| harmless(line).into_owned()).collect::<Vec<_>>().join("\n")
    };
    let mut out = String::new();
    let mut at = 0;
    for &(from, to) in &found.highlights {
        out += &clean(&found.snippet[at..from]);
        out += &paint(BOLD, clean(&found.snippet[from..to]));
        at = to;
    }
    out + &clean(&found.snippet[at..])
}
