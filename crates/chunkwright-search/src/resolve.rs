//! Looking things up: an id comes in, its text goes out; and what there is in an index.

use std::fs;
use std::path::Path;

use chunkwright_io::read_file;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocAddress, DocSet, TERMINATED, Term};

use crate::answer::{Listed, Node, Status, TreeStatus};
use crate::assemble::Shown;
use crate::error::Error;
use crate::index::{Page, Snapshot, bytes_in};
use crate::outline::hash;
use crate::runs::{Runs, Stamp};

impl Snapshot {
    /// The node or part with this id; `whole` gives all below it too.
    ///
    /// # Errors
    /// When there is none, or the index is damaged.
    pub fn get(&self, id: &str, whole: bool) -> Result<Node, Error> {
        let unknown = || Error::UnknownId { id: id.to_owned() };
        let (doc_id, address, rest) = self.file_of(id)?.ok_or_else(unknown)?;
        let page = self.page(address)?;
        let (slug, parts) = part_numbers(&page, rest);
        let ordinal = page.outline.nodes.iter().position(|node| &*node.slug == slug);
        let ordinal = ordinal.ok_or_else(unknown)?;
        let shown = match parts {
            Some((first, last)) => Shown::Parts(first.wrapping_sub(1), last.wrapping_sub(1)),
            None if whole => Shown::Whole,
            None => Shown::Own,
        };
        let cut = page.cut(&doc_id, ordinal, shown).ok_or_else(unknown)?;
        let node = &page.outline.nodes[ordinal];
        let children = (ordinal + 1..node.subtree_end)
            .filter(|&child| page.outline.nodes[child].parent == Some(ordinal));
        let (tree, path) = doc_id.split_once(':').ok_or_else(unknown)?;
        Ok(Node {
            node_id: page.node_id(&doc_id, ordinal),
            parent_id: node.parent.map(|parent| page.node_id(&doc_id, parent)),
            path: path.to_owned(),
            url: page.outline.url.clone(),
            title: node.title.clone(),
            breadcrumb: node.breadcrumb.clone(),
            tokens: cut.tokens,
            line_start: page.line(cut.start),
            line_end: page.line((cut.start + cut.text.len()).saturating_sub(1)),
            byte_start: cut.start,
            byte_end: cut.start + cut.text.len(),
            text: cut.text.to_owned(),
            children: children.map(|child| page.node_id(&doc_id, child)).collect(),
            stale: self.is_stale(tree, path, address, &page)?,
            id: cut.id,
            doc_id: doc_id.clone(),
        })
    }

