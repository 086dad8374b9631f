//! A small set of pages with an index, and helpers to search it.

#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "each test uses a part; a failed test should panic"
)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

pub(crate) const KETTLE: &str = "---\ntitle: Kettle\ntags: [tea, kitchen]\nweight: 7\ndate: 2026-02-03\n---\n\
    # Kettle\n\nIt boils water.\n\n## Clean\n\nUse vinegar against limescale.\n\n\
    ## Repair\n\n### Lid\n\nThe lid has a hinge.\n\n### Handle\n\nThe handle has two screws.\n\n\
    ### Cable\n\nA broken cable is replaced.\n";

pub(crate) const POT: &str =
    "---\nweight: 12\ndraft: true\n---\n# Pot\n\nA pot has a lid and two handles.\n";

pub(crate) fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

pub(crate) fn kitchen() -> TempDir {
    let folder = folder(&[("docs/kettle.md", KETTLE), ("docs/more/pot.md", POT)]);
    index(folder.path());
    folder
}

pub(crate) fn index(folder: &Path) {
    let output = run(folder, &["index", "docs", "--index", "ix"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
}

pub(crate) fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chunkwright"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    command
}

pub(crate) fn run(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments).output().unwrap()
}

pub(crate) fn said(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

pub(crate) fn search(folder: &Path, arguments: &[&str]) -> Value {
    let output = run(folder, &[&["search", "--index", "ix", "--json"], arguments].concat());
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", said(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

pub(crate) fn ids(answer: &Value) -> Vec<&str> {
    answer["results"].as_array().unwrap().iter().map(|r| r["id"].as_str().unwrap()).collect()
}
