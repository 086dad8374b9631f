//! Whichever call fails, an output file is the old one or the new one.

use std::fs;
use std::io::pipe;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::injector::{Calls, Fault, calls, chunkwright, places, run, said};

const OLD: &str = "what was there before";

/// The ways to write a file: arguments, followed by its name.
const WAYS: [(&[&str], &str); 5] = [
    (&["chunk", "docs", "--tokenizer", "words", "-o"], "out.jsonl"),
    (&["chunk", "docs", "--tokenizer", "words", "-o"], "out.json"),
    (&["chunk", "docs", "--tokenizer", "words", "-o"], "out.parquet"),
    (&["chunk", "docs", "--tokenizer", "words", "--format", "pretty", "-o"], "out.txt"),
    (&["stats", "docs", "--tokenizer", "words", "--plot"], "out.svg"),
];

/// Creates a folder with pages whose chunks exceed one write buffer.
fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("docs")).unwrap();
    for page in 0..8 {
        let section = |nth| format!("## Section {nth}\n\nSome words of page {page}.\n\n");
        let text: String = (0..60).map(section).collect();
        fs::write(folder.path().join(format!("docs/{page}.md")), text).unwrap();
    }
    folder
}

/// A way to write a file, and its output without faults.
struct Way {
    folder: TempDir,
    arguments: &'static [&'static str],
    name: &'static str,
    new: Vec<u8>,
    calls: Vec<String>,
}

impl Way {
    fn all() -> Vec<Self> {
        WAYS.iter().map(|(arguments, name)| Self::new(arguments, name)).collect()
    }

    fn new(arguments: &'static [&'static str], name: &'static str) -> Self {
        let mut way =
            Self { folder: folder(), arguments, name, new: Vec::new(), calls: Vec::new() };
        way.put_old();
        way.calls = calls(&mut way.command(), Calls::Change);
        way.new = fs::read(way.output()).unwrap();
        assert!(way.new.len() > OLD.len());
        way
    }

    fn output(&self) -> std::path::PathBuf {
        self.folder.path().join(self.name)
    }

    fn put_old(&self) {
        fs::write(self.output(), OLD).unwrap();
    }

    fn command(&self) -> Command {
        chunkwright(self.folder.path(), &[self.arguments, &[self.name]].concat())
    }

    /// Returns the names of files other than pages and the output.
    fn left_over(&self) -> Vec<String> {
        names(self.folder.path()).into_iter().filter(|name| *name != self.name).collect()
    }
}

/// Returns the names in a folder, except the pages.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let names = entries.map(|name| name.into_string().unwrap());
    names.filter(|name| name != "docs").collect()
}

#[test]
fn a_failing_call_keeps_the_old_file_and_is_reported() {
    for way in Way::all() {
        for at in places(way.calls.len()) {
            for fault in ["enospc", "edquot", "eio"].map(|what| Fault::once(what, at)) {
                check_failure(&way, fault);
            }
            check_failure(&way, Fault::from("enospc", at));
        }
    }
}

fn check_failure(way: &Way, fault: Fault) {
    way.put_old();
    let output = run(&mut way.command(), Calls::Change, fault);
    let said = said(&output);
    let call = &way.calls[fault.at - 1];
    let case = format!("{} {fault:?} {call}: {said}", way.name);
    let opens_old = call.starts_with("open") && call.ends_with(way.name);
    if opens_old && fault.what != "eio" && !fault.and_on {
        // Opening an existing file needs no space.
        assert!(output.status.success(), "{case}");
        assert!(fs::read(way.output()).unwrap() == way.new, "{case}");
        return;
    }
    assert_eq!(output.status.code(), Some(2), "{case}");
    assert_eq!(fs::read_to_string(way.output()).unwrap(), OLD, "{case}");
    assert_eq!(way.left_over(), [] as [&str; 0], "{case}");
    let advice = match fault.what {
        "eio" => ["name another file", "check that its directory exists"],
        _ => ["free some space or name another file"; 2],
    };
    assert!([way.name, fault.reason()].iter().all(|part| said.contains(part)), "{case}");
    assert!(advice.iter().any(|part| said.contains(part)), "{case}");
    assert_eq!(said.lines().count(), 1, "{case}");
}

