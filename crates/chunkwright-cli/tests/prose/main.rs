//! Keeps awkward phrases out of everything a person reads: help, manual pages, messages, comments,
//! test names and documentation.
//!
//! The phrases and what to write instead are listed in `phrases.rs`, with the exceptions. Single
//! words are listed only if they are nearly always wrong here, so most hits are worth a rewrite of
//! the whole sentence.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod matcher;
mod phrases;
mod source;

use std::fs;
use std::path::Path;
use std::process::Command;

use matcher::{Hit, Matcher};
use phrases::{EXCEPTIONS, PHRASES};
use source::{Kind, Passage};

/// Markdown files, and directories of Markdown files. Code blocks and code spans are not checked.
const PAGES: &[&str] = &[
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "README.md",
    "SECURITY.md",
    "bench/README.md",
    "crates",
    "docs",
    "examples",
];

/// Rust, Python and TOML files, and directories of them.
const SOURCES: &[&str] = &[
    ".cargo",
    "Cargo.toml",
    "bench",
    "clippy.toml",
    "crates",
    "deny.toml",
    "examples",
    "fuzz",
    "tests",
];

/// Directories that contain no sources of this project.
const SKIPPED: &[&str] = &["__pycache__", "corpus", "target"];

/// The formula of a summary that lists inputs and outputs instead of giving the purpose.
const IN_AND_OUT: &[&str] = &["come in", "comes in", "go out", "goes out"];

#[test]
fn prose_contains_no_listed_phrase() {
    let found = problems(&texts(), PHRASES, EXCEPTIONS);
    assert!(found.is_empty(), "{} problems\n{}", found.len(), found.join("\n"));
}

#[test]
fn exceptions_are_few_and_explained() {
    assert!(EXCEPTIONS.len() <= 30, "rewrite the text instead of adding exceptions");
    for exception in EXCEPTIONS {
        assert!(exception.reason.len() > 10, "{}: {}", exception.file, exception.text);
    }
}

#[test]
fn help_of_options_can_be_scanned() {
    let mut helps = Vec::new();
    for (command, text) in help() {
        helps.extend(option_helps(&text).into_iter().map(|help| format!("{command}: {help}")));
    }
    assert!(helps.len() > 100, "only {} options found", helps.len());
    let starts = ["What ", "How ", "Which ", "Where ", "Whether "];
    let is_clause = |help: &&String| {
        let text = help.split_once(": ").unwrap().1;
        starts.iter().any(|start| text.starts_with(start))
    };
    let clauses: Vec<&String> = helps.iter().filter(is_clause).collect();
    assert!(clauses.is_empty(), "write a noun phrase or an imperative: {clauses:#?}");
}

#[test]
fn modules_state_their_purpose() {
    let mut modules = texts();
    modules.retain(|text| text.passage.kind == Kind::Module);
    let advice = "what the module is for, starting with a verb";
    let found = problems(&modules, &[(IN_AND_OUT, advice)], &[]);
    assert!(found.is_empty(), "{} problems\n{}", found.len(), found.join("\n"));
}

/// Describes the phrases in texts that no exception covers, and the exceptions without effect.
fn problems(texts: &[Text], phrases: &[(&[&str], &str)], exceptions: &[Exception]) -> Vec<String> {
    let matcher = Matcher::new(phrases);
    let mut used = vec![false; exceptions.len()];
    let mut problems = Vec::new();
    for text in texts {
        for hit in matcher.hits(&text.passage.text) {
            match exceptions.iter().position(|e| e.file == text.file && e.excuses(text, &hit)) {
                Some(nth) => used[nth] = true,
                None => problems.push(text.complaint(&hit)),
            }
        }
    }
    let unused = exceptions.iter().zip(&used).filter(|(_, used)| !**used);
    problems.extend(unused.map(|(e, _)| format!("{}: unused exception: {}", e.file, e.text)));
    problems
}

/// A passage and the file or command that it is from.
struct Text {
    file: String,
    passage: Passage,
}

impl Text {
    fn complaint(&self, hit: &Hit<'_>) -> String {
        let (before, rest) = self.passage.text.split_at(hit.range.start);
        let (found, after) = rest.split_at(hit.range.len());
        let line = self.passage.line + before.matches('\n').count();
        let start = before.char_indices().rev().nth(60).map_or(0, |(at, _)| at);
        let after: String = after.chars().take(40).collect();
        let excerpt = format!("{}[{found}]{after}", &before[start..]);
        let excerpt = excerpt.split_whitespace().collect::<Vec<_>>().join(" ");
        format!("{}:{line}: {excerpt}\n    write: {}", self.file, hit.advice)
    }
}

/// A text that may contain a listed phrase.
struct Exception {
    file: &'static str,
    /// Words that contain the phrase.
    text: &'static str,
    reason: &'static str,
}

impl Exception {
    fn excuses(&self, text: &Text, hit: &Hit<'_>) -> bool {
        let around = Matcher::new(&[(&[self.text], "")]).hits(&text.passage.text);
        around.iter().any(|a| a.range.start <= hit.range.start && hit.range.end <= a.range.end)
    }
}

