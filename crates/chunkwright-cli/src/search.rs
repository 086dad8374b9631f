//! `chunkwright search`: answers one query or many, within a token budget.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use chunkwright_config::Settings;
use chunkwright_io::{FileError, MAX_FILE_BYTES, read_file};
use chunkwright_search::answer::SearchResult;
use chunkwright_search::render::{self, Fields};
use chunkwright_search::{Answer, Error, Request, Snapshot, update};
use clap::ValueEnum;
use serde_json::{Map, Value, json};

use crate::files;
use crate::index;
use crate::index_dir::IndexFlag;
use crate::options::{Colors, Set, settings};
use crate::sink;
use crate::style::{
    self, BOLD, DIM, LAST_PLACE, PLACE, WARN, columns, count, fit, harmless, paint, wrap,
};

/// Maximum time that `--fresh` waits for another process to finish indexing.
const PATIENCE: Duration = Duration::from_secs(2);

/// Search the index
///
/// Examples:
///
///   chunkwright search how do I rotate a key
///   chunkwright search 'backup +title:settings -windows'
///   chunkwright search backup --path 'guide/**' --where 'draft!=true'
///   chunkwright search rotation --format markdown --max-tokens 2000
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// Words to search for; quote a query that starts with -
    #[arg(value_name = "QUERY…", required_unless_present = "queries", allow_hyphen_values = true)]
    query: Option<String>,
    /// Remaining words of the query. Only the first may start with -, or flags would be words.
    #[arg(hide = true)]
    more: Vec<String>,
    /// File with one JSON object per line, each with a "query"; prints one JSON line per query
    #[arg(long, value_name = "FILE", conflicts_with_all = ["query", "format"])]
    queries: Option<PathBuf>,
    /// Output format [default: text]
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<AnswerFormat>,
    /// Same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Fields of each JSON result, such as id,text [default: all]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    fields: Vec<String>,
    /// Maximum number of results [default: 10; with --max-tokens, as many as fit]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Maximum tokens of the whole output, counted with o200k
    #[arg(long, value_name = "N")]
    max_tokens: Option<usize>,
    /// Search only this tree; repeatable
    #[arg(long, value_name = "NAME")]
    tree: Vec<String>,
    /// Search only paths that match a glob, such as guide/**/*.md; repeatable
    #[arg(long, value_name = "GLOB")]
    path: Vec<String>,
    /// Search only pages with this front matter, compared with =, !=, < or >; repeatable
    #[arg(long = "where", value_name = "KEY=VALUE")]
    conditions: Vec<String>,
    /// Update the index first
    #[arg(long)]
    fresh: bool,
    /// Explain the score of each result
    #[arg(long)]
    explain: bool,
    /// Return every hit separately instead of merging related ones
    #[arg(long)]
    no_merge: bool,
    /// Reject queries with syntax errors instead of searching for their words
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    colors: Colors,
    #[command(flatten)]
    set: Set,
    #[command(flatten)]
    index_dir: IndexFlag,
}

/// An output format.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum AnswerFormat {
    /// Location and snippet of each result
    Text,
    /// Full text of each result, for prompts
    Markdown,
    /// One JSON object
    Json,
}

/// Searches, and returns whether anything was found.
pub(crate) fn run(args: &Args) -> Result<bool> {
    args.colors.apply();
    let settings = settings(&args.set, &[])?;
    let fields = match args.fields.is_empty() {
        true => None,
        false => Some(Fields::named(&args.fields)?),
    };
    let dir = args.index_dir.existing(&settings)?;
    let mut warnings = Vec::new();
    if args.fresh {
        warnings.extend(refresh(&dir, &settings)?);
    }
    let snapshot = Snapshot::open(&dir)?;
    warnings.extend(mismatch(&snapshot, &settings));
    let search =
        SearchSession { args, snapshot, request: args.request(&settings), fields, warnings };
    match &args.queries {
        Some(file) => search.many(file),
        None => {
            let words: Vec<&str> =
                args.query.iter().chain(&args.more).map(String::as_str).collect();
            search.one(&words.join(" "))
        }
    }
}

/// Everything that a query needs.
struct SearchSession<'a> {
    args: &'a Args,
    snapshot: Snapshot,
    request: Request,
    fields: Option<Fields>,
    /// Warnings about the index.
    warnings: Vec<String>,
}