#[test]
fn a_failing_call_creates_no_file() {
    for way in Way::all() {
        fs::remove_file(way.output()).unwrap();
        for at in 1..=calls(&mut way.command(), Calls::Change).len() {
            let _made = fs::remove_file(way.output());
            let output = run(&mut way.command(), Calls::Change, Fault::once("enospc", at));
            assert_eq!(output.status.code(), Some(2), "{} {at}", way.name);
            assert_eq!(names(way.folder.path()), [] as [&str; 0], "{} {at}", way.name);
        }
    }
}

#[test]
fn a_killed_run_leaves_the_old_file_or_the_new_one_and_does_not_disturb_the_next() {
    for way in Way::all() {
        let mut left = 0;
        for at in places(way.calls.len()) {
            way.put_old();
            let output = run(&mut way.command(), Calls::Change, Fault::once("kill", at));
            assert_eq!(output.status.code(), None, "{} {at}", way.name);
            let found = fs::read(way.output()).unwrap();
            assert!(found == OLD.as_bytes() || found == way.new, "{} {at}", way.name);
            left = way.left_over().len();
            assert!(way.command().output().unwrap().status.success());
            assert!(fs::read(way.output()).unwrap() == way.new, "{} {at}", way.name);
        }
        // One for each run that was killed while writing, with a recognizable name.
        assert!(left > 0, "{}: no run was killed while writing", way.name);
        let ours = |name: &String| name.starts_with(".chunkwright-") && name.ends_with(".tmp");
        assert!(way.left_over().iter().all(ours), "{:?}", way.left_over());
    }
}

#[test]
fn retries_partial_and_interrupted_calls() {
    for way in Way::all() {
        let once = |what| (1..=way.calls.len()).map(move |at| Fault::once(what, at));
        let always = ["short", "eintr"].map(|what| Fault::from(what, 1));
        for fault in once("short").chain(once("eintr")).chain(always) {
            way.put_old();
            let output = run(&mut way.command(), Calls::Change, fault);
            assert!(output.status.success(), "{} {fault:?}: {}", way.name, said(&output));
            assert!(fs::read(way.output()).unwrap() == way.new, "{} {fault:?}", way.name);
            assert_eq!(way.left_over(), [] as [&str; 0], "{} {fault:?}", way.name);
        }
    }
}

#[test]
fn prints_a_plan_with_temporary_files_completely_or_not_at_all() {
    let folder = folder();
    let page = "Some words that make a paragraph of a page.\n\n".repeat(200_000);
    fs::write(folder.path().join("docs/large.md"), page).unwrap();
    fs::write(folder.path().join("old.jsonl"), "").unwrap();
    let room = TempDir::new().unwrap();
    let command = || {
        let arguments = ["diff", "old.jsonl", "docs", "--json", "--tokenizer", "words"];
        let mut command = chunkwright(folder.path(), &arguments);
        command.env("TMPDIR", room.path());
        command
    };
    let calls = calls(&mut command(), Calls::Change).len();
    // The first call opens the folder, which needs no space.
    for at in [2, 3, calls] {
        let output = run(&mut command(), Calls::Change, Fault::once("enospc", at));
        let said = said(&output);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{at}: {said}");
        let room = room.path().to_str().unwrap();
        let parts = [room, "no space left on device; set TMPDIR"];
        assert!(parts.iter().all(|part| said.contains(part)), "{at}: {said}");
        assert_eq!(fs::read_dir(room).unwrap().count(), 0);
    }
    let output = command().env("TMPDIR", "/nonexistent").output().unwrap();
    let expected = "error: cannot write temporary files in /nonexistent: no such file or directory; \
                    set TMPDIR to choose another directory\n";
    assert_eq!((output.status.code(), said(&output).as_str()), (Some(2), expected));
}

