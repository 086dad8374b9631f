//! Runs on a disk that is actually full: a small tmpfs in a private mount namespace. Skipped where
//! users cannot mount one; the tests in `faults` need no such permission.

#![allow(clippy::unwrap_used, reason = "a failed test should panic")]
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{self, Write as _};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// Creates a folder with a small page in `docs`, and a large page next to it.
fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    // More than a tenth of the target, so that each section is a separate chunk.
    let words = |nth: usize| (0..60).map(move |word| (nth * 7919 + word * 104_729).to_string());
    let section =
        |nth| format!("## Section {nth}\n\n{}.\n\n", words(nth).collect::<Vec<_>>().join(" "));
    let large: String = (0..2_000).map(section).collect();
    fs::create_dir(folder.path().join("docs")).unwrap();
    fs::create_dir(folder.path().join("small")).unwrap();
    fs::write(folder.path().join("docs/page.md"), "# Page\n\nSome text.\n").unwrap();
    fs::write(folder.path().join("large.md"), large).unwrap();
    folder
}

/// Runs a script in which `$1` is the command and `small` a disk of 300 kB. Returns `None` if such a
/// disk cannot be mounted.
fn on_a_small_disk(script: &str) -> Option<Output> {
    let folder = folder();
    let unshared = |script: &str| {
        let mut command = Command::new("unshare");
        command.args(["-Urm", "sh", "-c", script, "sh", env!("CARGO_BIN_EXE_chunkwright")]);
        command.current_dir(folder.path()).stdin(Stdio::null()).output()
    };
    let mount = "mount -t tmpfs -o size=300k none small";
    let is_allowed = unshared(mount).is_ok_and(|output| output.status.success());
    if !is_allowed {
        skip("cannot mount a disk with unshare");
        return None;
    }
    Some(unshared(&format!("{mount}\n{script}")).unwrap())
}

/// Reports that the current test is skipped. `cargo xtask test` lists these reports at its end.
fn skip(reason: &str) {
    let thread = std::thread::current();
    let line = format!("skipped: {}: {reason}\n", thread.name().unwrap_or("a test"));
    // Unlike `eprintln`, this is not captured when the test passes.
    io::stderr().write_all(line.as_bytes()).unwrap();
    if let Some(list) = std::env::var_os("CHUNKWRIGHT_SKIPPED") {
        let mut list = fs::OpenOptions::new().create(true).append(true).open(list).unwrap();
        list.write_all(line.as_bytes()).unwrap();
    }
}

/// Returns standard output and standard error.
fn texts(output: Output) -> (String, String) {
    (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn keeps_the_old_output() {
    for name in ["out.jsonl", "out.json", "out.parquet"] {
        let script = format!(
            "printf old > small/{name}; seq 40000 > small/ballast
             $1 chunk large.md --tokenizer words -o small/{name}; echo $?
             cat small/{name}; echo; ls -A small"
        );
        let Some(output) = on_a_small_disk(&script) else { return };
        let (printed, said) = texts(output);
        assert_eq!(printed, format!("2\nold\nballast\n{name}\n"), "{said}");
        let expected = format!(
            "error: cannot write small/{name}: no space left on device; \
             free some space or name another file\n"
        );
        assert_eq!(said, expected);
    }
}

#[test]
fn keeps_the_old_index_and_its_size_until_there_is_space_again() {
    let script = "
        used() { du -s --apparent-size small | cut -f 1; }
        index() { $1 index docs --index small/index; echo $?; }
        index $1; before=$(used); cp large.md docs
        index $1; echo $(($(used) - before))
        $1 search text --index small/index > found; echo $?; grep -c page.md found
        rm docs/large.md; cp docs/page.md docs/other.md
        index $1; $1 ls --index small/index | grep -c md";
    let Some(output) = on_a_small_disk(script) else { return };
    let (printed, said) = texts(output);
    let lines: Vec<_> = printed.lines().collect();
    let expected =
        ["1 file: 1 new", "0", "2", "0", "0", "1", "2 files: 1 new, 1 unchanged", "0", "2"];
    assert_eq!(lines, expected, "{said}");
    assert!(said.contains("small/index/index"), "{said}");
    assert!(said.ends_with("no space left on device; free some space; the index is unchanged\n"));
    assert_eq!(said.lines().count(), 1, "{said}");
}
