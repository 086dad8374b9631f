//! Arguments come in; the texts to read go out, in order, each with its tree and its path in it.

use std::collections::BTreeMap;
use std::fs::{self, FileType};
use std::path::{Path, PathBuf};

use crate::directory;
use crate::entries::{Entries, Entry, Part, Source, portable};
use crate::error::{FileError, Reason, WalkError};
use crate::taken::Taken;

/// The tree of what has no directory with a name: standard input, `/`.
const NAMELESS_TREE: &str = "docs";

/// The argument that means standard input.
const STDIN: &str = "-";

/// Names the user gave.
#[derive(Clone, Debug, Default)]
pub struct Naming {
    /// The tree, instead of the directory's name.
    pub tree: Option<String>,
    /// The path of standard input, instead of `-`.
    pub stdin_path: Option<String>,
}

/// What there is to read, and what is left out though it should have been read.
#[derive(Debug, Default)]
pub struct Found {
    /// In the order of the arguments; below a directory, in the order of paths.
    pub entries: Entries,
    /// In the order of the arguments.
    pub errors: Vec<FileError>,
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
/// A directory is a root: it is searched for Markdown, MDX and text, without what is hidden or
/// ignored. A file is taken as it is, and its parent directory is its root. Whatever is reached
/// twice is read once: as the first argument that reaches it, and rather by its own name than by
/// that of a link. A hard link is a file of its own.
///
/// # Errors
///
/// When two roots that both have something to read get the same tree name, or a root's name cannot
/// be one. What goes wrong with a single file or directory is listed in [`Found::errors`] instead.
pub fn walk(arguments: &[PathBuf], naming: &Naming) -> Result<Found, WalkError> {
    let (roots, taken) = (BTreeMap::new(), Taken::default());
    let mut walk = Walk { naming, roots, taken, found: Found::default() };
    for argument in arguments {
        walk.argument(argument)?;
    }
    Ok(walk.found)
}

struct Walk<'a> {
    naming: &'a Naming,
    /// The root of each tree.
    roots: BTreeMap<String, Root>,
    /// What was found; `-` is standard input.
    taken: Taken,
    found: Found,
}

/// What paths are relative to: a directory, or `-`.
#[derive(Clone)]
struct Root {
    given: PathBuf,
    real: PathBuf,
}

impl Walk<'_> {
    fn argument(&mut self, argument: &Path) -> Result<(), WalkError> {
        if argument == Path::new(STDIN) {
            return self.stdin();
        }
        match look(argument) {
            Ok((real, kind)) if kind.is_dir() => self.directory(argument, real),
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
        let root = Root { given: STDIN.into(), real: STDIN.into() };
        let path = self.naming.stdin_path.as_deref().unwrap_or(STDIN).to_owned();
        self.add(&root, path, Source::Stdin)
    }

    fn directory(&mut self, given: &Path, real: PathBuf) -> Result<(), WalkError> {
        let listing = directory::list(given, &real, &mut self.taken);
        self.found.errors.extend(listing.errors);
        if listing.stretches.is_empty() {
            return Ok(());
        }
        let tree = self.tree(&Root { given: given.to_owned(), real })?;
        let (root, stretches) = (given.to_owned(), listing.stretches);
        self.found.entries.push(Part::Directory { tree, root, stretches });
        Ok(())
    }

    fn file(&mut self, given: &Path, real: PathBuf) -> Result<(), WalkError> {
        if !self.taken.take(real) {
            return Ok(());
        }
        let parent = parent(given);
        let name = given.file_name().and_then(|name| portable(name.as_ref()));
        match (name, fs::canonicalize(parent)) {
            (Some(path), Ok(real)) => {
                let root = Root { given: parent.to_owned(), real };
                return self.add(&root, path, Source::File(given.to_owned()));
            }
            (None, _) => self.fail(given, Reason::NameNotUtf8),
            (_, Err(fault)) => self.fail(given, fault),
        }
        Ok(())
    }

    fn add(&mut self, root: &Root, path: String, source: Source) -> Result<(), WalkError> {
        let tree = self.tree(root)?;
        self.found.entries.push(Part::Text(Entry { tree, path, source }));
        Ok(())
    }

    /// The tree of a root with something to read.
    fn tree(&mut self, root: &Root) -> Result<String, WalkError> {
        let tree = match &self.naming.tree {
            Some(tree) => tree.clone(),
            None => name(root)?,
        };
        let first = self.roots.entry(tree.clone()).or_insert_with(|| root.clone());
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

/// The tree that an argument belongs to when the user names none.
///
/// # Errors
///
/// When its name is not UTF-8.
pub fn tree_name(argument: &Path) -> Result<String, WalkError> {
    let given = if argument.is_dir() { argument } else { parent(argument) };
    let real = fs::canonicalize(given).unwrap_or_else(|_| given.to_owned());
    let given = if argument == Path::new(STDIN) { argument } else { given };
    name(&Root { given: given.to_owned(), real })
}

/// The directory that a file is in.
fn parent(file: &Path) -> &Path {
    let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty());
    parent.unwrap_or(Path::new("."))
}

/// The root's name as it was given; where it has none, as for `..`, that of the real directory.
fn name(root: &Root) -> Result<String, WalkError> {
    if root.given == Path::new(STDIN) {
        return Ok(NAMELESS_TREE.to_owned());
    }
    let Some(name) = root.given.file_name().or(root.real.file_name()) else {
        return Ok(NAMELESS_TREE.to_owned());
    };
    let name = name.to_str().map(str::to_owned);
    name.ok_or_else(|| WalkError::TreeName { path: root.given.clone() })
}
