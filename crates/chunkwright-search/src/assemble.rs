//! Assembles results: looks up the text of each item, and adds its location, snippet and
//! explanation.

use std::collections::HashMap;
use std::rc::Rc;

use tantivy::Term;

use crate::answer::{Found, Source};
use crate::compile::Word;
use crate::error::Error;
use crate::explain;
use crate::forest::{Forest, Item, Shown};
use crate::index::{Page, Snapshot};
use crate::options::Request;
use crate::outline;
use crate::rank::ScoreWeights;
use crate::snippet::{Wanted, snippet};

/// Assembles results, and caches the pages they come from.
pub(crate) struct Assembler<'a> {
    snapshot: &'a Snapshot,
    forest: &'a Forest,
    request: &'a Request,
    /// The query terms, for snippets.
    wanted: HashMap<String, Wanted>,
    /// The weights of the score components, for explanations.
    weights: ScoreWeights,
    /// The page of each file, and whether the file is stale.
    pages: HashMap<usize, (Rc<Page>, bool)>,
}

impl<'a> Assembler<'a> {
    pub(crate) fn new(
        snapshot: &'a Snapshot,
        forest: &'a Forest,
        request: &'a Request,
        words: &[Word],
    ) -> Self {
        let weights = ScoreWeights::of(&request.tuning.ranking, words);
        let wanted = wanted(snapshot, words);
        Self { snapshot, forest, request, wanted, weights, pages: HashMap::new() }
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

    /// Returns the result for an item, or `None` if it has no text, as a document that starts with
    /// a heading.
    pub(crate) fn found(&mut self, item: &Item) -> Result<Option<Found>, Error> {
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
        let snippet = snippet(cut.text, body, &self.snapshot.analyzer, &self.wanted);
        let named = |place: usize| page.node_id(&doc_id, self.forest.places[place].1);
        let merged_from = match item.merged.whole {
            true => item.merged.hits(),
            false => Vec::new(),
        };
        let merged_from =
            merged_from.into_iter().map(|(node, score)| Source { id: named(node), score });
        Ok(Some(Found {
            node_id: page.node_id(&doc_id, ordinal),
            tree: hits.tree.clone(),
            path: hits.path.clone(),
            url: page.outline.url.clone(),
            title: node.title.clone(),
            breadcrumb: node.breadcrumb.clone(),
            depth: node.depth,
            position: ordinal,
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

/// Returns the query terms, weighted by how few sections contain the word.
fn wanted(snapshot: &Snapshot, words: &[Word]) -> HashMap<String, Wanted> {
    let sections = snapshot.searcher.num_docs() as f32;
    let mut wanted = HashMap::new();
    for (nth, word) in words.iter().enumerate() {
        let term = |term: &String| Term::from_field_text(snapshot.fields.body, term);
        // Ranking has read the same frequencies, so an error here is unlikely, and a snippet with
        // a wrong weight is better than none.
        let having = |text: &String| snapshot.searcher.doc_freq(&term(text)).unwrap_or(0);
        let having = word.terms.iter().map(having).sum::<u64>() as f32;
        let worth = (1.0 + sections / (1.0 + having)).ln();
        for term in &word.terms {
            wanted.entry(term.clone()).or_insert(Wanted { word: nth, worth });
        }
    }
    wanted
}

/// A range of a file that is returned as one text.
pub(crate) struct Cut<'p> {
    pub(crate) id: String,
    pub(crate) start: usize,
    /// The text, without blank lines around it.
    pub(crate) text: &'p str,
    pub(crate) tokens: usize,
}

impl Page {
    /// Returns the text of a node or of some of its parts, or `None` if there are no such parts.
    pub(crate) fn cut(&self, doc_id: &str, ordinal: usize, shown: Shown) -> Option<Cut<'_>> {
        let node = self.outline.nodes.get(ordinal)?;
        let mut id = self.node_id(doc_id, ordinal);
        let (start, end, tokens) = match shown {
            Shown::Own => (node.start, node.own_end, Some(node.tokens)),
            Shown::Whole => {
                id.push('+');
                (node.start, node.end, Some(node.tree_tokens))
            }
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
        // Only the token counts of joined parts are not in the index.
        let tokens = tokens.unwrap_or_else(|| outline::tokens(&*outline::counter(), kept));
        Some(Cut { id, start, text: kept, tokens })
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
}