#[test]
fn a_limit_on_file_size_keeps_the_old_file() {
    for way in Way::all() {
        way.put_old();
        let program = env!("CARGO_BIN_EXE_chunkwright");
        let script = format!("trap '' XFSZ; ulimit -f 1; exec {program} \"$@\"");
        let mut shell = Command::new("sh");
        shell.args(["-c", &script, "sh"]).args(way.arguments).arg(way.name);
        let output = shell.current_dir(way.folder.path()).output().unwrap();
        let said = said(&output);
        assert_eq!(output.status.code(), Some(2), "{}: {said}", way.name);
        assert!(said.contains(&format!("cannot write {}: file too large", way.name)), "{said}");
        assert_eq!(fs::read_to_string(way.output()).unwrap(), OLD);
        assert_eq!(way.left_over(), [] as [&str; 0]);
        let script = format!("ulimit -c 0; ulimit -f 1; exec {program} \"$@\"");
        let mut shell = Command::new("sh");
        shell.args(["-c", &script, "sh"]).args(way.arguments).arg(way.name);
        let output = shell.current_dir(way.folder.path()).output().unwrap();
        assert_eq!(output.status.code(), None, "{}", way.name);
        assert_eq!(fs::read_to_string(way.output()).unwrap(), OLD);
    }
}

/// Commands that print to standard output. Some need an index or old chunks.
const PRINTING: [&[&str]; 17] = [
    &["chunk", "docs", "--tokenizer", "words"],
    &["chunk", "docs", "--tokenizer", "words", "--format", "json"],
    &["chunk", "docs", "--tokenizer", "words", "--format", "parquet"],
    &["chunk", "docs", "--tokenizer", "words", "--format", "pretty"],
    &["stats", "docs", "--tokenizer", "words"],
    &["stats", "docs", "--tokenizer", "words", "--json"],
    &["diff", "old.jsonl", "docs", "--tokenizer", "words"],
    &["diff", "old.jsonl", "docs", "--tokenizer", "words", "--json"],
    &["index", "docs", "--index", "index"],
    &["search", "words", "--index", "index"],
    &["search", "words", "--index", "index", "--json"],
    &["get", "docs:1.md", "--index", "index"],
    &["ls", "--index", "index"],
    &["status", "--index", "index"],
    &["inspect", "docs/1.md", "--tokenizer", "words"],
    &["config"],
    &["man"],
];

/// Creates a folder in which all these commands have something to print.
fn folder_to_print() -> TempDir {
    let folder = folder();
    let prepare: [&[&str]; 2] =
        [&["index", "docs", "--index", "index"], &["chunk", "docs", "-o", "old.jsonl"]];
    for arguments in prepare {
        assert!(chunkwright(folder.path(), arguments).output().unwrap().status.success());
    }
    folder
}

#[test]
fn reports_a_full_standard_output() {
    let folder = folder_to_print();
    for arguments in PRINTING {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = chunkwright(folder.path(), arguments).stdout(full).output().unwrap();
        let message = "error: cannot write to standard output: no space left on device; \
                       free some space or name another file\n";
        assert_eq!((output.status.code(), said(&output).as_str()), (Some(2), message));
    }
}

#[test]
fn a_closed_standard_output_ends_every_command_quietly() {
    let folder = folder_to_print();
    for arguments in PRINTING {
        let (reader, writer) = pipe().unwrap();
        drop(reader);
        let output = chunkwright(folder.path(), arguments).stdout(writer).output().unwrap();
        let quiet = (Some(0), String::new());
        assert_eq!((output.status.code(), said(&output)), quiet, "{arguments:?}");
    }
}

#[test]
fn a_fifo_without_a_reader_ends_the_run_quietly() {
    let folder = folder();
    let made = Command::new("mkfifo").arg(folder.path().join("pipe")).status().unwrap();
    assert!(made.success());
    for arguments in [&["docs"][..], &["docs/1.md", "--format", "json"]] {
        let mut command =
            chunkwright(folder.path(), &["chunk", "-o", "pipe", "--tokenizer", "words"]);
        let child = command.args(arguments).stderr(Stdio::piped()).spawn().unwrap();
        // Blocks until the command opens the other end.
        drop(fs::File::open(folder.path().join("pipe")).unwrap());
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), said(&output)), (Some(0), String::new()));
    }
}
