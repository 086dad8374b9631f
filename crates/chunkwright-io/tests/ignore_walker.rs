//! Compares `walk` with the walker of the `ignore` crate.
//!
//! Both list the same files, except for some differences, which are the reasons why `walk` does not
//! use that walker. If the test of a difference fails after an update of `ignore`, that reason may
//! be gone.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]
#![cfg(unix)]

mod common;

use std::fs::{self, File};
use std::path::Path;
use std::sync::mpsc;
use std::thread;

use chunkwright_io::{Naming, is_readable, walk};
use common::Ground;
use ignore::WalkBuilder;
use proptest::prelude::*;

const NONE: [&str; 0] = [];

/// Returns the files that `walk` lists below a directory.
fn ours(directory: &Path, root: Option<&Path>) -> Vec<String> {
    let naming = Naming { root: root.map(Path::to_owned), ..Naming::default() };
    let found = walk(&[directory.to_owned()], &naming).unwrap();
    found.entries.iter().map(|entry| entry.path).collect()
}

/// Returns the files that the walker of `ignore` lists below a directory.
fn theirs(directory: &Path, options: &mut WalkBuilder) -> Vec<String> {
    let builder = options.git_global(false).git_exclude(false).sort_by_file_name(Ord::cmp);
    let entries = builder.add(directory).build().filter_map(Result::ok);
    let files = entries.filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
    let paths = files.map(|file| file.path().strip_prefix(directory).unwrap().to_owned());
    paths.filter(|path| is_readable(path)).map(|path| path.to_str().unwrap().to_owned()).collect()
}

#[test]
fn ignore_opens_an_ignore_file_that_is_a_fifo() {
    let ground = Ground::with(&["d/a.md"]);
    ground.fifo("d/.gitignore");
    assert_eq!(ours(&ground.at("d"), None), ["a.md"]);

    let (walker, events) = mpsc::channel();
    let writer = walker.clone();
    let (directory, fifo) = (ground.at("d"), ground.at("d/.gitignore"));
    thread::spawn(move || {
        // Blocks until the walker opens the FIFO. The walker then blocks until this end is closed.
        let open = File::options().write(true).open(fifo).unwrap();
        writer.send("the FIFO is open").unwrap();
        drop(open);
    });
    thread::spawn(move || {
        theirs(&directory, WalkBuilder::empty().require_git(false));
        walker.send("the walk is complete").unwrap();
    });
    assert_eq!(events.recv().unwrap(), "the FIFO is open");
    assert_eq!(events.recv().unwrap(), "the walk is complete");
}

#[test]
fn ignore_skips_the_rules_after_a_line_that_is_not_utf8() {
    let ground = Ground::with(&["d/a.md", "d/b.md"]);
    ground.write("d/.ignore", b"# caf\xe9\nb.md\n");
    assert_eq!(theirs(&ground.at("d"), &mut WalkBuilder::empty()), ["a.md", "b.md"]);
    assert_eq!(ours(&ground.at("d"), None), ["a.md"]);
}

#[test]
fn ignore_cannot_start_with_the_rules_of_the_root() {
    let ground = Ground::with(&["d/r/a.md", "d/r/b.md", "d/r/in_root.md", "d/r/above_root.md"]);
    ground.write("d/r/.gitignore", "b.md\n");
    ground.write("d/.gitignore", "in_root.md\n");
    ground.write(".gitignore", "above_root.md\n");
    let expected: [((bool, bool), &[&str]); 4] = [
        ((true, true), &["a.md", "above_root.md", "b.md", "in_root.md"]),
        ((true, false), &["a.md", "above_root.md", "b.md", "in_root.md"]),
        ((false, true), &["a.md"]),
        ((false, false), &["a.md", "above_root.md", "in_root.md"]),
    ];
    for ((require_git, parents), files) in expected {
        let mut options = WalkBuilder::empty();
        let options = options.require_git(require_git).parents(parents);
        assert_eq!(theirs(&ground.at("d/r"), options), files, "{require_git} {parents}");
    }
    assert_eq!(ours(&ground.at("d/r"), Some(&ground.at("d"))), ["r/a.md", "r/above_root.md"]);
}

#[test]
fn ignore_applies_rules_from_above_the_repository() {
    let ground = Ground::with(&["r/.git/x", "r/a.md", "r/b.md"]);
    ground.write("r/.ignore", "a.md\n");
    ground.write(".ignore", "b.md\n");
    assert_eq!(theirs(&ground.at("r"), &mut WalkBuilder::empty()), NONE);
    assert_eq!(ours(&ground.at("r"), None), ["b.md"]);
}

#[test]
fn ignore_applies_rules_to_the_repositories_below_them() {
    let ground = Ground::with(&["d/a.md", "d/r/.git/x", "d/r/a.md"]);
    ground.write("d/.gitignore", "a.md\n");
    let theirs = |require_git: bool| {
        theirs(&ground.at("d"), WalkBuilder::empty().require_git(require_git).parents(false))
    };
    assert_eq!(theirs(false), NONE);
    assert_eq!(theirs(true), ["a.md", "r/a.md"]);
    assert_eq!(ours(&ground.at("d"), None), ["r/a.md"]);
}

