//! Finds the texts to read below arguments, in order, each with its tree and its path in it.

use std::collections::BTreeMap;
use std::fs::{self, FileType};
use std::path::{Path, PathBuf};

use chunkwright::Format;

use crate::directory;
use crate::entries::{Entries, Entry, Part, Source, is_extensionless, is_readable, portable};
use crate::error::{FileError, Reason, WalkError};
use crate::roots::{Root, Roots, STDIN};
use crate::taken::Taken;

/// Names and formats that the user gave.
#[derive(Clone, Debug, Default)]
pub struct Naming {
    /// The tree, instead of the directory's name.
    pub tree: Option<String>,
    /// The path of standard input, instead of `-`.
    pub stdin_path: Option<String>,
    /// The directory that all paths are relative to.
    pub root: Option<PathBuf>,
    /// Named trees, with their directories. What is in one of them is relative to it.
    pub trees: Vec<(String, PathBuf)>,
    /// The format of all texts, instead of the one that each name gives.
    pub format: Option<Format>,
}

/// What there is to read, and what is left out though it should have been read.
#[derive(Debug, Default)]
pub struct Found {
    /// In the order of the arguments; below a directory, in the order of paths.
    pub entries: Entries,
    /// In the order of the arguments.
    pub errors: Vec<FileError>,
    /// Directories without any file to read, in the order of the arguments.
    pub empty: Vec<PathBuf>,
}

impl Found {
    /// Whether a file is one of those to be read.
    pub fn has(&self, file: &Path) -> bool {
        let Ok(real) = fs::canonicalize(file) else { return false };
        let is_link =
            |path: &Path| fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink());
        let may_be = |path: &Path| path.file_name() == real.file_name() || is_link(path);
        self.entries.iter().any(|entry| match &entry.source {
            Source::File(path) => {
                may_be(path) && fs::canonicalize(path).is_ok_and(|path| path == real)
            }
            Source::Stdin => false,
        })
    }
}

/// Finds what there is to read below `arguments`: files, directories, and `-` for standard input.
///
/// A directory is searched for Markdown, MDX and text, without what is hidden or ignored. A named
/// file is read if its extension is one of these, if it has none, or if a format is given.
///
/// Paths are relative to a root: the one that is given, else the deepest named tree that contains
/// the argument, else the directory itself, or the parent directory of a file. Whatever is reached
/// twice is read once: as the first argument that reaches it, and rather by its own name than by
/// that of a link. A hard link is a file of its own.
///
/// # Errors
///
/// When two roots that both have something to read get the same tree name, a root's name cannot be
/// one, the given root is not a directory, or an argument is outside it. What goes wrong with a
/// single file or directory is listed in [`Found::errors`] instead.
pub fn walk(arguments: &[PathBuf], naming: &Naming) -> Result<Found, WalkError> {
    let roots = Roots::new(naming)?;
    let (seen, taken) = (BTreeMap::new(), Taken::default());
    let mut walk = Walk { naming, roots, seen, taken, found: Found::default() };
    for argument in arguments {
        walk.argument(argument)?;
    }
    Ok(walk.found)
}

struct Walk<'a> {
    naming: &'a Naming,
    roots: Roots,
    /// The root of each tree.
    seen: BTreeMap<String, Root>,
    /// What was found; `-` is standard input.
    taken: Taken,
    found: Found,
}

impl Walk<'_> {
    fn argument(&mut self, argument: &Path) -> Result<(), WalkError> {
        if argument == Path::new(STDIN) {
            return self.stdin();
        }
        match look(argument) {
            Ok((real, kind)) if kind.is_dir() => self.directory(argument, &real),
            Ok((real, _)) => self.file(argument, real),
            Err(reason) => {
                self.fail(argument, reason);
                Ok(())
            }
        }
    }

    fn stdin(&mut self) -> Result<(), WalkError> {
        if !self.taken.take(STDIN.into()) {
            return Ok(());
        }
        let path = self.naming.stdin_path.as_deref().unwrap_or(STDIN).to_owned();
        self.add(&self.roots.of_stdin(), path, Source::Stdin)
    }

    fn directory(&mut self, given: &Path, real: &Path) -> Result<(), WalkError> {
        let (root, below) = self.roots.of(given, real)?;
        let Some(below) = portable(&below) else {
            self.fail(given, Reason::NameNotUtf8);
            return Ok(());
        };
        let listing = directory::list(given, real, &root.real, &mut self.taken);
        if listing.is_empty && listing.errors.is_empty() {
            self.found.empty.push(given.to_owned());
        }
        self.found.errors.extend(listing.errors);
        if listing.stretches.is_empty() {
            return Ok(());
        }
        let (tree, format) = (self.tree(&root)?, self.naming.format);
        let (directory, stretches) = (given.to_owned(), listing.stretches);
        self.found.entries.push(Part::Directory { tree, directory, below, stretches, format });
        Ok(())
    }

    fn file(&mut self, given: &Path, real: PathBuf) -> Result<(), WalkError> {
        let (root, path) = self.roots.of(given, &real)?;
        if !self.taken.take(real) {
            return Ok(());
        }
        let is_known = is_readable(given) || is_extensionless(given);
        match portable(&path) {
            _ if !is_known && self.naming.format.is_none() => {
                self.fail(given, Reason::UnknownFormat)
            }
            Some(path) => return self.add(&root, path, Source::File(given.to_owned())),
            None => self.fail(given, Reason::NameNotUtf8),
        }
        Ok(())
    }

    fn add(&mut self, root: &Root, path: String, source: Source) -> Result<(), WalkError> {
        let tree = self.tree(root)?;
        let entry = Entry::new(tree, path, source, self.naming.format);
        self.found.entries.push(Part::Text(entry));
        Ok(())
    }

    /// The tree of a root with something to read.
    fn tree(&mut self, root: &Root) -> Result<String, WalkError> {
        let tree = self.naming.tree.clone().map_or_else(|| root.tree(), Ok)?;
        let first = self.seen.entry(tree.clone()).or_insert_with(|| root.clone());
        if first.real != root.real {
            let (first, second) = (first.given.clone(), root.given.clone());
            return Err(WalkError::TreeClash { tree, first, second });
        }
        Ok(tree)
    }

    fn fail(&mut self, path: &Path, reason: impl Into<Reason>) {
        self.found.errors.push(FileError { path: path.to_owned(), reason: reason.into() });
    }
}

/// Where an argument really is, and what it is: a directory or a regular file.
fn look(argument: &Path) -> Result<(PathBuf, FileType), Reason> {
    let kind = fs::metadata(argument)?.file_type();
    if !kind.is_dir() && !kind.is_file() {
        return Err(Reason::NotRegular);
    }
    Ok((fs::canonicalize(argument)?, kind))
}
