//! Malformed and hostile input: the command returns the same chunks as the library.

#![allow(clippy::unwrap_used, reason = "a failed test should panic")]

#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../../chunkwright/tests/common/mod.rs"]
mod common;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;

use chunkwright::{Chunker, ConfigTable, Source, StrategyName};
use chunkwright_records::{Record, With};
use chunkwright_testkit::hostile::patterns;
use common::pages::{Asked, Case, Page, entries, folder, folders};
use serde::Deserialize as _;
use tempfile::TempDir;
use toml::{Table, Value};

/// Size of a hostile page in bytes: enough for many chunks, but fast.
const BYTES: usize = 20_000;

fn chunk(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chunkwright"));
    command.arg("chunk").args(arguments).current_dir(folder).stdin(Stdio::null());
    command.output().unwrap()
}

fn lines(chunker: &Chunker, source: &Source<'_>) -> Vec<String> {
    let chunked = chunker.chunk_source(source);
    let record = |chunk| serde_json::to_string(&Record::new(chunk, With::default())).unwrap();
    chunked.chunks.iter().map(record).collect()
}

fn said(output: &Output) -> (Vec<String>, String) {
    let [stdout, stderr] =
        [&output.stdout, &output.stderr].map(|bytes| String::from_utf8(bytes.clone()).unwrap());
    (stdout.lines().map(str::to_owned).collect(), stderr)
}

/// Returns options as lines of a configuration file.
fn written(above: &str, options: &Table) -> String {
    let line = |(name, value): (&String, &Value)| match value {
        Value::Table(inner) => written(&format!("{above}{name}."), inner),
        value => format!("{above}{name} = {}\n", serde_json::to_string(value).unwrap()),
    };
    options.iter().map(line).collect()
}

/// Returns the output of a golden case from the command and from the library, if they differ.
fn difference(page: &Page, case: &Case) -> Option<String> {
    let input = &case.input.as_ref().unwrap().text;
    let Asked { path, tree, options, .. } = page.asked(case);
    let folder = TempDir::new().unwrap();
    let file = folder.path().join(&tree).join(&path);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, input).unwrap();
    fs::write(folder.path().join("chunkwright.toml"), written("", &options)).unwrap();
    let (found, complaints) = said(&chunk(folder.path(), &[&tree]));
    let config = ConfigTable::deserialize(Value::Table(options)).unwrap();
    let counter = config.counter().unwrap();
    let chunker = Chunker::new(config, counter).unwrap();
    let expected = lines(&chunker, &Source::new(&path, input).in_tree(&tree));
    (found != expected)
        .then(|| format!("{}: {}\n{found:#?}\n{expected:#?}\n{complaints}", page.name(), case.name))
}

#[test]
fn the_command_splits_golden_pages_like_the_library() {
    let files = |strategy: String| {
        let paths = entries(&folder().join(&strategy));
        paths.into_iter().map(move |path| Page::read(&strategy, &path))
    };
    let pages: Vec<Page> = folders().into_iter().flat_map(files).collect();
    let cases: Vec<(&Page, &Case)> =
        pages.iter().flat_map(|page| page.cases.iter().map(move |case| (page, case))).collect();
    let lanes = cases.chunks(cases.len().div_ceil(4));
    let differences: Vec<String> = thread::scope(|scope| {
        let lanes: Vec<_> = lanes
            .map(|lane| {
                let find = || lane.iter().filter_map(|(page, case)| difference(page, case));
                scope.spawn(move || find().collect::<Vec<_>>())
            })
            .collect();
        lanes.into_iter().flat_map(|lane| lane.join().unwrap()).collect()
    });
    assert!(differences.is_empty(), "{}", differences.join("\n\n"));
}

/// Each line of hostile.txt has the number of chunks of each strategy for a pattern, and their notes.
#[test]
fn splits_hostile_pages_as_listed() {
    let folder = TempDir::new().unwrap();
    let pages: BTreeMap<String, String> =
        patterns().map(|pattern| (pattern.path(), (pattern.page)(BYTES))).collect();
    assert_eq!(pages.len(), patterns().count(), "two patterns have the same name");
    fs::create_dir(folder.path().join("docs")).unwrap();
    for (path, page) in &pages {
        fs::write(folder.path().join("docs").join(path), page).unwrap();
    }
    let mut outcomes: BTreeMap<&str, String> = BTreeMap::new();
    for &strategy in StrategyName::ALL {
        let output = chunk(folder.path(), &["docs", "--strategy", strategy.as_str()]);
        let (found, complaints) = said(&output);
        assert_eq!((output.status.code(), complaints.as_str()), (Some(0), ""), "{strategy}");
        let mut config = ConfigTable::default();
        config.strategy = strategy;
        let counter = config.counter().unwrap();
        let chunker = Chunker::new(config, counter).unwrap();
        let mut found = by_path(found);
        for (path, page) in &pages {
            let expected = lines(&chunker, &Source::new(path, page).in_tree("docs"));
            let found = found.remove(path).unwrap_or_default();
            assert!(found == expected, "{strategy} {path}");
            let outcome = outcomes.entry(path).or_default();
            write!(outcome, " {strategy} {}{}", found.len(), notes(&found)).unwrap();
        }
        assert!(found.is_empty(), "{strategy}: {:?}", found.keys());
    }
    let listed: String =
        outcomes.iter().map(|(path, outcome)| format!("{path}:{outcome}\n")).collect();
    let told = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/hostile.txt");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(told, listed).unwrap();
    } else {
        let told = fs::read_to_string(told).unwrap();
        let diff = common::diff(&told, &listed);
        assert!(told == listed, "{diff}\nif this output is right, run again with UPDATE_GOLDEN=1");
    }
}

/// Groups records by file.
fn by_path(records: Vec<String>) -> BTreeMap<String, Vec<String>> {
    let mut files: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in records {
        let record: serde_json::Value = serde_json::from_str(&line).unwrap();
        files.entry(record["path"].as_str().unwrap().to_owned()).or_default().push(line);
    }
    files
}

/// Returns the kinds of notes in records, in parentheses.
fn notes(records: &[String]) -> String {
    let mut kinds: Vec<String> = Vec::new();
    for record in records {
        let record: serde_json::Value = serde_json::from_str(record).unwrap();
        let notes = record["notes"].as_array().into_iter().flatten();
        kinds.extend(notes.map(|note| note["kind"].as_str().unwrap().to_owned()));
    }
    kinds.sort();
    kinds.dedup();
    if kinds.is_empty() { String::new() } else { format!(" ({})", kinds.join(", ")) }
}
