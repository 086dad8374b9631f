//! Finds the files of the trees to update.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use chunkwright::Format;
use chunkwright_io::{Entry, FileError, Naming, walk};

use super::{Tree, Update};
use crate::error::Error;

/// A tree to update.
pub(super) struct Scope {
    pub(super) tree: String,
    pub(super) root: PathBuf,
    pub(super) entries: Vec<Entry>,
    /// Whether the whole tree is listed, so that other files of it no longer exist.
    pub(super) is_whole: bool,
}

/// All trees to update.
#[derive(Default)]
pub(super) struct Scopes {
    pub(super) all: Vec<Scope>,
    /// The directory of each tree after the update.
    pub(super) trees: BTreeMap<String, PathBuf>,
    pub(super) errors: Vec<FileError>,
    /// Directories without any file to index.
    pub(super) empty: Vec<PathBuf>,
    /// The format of all files, if the index sets one.
    format: Option<Format>,
}

impl Scopes {
    /// Finds the files of the trees to update. If the index is rebuilt, these include the
    /// trees that stay in it.
    pub(super) fn find(
        update: &Update,
        format: Option<Format>,
        base: &Path,
        indexed: &BTreeMap<String, PathBuf>,
        rebuild: bool,
    ) -> Result<Self, Error> {
        let mut scopes = Self { format, ..Self::default() };
        for tree in &update.trees {
            scopes.add_named(tree, base, indexed)?;
        }
        if !update.only_these {
            scopes.add_others(base, indexed, rebuild)?;
        }
        Ok(scopes)
    }

    fn add_named(
        &mut self,
        tree: &Tree,
        base: &Path,
        indexed: &BTreeMap<String, PathBuf>,
    ) -> Result<(), Error> {
        let Some(scope) = self.scope(tree)? else { return Ok(()) };
        let indexed = indexed.get(&scope.tree).map(|root| base.join(root));
        let earlier = self.all.iter().find(|other| other.tree == scope.tree);
        let rival = earlier.map(|other| other.root.clone()).or(indexed);
        if let Some(rival) = rival.filter(|rival| *rival != scope.root && rival.exists()) {
            let (tree, given) = (scope.tree, tree.path.clone());
            return Err(Error::TreeClash { tree, indexed: rival, given });
        }
        let root = scope.root.strip_prefix(base).unwrap_or(&scope.root).to_owned();
        self.trees.insert(scope.tree.clone(), root);
        self.all.push(scope);
        Ok(())
    }

    /// Adds the trees that stay in the index.
    fn add_others(
        &mut self,
        base: &Path,
        indexed: &BTreeMap<String, PathBuf>,
        rebuild: bool,
    ) -> Result<(), Error> {
        for (name, root) in indexed {
            if self.trees.contains_key(name) {
                continue;
            }
            if rebuild {
                let tree = Tree { name: Some(name.clone()), path: base.join(root) };
                let scope = self.scope(&tree)?;
                self.all.extend(scope);
            }
            self.trees.insert(name.clone(), root.clone());
        }
        Ok(())
    }

    /// Finds the files of a tree. If the path cannot be read, reports an error and returns `None`,
    /// so that the index keeps its files.
    fn scope(&mut self, tree: &Tree) -> Result<Option<Scope>, Error> {
        let real = match fs::canonicalize(&tree.path) {
            Ok(real) => real,
            Err(fault) => {
                self.errors.push(FileError { path: tree.path.clone(), reason: fault.into() });
                return Ok(None);
            }
        };
        let is_whole = real.is_dir();
        let parent = || real.parent().map_or(real.clone(), Path::to_owned);
        let root = if is_whole { real.clone() } else { parent() };
        let given = if is_whole { tree.path.file_name() } else { None };
        let name = given.or(root.file_name()).map(|name| name.to_string_lossy().into_owned());
        let name = tree.name.clone().or(name).unwrap_or_else(|| "docs".to_owned());
        let naming = Naming { tree: Some(name.clone()), format: self.format, ..Naming::default() };
        let found = walk(std::slice::from_ref(&tree.path), &naming)?;
        self.errors.extend(found.errors);
        self.empty.extend(found.empty);
        Ok(Some(Scope { tree: name, root, entries: found.entries.iter().collect(), is_whole }))
    }
}
