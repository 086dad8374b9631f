//! Looks up nodes by id or path.

use tantivy::schema::IndexRecordOption;
use tantivy::{DocAddress, DocSet, TERMINATED, Term};

use crate::answer::NodeText;
use crate::error::Error;
use crate::forest::ShownText;
use crate::index::{IndexedFile, Snapshot};
use crate::page::Page;
use crate::render::nearest;

/// The node that an id or a path refers to.
pub(crate) struct Located {
    pub(crate) doc_id: String,
    pub(crate) address: DocAddress,
    pub(crate) page: Page,
    /// The index of the node in its outline.
    pub(crate) ordinal: usize,
    pub(crate) shown: ShownText,
}

impl Snapshot {
    /// Returns a node, or a part of one, by its id or path.
    ///
    /// | reference | returns |
    /// |---|---|
    /// | `docs:guide.md#settings` | the section's own text |
    /// | `docs:guide.md#settings+` | the section with its subsections |
    /// | `docs:guide.md#settings@2` | part 2 of a large section |
    /// | `guide.md` | the whole document |
    /// | `guide.md:35` | the innermost section that contains line 35 |
    /// | `guide.md#settings` | a section by its anchor |
    ///
    /// An id takes precedence over a path. `whole` includes subsections in any case.
    ///
    /// # Errors
    /// Fails if the id or path is unknown, if several trees contain the path, or if the index is
    /// damaged.
    pub fn get(&self, reference: &str, whole: bool) -> Result<NodeText, Error> {
        let Located { doc_id, address, page, ordinal, shown } = self.locate(reference)?;
        let shown = if whole { ShownText::Whole } else { shown };
        let Some(passage) = page.passage(&doc_id, ordinal, shown) else {
            return Err(self.unknown(reference)?);
        };
        let node = &page.outline.nodes[ordinal];
        let children = (ordinal + 1..node.subtree_end)
            .filter(|&child| page.outline.nodes[child].parent == Some(ordinal));
        let (tree, path) = doc_id.split_once(':').unwrap_or_default();
        Ok(NodeText {
            node_id: page.node_id(&doc_id, ordinal),
            parent_id: node.parent.map(|parent| page.node_id(&doc_id, parent)),
            tree: tree.to_owned(),
            path: path.to_owned(),
            url: page.outline.url.clone(),
            title: node.title.clone(),
            breadcrumb: node.breadcrumb.clone(),
            depth: node.depth,
            position: ordinal,
            tokens: passage.tokens,
            line_start: page.line(passage.start),
            line_end: page.line((passage.start + passage.text.len()).saturating_sub(1)),
            byte_start: passage.start,
            byte_end: passage.start + passage.text.len(),
            text: passage.text.to_owned(),
            children: children.map(|child| page.node_id(&doc_id, child)).collect(),
            stale: self.is_stale(tree, path, address, &page)?,
            id: passage.id,
            doc_id: doc_id.clone(),
        })
    }

    /// Resolves an id or a path.
    pub(crate) fn locate(&self, reference: &str) -> Result<Located, Error> {
        if let Some((doc_id, address, rest)) = self.file_of(reference)? {
            let page = self.page(address)?;
            return match page.named(rest) {
                Some((ordinal, shown)) => Ok(Located { doc_id, address, page, ordinal, shown }),
                None => Err(self.unknown(reference)?),
            };
        }
        match self.by_path(reference)? {
            Some(located) => Ok(located),
            None => Err(self.unknown(reference)?),
        }
    }

    /// Resolves a path, `path:line` or `path#anchor`.
    fn by_path(&self, reference: &str) -> Result<Option<Located>, Error> {
        let path = reference.trim_start_matches("./");
        if let Some((doc_id, address)) = self.in_a_tree(path)? {
            let page = self.page(address)?;
            return Ok(Some(Located {
                doc_id,
                address,
                page,
                ordinal: 0,
                shown: ShownText::Whole,
            }));
        }
        if let Some((path, line)) = path.rsplit_once(':')
            && let Ok(line) = line.parse::<usize>()
            && let Some((doc_id, address)) = self.in_a_tree(path)?
        {
            let page = self.page(address)?;
            let ordinal = page.section_at(line);
            return Ok(Some(Located { doc_id, address, page, ordinal, shown: ShownText::Own }));
        }
        for (at, _) in path.rmatch_indices('#') {
            if let Some((doc_id, address)) = self.in_a_tree(&path[..at])? {
                let page = self.page(address)?;
                let named = page.named(&path[at + 1..]);
                return Ok(named.map(|(ordinal, shown)| Located {
                    doc_id,
                    address,
                    page,
                    ordinal,
                    shown,
                }));
            }
        }
        Ok(None)
    }

    /// Finds the file with a path in any tree. The path may start with a tree name: `docs:tea.md`.
    fn in_a_tree(&self, path: &str) -> Result<Option<(String, DocAddress)>, Error> {
        if let Some(address) = self.address(path)? {
            return Ok(Some((path.to_owned(), address)));
        }
        let mut found = Vec::new();
        for tree in self.state.trees.keys() {
            let id = format!("{tree}:{path}");
            found.extend(self.address(&id)?.map(|address| (id, address)));
        }
        match found.len() {
            0 | 1 => Ok(found.pop()),
            _ => Err(Error::AmbiguousPath {
                path: path.to_owned(),
                ids: found.into_iter().map(|(id, _)| id).collect(),
            }),
        }
    }

    /// Returns the error for an unknown reference, with similar ids.
    pub(crate) fn unknown(&self, reference: &str) -> Result<Error, Error> {
        let unknown = |nearest| Error::UnknownId { id: reference.to_owned(), nearest };
        if let Some((file, slug)) = reference.split_once('#')
            && let Some((doc_id, address)) = self.in_a_tree(file)?
        {
            let page = self.page(address)?;
            let slugs = page.outline.nodes.iter().map(|node| node.slug.to_string());
            let slugs = nearest(slug, slugs).into_iter();
            return Ok(unknown(slugs.map(|slug| format!("{doc_id}#{slug}")).collect()));
        }
        let file = reference.split('#').next().unwrap_or_default();
        let files = self.files()?;
        let mut near = nearest(file, files.iter().map(IndexedFile::id));
        near.extend(nearest(file, files.iter().map(|file| file.path.clone())));
        if near.is_empty() {
            // Suggest files with the same name in other folders.
            let name = |path: &str| path.rsplit(['/', ':']).next().map(str::to_owned);
            let same = files.iter().filter(|other| name(&other.path) == name(file));
            near.extend(same.map(IndexedFile::id));
        }
        near.truncate(3);
        Ok(unknown(near))
    }

    /// Splits an id into its file and the rest: nothing, `slug`, `slug+` or `slug@2`.
    fn file_of<'i>(&self, id: &'i str) -> Result<Option<(String, DocAddress, &'i str)>, Error> {
        if let Some(address) = self.address(id)? {
            return Ok(Some((id.to_owned(), address, "")));
        }
        // Paths may contain these characters too, so the longest prefix that is a file wins.
        for (at, sign) in id.rmatch_indices(['#', '@', '+']) {
            if let Some(address) = self.address(&id[..at])? {
                let rest = if sign == "#" { &id[at + 1..] } else { &id[at..] };
                return Ok(Some((id[..at].to_owned(), address, rest)));
            }
        }
        Ok(None)
    }

    /// Returns the address of the first node of a file.
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
}
