//! Finds the root of each argument: the directory that its path is relative to, and its tree.
//!
//! A root that the user sets comes first, then the deepest named tree that contains the argument.
//! Without either, a directory is its own root, and the root of a file is its parent directory.
//! Paths are compared with all links resolved, so the spelling of an argument does not matter.

use std::fs;
use std::path::{Component, Path, PathBuf};

use chunkwright::Format;

use crate::directory::is_hidden;
use crate::entries::{is_readable, portable};
use crate::error::{Reason, WalkError};

/// The tree name of roots without a file name: standard input and `/`.
const NAMELESS_TREE: &str = "docs";

/// The argument that means standard input.
pub(crate) const STDIN: &str = "-";

/// Options that determine trees, paths and formats.
#[derive(Clone, Debug, Default)]
pub struct Naming {
    /// Tree of all documents. By default, the name of the root directory.
    pub tree: Option<String>,
    /// Path of standard input. By default, `-`.
    pub stdin_path: Option<String>,
    /// Directory that all paths are relative to.
    pub root: Option<PathBuf>,
    /// Named trees and their directories. Paths inside one of them are relative to it.
    pub trees: Vec<(String, PathBuf)>,
    /// Format of all documents. By default, the file extension decides.
    pub format: Option<Format>,
}

/// The tree of an argument, and its path below the root of that tree.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// Name of the tree.
    pub tree: String,
    /// Path of the file or directory; empty for the root itself.
    pub path: String,
}

/// Returns the tree and path that [`walk`](crate::walk) assigns to an argument.
///
/// An argument that does not exist is treated as a file in its parent directory.
///
/// # Errors
///
/// Fails like [`walk`](crate::walk) with this argument alone.
pub fn place(argument: &Path, naming: &Naming) -> Result<Place, WalkError> {
    let roots = Roots::new(naming)?;
    let (root, path) = match fs::canonicalize(argument) {
        _ if argument == Path::new(STDIN) => {
            (roots.of_stdin(), naming.stdin_path.as_deref().unwrap_or(STDIN).into())
        }
        Ok(real) => roots.of(argument, &real)?,
        Err(_) => {
            let name = argument.file_name().map(PathBuf::from).unwrap_or_default();
            (Root::at(parent(argument)), name)
        }
    };
    let tree = naming.tree.clone().map_or_else(|| root.tree(), Ok)?;
    Ok(Place { tree, path: portable(&path).unwrap_or_default() })
}

/// A root for texts that are not files.
///
/// Nothing needs to exist on disk: paths are compared as written, relative to the working
/// directory.
#[derive(Clone, Debug)]
pub struct TextRoot {
    root: Root,
}

impl TextRoot {
    /// Creates a root from the path of a directory.
    pub fn new(given: &Path) -> Self {
        Self { root: Root { given: given.to_owned(), real: written(given), name: None } }
    }

    /// Returns the name of its tree.
    ///
    /// # Errors
    /// Fails if the directory's name is not UTF-8.
    pub fn tree(&self) -> Result<String, WalkError> {
        self.root.tree()
    }

    /// Returns a path relative to the root.
    ///
    /// # Errors
    /// Fails if the path is outside the root.
    pub fn path(&self, given: &str) -> Result<String, WalkError> {
        let path = written(given.as_ref());
        let below = path.strip_prefix(&self.root.real).ok().and_then(portable);
        below.filter(|below| !below.is_empty()).ok_or_else(|| WalkError::OutsideRoot {
            path: given.into(),
            root: self.root.given.clone(),
        })
    }
}

