//! Reports the contents of an index, and the changes on disk since the last update.

use crate::answer::{Status, TreeStatus};
use crate::error::Error;
use crate::index::{Snapshot, bytes_in};
use crate::update::pending;

impl Snapshot {
    /// Returns the contents of the index, and the changes on disk since the last update.
    ///
    /// Files are compared by name, size and modification time. None is read.
    ///
    /// ```
    /// # use chunkwright_search::{Snapshot, Tree, Update, update};
    /// # let dir = tempfile::tempdir()?;
    /// # let (docs, index) = (dir.path().join("docs"), dir.path().join("index"));
    /// # std::fs::create_dir(&docs)?;
    /// # std::fs::write(docs.join("tea.md"), "# Tea\n\nBoil water.\n")?;
    /// # update(&index, &Update::of(vec![Tree::at(&docs)]))?;
    /// std::fs::write(docs.join("coffee.md"), "# Coffee\n")?;
    /// let status = Snapshot::open(&index)?.status()?;
    /// assert_eq!((status.trees[0].files, status.trees[0].new), (1, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Fails if the index is damaged, or a tree cannot be read.
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