    /// The file that an id begins with, and what follows: nothing, or `slug`, or `slug@2`.
    fn file_of<'i>(&self, id: &'i str) -> Result<Option<(String, DocAddress, &'i str)>, Error> {
        if let Some(address) = self.address(id)? {
            return Ok(Some((id.to_owned(), address, "")));
        }
        // A path may have these signs in it too: the longest that is a file wins.
        for (at, sign) in id.rmatch_indices(['#', '@']) {
            if let Some(address) = self.address(&id[..at])? {
                let rest = if sign == "#" { &id[at + 1..] } else { &id[at..] };
                return Ok(Some((id[..at].to_owned(), address, rest)));
            }
        }
        Ok(None)
    }

    /// Where the file with this id begins.
    fn address(&self, doc_id: &str) -> Result<Option<DocAddress>, Error> {
        let dir = self.place.engine();
        let engine = Error::engine(&dir);
        let term = Term::from_field_text(self.fields.doc, doc_id);
        for (segment_ord, reader) in (0..).zip(self.searcher.segment_readers()) {
            let index = reader.inverted_index(self.fields.doc).map_err(&engine)?;
            let postings = index.read_postings(&term, IndexRecordOption::Basic);
            let Some(mut postings) = postings.map_err(Error::io(&dir))? else { continue };
            let mut doc_id = postings.doc();
            while doc_id != TERMINATED && reader.is_deleted(doc_id) {
                doc_id = postings.advance();
            }
            if doc_id != TERMINATED {
                return Ok(Some(DocAddress { segment_ord, doc_id }));
            }
        }
        Ok(None)
    }

    /// Whether a file is not as it was indexed. One in a tree that is not at hand is not stale.
    pub(crate) fn is_stale(
        &self,
        tree: &str,
        path: &str,
        address: DocAddress,
        page: &Page,
    ) -> Result<bool, Error> {
        let engine = Error::engine(&self.place.engine());
        let columns = Runs::open(self.searcher.segment_reader(address.segment_ord));
        let stamp = columns.map_err(engine)?.stamp(address.doc_id);
        let Some(file) = self.file(tree, path) else { return Ok(false) };
        Ok(match fs::metadata(&file) {
            Ok(found) if Stamp::of(&found) == stamp => false,
            Ok(found) if found.len() != page.text.len() as u64 => true,
            Ok(found) => {
                let text = read_file(&file, found.len());
                text.map_or(true, |text| hash(&text) != page.outline.hash)
            }
            Err(_) => true,
        })
    }

    /// Where a file should be, if its tree is at hand.
    fn file(&self, tree: &str, path: &str) -> Option<std::path::PathBuf> {
        let root = self.place.base().join(self.state.trees.get(tree)?);
        root.is_dir().then(|| root.join(path))
    }

    /// All files, or all nodes of the file with this id and below this node.
    ///
    /// # Errors
    /// When no such id is known, or the index is damaged.
    pub fn list(&self, id: Option<&str>) -> Result<Vec<Listed>, Error> {
        match id {
            Some(id) => self.list_nodes(id),
            None => self
                .files()?
                .iter()
                .map(|file| {
                    Ok(Listed {
                        id: file.id(),
                        title: None,
                        depth: 0,
                        tokens: file.tokens,
                        nodes: file.nodes,
                        stale: self.looks_stale(&file.tree, &file.path, file.stamp),
                    })
                })
                .collect(),
        }
    }

    fn list_nodes(&self, id: &str) -> Result<Vec<Listed>, Error> {
        let unknown = || Error::UnknownId { id: id.to_owned() };
        let (doc_id, address, slug) = self.file_of(id)?.ok_or_else(unknown)?;
        let page = self.page(address)?;
        let nodes = &page.outline.nodes;
        let top = nodes.iter().position(|node| &*node.slug == slug).ok_or_else(unknown)?;
        let (tree, path) = doc_id.split_once(':').ok_or_else(unknown)?;
        let stale = self.is_stale(tree, path, address, &page)?;
        let listed = (top..nodes[top].subtree_end).map(|place| Listed {
            id: page.node_id(&doc_id, place),
            title: Some(nodes[place].title.clone()),
            depth: nodes[place].depth,
            tokens: nodes[place].tree_tokens,
            nodes: nodes[place].subtree_end - place,
            stale,
        });
        Ok(listed.collect())
    }

    /// Whether a file looks changed, without reading it.
    fn looks_stale(&self, tree: &str, path: &str, stamp: Stamp) -> bool {
        let is_other = |file: &Path| fs::metadata(file).map_or(true, |f| Stamp::of(&f) != stamp);
        self.file(tree, path).is_some_and(|file| is_other(&file))
    }

    /// How the index is.
    ///
    /// # Errors
    /// When it is damaged.
    pub fn status(&self) -> Result<Status, Error> {
        let files = self.files()?;
        let trees = self.trees().into_iter().map(|(name, root)| {
            let of_tree = || files.iter().filter(|file| file.tree == name);
            TreeStatus {
                files: of_tree().count(),
                nodes: of_tree().map(|file| file.nodes).sum(),
                parts: of_tree().map(|file| file.parts).sum(),
                stale: of_tree()
                    .filter(|file| self.looks_stale(&file.tree, &file.path, file.stamp))
                    .count(),
                name,
                root,
            }
        });
        Ok(Status {
            index: self.place.dir.clone(),
            generator: self.state.generator.clone(),
            config_hash: self.state.config_hash.clone(),
            language: self.state.indexing.language,
            trees: trees.collect(),
            bytes: bytes_in(&self.place.engine()),
            outdated: self.is_outdated(),
        })
    }
}

/// Parts that an id names, if its slug is not one that ends so.
fn part_numbers<'i>(page: &Page, rest: &'i str) -> (&'i str, Option<(usize, usize)>) {
    if page.outline.nodes.iter().any(|node| &*node.slug == rest) {
        return (rest, None);
    }
    let parted = rest.rsplit_once('@').and_then(|(slug, numbers)| {
        let (first, last) = numbers.split_once('-').unwrap_or((numbers, numbers));
        Some((slug, (first.parse().ok()?, last.parse().ok()?)))
    });
    parted.map_or((rest, None), |(slug, parts)| (slug, Some(parts)))
}