/// Returns an absolute path without `.` and `..`, without looking at the file system.
fn written(path: &Path) -> PathBuf {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut plain = PathBuf::new();
    for part in whole.components() {
        match part {
            Component::CurDir => {}
            // At the root of the file system, `..` has no effect.
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

/// A directory that paths are relative to, or `-`.
#[derive(Clone, Debug)]
pub(crate) struct Root {
    /// The path as the user wrote it.
    pub(crate) given: PathBuf,
    pub(crate) real: PathBuf,
    /// The name of the tree, if the configuration sets one.
    name: Option<String>,
}

impl Root {
    fn at(given: &Path) -> Self {
        let real = fs::canonicalize(given).unwrap_or_else(|_| given.to_owned());
        Self { given: given.to_owned(), real, name: None }
    }

    /// Returns the name of the tree: the configured name, or the name of the directory as written.
    /// For a directory such as `..`, it is that of the canonical path.
    pub(crate) fn tree(&self) -> Result<String, WalkError> {
        if let Some(name) = &self.name {
            return Ok(name.clone());
        }
        if self.given == Path::new(STDIN) {
            return Ok(NAMELESS_TREE.to_owned());
        }
        let Some(name) = self.given.file_name().or(self.real.file_name()) else {
            return Ok(NAMELESS_TREE.to_owned());
        };
        let name = name.to_str().map(str::to_owned);
        name.ok_or_else(|| WalkError::TreeName { path: self.given.clone() })
    }
}

/// The roots that the user and the configuration set.
pub(crate) struct Roots {
    /// The common root of all arguments.
    only: Option<Root>,
    trees: Vec<Root>,
}

impl Roots {
    pub(crate) fn new(naming: &Naming) -> Result<Self, WalkError> {
        let existing = |(name, given): &(String, PathBuf)| {
            let real = fs::canonicalize(given).ok()?;
            Some(Root { given: given.clone(), real, name: Some(name.clone()) })
        };
        let mut roots =
            Self { only: None, trees: naming.trees.iter().filter_map(existing).collect() };
        if let Some(given) = &naming.root {
            let real = real_directory(given)
                .map_err(|reason| WalkError::Root { path: given.clone(), reason })?;
            let name = roots.deepest(&real).filter(|tree| tree.real == real);
            let name = name.and_then(|tree| tree.name.clone());
            roots.only = Some(Root { given: given.clone(), real, name });
        }
        Ok(roots)
    }

    /// Returns the root of standard input.
    pub(crate) fn of_stdin(&self) -> Root {
        let none = || Root { given: STDIN.into(), real: STDIN.into(), name: None };
        self.only.clone().unwrap_or_else(none)
    }

    /// Returns the root of an argument with the canonical path `real`, and its path below the root.
    pub(crate) fn of(&self, given: &Path, real: &Path) -> Result<(Root, PathBuf), WalkError> {
        let root = self.only.as_ref().or_else(|| self.deepest(real)).cloned();
        match root {
            Some(root) => match below(&root.real, given, real) {
                Some(path) => Ok((root, path)),
                None => Err(WalkError::OutsideRoot { path: given.to_owned(), root: root.given }),
            },
            None if real.is_dir() => {
                let (given, real) = (given.to_owned(), real.to_owned());
                Ok((Root { given, real, name: None }, PathBuf::new()))
            }
            None => {
                let name = given.file_name().or(real.file_name()).map(PathBuf::from);
                Ok((Root::at(parent(given)), name.unwrap_or_default()))
            }
        }
    }

    /// Returns the deepest tree that contains a real path; none if two trees have that directory.
    fn deepest(&self, real: &Path) -> Option<&Root> {
        let depth = |tree: &&Root| tree.real.components().count();
        let trees = || self.trees.iter().filter(|tree| real.starts_with(&tree.real));
        let deepest = trees().max_by_key(depth)?;
        let is_only = trees().filter(|tree| tree.real == deepest.real).count() == 1;
        is_only.then_some(deepest)
    }
}

/// Returns the path of an argument below the canonical path of a root, if the root contains it.
///
/// The path of a link is that of its target, as in a listing of the whole root. If the listing
/// skips the target, because it is hidden or has an unknown extension, it contains the link instead.
/// Then the path is that of the link.
fn below(root: &Path, given: &Path, real: &Path) -> Option<PathBuf> {
    let path = real.strip_prefix(root).ok()?;
    let is_directory = real.is_dir();
    let is_listed =
        |path: &&Path| !path.iter().any(is_hidden) && (is_directory || is_readable(path));
    let link = fs::canonicalize(parent(given)).ok().zip(given.file_name());
    let link = link.map(|(parent, name)| parent.join(name));
    let link = link.as_deref().and_then(|link| link.strip_prefix(root).ok());
    let listed = Some(path).filter(is_listed).or(link.filter(is_listed));
    Some(listed.unwrap_or(path).to_owned())
}

fn real_directory(given: &Path) -> Result<PathBuf, Reason> {
    let real = fs::canonicalize(given)?;
    if real.is_dir() { Ok(real) } else { Err(Reason::NotDirectory) }
}

/// Returns the directory that contains a file.
pub(crate) fn parent(file: &Path) -> &Path {
    let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty());
    parent.unwrap_or(Path::new("."))
}