impl SearchSession<'_> {
    fn one(&self, query: &str) -> Result<bool> {
        let format = match self.args.json {
            true => AnswerFormat::Json,
            false => self.args.format.unwrap_or(AnswerFormat::Text),
        };
        let render = |answer: &Answer| match format {
            AnswerFormat::Text => style::as_printed(&text(&self.final_form(answer))),
            AnswerFormat::Markdown => render::markdown(&self.final_form(answer)),
            AnswerFormat::Json => self.line(answer),
        };
        let answer = self.ask(query, &render)?;
        if format != AnswerFormat::Json {
            let warnings = answer.warnings.iter().chain(&self.warnings);
            warnings.for_each(|warning| style::warn(warning));
        }
        if format == AnswerFormat::Text {
            render::remarks(&answer).iter().for_each(|remark| style::note(remark));
        }
        if let (Some(most), [], []) = (self.args.max_tokens, &*answer.results, &*answer.handles)
            && is_found(&answer)
        {
            style::warn(&format!("no result fits into {most} tokens; raise --max-tokens"));
        }
        sink::print(&render(&answer))?;
        Ok(is_found(&answer))
    }

    fn ask(&self, query: &str, render: &dyn Fn(&Answer) -> String) -> Result<Answer, Error> {
        match self.args.max_tokens {
            None => self.snapshot.search(query, &self.request),
            Some(most) => self.snapshot.search_within(query, &self.request, most, render),
        }
    }

    /// Returns an answer as it is printed: with explanations only if requested.
    fn final_form(&self, answer: &Answer) -> Answer {
        let mut answer = answer.clone();
        if !self.args.explain {
            answer.results.iter_mut().for_each(|found| found.explain.clear());
        }
        answer.warnings.extend(self.warnings.iter().cloned());
        answer
    }

    /// Returns an answer as one line of JSON.
    fn line(&self, answer: &Answer) -> String {
        format!("{}\n", render::json(&self.final_form(answer), self.fields.as_ref()))
    }

    /// Answers many queries, each as one line of JSON that keeps the other keys of its input line. A
    /// line that cannot be answered gets an error instead.
    fn many(&self, file: &Path) -> Result<bool> {
        let text = read_file(file, MAX_FILE_BYTES);
        let text = text.map_err(|reason| FileError { path: file.to_owned(), reason })?;
        let (mut found, mut failed) = (false, 0);
        for (nth, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let asked = asked(line).map_err(str::to_owned);
            let answered = asked.as_ref().map_err(String::clone).and_then(|(query, rest)| {
                self.answered(query, rest).map_err(|error| error.to_string())
            });
            match answered {
                Ok((line, any)) => {
                    found |= any;
                    sink::print(&line)?;
                }
                Err(error) => {
                    failed += 1;
                    let place = format!("{}: line {}", chunkwright_io::shown(file), nth + 1);
                    style::complain(&format!("{place}: {error}"));
                    let (query, rest) = asked.unwrap_or_default();
                    sink::print(&with_keys(json!({ "query": query, "error": error }), &rest))?;
                }
            }
        }
        match failed {
            0 => Ok(found),
            failed => bail!("{} could not be answered", count(failed, "line")),
        }
    }

    /// Returns the answer to a query with the other keys of its line, and whether it has results.
    fn answered(&self, query: &str, rest: &Map<String, Value>) -> Result<(String, bool), Error> {
        let render = |answer: &Answer| {
            with_keys(render::json(&self.final_form(answer), self.fields.as_ref()), rest)
        };
        let answer = self.ask(query, &render)?;
        Ok((render(&answer), is_found(&answer)))
    }
}

/// Returns a line of JSON with additional keys. Existing keys win.
fn with_keys(mut record: Value, more: &Map<String, Value>) -> String {
    for (key, value) in more {
        if let Some(record) = record.as_object_mut() {
            record.entry(key).or_insert_with(|| value.clone());
        }
    }
    format!("{record}\n")
}

fn is_found(answer: &Answer) -> bool {
    answer.reason.is_none()
}

/// Returns the query in a line of `--queries`, and the other keys of the line.
fn asked(line: &str) -> Result<(String, Map<String, Value>), &'static str> {
    let Ok(Value::Object(mut keys)) = serde_json::from_str(line) else {
        return Err("expected a JSON object, such as {\"query\": \"how to rotate a key\"}");
    };
    match keys.shift_remove("query") {
        Some(Value::String(query)) => Ok((query, keys)),
        Some(_) => Err("`query` is not a string"),
        None => Err("missing key `query`"),
    }
}

impl Args {
    fn request(&self, settings: &Settings) -> Request {
        let mut request = Request::default();
        (request.limit, request.merge, request.strict) = (self.limit, !self.no_merge, self.strict);
        request.filter.trees.clone_from(&self.tree);
        request.filter.paths.clone_from(&self.path);
        request.filter.conditions.clone_from(&self.conditions);
        request.tuning = settings.tuning();
        request
    }
}