#[test]
fn ignore_lists_hidden_files_that_an_ignore_file_includes() {
    let ground = Ground::with(&["d/.a.md", "d/.b/c.md", "d/e.md"]);
    ground.write("d/.ignore", "!.a.md\n!.b\n");
    assert_eq!(theirs(&ground.at("d"), &mut WalkBuilder::empty()), [".a.md", ".b/c.md", "e.md"]);
    assert_eq!(ours(&ground.at("d"), None), ["e.md"]);
}

#[test]
fn ignore_follows_links_to_other_directories() {
    let ground = Ground::with(&["d/a.md", "out/b.md"]);
    ground.link("d/out", "../out");
    ground.link("d/b.md", "../out/b.md");
    assert_eq!(theirs(&ground.at("d"), &mut WalkBuilder::empty()), ["a.md"]);
    let followed = theirs(&ground.at("d"), WalkBuilder::empty().follow_links(true));
    assert_eq!(followed, ["a.md", "b.md", "out/b.md"]);
    assert_eq!(ours(&ground.at("d"), None), ["a.md"]);
}

#[test]
fn ignore_lists_a_file_for_each_path_that_leads_to_it() {
    let directories = ["1", "2", "3", "4"];
    let ground = Ground::new();
    for one in directories {
        ground.write(format!("d/{one}/a.md"), "");
        for other in directories.iter().filter(|other| **other != one) {
            ground.link(format!("d/{one}/{other}"), format!("../{other}"));
        }
    }
    let files = theirs(&ground.at("d"), WalkBuilder::empty().follow_links(true));
    let orders_of_distinct_directories = 4 + 4 * 3 + 4 * 3 * 2 + 4 * 3 * 2;
    assert_eq!(files.len(), orders_of_distinct_directories);
    assert_eq!(ours(&ground.at("d"), None), directories.map(|one| format!("{one}/a.md")));
}

/// A directory without links and FIFOs.
#[derive(Debug)]
struct Generated {
    files: Vec<String>,
    /// The paths and lines of ignore files.
    ignore_files: Vec<(String, Vec<String>)>,
}

impl Generated {
    fn create(&self) -> Ground {
        let ground = Ground::new();
        fs::create_dir(ground.at("d")).unwrap();
        for file in &self.files {
            ground.write(format!("d/{file}"), "");
        }
        for (file, lines) in &self.ignore_files {
            ground.write(format!("d/{file}"), lines.join("\n"));
        }
        ground
    }
}

fn one_of(choices: &'static [&'static str]) -> impl Strategy<Value = &'static str> {
    prop::sample::select(choices)
}

/// Generates a path that is empty or ends with a slash.
fn directory() -> impl Strategy<Value = String> {
    let parts = prop::collection::vec(one_of(&["a/", "a/", "b/", "dir.md/"]), 0..4);
    parts.prop_map(|parts| parts.concat())
}

fn path(names: &'static [&'static str]) -> impl Strategy<Value = String> {
    (directory(), one_of(names)).prop_map(|(directory, name)| directory + name)
}

/// Generates a line of an ignore file.
fn rule() -> impl Strategy<Value = String> {
    let part =
        one_of(&["*", "**", "a", "b", "d*", "?", "[ab]", "*.md", "a.md", "dir.md", "[!a].md"]);
    let path = prop::collection::vec(part, 1..4).prop_map(|parts| parts.join("/"));
    let name = one_of(&["a.md", "b.md", "*.md"]).prop_map(str::to_owned);
    let (negation, anchor) = (one_of(&["", "!"]), one_of(&["", "", "/"]));
    let rule = (negation, anchor, prop_oneof![path, name], one_of(&["", "", "", "/", " ", "\r"]));
    let rule =
        rule.prop_map(|(negation, anchor, glob, end)| format!("{negation}{anchor}{glob}{end}"));
    let other =
        one_of(&["", "# a.md", "\\!a.md", "\\#", "[", "{a,b}.md", "\u{feff}a.md", "!", "/"]);
    prop_oneof![9 => rule, 1 => other.prop_map(str::to_owned)]
}

fn generated() -> impl Strategy<Value = Generated> {
    let files = path(&["a.md", "b.md", "c.txt", "x.rs"]);
    let ignore_file = path(&[".gitignore", ".gitignore", ".ignore"]);
    let ignore_file = (ignore_file, prop::collection::vec(rule(), 1..4));
    let all = (prop::collection::vec(files, 1..32), prop::collection::vec(ignore_file, 0..8));
    all.prop_map(|(files, ignore_files)| Generated { files, ignore_files })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn both_list_the_same_files_outside_a_repository(tree in generated()) {
        let ground = tree.create();
        let expected = theirs(&ground.at("d"), WalkBuilder::empty().require_git(false).parents(false));
        prop_assert_eq!(ours(&ground.at("d"), None), expected);
    }

    #[test]
    fn both_list_the_same_files_of_a_repository(
        tree in generated(),
        start in directory(),
        nested in directory(),
    ) {
        let ground = tree.create();
        let start = ground.at("d").join(start);
        let nested = ground.at("d").join(nested);
        fs::create_dir_all(&start).unwrap();
        fs::create_dir_all(ground.at("d/.git")).unwrap();
        // The walker of `ignore` would apply rules from above the nested repository.
        if !start.starts_with(&nested) {
            fs::create_dir_all(nested.join(".git")).unwrap();
        }
        prop_assert_eq!(ours(&start, None), theirs(&start, &mut WalkBuilder::empty()));
    }
}
