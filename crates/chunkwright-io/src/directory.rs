//! One directory: its path comes in, the files to read below it go out, and what was left out
//! though it should have been read.
//!
//! Links are looked at last and only once: what a link leads to is usually also there under its
//! own name, and that name stays the file's name when links come and go. So a link adds only files
//! that have no other way in, and no tangle of links is walked twice.

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, DirEntry, FileType};
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{FileError, Reason};
use crate::rules::{self, Chain};

/// What is to be read below a directory, in order, and what is not.
pub(crate) struct Listing {
    pub(crate) files: Vec<Listed>,
    pub(crate) errors: Vec<FileError>,
}

/// A file to read. The order is that of the path's parts, byte by byte, on every platform.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Listed {
    /// Where it was found, relative to the directory.
    pub(crate) relative: PathBuf,
    /// Where it really is, with no links on the way.
    pub(crate) real: PathBuf,
}

/// Lists the directory that the user calls `given` and that really is at `root`.
pub(crate) fn list(given: &Path, root: &Path) -> Listing {
    let mut search = Search::new(given, root);
    search.walk(root.to_owned(), PathBuf::new());
    while let Some((relative, link)) = search.links.pop_first() {
        if let Err(reason) = search.follow(&relative, &link) {
            search.fail(&relative, reason);
        }
    }
    search.files.sort();
    search.errors.sort_by(|one, other| one.path.cmp(&other.path));
    Listing { files: search.files, errors: search.errors }
}

/// Whether a file's name says that it is Markdown, MDX or text.
fn is_wanted(name: &Path) -> bool {
    let extension = name.extension().and_then(|extension| extension.to_str());
    let known = ["md", "markdown", "mdx", "txt"];
    extension.is_some_and(|given| known.iter().any(|one| one.eq_ignore_ascii_case(given)))
}

struct Search<'a> {
    given: &'a Path,
    root: &'a Path,
    /// The rules that hold for the root from above.
    above: Chain,
    /// The real directories that were entered, and the real files that were found.
    seen: HashSet<PathBuf>,
    /// The links still to follow: from where they were found to where they are.
    links: BTreeMap<PathBuf, PathBuf>,
    files: Vec<Listed>,
    errors: Vec<FileError>,
}

/// A directory still to enter.
struct Pending {
    real: PathBuf,
    relative: PathBuf,
    above: Chain,
}

impl<'a> Search<'a> {
    fn new(given: &'a Path, root: &'a Path) -> Self {
        Self {
            given,
            root,
            above: rules::above(root),
            seen: HashSet::new(),
            links: BTreeMap::new(),
            files: Vec::new(),
            errors: Vec::new(),
        }
    }

    /// Finds the files and links below a real directory.
    fn walk(&mut self, real: PathBuf, relative: PathBuf) {
        let above = rules::between(self.root, &real, self.above.clone());
        let mut pending = vec![Pending { real, relative, above }];
        while let Some(directory) = pending.pop() {
            if !self.seen.insert(directory.real.clone()) {
                continue;
            }
            match self.enter(&directory) {
                Ok(below) => pending.extend(below),
                Err(fault) => self.fail(&directory.relative, fault),
            }
        }
    }

    /// Takes in what lies directly in a directory; the directories among it go out.
    fn enter(&mut self, directory: &Pending) -> io::Result<Vec<Pending>> {
        let rules = rules::enter(&directory.real, directory.above.clone());
        let mut below = Vec::new();
        for entry in fs::read_dir(&directory.real)? {
            let (entry, kind) = match entry.and_then(|entry| Ok((entry.file_type()?, entry))) {
                Ok((kind, entry)) => (entry, kind),
                Err(fault) => {
                    self.fail(&directory.relative, fault);
                    continue;
                }
            };
            if is_hidden(&entry) || rules::ignored(&rules, &entry.path(), kind.is_dir()) {
                continue;
            }
            let (real, relative) = (entry.path(), directory.relative.join(entry.file_name()));
            if kind.is_dir() {
                below.push(Pending { real, relative, above: rules.clone() });
            } else {
                self.take(kind, real, relative);
            }
        }
        Ok(below)
    }

    /// Takes in anything but a directory.
    fn take(&mut self, kind: FileType, real: PathBuf, relative: PathBuf) {
        if kind.is_symlink() {
            self.links.insert(relative, real);
        } else if kind.is_file() && is_wanted(&relative) {
            self.add(relative, real);
        } else if is_wanted(&relative) {
            self.fail(&relative, Reason::NotRegular);
        }
    }

    fn follow(&mut self, relative: &Path, link: &Path) -> Result<(), Reason> {
        let (target, kind) = match resolve(link) {
            Ok(found) => found,
            // A dead link to a picture is none of our business.
            Err(_) if relative.extension().is_some() && !is_wanted(relative) => return Ok(()),
            Err(fault) => return Err(Reason::LinkBroken(fault)),
        };
        if !kind.is_dir() && !is_wanted(relative) {
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
        } else {
            self.take(kind, target, relative.to_owned());
        }
        Ok(())
    }

    fn add(&mut self, relative: PathBuf, real: PathBuf) {
        if self.seen.insert(real.clone()) {
            self.files.push(Listed { relative, real });
        }
    }

    fn fail(&mut self, relative: &Path, reason: impl Into<Reason>) {
        // Joining nothing would put a slash after the directory itself.
        let path = match relative.as_os_str().is_empty() {
            true => self.given.to_owned(),
            false => self.given.join(relative),
        };
        self.errors.push(FileError { path, reason: reason.into() });
    }
}

/// Hidden means a leading dot, on every platform, so that the result is the same on each.
fn is_hidden(entry: &DirEntry) -> bool {
    entry.file_name().as_encoded_bytes().starts_with(b".")
}

/// Where a link leads to in the end, and what is there.
fn resolve(link: &Path) -> io::Result<(PathBuf, FileType)> {
    let target = fs::canonicalize(link)?;
    let kind = fs::symlink_metadata(&target)?.file_type();
    Ok((target, kind))
}
