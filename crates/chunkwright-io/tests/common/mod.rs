//! A temporary directory in which tests create files, links and FIFOs.

#![allow(dead_code, clippy::unwrap_used, reason = "each test uses a part, and a panic fails it")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use chunkwright_io::{Entries, Entry, Found, Naming, walk};
use tempfile::TempDir;

pub(crate) struct Ground {
    root: PathBuf,
    _kept: TempDir,
}

impl Ground {
    pub(crate) fn new() -> Self {
        let kept = tempfile::tempdir().unwrap();
        Self { root: kept.path().canonicalize().unwrap(), _kept: kept }
    }

    /// Creates a directory with these files. The content of each file is its path.
    pub(crate) fn with(files: &[&str]) -> Self {
        let ground = Self::new();
        for file in files {
            ground.write(file, file);
        }
        ground
    }

    pub(crate) fn at(&self, path: impl AsRef<Path>) -> PathBuf {
        self.root.join(path)
    }

    pub(crate) fn write(&self, path: impl AsRef<Path>, text: impl AsRef<[u8]>) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Creates a symbolic link to `target`, which is not resolved.
    pub(crate) fn link(&self, path: impl AsRef<Path>, target: impl AsRef<Path>) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(target, path).unwrap();
    }

    pub(crate) fn fifo(&self, path: impl AsRef<Path>) {
        let made = Command::new("mkfifo").arg(self.at(path)).status().unwrap();
        assert!(made.success());
    }

    /// Walks these arguments, which are relative to the directory.
    pub(crate) fn walk(&self, arguments: &[&str]) -> Found {
        let arguments: Vec<_> = arguments.iter().map(|argument| self.at(argument)).collect();
        walk(&arguments, &Naming::default()).unwrap()
    }

    /// Returns the error messages, with paths relative to the directory.
    pub(crate) fn errors(&self, found: &Found) -> Vec<String> {
        let ground = format!("{}/", self.root.display());
        let message = |error: &dyn ToString| error.to_string().replace(&ground, "");
        let reason = |message: String| message.strip_prefix("cannot read ").unwrap().to_owned();
        found.errors.iter().map(|error| reason(message(error))).collect()
    }
}

/// Returns the entries as `tree:path`.
pub(crate) fn names(entries: &Entries) -> Vec<String> {
    entries.iter().map(|entry| format!("{}:{}", entry.tree, entry.path)).collect()
}

pub(crate) fn first(found: &Found) -> Entry {
    found.entries.iter().next().unwrap()
}