/// Returns a warning if the index should be rebuilt.
fn mismatch(snapshot: &Snapshot, settings: &Settings) -> Option<String> {
    let wanted = settings.indexing();
    let reason = match wanted.is_some_and(|wanted| wanted != *snapshot.indexing()) {
        true => "the index was built with options that differ from chunkwright.toml",
        false if snapshot.is_outdated() => {
            "the index was built by a version that splits differently"
        }
        false => return None,
    };
    Some(format!("{reason}; run `chunkwright index` to rebuild it"))
}

/// Updates the trees of an index. If another process keeps the index locked, returns a warning that
/// results may be out of date.
fn refresh(dir: &Path, settings: &Settings) -> Result<Option<String>> {
    let wanted = index::wanted(index::indexed_trees(dir)?, settings);
    let start = Instant::now();
    loop {
        match update(dir, &wanted) {
            Ok(report) => {
                report.errors.iter().for_each(|error| style::warn(&files::message(error)));
                return Ok(None);
            }
            Err(Error::Busy { .. }) if start.elapsed() < PATIENCE => {
                thread::sleep(Duration::from_millis(50));
            }
            Err(Error::Busy { holder, .. }) => {
                return Ok(Some(format!("{holder} is indexing; results may be out of date")));
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// Renders an answer for people.
fn text(answer: &Answer) -> String {
    let mut out = String::new();
    for (nth, found) in answer.results.iter().enumerate() {
        if nth > 0 {
            out.push('\n');
        }
        result(&mut out, found);
    }
    if !answer.handles.is_empty() {
        let gap = if answer.results.is_empty() { "" } else { "\n" };
        let not_shown = harmless(&render::not_shown(&answer.handles)).into_owned();
        let rows = wrap(&not_shown, style::width());
        let _ = writeln!(out, "{gap}{}", paint(DIM, rows.join("\n")));
    }
    out
}

fn result(out: &mut String, found: &SearchResult) {
    let width = style::width();
    let _ = writeln!(out, "{}", breadcrumb(found, width));
    let place = format!("{}:{}", harmless(&found.path), found.line_start);
    let merged = match found.merged_from.len() {
        0 => String::new(),
        hits => format!(" · {} merged", count(hits, "hit")),
    };
    let measures = format!("{} · score {:.3}{merged}", count(found.tokens, "token"), found.score);
    let gap = match columns(&place) + 2 + columns(&measures) <= width {
        true => "  ",
        false => "\n  ",
    };
    let stale = if found.stale { paint(WARN, "  changed since indexing") } else { String::new() };
    let _ = writeln!(out, "{place}{gap}{}{stale}", paint(DIM, measures));
    for line in highlighted(found, width - 2) {
        let _ = writeln!(out, "  {line}");
    }
    // For a node's own text, the location above already works with `get`.
    if found.id != found.node_id {
        let _ = writeln!(out, "  {}", paint(DIM, harmless(&found.id)));
    }
    for line in &found.explain {
        let line = format!("· {}", harmless(line));
        for row in wrap(&line, width - 2) {
            let _ = writeln!(out, "  {}", paint(DIM, row));
        }
    }
}

/// Returns the headings that lead to a result. If there is not enough room, the first ones are left
/// out.
fn breadcrumb(found: &SearchResult, width: usize) -> String {
    let Some((last, above)) = found.breadcrumb.split_last() else { return String::new() };
    let last = harmless(last).into_owned();
    let last = fit(&last, width).into_owned();
    let above: String = above.iter().map(|title| format!("{} › ", harmless(title))).collect();
    let room = width.saturating_sub(columns(&last));
    let above = match columns(&above) <= room {
        true => above,
        false if room > 8 => format!("{} › ", fit(&above, room - 3)),
        false => String::new(),
    };
    format!("{}{}", paint(PLACE, above), paint(LAST_PLACE, last))
}

/// Returns the rows of a snippet, with the words of the query in bold.
fn highlighted(found: &SearchResult, width: usize) -> Vec<String> {
    let snippet = &found.snippet;
    let mut rows = Vec::new();
    for line in snippet.lines().filter(|line| !line.trim().is_empty()) {
        for row in wrap(line, width) {
            let start = row.as_ptr() as usize - snippet.as_ptr() as usize;
            let (mut out, mut at) = (String::new(), 0);
            for &(from, to) in &found.highlights {
                let from = from.clamp(start, start + row.len()) - start;
                let to = to.clamp(start, start + row.len()) - start;
                if from < to && from >= at {
                    out += &harmless(&row[at..from]);
                    out += &paint(BOLD, harmless(&row[from..to]));
                    at = to;
                }
            }
            rows.push(out + &harmless(&row[at..]));
        }
    }
    rows
}