fn texts() -> Vec<Text> {
    let mut texts = Vec::new();
    for (file, text) in help().into_iter().chain(manual()) {
        let passage = Passage { kind: Kind::Other, line: 1, text };
        texts.push(Text { file, passage });
    }
    for file in files(SOURCES, &["rs", "py", "pyi", "toml"]) {
        let passages = source::passages(&file, &read(&file));
        texts.extend(passages.into_iter().map(|passage| Text { file: file.clone(), passage }));
    }
    for file in files(PAGES, &["md"]) {
        let passages = source::paragraphs(&read(&file));
        texts.extend(passages.into_iter().map(|passage| Text { file: file.clone(), passage }));
    }
    assert!(texts.len() > 5000, "only {} passages found", texts.len());
    texts
}

/// Returns the paths with one of the extensions, relative to the root of the repository.
fn files(paths: &[&str], extensions: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    let mut pending: Vec<String> = paths.iter().map(|path| path.to_string()).collect();
    while let Some(path) = pending.pop() {
        let full = root().join(&path);
        if full.is_dir() {
            let names = fs::read_dir(full).unwrap();
            let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
            let names = names.filter(|n| !n.starts_with('.') && !SKIPPED.contains(&n.as_str()));
            pending.extend(names.map(|name| format!("{path}/{name}")));
        } else if extensions.iter().any(|e| full.extension().is_some_and(|found| found == *e)) {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn read(file: &str) -> String {
    fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap()
}

/// Returns the short and the long help of every command, with the command.
fn help() -> Vec<(String, String)> {
    let verbs = verbs();
    let commands = verbs.iter().flat_map(|verb| [[verb, "-h"], [verb, "--help"]]);
    commands.map(|arguments| printed(&arguments)).collect()
}

fn manual() -> Vec<(String, String)> {
    let pages = verbs().into_iter().map(|verb| printed(&["man", &verb]));
    pages.map(|(command, page)| (command, source::without_roff(&page))).collect()
}

/// The names of all commands, and an empty one for the program itself.
fn verbs() -> Vec<String> {
    let (_, help) = printed(&["", "-h"]);
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let listed = listed.take_while(|line| line.starts_with("  "));
    let names = listed.map(|line| line.split_whitespace().next().unwrap().to_owned());
    let verbs: Vec<String> =
        [String::new()].into_iter().chain(names.filter(|n| n != "help")).collect();
    assert!(verbs.len() > 10, "{help}");
    verbs
}

/// Returns a command line and its output.
fn printed(arguments: &[&str]) -> (String, String) {
    let arguments: Vec<&&str> = arguments.iter().filter(|a| !a.is_empty()).collect();
    let mut command = Command::new(env!("CARGO_BIN_EXE_chunkwright"));
    let output = command.args(&arguments).env("COLUMNS", "100").output().unwrap();
    assert!(output.status.success(), "{arguments:?}");
    let shown = arguments.iter().map(|argument| format!(" {argument}"));
    (format!("chunkwright{}", shown.collect::<String>()), String::from_utf8(output.stdout).unwrap())
}

/// Returns the texts of the options and arguments in a help output. They follow on the same line,
/// after a gap, or on the next one.
fn option_helps(help: &str) -> Vec<&str> {
    let mut helps = Vec::new();
    let mut lines = help.lines().peekable();
    while let Some(line) = lines.next() {
        let start = line.trim_start();
        let is_option = start.starts_with("--")
            || (start.starts_with('-') && !start.starts_with("- "))
            || (line.starts_with("  [") || line.starts_with("  <"));
        let gap = start.strip_prefix("    ").unwrap_or(start).split_once("  ");
        match gap {
            _ if !is_option || line == start => {}
            Some((_, text)) => helps.push(text.trim_start()),
            None => helps.extend(lines.peek().map(|next| next.trim_start())),
        }
    }
    helps.retain(|help| !help.is_empty());
    helps
}

#[test]
fn finds_help_beside_and_below_an_option() {
    let help = "Usage: x [PATH]\n\nArguments:\n  [PATH]...  Files to read\n\nOptions:\n  \
                -o, --output <FILE>\n          Where to write\n\n      \
                --max <N>  Maximum tokens\n          - a: b\n";
    assert_eq!(option_helps(help), ["Files to read", "Where to write", "Maximum tokens"]);
}

#[test]
fn reports_phrases_with_their_place_unless_an_exception_covers_them() {
    let passages = source::passages("crates/a/src/lib.rs", "\n/// The user\n/// is told so.\n");
    let file = || "crates/a/src/lib.rs".to_owned();
    let texts: Vec<Text> =
        passages.into_iter().map(|passage| Text { file: file(), passage }).collect();
    let phrases: &[(&[&str], &str)] = &[(&["told"], "report")];
    let report = "crates/a/src/lib.rs:3: The user is [told] so.\n    write: report";
    assert_eq!(problems(&texts, phrases, &[]), [report]);
    let exception = |file, text| Exception { file, text, reason: "a reason" };
    let covering = exception("crates/a/src/lib.rs", "is told so");
    assert_eq!(problems(&texts, phrases, &[covering]), [""; 0]);
    let unused = "crates/b/src/lib.rs: unused exception: is told so";
    let elsewhere = exception("crates/b/src/lib.rs", "is told so");
    assert_eq!(problems(&texts, phrases, &[elsewhere]), [report, unused]);
}
