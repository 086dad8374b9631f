//! Looks up nodes by id or by path.

use std::fs;

use chunkwright_io::read_file;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocAddress, DocSet, TERMINATED, Term};

use crate::answer::Node;
use crate::error::Error;
use crate::forest::Shown;
use crate::index::{File, Page, Snapshot};
use crate::outline::hash;
use crate::render::nearest;
use crate::runs::{Runs, Stamp};

/// What an id or a path stands for.
pub(crate) struct Located {
    pub(crate) doc_id: String,
    pub(crate) address: DocAddress,
    pub(crate) page: Page,
    /// Which node.
    pub(crate) ordinal: usize,
    pub(crate) shown: Shown,
}

impl Snapshot {
    /// Prints what a result showed, by its id: the own text of a node, `{node}+` with all below it,
    /// `{node}@{n}` for a part. Also takes a path (the whole page), `path:line` (the innermost
    /// section there) and `path#anchor`. An id wins over a path; `whole` gives all below a node.
    ///
    /// # Errors
    /// When nothing has this id or path, several trees have the path, or the index is damaged.
    pub fn get(&self, reference: &str, whole: bool) -> Result<Node, Error> {
        let Located { doc_id, address, page, ordinal, shown } = self.locate(reference)?;
        let shown = if whole { Shown::Whole } else { shown };
        let Some(cut) = page.cut(&doc_id, ordinal, shown) else {
            return Err(self.unknown(reference)?);
        };
        let node = &page.outline.nodes[ordinal];
        let children = (ordinal + 1..node.subtree_end)
            .filter(|&child| page.outline.nodes[child].parent == Some(ordinal));
        let (tree, path) = doc_id.split_once(':').unwrap_or_default();
        Ok(Node {
            node_id: page.node_id(&doc_id, ordinal),
            parent_id: node.parent.map(|parent| page.node_id(&doc_id, parent)),
            tree: tree.to_owned(),
            path: path.to_owned(),
            url: page.outline.url.clone(),
            title: node.title.clone(),
            breadcrumb: node.breadcrumb.clone(),
            depth: node.depth,
            position: ordinal,
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

    /// What an id or a path stands for.
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

    /// What a path stands for: a page, or `path:line`, or `path#anchor`.
    fn by_path(&self, reference: &str) -> Result<Option<Located>, Error> {
        let path = reference.trim_start_matches("./");
        if let Some((doc_id, address)) = self.in_a_tree(path)? {
            let page = self.page(address)?;
            return Ok(Some(Located { doc_id, address, page, ordinal: 0, shown: Shown::Whole }));
        }
        if let Some((path, line)) = path.rsplit_once(':')
            && let Ok(line) = line.parse::<usize>()
            && let Some((doc_id, address)) = self.in_a_tree(path)?
        {
            let page = self.page(address)?;
            let ordinal = page.section_at(line);
            return Ok(Some(Located { doc_id, address, page, ordinal, shown: Shown::Own }));
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

    /// The file with this path, in whichever tree has it. A tree may be named: `docs:tea.md`.
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

    /// The error for something that is not there, with what may have been meant.
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
        let mut near = nearest(file, files.iter().map(File::id));
        near.extend(nearest(file, files.iter().map(|file| file.path.clone())));
        if near.is_empty() {
            // The same name in another folder.
            let name = |path: &str| path.rsplit(['/', ':']).next().map(str::to_owned);
            let same = files.iter().filter(|other| name(&other.path) == name(file));
            near.extend(same.map(File::id));
        }
        near.truncate(3);
        Ok(unknown(near))
    }

    /// The file that an id begins with, and what follows: nothing, or `slug`, `slug+`, `slug@2`.
    fn file_of<'i>(&self, id: &'i str) -> Result<Option<(String, DocAddress, &'i str)>, Error> {
        if let Some(address) = self.address(id)? {
            return Ok(Some((id.to_owned(), address, "")));
        }
        // A path may have these signs in it too: the longest that is a file wins.
        for (at, sign) in id.rmatch_indices(['#', '@', '+']) {
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
    pub(crate) fn file(&self, tree: &str, path: &str) -> Option<std::path::PathBuf> {
        let root = self.place.base().join(self.state.trees.get(tree)?);
        root.is_dir().then(|| root.join(path))
    }
}

impl Page {
    /// The node that the end of an id names, and how much of it: `slug`, `slug+`, `slug@2`,
    /// `slug@2-3`.
    fn named(&self, rest: &str) -> Option<(usize, Shown)> {
        let node = |slug: &str| self.outline.nodes.iter().position(|node| &*node.slug == slug);
        if let Some(ordinal) = node(rest) {
            return Some((ordinal, Shown::Own));
        }
        if let Some(slug) = rest.strip_suffix('+') {
            return Some((node(slug)?, Shown::Whole));
        }
        let (slug, numbers) = rest.rsplit_once('@')?;
        let (first, last) = numbers.split_once('-').unwrap_or((numbers, numbers));
        let place = |number: &str| number.parse::<usize>().ok()?.checked_sub(1);
        let (ordinal, shown) = (node(slug)?, Shown::Parts(place(first)?, place(last)?));
        self.cut("", ordinal, shown).map(|_| (ordinal, shown))
    }

    /// The innermost section with this line, counted from 1.
    fn section_at(&self, line: usize) -> usize {
        let sections = self.outline.nodes.iter().enumerate().skip(1);
        let before = sections.take_while(|(_, node)| self.line(node.start) <= line);
        before.last().map_or(0, |(ordinal, _)| ordinal)
    }
}
