//! A page: the stored text of a file with its outline, and whether the file has changed since.

use std::fs;

use chunkwright_io::read_file;
use tantivy::schema::Value as _;
use tantivy::{DocAddress, TantivyDocument};

use crate::error::Error;
use crate::forest::ShownText;
use crate::index::{Snapshot, guard};
use crate::outline::{self, StoredOutline};
use crate::runs::{Runs, Stamp};

/// The text of a file and its outline.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    pub(crate) text: String,
    pub(crate) outline: StoredOutline,
}

/// A range of a file that is returned as one text.
pub(crate) struct Passage<'p> {
    pub(crate) id: String,
    pub(crate) start: usize,
    /// The text, without blank lines around it.
    pub(crate) text: &'p str,
    pub(crate) tokens: usize,
}

impl Page {
    /// Returns the text of a node or of some of its parts, or `None` if there are no such parts.
    pub(crate) fn passage(
        &self,
        doc_id: &str,
        ordinal: usize,
        shown: ShownText,
    ) -> Option<Passage<'_>> {
        let node = self.outline.nodes.get(ordinal)?;
        let mut id = self.node_id(doc_id, ordinal);
        let (start, end, tokens) = match shown {
            ShownText::Own => (node.start, node.own_end, Some(node.tokens)),
            ShownText::Whole => {
                id.push('+');
                (node.start, node.end, Some(node.subtree_tokens))
            }
            ShownText::Parts(first, last) => {
                let parts: Vec<_> = self.outline.parts_of(ordinal).collect();
                let (from, to) = (parts.get(first)?, parts.get(last).filter(|_| first <= last)?);
                id = match first == last {
                    true => format!("{id}@{}", from.number),
                    false => format!("{id}@{}-{}", from.number, to.number),
                };
                (from.start, to.end, (first == last).then_some(from.tokens))
            }
        };
        let text = &self.text[start..end.max(start)];
        let kept = outline::shown(text);
        let start = start + text.len() - text.trim_start_matches(outline::LINE_ENDS).len();
        // Only the token counts of joined parts are not in the index.
        let tokens = tokens.unwrap_or_else(|| outline::tokens(&*outline::counter(), kept));
        Some(Passage { id, start, text: kept, tokens })
    }

    pub(crate) fn node_id(&self, doc_id: &str, ordinal: usize) -> String {
        match &*self.outline.nodes[ordinal].slug {
            "" => doc_id.to_owned(),
            slug => format!("{doc_id}#{slug}"),
        }
    }

    /// Returns the line number of a byte, from 1. LF, CRLF and a lone CR end a line.
    pub(crate) fn line(&self, byte: usize) -> usize {
        let bytes = self.text.as_bytes();
        let ends = |at: &usize| match bytes[*at] {
            b'\n' => true,
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        };
        (0..byte.min(bytes.len())).filter(ends).count() + 1
    }

    /// Resolves the last part of an id: `slug`, `slug+`, `slug@2` or `slug@2-3`.
    pub(crate) fn named(&self, rest: &str) -> Option<(usize, ShownText)> {
        let node = |slug: &str| self.outline.nodes.iter().position(|node| &*node.slug == slug);
        if let Some(ordinal) = node(rest) {
            return Some((ordinal, ShownText::Own));
        }
        if let Some(slug) = rest.strip_suffix('+') {
            return Some((node(slug)?, ShownText::Whole));
        }
        let (slug, numbers) = rest.rsplit_once('@')?;
        let (first, last) = numbers.split_once('-').unwrap_or((numbers, numbers));
        let place = |number: &str| number.parse::<usize>().ok()?.checked_sub(1);
        let (ordinal, shown) = (node(slug)?, ShownText::Parts(place(first)?, place(last)?));
        self.passage("", ordinal, shown).map(|_| (ordinal, shown))
    }

    /// Returns the innermost section that contains a line, counted from 1.
    pub(crate) fn section_at(&self, line: usize) -> usize {
        let sections = self.outline.nodes.iter().enumerate().skip(1);
        let before = sections.take_while(|(_, node)| self.line(node.start) <= line);
        before.last().map_or(0, |(ordinal, _)| ordinal)
    }
}

impl Snapshot {
    /// Returns the text and outline of the file whose first node is at `address`.
    pub(crate) fn page(&self, address: DocAddress) -> Result<Page, Error> {
        let dir = self.place.engine();
        guard(&dir, || {
            let kept: TantivyDocument = self.searcher.doc(address).map_err(Error::engine(&dir))?;
            let text = |field| kept.get_first(field).and_then(|value| value.as_str());
            let damaged = |reason: &str| Error::Damaged {
                file: dir.clone(),
                reason: format!("cannot read a stored document: {reason}"),
            };
            let source = text(self.fields.source).ok_or_else(|| damaged("no text"))?;
            let outline = text(self.fields.outline).ok_or_else(|| damaged("no outline"))?;
            let outline = serde_json::from_str(outline).map_err(|e| damaged(&e.to_string()))?;
            Ok(Page { text: source.to_owned(), outline })
        })
    }

    /// Returns whether a file has changed since it was indexed. Files of a tree whose directory
    /// does not exist are not stale: an index may be used without its sources.
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
                text.map_or(true, |text| outline::hash(&text) != page.outline.hash)
            }
            Err(_) => true,
        })
    }

    /// Returns the path of a file, or `None` if the directory of its tree does not exist.
    pub(crate) fn file(&self, tree: &str, path: &str) -> Option<std::path::PathBuf> {
        let root = self.place.base().join(self.state.trees.get(tree)?);
        root.is_dir().then(|| root.join(path))
    }
}
