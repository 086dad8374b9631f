//! The set of files already listed, by canonical path.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::entries::Folder;

#[derive(Default)]
pub(crate) struct Taken {
    /// Listed directories. A directory has several folders if several arguments lead to it.
    folders: HashMap<PathBuf, Vec<Arc<Folder>>>,
    /// Files listed individually.
    files: HashSet<PathBuf>,
}

impl Taken {
    /// Adds a file, and returns whether it is new.
    pub(crate) fn take(&mut self, real: PathBuf) -> bool {
        !self.has(&real) && self.files.insert(real)
    }

    /// Adds new files of a directory.
    pub(crate) fn take_all(&mut self, real: PathBuf, folder: Arc<Folder>) {
        self.folders.entry(real).or_default().push(folder);
    }

    pub(crate) fn has(&self, real: &Path) -> bool {
        let folders = real.parent().and_then(|parent| self.folders.get(parent));
        let name = real.file_name().and_then(|name| name.to_str());
        let in_folder = folders
            .zip(name)
            .is_some_and(|(folders, name)| folders.iter().any(|folder| folder.has(name)));
        in_folder || self.files.contains(real)
    }
}
