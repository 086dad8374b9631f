//! Whichever call fails, the index is the old one or the new one, and the next run completes it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use chunkwright_search::{Request, Snapshot};

use crate::injector::{Calls, Fault, calls, places, run, said};
use crate::pages::Pages;

/// A run of `index` that is repeated with different faults.
struct Indexing {
    pages: Pages,
    flags: &'static [&'static str],
    /// The version of the pages in the index before the run, if there is an index.
    before: Option<usize>,
    /// The answers of an index that was built without faults.
    answers: String,
    calls: Vec<String>,
}

impl Indexing {
    fn first() -> Self {
        Self::new(Pages::new(), None, &[])
    }

    fn update() -> Self {
        Self::new(indexed(), Some(0), &[])
    }

    fn rebuild() -> Self {
        Self::new(indexed(), Some(0), &["--rebuild"])
    }

    fn new(pages: Pages, before: Option<usize>, flags: &'static [&'static str]) -> Self {
        pages.write(1);
        let mut indexing = Self { pages, flags, before, answers: String::new(), calls: Vec::new() };
        if before.is_some() {
            copy(&indexing.pages.index(), &indexing.kept());
        }
        indexing.calls = calls(&mut indexing.command(), Calls::Change);
        indexing.answers = indexing.answers();
        indexing
    }

    fn kept(&self) -> std::path::PathBuf {
        self.pages.folder.path().join("kept")
    }

    /// Restores the index from before the run.
    fn restore(&self) {
        fs::remove_dir_all(self.pages.index()).unwrap();
        if self.before.is_some() {
            copy(&self.kept(), &self.pages.index());
        }
    }

    fn command(&self) -> Command {
        let mut command = self.pages.command();
        command.args(["--jobs", "2"]).args(self.flags);
        command
    }

    /// Returns the answers of the index to some queries.
    fn answers(&self) -> String {
        let snapshot = Snapshot::open(&self.pages.index()).unwrap();
        let ask = |query| snapshot.search(query, &Request::default()).unwrap();
        let answers = ["version0", "version1", "section of a page", "page 7"].map(ask);
        serde_json::to_string(&answers).unwrap()
    }

    /// Checks that the index has one version, and returns it.
    fn version(&self, case: &str) -> Option<usize> {
        let version = self.pages.version();
        assert!(version == self.before || version == Some(1), "{version:?}, {case}");
        version
    }

    /// Checks that the next run without faults reaches the same state as a first run without faults.
    fn converge(&self, case: &str) {
        self.pages.update().unwrap_or_else(|error| panic!("{case}: {error}"));
        assert_eq!(self.pages.version(), Some(1), "{case}");
        assert!(self.answers() == self.answers, "{case}: the answers differ");
        let ignore = fs::read_to_string(self.pages.index().join(".gitignore")).unwrap();
        assert_eq!(ignore.trim(), "*", "{case}");
        if !self.left_over().is_empty() {
            // The engine removes obsolete files in the next run that writes.
            self.pages.write(2);
            self.pages.update().unwrap();
            assert_eq!(self.left_over(), [] as [&str; 0], "{case}");
            self.pages.write(1);
        }
    }

    /// Returns calls spread over the run, and the most critical ones.
    fn places(&self) -> BTreeSet<usize> {
        let matters = |call: &str| call.starts_with("rename ") || call.ends_with(".gitignore");
        let all = (1..).zip(&self.calls);
        let most = all.filter(|(_, call)| matters(call)).map(|(nth, _)| nth);
        places(self.calls.len()).chain(most).collect()
    }

    /// Returns the files that do not belong to the index.
    fn left_over(&self) -> Vec<String> {
        let engine = self.pages.index().join("index");
        let meta = fs::read_to_string(engine.join("meta.json")).unwrap_or_default();
        let ours = ["index", "writer.lock", ".gitignore"];
        let own = ["meta.json", ".managed.json", ".tantivy-meta.lock", ".tantivy-writer.lock"];
        let is_part = |name: &String| {
            let segment = name.split('.').next().unwrap();
            !segment.is_empty() && meta.replace('-', "").contains(segment)
        };
        let outer = names(&self.pages.index()).into_iter();
        let outer = outer.filter(|name| !ours.contains(&name.as_str()));
        let inner = names(&engine).into_iter();
        let inner = inner.filter(|name| !own.contains(&name.as_str()) && !is_part(name));
        outer.chain(inner).collect()
    }

    fn case(&self, fault: Fault) -> String {
        let call = self.calls.get(fault.at - 1).map(String::as_str);
        format!("{} {fault:?} {}", self.flags.concat(), call.unwrap_or_default())
    }
}

