//! Lists trees, folders, pages and sections, one level at a time.

use std::collections::BTreeMap;
use std::fs;

use crate::answer::{Listed, ListedKind};
use crate::error::Error;
use crate::index::{IndexedFile, Snapshot};
use crate::page::Page;
use crate::resolve::Located;
use crate::runs::Stamp;

impl Snapshot {
    /// Lists the entries one level below an id.
    ///
    /// Without an id, lists the trees, or the top level of the only tree. `docs:` and `docs:guide/`
    /// list folders and pages; a page or section lists its sections. `recursive` lists all pages or
    /// sections below the id instead.
    ///
    /// ```
    /// # use chunkwright_search::{Snapshot, Tree, Update, update};
    /// # let dir = tempfile::tempdir()?;
    /// # std::fs::create_dir(dir.path().join("docs"))?;
    /// # std::fs::write(dir.path().join("docs/tea.md"), "# Tea\n\nBoil water.\n")?;
    /// # let index = dir.path().join("index");
    /// # update(&index, &Update::of(vec![Tree::at(dir.path().join("docs"))]))?;
    /// # let snapshot = Snapshot::open(&index)?;
    /// assert_eq!(snapshot.list(None, false)?[0].name, "tea.md");
    /// assert_eq!(snapshot.list(Some("docs:tea.md"), false)?[0].name, "#tea");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Fails if the id is unknown or ambiguous, or the index is damaged.
    pub fn list(&self, id: Option<&str>, recursive: bool) -> Result<Vec<Listed>, Error> {
        let files = self.files()?;
        let Some(id) = id.map(|id| id.trim_start_matches("./")).filter(|id| !id.is_empty()) else {
            return match (&self.state.trees.keys().collect::<Vec<_>>()[..], recursive) {
                ([_, _, ..], false) => self.trees_listed(&files),
                ([tree], false) => self.folder(&format!("{tree}:"), &files, false),
                _ => self.pages(files.iter(), 0),
            };
        };
        let folders = self.state.trees.keys().map(|tree| format!("{tree}:{}", folder_of(id)));
        let named = folders.chain([if id.ends_with(':') { id.to_owned() } else { folder_of(id) }]);
        let is_folder = |folder: &String| files.iter().any(|file| file.id().starts_with(folder));
        let mut named: Vec<String> = named.filter(is_folder).collect();
        named.dedup();
        match &named[..] {
            [] => self.sections(&self.locate(id)?, recursive),
            [folder] => self.folder(folder, &files, recursive),
            _ => Err(Error::AmbiguousPath { path: id.to_owned(), ids: named }),
        }
    }

    fn trees_listed(&self, files: &[IndexedFile]) -> Result<Vec<Listed>, Error> {
        let tree = |name: &String| {
            let id = format!("{name}:");
            let children = self.folder(&id, files, false)?.len();
            Ok(self.container(ListedKind::Tree, id, 0, children, files))
        };
        self.state.trees.keys().map(tree).collect()
    }

    /// Lists a folder whose id ends with `:` or `/`: folders first, then pages.
    fn folder(
        &self,
        id: &str,
        files: &[IndexedFile],
        recursive: bool,
    ) -> Result<Vec<Listed>, Error> {
        let inside = || files.iter().filter(|file| file.id().starts_with(id));
        if recursive {
            return self.pages(inside(), id.len());
        }
        let mut folders: BTreeMap<String, ()> = BTreeMap::new();
        let mut pages = Vec::new();
        for file in inside() {
            match file.id()[id.len()..].split_once('/') {
                Some((folder, _)) => {
                    folders.insert(format!("{id}{folder}/"), ());
                }
                None => pages.push(file),
            }
        }
        let below = |folder: &str| {
            let rest = |file: &IndexedFile| file.id().strip_prefix(folder).map(str::to_owned);
            let mut names: Vec<String> = files
                .iter()
                .filter_map(rest)
                .filter_map(|rest| rest.split('/').next().map(str::to_owned))
                .collect();
            names.dedup();
            names.len()
        };
        let folders = folders.into_keys().map(|folder| {
            let children = below(&folder);
            self.container(ListedKind::Folder, folder, id.len(), children, files)
        });
        let mut listed: Vec<Listed> = folders.collect();
        listed.extend(self.pages(pages.into_iter(), id.len())?);
        Ok(listed)
    }

    /// Returns the entry of a tree or folder. Its name is its id from byte `name_at` on.
    fn container(
        &self,
        kind: ListedKind,
        id: String,
        name_at: usize,
        children: usize,
        files: &[IndexedFile],
    ) -> Listed {
        let inside = || files.iter().filter(|file| file.id().starts_with(&id));
        Listed {
            kind,
            name: id[name_at..].to_owned(),
            title: None,
            depth: 0,
            position: 0,
            byte_start: None,
            byte_end: None,
            tokens: inside().map(|file| file.tokens).sum(),
            children,
            stale: inside().any(|file| self.looks_stale(file)),
            id,
        }
    }

    /// Returns the entries of pages. Their names are their ids from byte `name_at` on.
    fn pages<'f>(
        &self,
        files: impl Iterator<Item = &'f IndexedFile>,
        name_at: usize,
    ) -> Result<Vec<Listed>, Error> {
        let page = |file: &IndexedFile| {
            let page = self.page(file.address)?;
            let listed = page.listed(&file.id(), 0, self.looks_stale(file));
            Ok(Listed { kind: ListedKind::Page, name: listed.id[name_at..].to_owned(), ..listed })
        };
        files.map(page).collect()
    }

    fn sections(&self, located: &Located, recursive: bool) -> Result<Vec<Listed>, Error> {
        let Located { doc_id, address, page, ordinal, .. } = located;
        let (tree, path) = doc_id.split_once(':').unwrap_or_default();
        let stale = self.is_stale(tree, path, *address, page)?;
        let nodes = &page.outline.nodes;
        let below = (ordinal + 1..nodes[*ordinal].subtree_end)
            .filter(|&node| recursive || nodes[node].parent == Some(*ordinal));
        Ok(below.map(|node| page.listed(doc_id, node, stale)).collect())
    }

    /// Returns whether the size or time of a file has changed. Does not read the file.
    fn looks_stale(&self, file: &IndexedFile) -> bool {
        self.file(&file.tree, &file.path).is_some_and(|path| {
            fs::metadata(path).map_or(true, |found| Stamp::of(&found) != file.stamp)
        })
    }
}

impl Page {
    fn listed(&self, doc_id: &str, ordinal: usize, stale: bool) -> Listed {
        let node = &self.outline.nodes[ordinal];
        let children = (ordinal + 1..node.subtree_end)
            .filter(|&child| self.outline.nodes[child].parent == Some(ordinal));
        Listed {
            kind: ListedKind::Section,
            id: self.node_id(doc_id, ordinal),
            name: format!("#{}", node.slug),
            title: Some(node.title.clone()),
            depth: node.depth,
            position: ordinal,
            byte_start: Some(node.start),
            byte_end: Some(node.end),
            tokens: node.subtree_tokens,
            children: children.count(),
            stale,
        }
    }
}

/// Returns a path with exactly one slash at its end, as a prefix of ids.
fn folder_of(path: &str) -> String {
    format!("{}/", path.trim_end_matches('/'))
}
