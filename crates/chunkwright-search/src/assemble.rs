//! Assembling: results in order come in; their texts, as far as they fit the budget, go out.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::rc::Rc;

use crate::answer::{Found, Handle, Source};
use crate::compile::Word;
use crate::error::Error;
use crate::explain;
use crate::index::{Page, Snapshot};
use crate::merge::Merged;
use crate::options::Request;
use crate::outline;
use crate::rank::ScoreWeights;
use crate::search::Forest;
use crate::snippet::snippet;

/// What may be returned.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) score: f64,
    pub(crate) shown: Shown,
    pub(crate) merged: Merged,
}

/// What is shown of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Shown {
    /// Its own text.
    Own,
    /// All below it too.
    Whole,
    /// Some of its parts, from the first to the last, counted from 0.
    Parts(usize, usize),
}

impl Item {
    /// The best first; of equal ones, the first in reading order.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        let place = |item: &Self| (item.merged.node, item.shown);
        other.score.total_cmp(&self.score).then_with(|| place(self).cmp(&place(other)))
    }
}

/// Puts results together.
pub(crate) struct Assembler<'a> {
    snapshot: &'a Snapshot,
    forest: &'a Forest,
    request: &'a Request,
    /// How telling each term of the query is, for snippets.
    worth: HashMap<String, f32>,
    /// What the components of scores count, for explanations.
    weights: ScoreWeights,
    pages: HashMap<usize, (Rc<Page>, bool)>,
}

impl<'a> Assembler<'a> {
    pub(crate) fn new(
        snapshot: &'a Snapshot,
        forest: &'a Forest,
        request: &'a Request,
        words: &[Word],
    ) -> Self {
        let terms = words.iter().flat_map(|word| &word.terms);
        // A long word tells more than a short one; exact numbers do not matter here.
        let worth = terms.map(|term| (term.clone(), 1.0 + term.len() as f32 / 8.0)).collect();
        let weights = ScoreWeights::of(&request.tuning.ranking, words);
        Self { snapshot, forest, request, worth, weights, pages: HashMap::new() }
    }

    /// The results, and what did not fit.
    pub(crate) fn assemble(mut self, items: Vec<Item>) -> Result<(Vec<Found>, Vec<Handle>), Error> {
        let (mut results, mut handles) = (Vec::new(), Vec::new());
        let mut room = self.request.max_tokens.unwrap_or(usize::MAX);
        // The next one is the last of the list.
        let mut open: Vec<Item> = items;
        open.reverse();
        while let Some(item) = open.pop() {
            if results.len() + handles.len() == self.request.limit {
                break;
            }
            let Some(found) = self.found(&item)? else { continue };
            if found.tokens <= room {
                room -= found.tokens;
                results.push(found);
            } else if item.merged.whole {
                for part in item.merged.undone() {
                    open.extend(self.forest.item(part, self.request));
                }
                open.sort_by(|one, other| other.order(one));
            } else {
                let Found { id, breadcrumb, tokens, .. } = found;
                handles.push(Handle { id, breadcrumb, tokens });
            }
        }
        Ok((results, handles))
    }

    fn page(&mut self, file: usize) -> Result<(Rc<Page>, bool), Error> {
        if let Some(page) = self.pages.get(&file) {
            return Ok(page.clone());
        }
        let hits = &self.forest.files[file];
        let page = Rc::new(self.snapshot.page(hits.address)?);
        let stale = self.snapshot.is_stale(&hits.tree, &hits.path, hits.address, &page)?;
        self.pages.insert(file, (Rc::clone(&page), stale));
        Ok((page, stale))
    }

    /// A result; nothing if there is nothing to read: a document without text before its headings.
    fn found(&mut self, item: &Item) -> Result<Option<Found>, Error> {
        let (file, ordinal) = self.forest.places[item.merged.node];
        let (page, stale) = self.page(file)?;
        let hits = &self.forest.files[file];
        let doc_id = format!("{}:{}", hits.tree, hits.path);
        let Some(cut) = page.cut(&doc_id, ordinal, item.shown) else { return Ok(None) };
        if cut.text.is_empty() {
            return Ok(None);
        }
        let node = &page.outline.nodes[ordinal];
        let body = node.body_start.saturating_sub(cut.start);
        let snippet = snippet(cut.text, body, &self.snapshot.analyzer, &self.worth);
        let named = |place: usize| page.node_id(&doc_id, self.forest.places[place].1);
        let merged_from = match item.merged.whole {
            true => item.merged.hits(),
            false => Vec::new(),
        };
        let merged_from =
            merged_from.into_iter().map(|(node, score)| Source { id: named(node), score });
        Ok(Some(Found {
            node_id: page.node_id(&doc_id, ordinal),
            path: hits.path.clone(),
            url: page.outline.url.clone(),
            title: node.title.clone(),
            breadcrumb: node.breadcrumb.clone(),
            score: item.score,
            combined_score: item.merged.whole.then_some(item.merged.combined),
            tokens: cut.tokens,
            whole_tokens: matches!(item.shown, Shown::Parts(..)).then_some(node.tokens),
            line_start: page.line(cut.start),
            line_end: page.line((cut.start + cut.text.len()).saturating_sub(1)),
            byte_start: cut.start,
            byte_end: cut.start + cut.text.len(),
            text: cut.text.to_owned(),
            snippet: snippet.text,
            highlights: snippet.highlights,
            merged_from: merged_from.collect(),
            stale,
            explain: explain::lines(item, self.forest, self.request, &self.weights, &named),
            id: cut.id,
            doc_id,
        }))
    }
}

/// A stretch of a file.
pub(crate) struct Cut<'p> {
    pub(crate) id: String,
    pub(crate) start: usize,
    /// Without blank lines around it.
    pub(crate) text: &'p str,
    pub(crate) tokens: usize,
}

impl Page {
    /// What is shown of a node, if it has such parts.
    pub(crate) fn cut(&self, doc_id: &str, ordinal: usize, shown: Shown) -> Option<Cut<'_>> {
        let node = self.outline.nodes.get(ordinal)?;
        let mut id = self.node_id(doc_id, ordinal);
        let (start, end, tokens) = match shown {
            Shown::Own => (node.start, node.own_end, Some(node.tokens)),
            Shown::Whole => (node.start, node.end, Some(node.tree_tokens)),
            Shown::Parts(first, last) => {
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
        // Parts that were joined are the only text whose tokens are not in the index.
        let tokens = tokens.unwrap_or_else(|| outline::tokens(&*outline::counter(), kept));
        Some(Cut { id, start, text: kept, tokens })
    }

    pub(crate) fn node_id(&self, doc_id: &str, ordinal: usize) -> String {
        match &*self.outline.nodes[ordinal].slug {
            "" => doc_id.to_owned(),
            slug => format!("{doc_id}#{slug}"),
        }
    }

    /// The line that a byte is on, from 1: LF, CRLF and a lone CR end a line.
    pub(crate) fn line(&self, byte: usize) -> usize {
        let bytes = self.text.as_bytes();
        let ends = |at: &usize| match bytes[*at] {
            b'\n' => true,
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        };
        (0..byte.min(bytes.len())).filter(ends).count() + 1
    }
}
