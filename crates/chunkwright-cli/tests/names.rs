//! Checks that the types of the workspace have distinct names.
//!
//! Types in tests and associated types are ignored.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Names of several types, and the reason.
const SHARED: &[(&str, &str)] = &[
    ("AnswerFormat", "the format of an answer, in Python and on the command line"),
    ("Args", "the arguments of a command; each is the only type that its module exports"),
    ("Chunk", "the Python class of the Rust type"),
    ("Chunker", "the Python class of the Rust type"),
    ("Error", "the error of a crate, as in the standard library"),
    ("Node", "the Python class of the Rust type"),
    ("Tree", "a directory to index, and the options of the strategy `tree`"),
];

#[test]
fn each_type_has_its_own_name() {
    let mut declared: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for krate in entries(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..")) {
        for path in files(&krate.join("src")) {
            let code = fs::read_to_string(&path).expect("readable");
            for (line, name) in types(&code) {
                let place = format!("{}:{line}", path.display());
                declared.entry(name.to_owned()).or_default().push(place);
            }
        }
    }
    declared.retain(|_, places| places.len() > 1);
    for (name, _) in SHARED {
        assert!(
            declared.remove(*name).is_some(),
            "{name} is no longer shared; remove it from SHARED"
        );
    }
    let shared: Vec<String> = declared
        .iter()
        .map(|(name, places)| format!("{name}\n  {}", places.join("\n  ")))
        .collect();
    assert!(shared.is_empty(), "rename all but one type of each name:\n{}", shared.join("\n"));
}

#[test]
fn finds_the_types_that_a_file_declares() {
    let code = "pub struct A<T>(T);\n    pub(super) enum B {\n//struct No;\nimpl C for A {\n    \
                type No = u8;\n}\ntype D = u8;\nlet union = trait_of(struct_of);\n\
                #[cfg(test)]\nmod tests {\n    struct No;\n}\n";
    let found: Vec<_> = types(code).collect();
    assert_eq!(found, [(1, "A"), (2, "B"), (7, "D")]);
}

/// Returns the types that a file declares, with their lines.
fn types(code: &str) -> impl Iterator<Item = (usize, &str)> {
    let code = code.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let name = |line| {
        let declared = without_visibility(line);
        ["struct ", "enum ", "trait ", "union ", "type "].into_iter().find_map(|keyword| {
            let rest = declared.strip_prefix(keyword)?;
            let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
            (keyword != "type " || !line.starts_with(' ')).then_some(&rest[..end])
        })
    };
    code.lines().zip(1..).filter_map(move |(line, nth)| Some((nth, name(line)?)))
}

fn without_visibility(line: &str) -> &str {
    let line = line.trim_start();
    let Some(rest) = line.strip_prefix("pub") else { return line };
    rest.split_once(' ').map_or(line, |(_, declared)| declared)
}

/// Returns the source files below a directory, except those of tests.
fn files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in entries(dir) {
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs")
            && !path.ends_with("tests.rs")
        {
            found.push(path);
        }
    }
    found
}

fn entries(dir: &Path) -> Vec<PathBuf> {
    let Ok(read) = fs::read_dir(dir) else { return Vec::new() };
    let mut entries: Vec<_> = read.map(|entry| entry.expect("readable").path()).collect();
    entries.sort();
    entries
}
