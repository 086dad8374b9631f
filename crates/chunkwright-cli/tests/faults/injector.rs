//! Runs the command with a fault at a chosen system call.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use tempfile::TempDir;

/// Maximum number of points in a run at which a fault is tried.
const MOST_PLACES: usize = 30;

/// The calls that are counted.
#[derive(Clone, Copy)]
pub(crate) enum Calls {
    /// Calls that change files.
    Change,
    /// Calls that read files with this in their path.
    Read(&'static str),
}

/// A fault, and the call at which it happens.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fault {
    /// The name of the fault in `preload.rs`.
    pub(crate) what: &'static str,
    /// The number of the call, counted from 1.
    pub(crate) at: usize,
    /// Whether it also happens at all later calls.
    pub(crate) and_on: bool,
}

impl Fault {
    pub(crate) fn once(what: &'static str, at: usize) -> Self {
        Self { what, at, and_on: false }
    }

    pub(crate) fn from(what: &'static str, at: usize) -> Self {
        Self { what, at, and_on: true }
    }

    /// Returns the system's error message.
    pub(crate) fn reason(&self) -> &'static str {
        match self.what {
            "enospc" => "no space left on device",
            "edquot" => "disk quota exceeded",
            "eio" => "input/output error",
            other => panic!("{other} is not an error"),
        }
    }
}

/// Returns the command with these arguments, to be run in a folder.
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

/// Runs a command without a fault, and returns the counted calls.
pub(crate) fn calls(command: &mut Command, calls: Calls) -> Vec<String> {
    let folder = TempDir::new().unwrap();
    let log = folder.path().join("log");
    let output = ordered(command, calls, "count").env("FAULT_LOG", &log).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let listed: Vec<_> = fs::read_to_string(log).unwrap().lines().map(str::to_owned).collect();
    assert!(!listed.is_empty(), "no call was counted");
    listed
}

/// Returns the numbers of the first and the last call, and some in between.
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

/// Compiles the library once, and returns its path.
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
