//! Finds the documents to read, each with its tree and its path in it.

use std::collections::BTreeMap;
use std::fs::{self, FileType};
use std::path::{Path, PathBuf};

use crate::directory::{self, Taken};
use crate::entries::{Argument, Entries, Entry, Location, is_extensionless, is_readable, portable};
use crate::error::{FileError, Reason, WalkError};
use crate::roots::{Naming, Root, Roots, STDIN};

/// The result of [`walk`].
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Found {
    /// Documents in the order of the arguments; below a directory, sorted by path.
    pub entries: Entries,
    /// Files and directories that cannot be read, in the order of the arguments.
    pub errors: Vec<FileError>,
    /// Directories without a file to read, in the order of the arguments.
    pub empty: Vec<PathBuf>,
}

impl Found {
    /// Returns whether a file is among the documents to read.
    pub fn has(&self, file: &Path) -> bool {
        let Ok(real) = fs::canonicalize(file) else { return false };
        let is_link =
            |path: &Path| fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink());
        let may_be = |path: &Path| path.file_name() == real.file_name() || is_link(path);
        self.entries.iter().any(|entry| match &entry.location {
            Location::File(path) => {
                may_be(path) && fs::canonicalize(path).is_ok_and(|path| path == real)
            }
            Location::Stdin => false,
        })
    }
}

/// Finds the documents in `arguments`: files, directories, and `-` for standard input.
///
/// In a directory, it finds Markdown, MDX and text files, except hidden and ignored ones. A named
/// file is accepted if it has one of their extensions or none, or if a format is set.
///
/// Paths are relative to a root: [`Naming::root`], or the deepest named tree that contains the
/// argument, or the directory itself, or the parent directory of a file.
///
/// A file that several arguments or links lead to is listed once: for the first argument, and by
/// its own path rather than that of a link. A hard link counts as a separate file.
///
/// ```
/// use chunkwright_io::{Naming, walk};
///
/// let folder = tempfile::tempdir()?;
/// std::fs::create_dir(folder.path().join("guide"))?;
/// std::fs::write(folder.path().join("guide/tea.md"), "# Tea\n")?;
/// let found = walk(&[folder.path().join("guide")], &Naming::default())?;
/// let entry = found.entries.iter().next().expect("one file");
/// assert_eq!((&*entry.tree, &*entry.path), ("guide", "tea.md"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Fails if two roots with documents get the same tree name, if the name of a root is not UTF-8, if
/// the common root is not a directory, or if an argument is outside it. Errors of single files and
/// directories are listed in [`Found::errors`] instead.
pub fn walk(arguments: &[PathBuf], naming: &Naming) -> Result<Found, WalkError> {
    let roots = Roots::new(naming)?;
    let (seen, taken) = (BTreeMap::new(), Taken::new(arguments));
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
    /// The files listed so far, and `-` for standard input.
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
            Ok((real, _)) => self.file(argument, &real),
            Err(reason) => {
                self.fail(argument, reason);
                Ok(())
            }
        }
    }

    fn stdin(&mut self) -> Result<(), WalkError> {
        if !self.taken.insert(Path::new(STDIN)) {
            return Ok(());
        }
        let path = self.naming.stdin_path.as_deref().unwrap_or(STDIN).to_owned();
        self.add(&self.roots.of_stdin(), path, Location::Stdin)
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
        if listing.files.is_empty() {
            return Ok(());
        }
        let (tree, format) = (self.tree(&root)?, self.naming.format);
        let (directory, files) = (given.to_owned(), listing.files);
        self.found.entries.push(Argument::Directory { tree, directory, below, files, format });
        Ok(())
    }

    fn file(&mut self, given: &Path, real: &Path) -> Result<(), WalkError> {
        let (root, path) = self.roots.of(given, real)?;
        if !self.taken.take(real) {
            return Ok(());
        }
        let is_known = is_readable(given) || is_extensionless(given);
        match portable(&path) {
            _ if !is_known && self.naming.format.is_none() => {
                self.fail(given, Reason::UnknownFormat)
            }
            Some(path) => return self.add(&root, path, Location::File(given.to_owned())),
            None => self.fail(given, Reason::NameNotUtf8),
        }
        Ok(())
    }

    fn add(&mut self, root: &Root, path: String, location: Location) -> Result<(), WalkError> {
        let tree = self.tree(root)?;
        let entry = Entry::new(tree, path, location, self.naming.format);
        self.found.entries.push(Argument::Text(entry));
        Ok(())
    }

    /// Returns the tree of a root that has documents.
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

/// Returns the canonical path and type of an argument, which must be a directory or a regular file.
fn look(argument: &Path) -> Result<(PathBuf, FileType), Reason> {
    let kind = fs::metadata(argument)?.file_type();
    if !kind.is_dir() && !kind.is_file() {
        return Err(Reason::NotRegular);
    }
    Ok((fs::canonicalize(argument)?, kind))
}
