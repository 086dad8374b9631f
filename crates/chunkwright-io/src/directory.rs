//! Lists the files to read below one directory, and those that cannot be read.
//!
//! Links are followed last, and each target only once. The target of a link usually has a path
//! inside the directory as well, and that path does not change when links are added or removed. So
//! a link adds only files that cannot be reached without it, and a cycle of links ends.

use std::collections::{BTreeMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs::{self, FileType};
use std::io;
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::entries::{Folder, NameRange, is_readable};
use crate::error::{FileError, Reason};
use crate::rules::{self, Chain};
use crate::taken::Taken;

/// The files of a directory, sorted by the bytes of their path components on every platform.
pub(crate) struct Listing {
    pub(crate) ranges: Vec<NameRange>,
    pub(crate) errors: Vec<FileError>,
    /// Whether there is no file to read, not even one that was listed before.
    pub(crate) is_empty: bool,
}

/// Lists the directory that the user wrote as `given`, whose canonical path is `real`.
///
/// Files in `taken` are skipped, and listed files are added to it. The ignore files of `root`,
/// which contains the directory, and of all directories between the two apply.
pub(crate) fn list(given: &Path, real: &Path, root: &Path, taken: &mut Taken) -> Listing {
    let mut search = Search::new(given, real, root, taken);
    search.walk(real.to_owned(), PathBuf::new());
    while let Some((relative, link)) = search.links.pop_first() {
        if let Err(reason) = search.follow(&relative, &link) {
            search.fail(&relative, reason);
        }
    }
    // No other file sorts between the first and the last of a range.
    search.ranges.sort_by_cached_key(|range| range.files().next());
    search.errors.sort_by(|one, other| one.path.cmp(&other.path));
    Listing { ranges: search.ranges, errors: search.errors, is_empty: !search.has_any }
}

struct Search<'a> {
    given: &'a Path,
    root: &'a Path,
    /// The ignore rules that the root inherits.
    above: Chain,
    taken: &'a mut Taken,
    /// Canonical paths of the directories that were entered.
    entered: HashSet<PathBuf>,
    /// The links still to follow: their paths in the listing, and their paths on disk.
    links: BTreeMap<PathBuf, PathBuf>,
    ranges: Vec<NameRange>,
    errors: Vec<FileError>,
    /// Whether a file to read was found, even if it was listed before.
    has_any: bool,
}

/// A directory still to enter.
struct Pending {
    real: PathBuf,
    relative: PathBuf,
    above: Chain,
}

impl<'a> Search<'a> {
    fn new(given: &'a Path, real: &'a Path, root: &Path, taken: &'a mut Taken) -> Self {
        Self {
            given,
            root: real,
            above: rules::between(root, real, rules::above(root)),
            taken,
            entered: HashSet::new(),
            links: BTreeMap::new(),
            ranges: Vec::new(),
            errors: Vec::new(),
            has_any: false,
        }
    }

    /// Finds the files and links below a real directory.
    fn walk(&mut self, real: PathBuf, relative: PathBuf) {
        let above = rules::between(self.root, &real, self.above.clone());
        let mut pending = vec![Pending { real, relative, above }];
        while let Some(directory) = pending.pop() {
            if !self.entered.insert(directory.real.clone()) {
                continue;
            }
            match self.enter(&directory) {
                Ok(below) => pending.extend(below),
                Err(fault) => self.fail(&directory.relative, fault),
            }
        }
    }

    /// Adds the files and links of a directory, and returns its subdirectories.
    fn enter(&mut self, directory: &Pending) -> io::Result<Vec<Pending>> {
        let rules = rules::enter(&directory.real, directory.above.clone());
        let (mut files, mut cuts, mut below) = (Vec::new(), Vec::new(), Vec::new());
        for (name, kind) in self.names(directory)? {
            let real = directory.real.join(&name);
            if rules::ignored(&rules, &real, kind.is_dir()) {
                continue;
            }
            if kind.is_dir() {
                cuts.push(files.len());
                let relative = directory.relative.join(name);
                below.push(Pending { real, relative, above: rules.clone() });
            } else if kind.is_symlink() {
                cuts.push(files.len());
                self.links.insert(directory.relative.join(name), real);
            } else if is_readable(&name) {
                files.extend(self.check(&directory.relative, name, kind, real));
            }
        }
        if !files.is_empty() {
            let folder = self.add(directory.relative.clone(), &files, &cuts);
            self.taken.take_all(directory.real.clone(), folder);
        }
        Ok(below)
    }

    /// Returns the name of a file if it can be listed and was not listed before.
    fn check(
        &mut self,
        directory: &Path,
        name: OsString,
        kind: FileType,
        real: PathBuf,
    ) -> Option<String> {
        let relative = directory.join(&name);
        self.has_any = true;
        if !kind.is_file() {
            self.fail(&relative, Reason::NotRegular);
        } else if relative.to_str().is_some() {
            return name.into_string().ok().filter(|_| !self.taken.has(&real));
        } else if self.taken.take(real) {
            self.fail(&relative, Reason::NameNotUtf8);
        }
        None
    }

    /// Returns the sorted names in a directory, without hidden ones.
    fn names(&mut self, directory: &Pending) -> io::Result<Vec<(OsString, FileType)>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&directory.real)? {
            match entry.and_then(|entry| Ok((entry.file_name(), entry.file_type()?))) {
                Ok((name, _)) if is_hidden(&name) => {}
                Ok(named) => names.push(named),
                Err(fault) => self.fail(&directory.relative, fault),
            }
        }
        names.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        Ok(names)
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
        if !target.starts_with(self.root) {
            return Err(Reason::LinkOut(target));
        }
        if link.starts_with(&target) {
            return Err(Reason::LinkLoop(target));
        }
        if kind.is_dir() {
            self.walk(target, relative.to_owned());
            return Ok(());
        }
        let parts = relative.parent().zip(relative.file_name());
        let (directory, name) = parts.expect("a link has a name in a directory");
        if let Some(name) = self.check(directory, name.to_owned(), kind, target.clone()) {
            self.taken.take(target);
            self.add(directory.to_owned(), &[name], &[]);
        }
        Ok(())
    }

    /// Adds files of a directory as ranges that end at the cuts.
    fn add(&mut self, relative: PathBuf, files: &[String], cuts: &[usize]) -> Arc<Folder> {
        let folder = Arc::new(Folder::new(relative, files));
        let starts = iter::once(&0).chain(cuts);
        for (&start, &end) in starts.zip(cuts.iter().chain([&files.len()])) {
            if start < end {
                self.ranges.push(NameRange { folder: Arc::clone(&folder), names: start..end });
            }
        }
        folder
    }

    fn fail(&mut self, relative: &Path, reason: impl Into<Reason>) {
        // Joining an empty path would append a slash.
        let path = match relative.as_os_str().is_empty() {
            true => self.given.to_owned(),
            false => self.given.join(relative),
        };
        self.errors.push(FileError { path, reason: reason.into() });
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
