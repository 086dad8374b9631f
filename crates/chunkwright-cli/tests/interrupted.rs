//! Interrupted and killed runs leave the old output, the new one, or none.

#![allow(clippy::unwrap_used, reason = "a failed test should panic")]
#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

const OLD: &str = "what was there before";

/// Creates a folder with many pages.
fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    let page = "# Title\n\nSome words that make a paragraph.\n\n".repeat(100);
    for nth in 0..400 {
        fs::write(folder.path().join(format!("{nth:03}.md")), &page).unwrap();
    }
    folder
}

fn chunk(folder: &Path, output: &str, flags: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chunkwright"));
    command.args(["chunk", ".", "-o", output, "--tokenizer", "words"]).args(flags);
    command.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

fn signal(child: &Child, name: &str) {
    let kill = Command::new("kill").args([name, &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
}

fn temporary_files(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let names = names.map(|name| name.into_string().unwrap());
    names.filter(|name| name.starts_with(".chunkwright-")).collect()
}

/// Returns the bytes that a run has written so far.
fn written(folder: &Path) -> usize {
    let sizes = temporary_files(folder).into_iter().filter_map(|name| {
        // The run may rename it at any moment.
        fs::metadata(folder.join(name)).ok()
    });
    sizes.map(|file| file.len() as usize).sum()
}

/// Fails if a condition does not become true within a minute.
fn wait_until(condition: &str, mut is_true: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_true() {
        assert!(begun.elapsed() < Duration::from_secs(60), "waited for: {condition}");
        std::thread::yield_now();
    }
}

/// Waits until the run has started to write.
fn wait_for_temporary_file(folder: &Path) {
    wait_until("the run starts to write", || !temporary_files(folder).is_empty());
}

/// Starts a run that cannot end, because its standard input stays open.
fn endless(folder: &Path, output: &str) -> Child {
    let mut command = chunk(folder, output, &["-", "--jobs", "2"]);
    command.stdin(Stdio::piped()).spawn().unwrap()
}

#[test]
fn an_interrupted_run_keeps_the_old_output_and_leaves_no_temporary_file() {
    let folder = folder();
    for (name, output) in [("-INT", "out.jsonl"), ("-TERM", "out.parquet"), ("-HUP", "out.json")] {
        fs::write(folder.path().join(output), OLD).unwrap();
        let mut child = endless(folder.path(), output);
        wait_for_temporary_file(folder.path());
        signal(&child, name);
        let input = child.stdin.take();
        let status = child.wait().unwrap();
        drop(input);
        let said = BufReader::new(child.stderr.take().unwrap()).lines().next();
        let old = fs::read_to_string(folder.path().join(output)).unwrap();
        assert_eq!(temporary_files(folder.path()), [] as [&str; 0], "{name}");
        assert_eq!((status.code(), old.as_str()), (Some(130), OLD), "{name}: {said:?}");
        assert!(said.unwrap().unwrap().contains("interrupted"), "{name}");
    }
}

/// Returns whether the command runs and waits for something: its state in proc(5) is `S`.
#[cfg(target_os = "linux")]
fn is_asleep(child: &Child) -> bool {
    let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
    stat.contains(" (chunkwright) S ")
}

#[test]
#[cfg(target_os = "linux")]
fn a_run_that_waits_for_a_reader_can_be_interrupted() {
    let folder = folder();
    let made = Command::new("mkfifo").arg(folder.path().join("pipe")).status().unwrap();
    assert!(made.success());
    // Background processes of a shell ignore SIGINT, so its default action is restored.
    let mut listening = Command::new("env");
    listening.args(["--default-signal=INT", env!("CARGO_BIN_EXE_chunkwright")]);
    listening.args(["chunk", ".", "-o", "pipe", "--tokenizer", "words"]);
    let mut child = listening.current_dir(folder.path()).stderr(Stdio::null()).spawn().unwrap();
    wait_until("the run waits for a reader", || is_asleep(&child));
    assert_eq!(child.try_wait().unwrap(), None, "the run ended before the signal");
    signal(&child, "-INT");
    let mut status = None;
    wait_until("the run ends", || {
        status = child.try_wait().unwrap();
        status.is_some()
    });
    // It holds nothing to remove yet, so the signal itself ends it.
    assert_eq!(status.and_then(|status| status.signal()), Some(2));
}

#[test]
fn a_killed_run_leaves_the_old_output_or_the_new_one() {
    let folder = folder();
    let path = folder.path().join("out.jsonl");
    assert!(chunk(folder.path(), "out.jsonl", &[]).status().unwrap().success());
    let new = fs::read_to_string(&path).unwrap();
    let mut halves = 0;
    for nth in 0..20 {
        fs::write(&path, OLD).unwrap();
        let mut child = chunk(folder.path(), "out.jsonl", &["--jobs", "2"]).spawn().unwrap();
        let share = new.len() * nth / 20;
        while child.try_wait().unwrap().is_none() && written(folder.path()) < share {}
        // The run may have ended already.
        let _ = child.kill();
        child.wait().unwrap();
        let found = fs::read_to_string(&path).unwrap();
        assert!(found == OLD || found == new, "{} bytes in round {nth}", found.len());
        for name in temporary_files(folder.path()) {
            fs::remove_file(folder.path().join(name)).unwrap();
            halves += 1;
        }
    }
    assert!(halves > 0, "no run was killed while writing");
}

#[test]
fn output_files_do_not_depend_on_the_number_of_threads() {
    let folder = folder();
    let outputs = TempDir::new().unwrap();
    for extension in ["jsonl", "json", "parquet"] {
        let bytes = ["1", "2", "8"].map(|jobs| {
            let output = outputs.path().join(format!("{jobs}.{extension}"));
            let output = output.to_str().unwrap();
            assert!(chunk(folder.path(), output, &["--jobs", jobs]).status().unwrap().success());
            fs::read(output).unwrap()
        });
        assert!(bytes[0] == bytes[1] && bytes[1] == bytes[2], "{extension}");
        assert!(!bytes[0].is_empty());
    }
}
