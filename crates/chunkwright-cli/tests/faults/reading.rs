//! A file that cannot be read completely, or changes while it is read, is reported and skipped.

use std::fs;
use std::path::Path;
use std::process::Output;

use tempfile::TempDir;

use crate::injector::{Calls, Fault, calls, chunkwright, run, said};

const COMMANDS: [&[&str]; 3] = [
    &["chunk", "docs", "--tokenizer", "words", "--jobs", "1"],
    &["stats", "docs", "--tokenizer", "words", "--jobs", "1"],
    &["index", "docs", "--index", "index", "--jobs", "1"],
];

/// Calls that read the second of three pages.
const SECOND: Calls = Calls::Read("b.md");

fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("docs")).unwrap();
    for name in ["a", "b", "c"] {
        let page = format!("# Page {name}\n\n{}", "Some words of it.\n\n".repeat(1000));
        fs::write(folder.path().join(format!("docs/{name}.md")), page).unwrap();
    }
    folder
}

fn disturbed(folder: &Path, arguments: &[&str], fault: Fault) -> Output {
    run(&mut chunkwright(folder, arguments), SECOND, fault)
}

/// Checks that only the second page is reported, with this reason.
fn check_told(output: &Output, reason: &str) {
    let told = said(output);
    let expected =
        format!("error: cannot read docs/b.md: {reason}\nerror: 1 file could not be read\n");
    assert_eq!((output.status.code(), told), (Some(2), expected));
    let shown = String::from_utf8_lossy(&output.stdout);
    let [a, b, c] = ["a.md", "b.md", "c.md"].map(|name| shown.contains(name));
    let is_chunk = shown.starts_with("{\"id\"");
    assert!(!b && a == is_chunk && c == is_chunk, "{shown}");
}

#[test]
fn reports_a_failing_read_and_processes_the_rest() {
    for arguments in COMMANDS {
        let calls = calls(&mut chunkwright(folder().path(), arguments), SECOND).len();
        assert!(calls > 2, "expected calls to open, to read, and to reach the end");
        for at in 1..=calls {
            let output = disturbed(folder().path(), arguments, Fault::once("eio", at));
            check_told(&output, "input/output error");
        }
    }
}

#[test]
fn reports_a_file_that_vanishes_after_it_was_found() {
    for arguments in COMMANDS {
        let output = disturbed(folder().path(), arguments, Fault::once("vanish", 1));
        check_told(&output, "no such file or directory");
    }
}

#[test]
fn reports_a_file_that_changes_while_it_is_read() {
    for arguments in COMMANDS {
        for what in ["grow", "shrink"] {
            for at in [1, 2] {
                let output = disturbed(folder().path(), arguments, Fault::once(what, at));
                check_told(&output, "file changed while it was read; try again");
            }
        }
    }
}

#[test]
fn reports_a_file_that_grows_without_end() {
    for arguments in COMMANDS {
        let flags = [arguments, &["--max-file-size", "19020"]].concat();
        let output = disturbed(folder().path(), &flags, Fault::from("grow", 1));
        check_told(&output, "over the limit of 19020 bytes (raise the limit with --max-file-size)");
    }
}

#[test]
fn retries_partial_and_interrupted_reads() {
    for arguments in COMMANDS {
        let whole = chunkwright(folder().path(), arguments).output().unwrap();
        for what in ["short", "eintr"] {
            let output = disturbed(folder().path(), arguments, Fault::from(what, 1));
            assert!(output == whole, "{arguments:?}, {what}: {}", said(&output));
        }
    }
}

#[test]
fn the_index_keeps_the_text_of_a_file_that_cannot_be_read() {
    let folder = folder();
    let index = COMMANDS[2];
    let find = || {
        let search = ["search", "page b", "--index", "index", "--json"];
        chunkwright(folder.path(), &search).output().unwrap()
    };
    assert!(chunkwright(folder.path(), index).output().unwrap().status.success());
    let found = String::from_utf8(find().stdout).unwrap();
    assert!(found.contains("docs:b.md"), "{found}");
    for (what, at) in [("eio", 1), ("eio", 2), ("grow", 1), ("vanish", 1)] {
        fs::write(folder.path().join("docs/b.md"), format!("# Page b\n\nOther {what} {at}.\n"))
            .unwrap();
        let output = disturbed(folder.path(), index, Fault::once(what, at));
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        let found = String::from_utf8(find().stdout).unwrap();
        assert!(found.contains("docs:b.md") && !found.contains("Other"), "{what}: {found}");
    }
}

#[test]
fn diff_prints_nothing_if_one_side_cannot_be_read() {
    let folder = folder();
    let chunk = ["chunk", "docs", "--tokenizer", "words", "-o", "old.jsonl"];
    assert!(chunkwright(folder.path(), &chunk).output().unwrap().status.success());
    let diff = ["diff", "old.jsonl", "docs", "--tokenizer", "words"];
    for (name, at) in [("docs/b.md", 2), ("old.jsonl", 1), ("old.jsonl", 2)] {
        let mut command = chunkwright(folder.path(), &diff);
        let output = run(&mut command, Calls::Read(name), Fault::once("eio", at));
        let told = said(&output);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{told}");
        assert!(told.contains(name) && told.contains("input/output error"), "{told}");
    }
}

#[test]
fn reports_an_unreadable_configuration_before_reading_files() {
    let folder = folder();
    fs::write(folder.path().join("chunkwright.toml"), "max = 400\n").unwrap();
    for arguments in COMMANDS {
        for at in [1, 2] {
            let config = Calls::Read("chunkwright.toml");
            let mut command = chunkwright(folder.path(), arguments);
            let output = run(&mut command, config, Fault::once("eio", at));
            let told = said(&output);
            assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{told}");
            let parts = ["chunkwright.toml", "input/output error"];
            assert!(parts.iter().all(|part| told.to_lowercase().contains(part)), "{told}");
        }
    }
    assert!(!folder.path().join("index").exists());
}