/// Returns pages with an index of version 0.
fn indexed() -> Pages {
    let pages = Pages::new();
    pages.run();
    pages
}

fn copy(from: &Path, to: &Path) {
    let done = Command::new("cp").arg("-a").args([from, to]).status().unwrap();
    assert!(done.success());
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// Makes calls fail at points spread over a run.
fn check_failures(indexing: &Indexing) {
    let mut failed = 0;
    for (nth, at) in indexing.places().into_iter().enumerate() {
        let fault = match nth % 4 {
            0 => Fault::once("enospc", at),
            1 => Fault::from("enospc", at),
            2 => Fault::once("eio", at),
            _ => Fault::once("edquot", at),
        };
        indexing.restore();
        let output = run(&mut indexing.command(), Calls::Change, fault);
        let said = said(&output);
        let case = format!("{}: {said}", indexing.case(fault));
        let version = indexing.version(&case);
        if output.status.success() {
            assert_eq!(version, Some(1), "{case}");
        } else {
            assert_eq!((output.status.code(), version), (Some(2), indexing.before), "{case}");
            let parts = ["index", fault.reason(), "the index is unchanged"];
            assert!(parts.iter().all(|part| said.contains(part)), "{case}");
            assert_eq!(said.lines().count(), 1, "{case}");
            failed += 1;
        }
        // Files that cannot be removed now are removed by the next run.
        let left_over = indexing.left_over();
        assert!(left_over.is_empty() || fault.what == "eio", "{case}: {left_over:?}");
        indexing.converge(&case);
    }
    assert!(failed > 15, "only {failed} runs failed");
}

/// Kills a run at points spread over it.
fn check_kills(indexing: &Indexing) {
    let places = indexing.places();
    let (mut killed, tried) = (0, places.len());
    for at in places {
        indexing.restore();
        let fault = Fault::once("kill", at);
        let output = run(&mut indexing.command(), Calls::Change, fault);
        let case = format!("{}: {}", indexing.case(fault), said(&output));
        // The number of calls varies with the threads, so the last may not happen.
        match output.status.code() {
            None => killed += 1,
            code => assert_eq!(code, Some(0), "{case}"),
        }
        indexing.version(&case);
        indexing.converge(&case);
    }
    assert!(killed * 10 >= tried * 9, "only {killed} of {tried} runs were killed");
}

#[test]
fn a_call_that_fails_in_the_first_run_leaves_no_index() {
    check_failures(&Indexing::first());
}

#[test]
fn a_call_that_fails_in_an_update_leaves_the_old_index() {
    check_failures(&Indexing::update());
}

#[test]
fn a_call_that_fails_in_a_rebuild_leaves_the_old_index() {
    check_failures(&Indexing::rebuild());
}

#[test]
fn a_killed_first_run_does_not_disturb_the_next() {
    check_kills(&Indexing::first());
}

#[test]
fn a_killed_update_leaves_the_old_index_or_the_new_one() {
    check_kills(&Indexing::update());
}

#[test]
fn a_killed_rebuild_leaves_the_old_index_or_the_new_one() {
    check_kills(&Indexing::rebuild());
}

#[test]
fn retries_partial_and_interrupted_calls() {
    for indexing in [Indexing::first(), Indexing::update(), Indexing::rebuild()] {
        for fault in [Fault::from("short", 1), Fault::from("eintr", 1)] {
            indexing.restore();
            let output = run(&mut indexing.command(), Calls::Change, fault);
            assert!(output.status.success(), "{}: {}", indexing.case(fault), said(&output));
            assert!(indexing.answers() == indexing.answers, "{}", indexing.case(fault));
        }
    }
}
