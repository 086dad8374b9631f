//! Files on the disk and files in the index come in, what differs goes out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use chunkwright_io::{Entry, Source};

use super::scope::{Scope, Scopes};
use crate::index::File;
use crate::runs::Stamp;

/// What differs, as far as can be told without reading a file.
pub(super) struct Changes<'s> {
    /// Files that may have changed.
    pub(super) tasks: Vec<Task<'s>>,
    /// The ids of files that are in the index, but not on the disk any more.
    pub(super) gone: Vec<String>,
    /// How many files are as they were.
    pub(super) unchanged: usize,
}

/// A file to look at, with what the index has of it.
pub(super) struct Task<'s> {
    pub(super) entry: &'s Entry,
    pub(super) file: Option<File>,
    pub(super) stamp: Option<Stamp>,
}

impl Task<'_> {
    pub(super) fn id(&self) -> String {
        id(self.entry)
    }
}

impl<'s> Changes<'s> {
    /// Compares what was found with the files in the index.
    pub(super) fn between(scopes: &'s Scopes, known: Vec<File>) -> Self {
        let known = known.into_iter().map(|file| (file.id(), file)).collect();
        let mut changes = Self { tasks: Vec::new(), gone: gone(scopes, &known), unchanged: 0 };
        for entry in scopes.all.iter().flat_map(|scope| &scope.entries) {
            changes.compare(entry, &known);
        }
        changes
    }

    fn compare(&mut self, entry: &'s Entry, known: &BTreeMap<String, File>) {
        let Source::File(path) = &entry.source else { return };
        let stamp = fs::metadata(path).ok().map(|found| Stamp::of(&found));
        let file = known.get(&id(entry));
        match (file, stamp) {
            (Some(file), Some(stamp)) if file.stamp == stamp => self.unchanged += 1,
            (file, stamp) => self.tasks.push(Task { entry, file: file.cloned(), stamp }),
        }
    }
}

fn gone(scopes: &Scopes, known: &BTreeMap<String, File>) -> Vec<String> {
    let entries = scopes.all.iter().flat_map(|scope| &scope.entries);
    let present: BTreeSet<String> = entries.map(id).collect();
    let unreadable = |scope: &Scope, path: &str| {
        let file = scope.root.join(path);
        scopes.errors.iter().any(|error| {
            fs::canonicalize(&error.path).is_ok_and(|real| file.starts_with(real))
                || file.ends_with(&error.path)
        })
    };
    let is_gone = |file: &File| {
        let whole = scopes.all.iter().find(|scope| scope.tree == file.tree && scope.is_whole);
        match whole {
            Some(scope) => !present.contains(&file.id()) && !unreadable(scope, &file.path),
            None => !scopes.trees.contains_key(&file.tree),
        }
    };
    known.values().filter(|file| is_gone(file)).map(File::id).collect()
}

fn id(entry: &Entry) -> String {
    format!("{}:{}", entry.tree, entry.path)
}
