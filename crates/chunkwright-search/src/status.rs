//! The state of an index: what is in it, and what has changed on disk since.

use crate::answer::{Status, TreeStatus};
use crate::error::Error;
use crate::index::{Snapshot, bytes_in};
use crate::update::pending;

impl Snapshot {
    /// What is in the index, and what has changed on disk since. Only names, sizes and times of
    /// files are compared.
    ///
    /// # Errors
    /// When the index is damaged, or a tree cannot be listed.
    pub fn status(&self) -> Result<Status, Error> {
        let files = self.files()?;
        let mut trees = Vec::new();
        for (name, root) in self.trees() {
            let of_tree = || files.iter().filter(|file| file.tree == name);
            let pending = pending(self, &name, &root, of_tree().cloned().collect())?;
            trees.push(TreeStatus {
                files: of_tree().count(),
                nodes: of_tree().map(|file| file.nodes).sum(),
                parts: of_tree().map(|file| file.parts).sum(),
                changed: pending.changed,
                new: pending.added,
                deleted: pending.removed,
                name,
                root,
            });
        }
        Ok(Status {
            index: self.place.dir.clone(),
            generator: self.state.generator.clone(),
            config_hash: self.state.config_hash.clone(),
            language: self.state.indexing.language,
            trees,
            bytes: bytes_in(&self.place.engine()),
            outdated: self.is_outdated(),
        })
    }
}
