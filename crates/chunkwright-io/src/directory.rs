//! Lists the files to read below one directory, and those that cannot be read.
//!
//! Links are followed last, and each target only once. The target of a link usually has a path
//! inside the directory as well, and that path does not change when links are added or removed. So
//! a link adds only files that cannot be reached without it, and a cycle of links ends.
//!
//! `walkdir` traverses directories, and the `ignore` crate matches globs. `ignore` 0.4.34 also has a
//! walker, which adds ignore files to `walkdir`. It cannot be used, because it
//!
//! - opens a FIFO named `.gitignore`, which blocks until another process writes to it;
//! - skips the rest of an ignore file after a line that is not UTF-8;
//! - starts with the rules of all parents up to `/`, or of none. Rules should start at the
//!   repository or, outside a repository, at the root:
//!   <https://github.com/BurntSushi/ripgrep/issues/2812>;
//! - applies a `.gitignore` outside a repository to the repositories below it;
//! - lists hidden files that an ignore file includes:
//!   <https://github.com/BurntSushi/ripgrep/issues/771>;
//! - follows links out of the directory, and lists a file for each path that leads to it, which
//!   takes exponential time: <https://github.com/BurntSushi/ripgrep/issues/1353>.
//!
//! `tests/ignore_walker.rs` shows each of these, and that both walkers list the same files
//! otherwise.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashSet};
use std::ffi::OsStr;
use std::fs::{self, FileType};
use std::io;
use std::path::{Path, PathBuf};

use walkdir::{DirEntry, WalkDir};

use crate::entries::{is_readable, portable};
use crate::error::{FileError, Reason};
use crate::rules::{self, IgnoreRules};

/// The files and errors of a directory.
pub(crate) struct Listing {
    /// Paths below the directory, with `/` on every platform, sorted by the bytes of their
    /// components.
    pub(crate) files: Vec<Box<str>>,
    pub(crate) errors: Vec<FileError>,
    /// Whether there is no file to read, not even one that was listed before.
    pub(crate) is_empty: bool,
}

/// The files listed so far, by canonical path.
pub(crate) struct Taken {
    files: HashSet<Box<Path>>,
    /// Whether files are recorded. There may be a million, and usually no two paths lead to one.
    records: bool,
}

impl Taken {
    /// Returns the empty set for a walk of these arguments.
    pub(crate) fn new(arguments: &[PathBuf]) -> Self {
        Self { files: HashSet::new(), records: overlap(arguments) }
    }

    /// Returns whether a file is new, and records it if another path may lead to it.
    pub(crate) fn take(&mut self, real: &Path) -> bool {
        match self.records {
            true => self.insert(real),
            false => !self.files.contains(real),
        }
    }

    /// Records a file, and returns whether it is new.
    pub(crate) fn insert(&mut self, real: &Path) -> bool {
        self.files.insert(real.into())
    }
}

/// Returns whether one argument is, or contains, another.
fn overlap(arguments: &[PathBuf]) -> bool {
    let real = arguments.iter().filter_map(|argument| fs::canonicalize(argument).ok());
    let mut real: Vec<_> = real.collect();
    // A directory precedes its content, and nothing else is sorted between them.
    real.sort_unstable();
    real.windows(2).any(|pair| pair[1].starts_with(&pair[0]))
}

/// Lists the directory that the user wrote as `given`, whose canonical path is `real`.
///
/// Files in `taken` are skipped, and listed files are passed to it. The ignore files of
/// `root`, which contains the directory, and of all directories between the two apply.
pub(crate) fn list(given: &Path, real: &Path, root: &Path, taken: &mut Taken) -> Listing {
    let (entered, links) = (HashSet::new(), BTreeMap::new());
    let found = Listing { files: Vec::new(), errors: Vec::new(), is_empty: true };
    let mut search = Search { given, real, root, taken, entered, links, linkless: 0, found };
    search.walk(real, Path::new(""));
    if !search.links.is_empty() {
        search.follow_all();
    }
    let mut found = search.found;
    found.errors.sort_by(|one, other| one.path.cmp(&other.path));
    found
}

struct Search<'a> {
    given: &'a Path,
    real: &'a Path,
    root: &'a Path,
    taken: &'a mut Taken,
    /// Canonical paths of the directories that were entered.
    entered: HashSet<PathBuf>,
    /// The links still to follow: their paths in the listing, and their paths on disk.
    links: BTreeMap<PathBuf, PathBuf>,
    /// The number of files found before any link was followed.
    linkless: usize,
    found: Listing,
}

