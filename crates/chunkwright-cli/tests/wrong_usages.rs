//! Error messages: runs each command of wrong-usages.txt, and compares its standard error and exit
//! code with the file.
//!
//! To add a case, add its command to the file, and run `UPDATE_GOLDEN=1 cargo test -p
//! chunkwright-cli --test wrong_usages` to add its output.

#![allow(clippy::unwrap_used, reason = "a failed test should panic")]
// The commands are written for a Unix shell.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// Files in the working directory of every command.
const FILES: &[(&str, &[u8])] = &[
    ("docs/guide.md", b"# Guide\n\nStart here.\n\n## Settings\n\nSet the color.\n"),
    ("docs/news.md", b"# News\n\nNothing new.\n"),
    ("empty/picture.png", b""),
    ("latin.md", b"caf\xe9\n"),
    ("utf16.md", b"\xff\xfe#\0 \0A\0"),
    ("script.py", b"print()\n"),
    ("broken.json", b"{}\n"),
    ("broken.jsonl", b"{\"id\":\n"),
    ("queries.jsonl", b"{\"query\":\"color\"}\nnot JSON\n"),
    ("syntax/chunkwright.toml", b"strategy = \"window\nmax = 5\n"),
    ("typo/chunkwright.toml", b"[window]\nmx = 300\n"),
    ("value/chunkwright.toml", b"strategy = \"windw\"\n"),
    ("number/chunkwright.toml", b"max = \"many\"\n"),
    ("zero/chunkwright.toml", b"target = 0\n"),
    ("override/chunkwright.toml", b"[[override]]\nmax = 300\n"),
    ("tree/chunkwright.toml", b"[trees.docs]\nroot = \"docs\"\n"),
];

#[test]
fn wrong_usages_print_the_listed_errors() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wrong-usages.txt");
    let listed = fs::read_to_string(&file).unwrap();
    let printed = run_all(&listed);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(file, printed).unwrap();
        return;
    }
    let pairs = listed.lines().zip(printed.lines());
    let different = pairs.enumerate().find(|(_, (listed, printed))| listed != printed);
    assert!(
        listed == printed,
        "first difference (line, listed, printed): {different:?}\nif this output is right, run again \
         with UPDATE_GOLDEN=1"
    );
}

/// Returns the list with the current output of its commands. An entry starts with `$ ` and ends with
/// the exit code in brackets; everything else is kept.
fn run_all(listed: &str) -> String {
    let mut printed = String::new();
    let mut lines = listed.lines().peekable();
    while let Some(line) = lines.next() {
        printed += &format!("{line}\n");
        let Some(command) = line.strip_prefix("$ ") else { continue };
        printed += &run(command);
        let is_entry = |line: &&str| !line.starts_with("$ ") && !is_code(line);
        while lines.next_if(is_entry).is_some() {}
        lines.next_if(|line| is_code(line));
    }
    printed
}

fn is_code(line: &str) -> bool {
    let code = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    code.is_some_and(|code| code.parse::<u8>().is_ok())
}

/// Returns the standard error of a command, and its exit code.
fn run(command: &str) -> String {
    let folder = TempDir::new().unwrap();
    for (path, bytes) in FILES {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    let program = Path::new(env!("CARGO_BIN_EXE_chunkwright")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(folder.path()).env("PATH", path);
    let output = shell.env("LC_ALL", "C.UTF-8").stdin(Stdio::null()).output().unwrap();
    let real = folder.path().canonicalize().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).replace(real.to_str().unwrap(), "/work");
    format!("{said}[{}]\n", output.status.code().unwrap())
}
