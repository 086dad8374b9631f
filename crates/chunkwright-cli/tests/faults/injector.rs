//! Runs of the command in which the system fails at a chosen call.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use tempfile::TempDir;

/// At most so many places of a run are tried with each fault.
const MOST_PLACES: usize = 30;

/// Which calls are counted.
#[derive(Clone, Copy)]
pub(crate) enum Calls {
    /// Those that change files.
    Change,
    /// Those that read files with this in their path.
    Read(&'static str),
}

/// What happens, and at which call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fault {
    /// As `preload.rs` names it.
    pub(crate) what: &'static str,
    /// The first is 1.
    pub(crate) at: usize,
    /// Whether it happens at all later calls too.
    pub(crate) and_on: bool,
}

impl Fault {
    pub(crate) fn once(what: &'static str, at: usize) -> Self {
        Self { what, at, and_on: false }
    }

    pub(crate) fn from(what: &'static str, at: usize) -> Self {
        Self { what, at, and_on: true }
    }

    /// The words of the system.
    pub(crate) fn reason(&self) -> &'static str {
        match self.what {
            "enospc" => "no space left on device",
            "edquot" => "disk quota exceeded",
            "eio" => "input/output error",
            other => panic!("{other} is no error"),
        }
    }
}

/// The command with these arguments, to be run in a folder.
pub(crate) fn chunkwright(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chunkwright"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    command
}

/// Runs a command with a fault.
pub(crate) fn run(command: &mut Command, calls: Calls, fault: Fault) -> Output {
    let at = format!("{}{}", fault.at, if fault.and_on { "+" } else { "" });
    ordered(command, calls, fault.what).env("FAULT_AT", at).output().unwrap()
}

/// Runs a command without a fault, and lists the calls that are counted.
pub(crate) fn calls(command: &mut Command, calls: Calls) -> Vec<String> {
    let folder = TempDir::new().unwrap();
    let log = folder.path().join("log");
    let output = ordered(command, calls, "count").env("FAULT_LOG", &log).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let listed: Vec<_> = fs::read_to_string(log).unwrap().lines().map(str::to_owned).collect();
    assert!(!listed.is_empty(), "no call was seen");
    listed
}

/// The first and the last of so many calls, and some between.
pub(crate) fn places(calls: usize) -> impl Iterator<Item = usize> {
    let tried = calls.min(MOST_PLACES);
    (0..tried).map(move |nth| 1 + nth * (calls - 1) / (tried - 1).max(1))
}

pub(crate) fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn ordered<'c>(command: &'c mut Command, calls: Calls, what: &str) -> &'c mut Command {
    let (kind, path) = match calls {
        Calls::Change => ("change", ""),
        Calls::Read(path) => ("read", path),
    };
    command.env("LD_PRELOAD", library());
    command.env("FAULT_CALLS", kind).env("FAULT_PATH", path).env("FAULT_DO", what)
}

/// The library, compiled once.
fn library() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join("libfaults.so");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faults/preload.rs");
        let mut rustc = Command::new("rustc");
        rustc.args(["--edition", "2024", "-O", "-D", "warnings", "--crate-type", "cdylib", "-o"]);
        let made = rustc.arg(&library).arg(source).status().unwrap();
        assert!(made.success());
        library
    })
}
