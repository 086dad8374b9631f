//! A tree of pages with an index, to check which version of the pages the index contains.

#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "each test uses a part; a failed test should panic"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use chunkwright_search::{Error, Snapshot, Tree, Update, update};
use tempfile::TempDir;

/// Number of files.
const FILES: usize = 12;

/// A tree of pages that all contain the same version number.
pub(crate) struct Pages {
    pub(crate) folder: TempDir,
}

impl Pages {
    pub(crate) fn new() -> Self {
        let pages = Self { folder: TempDir::new().unwrap() };
        pages.write(0);
        pages
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("docs")
    }

    pub(crate) fn index(&self) -> PathBuf {
        self.folder.path().join("index")
    }

    pub(crate) fn write(&self, version: usize) {
        fs::create_dir_all(self.root()).unwrap();
        for file in 0..FILES {
            let sections: String = (0..8)
                .map(|nth| format!("\n## Section {nth}\n\nVersion{version} of {file} and {nth}.\n"))
                .collect();
            let page = format!("# Page {file}\n\nversion{version}\n{sections}");
            fs::write(self.root().join(format!("{file}.md")), page).unwrap();
        }
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_chunkwright"));
        command.args(["index", "docs", "--index", "index"]).current_dir(self.folder.path());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Indexes the tree.
    pub(crate) fn run(&self) {
        let output = self.command().output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
    }

    pub(crate) fn update(&self) -> Result<chunkwright_search::Report, Error> {
        update(&self.index(), &Update::of(vec![Tree::at(self.root())]))
    }

    /// Returns the version of all pages in the index, or `None` if there is no index.
    pub(crate) fn version(&self) -> Option<usize> {
        match Snapshot::open(&self.index()) {
            Ok(snapshot) => Some(version(&snapshot)),
            Err(Error::Missing { .. }) => None,
            Err(error) => panic!("{error}"),
        }
    }
}

pub(crate) fn version(snapshot: &Snapshot) -> usize {
    let listed = snapshot.list(None, true).unwrap();
    assert_eq!(listed.len(), FILES, "a file is missing");
    let number = |text: &str| text.lines().nth(2).unwrap()["version".len()..].parse().unwrap();
    let text =
        |id: &str| snapshot.get(&format!("{id}#page-{}", number_of(id)), false).unwrap().text;
    let versions: BTreeSet<usize> = listed.iter().map(|file| number(&text(&file.id))).collect();
    assert_eq!(versions.len(), 1, "versions are mixed: {versions:?}");
    versions.into_iter().next().unwrap()
}

/// Returns the number in `docs:7.md`.
fn number_of(id: &str) -> &str {
    id.strip_prefix("docs:").unwrap().strip_suffix(".md").unwrap()
}

pub(crate) fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
