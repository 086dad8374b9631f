//! Compares the files on disk with the files in the index.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use chunkwright_io::{Entry, Location};

use super::scope::{Scope, Scopes};
use crate::index::IndexedFile;
use crate::runs::Stamp;

/// The differences that are known without reading any file.
pub(super) struct Changes<'s> {
    /// Files that may have changed.
    pub(super) tasks: Vec<Task<'s>>,
    /// The ids of indexed files that no longer exist.
    pub(super) gone: Vec<String>,
    /// The number of files with the same size and time.
    pub(super) unchanged: usize,
}

/// A file to read, with its entry in the index.
pub(super) struct Task<'s> {
    pub(super) entry: &'s Entry,
    pub(super) file: Option<IndexedFile>,
    pub(super) stamp: Option<Stamp>,
}

impl Task<'_> {
    pub(super) fn id(&self) -> String {
        id(self.entry)
    }
}

impl<'s> Changes<'s> {
    /// Compares the files on disk with those in the index.
    pub(super) fn between(scopes: &'s Scopes, known: Vec<IndexedFile>) -> Self {
        let known = known.into_iter().map(|file| (file.id(), file)).collect();
        let mut changes = Self { tasks: Vec::new(), gone: gone(scopes, &known), unchanged: 0 };
        for entry in scopes.all.iter().flat_map(|scope| &scope.entries) {
            changes.compare(entry, &known);
        }
        changes
    }

    fn compare(&mut self, entry: &'s Entry, known: &BTreeMap<String, IndexedFile>) {
        let Location::File(path) = &entry.location else { return };
        let stamp = fs::metadata(path).ok().map(|found| Stamp::of(&found));
        let file = known.get(&id(entry));
        match (file, stamp) {
            (Some(file), Some(stamp)) if file.stamp == stamp => self.unchanged += 1,
            (file, stamp) => self.tasks.push(Task { entry, file: file.cloned(), stamp }),
        }
    }
}

fn gone(scopes: &Scopes, known: &BTreeMap<String, IndexedFile>) -> Vec<String> {
    let entries = scopes.all.iter().flat_map(|scope| &scope.entries);
    let present: BTreeSet<String> = entries.map(id).collect();
    let unreadable = |scope: &Scope, path: &str| {
        let file = scope.root.join(path);
        scopes.errors.iter().any(|error| {
            fs::canonicalize(&error.path).is_ok_and(|real| file.starts_with(real))
                || file.ends_with(&error.path)
        })
    };
    let is_gone = |file: &IndexedFile| {
        let whole = scopes.all.iter().find(|scope| scope.tree == file.tree && scope.is_whole);
        match whole {
            Some(scope) => !present.contains(&file.id()) && !unreadable(scope, &file.path),
            None => !scopes.trees.contains_key(&file.tree),
        }
    };
    known.values().filter(|file| is_gone(file)).map(IndexedFile::id).collect()
}

fn id(entry: &Entry) -> String {
    format!("{}:{}", entry.tree, entry.path)
}