impl Search<'_> {
    /// Finds the files and links below `top`, a canonical path that the listing shows as
    /// `relative`.
    fn walk(&mut self, top: &Path, relative: &Path) {
        let mut levels = rules::above(self.root, top);
        let inherited = levels.len();
        let mut entries = WalkDir::new(top).sort_by(by_name).into_iter();
        while let Some(next) = entries.next() {
            let entry = match next {
                Ok(entry) => entry,
                Err(fault) => {
                    let path = moved(fault.path().unwrap_or(top), top, relative);
                    let fault = fault.into_io_error();
                    self.fail(&path, fault.expect("no link is followed, so there are no loops"));
                    continue;
                }
            };
            let (path, kind) = (entry.path(), entry.file_type());
            levels.truncate(inherited + entry.depth());
            let is_skipped = entry.depth() > 0
                && (is_hidden(entry.file_name()) || rules::ignored(&levels, path, kind.is_dir()));
            if kind.is_dir() {
                if !is_skipped && self.entered.insert(path.to_owned()) {
                    levels.push(IgnoreRules::of(path));
                } else {
                    entries.skip_current_dir();
                }
            } else if !is_skipped && kind.is_symlink() {
                self.links.insert(moved(path, top, relative), entry.into_path());
            } else if !is_skipped && is_readable(path) {
                self.add(&moved(path, top, relative), kind, path);
            }
        }
    }

    /// Adds the files that only links lead to.
    fn follow_all(&mut self) {
        self.linkless = self.found.files.len();
        self.taken.records = true;
        while let Some((relative, link)) = self.links.pop_first() {
            if let Err(reason) = self.follow(&relative, &link) {
                self.fail(&relative, reason);
            }
        }
        self.found.files.sort_by(|one, other| by_component(one, other));
    }

    fn follow(&mut self, relative: &Path, link: &Path) -> Result<(), Reason> {
        let (target, kind) = match resolve(link) {
            Ok(found) => found,
            // A dead link to a picture is not reported: pictures are not read.
            Err(_) if relative.extension().is_some() && !is_readable(relative) => return Ok(()),
            Err(fault) => return Err(Reason::LinkBroken(fault)),
        };
        if !kind.is_dir() && !is_readable(relative) {
            return Ok(());
        }
        if !target.starts_with(self.real) {
            return Err(Reason::LinkOut(target));
        }
        if link.starts_with(&target) {
            return Err(Reason::LinkLoop(target));
        }
        if kind.is_dir() {
            self.walk(&target, relative);
        } else {
            self.add(relative, kind, &target);
        }
        Ok(())
    }

    /// Adds a file, or reports why it cannot be read, unless it was listed before.
    fn add(&mut self, relative: &Path, kind: FileType, real: &Path) {
        self.found.is_empty = false;
        match portable(relative) {
            _ if !kind.is_file() => self.fail(relative, Reason::NotRegular),
            _ if self.is_linkless(real) => {}
            Some(path) if self.taken.take(real) => self.found.files.push(path.into()),
            None if self.taken.insert(real) => self.fail(relative, Reason::NameNotUtf8),
            _ => {}
        }
    }

    /// Returns whether a file was found before any link was followed.
    fn is_linkless(&self, real: &Path) -> bool {
        let files = &self.found.files[..self.linkless];
        let path = || real.strip_prefix(self.real).ok().and_then(portable);
        let is_listed =
            |path: String| files.binary_search_by(|file| by_component(file, &path)).is_ok();
        !files.is_empty() && path().is_some_and(is_listed)
    }

    fn fail(&mut self, relative: &Path, reason: impl Into<Reason>) {
        let path = joined(self.given, relative);
        self.found.errors.push(FileError { path, reason: reason.into() });
    }
}

/// Compares siblings by the bytes of their names. As only the names differ, this compares whole
/// paths, which is faster than looking for the names.
fn by_name(one: &DirEntry, other: &DirEntry) -> Ordering {
    one.path().as_os_str().cmp(other.path().as_os_str())
}

/// Compares paths with `/` by the bytes of their components.
fn by_component(one: &str, other: &str) -> Ordering {
    one.split('/').cmp(other.split('/'))
}

/// Returns the path that the listing shows for an entry below `top`, where it shows `relative` for
/// `top`.
fn moved(entry: &Path, top: &Path, relative: &Path) -> PathBuf {
    joined(relative, entry.strip_prefix(top).expect("an entry is below the directory walked"))
}

/// Joins two paths, of which the second may be empty. `Path::join` would append a slash.
fn joined(directory: &Path, below: &Path) -> PathBuf {
    match below.as_os_str().is_empty() {
        true => directory.to_owned(),
        false => directory.join(below),
    }
}

/// Returns whether a name starts with a dot. This is what hidden means on every platform, so that
/// all list the same files.
pub(crate) fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

/// Returns the final target of a link, and its file type.
fn resolve(link: &Path) -> io::Result<(PathBuf, FileType)> {
    let target = fs::canonicalize(link)?;
    let kind = fs::symlink_metadata(&target)?.file_type();
    Ok((target, kind))
}
