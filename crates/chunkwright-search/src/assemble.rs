//! Assembles results: looks up the text of each item, and adds its location, snippet and
//! explanation.

use std::collections::HashMap;
use std::rc::Rc;

use tantivy::Term;

use crate::answer::{MergedHit, SearchResult};
use crate::compile::Word;
use crate::error::Error;
use crate::explain;
use crate::forest::{Forest, Item, ShownText};
use crate::index::Snapshot;
use crate::options::Request;
use crate::page::Page;
use crate::rank::ScoreWeights;
use crate::snippet::{QueryTerm, snippet};

/// Assembles results, and caches the pages they come from.
pub(crate) struct Assembler<'a> {
    snapshot: &'a Snapshot,
    forest: &'a Forest,
    request: &'a Request,
    /// The query terms, for snippets.
    wanted: HashMap<String, QueryTerm>,
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
    pub(crate) fn found(&mut self, item: &Item) -> Result<Option<SearchResult>, Error> {
        let (file, ordinal) = self.forest.places[item.merged.node];
        let (page, stale) = self.page(file)?;
        let hits = &self.forest.files[file];
        let doc_id = format!("{}:{}", hits.tree, hits.path);
        let Some(passage) = page.passage(&doc_id, ordinal, item.shown) else { return Ok(None) };
        if passage.text.is_empty() {
            return Ok(None);
        }
        let node = &page.outline.nodes[ordinal];
        let body = node.body_start.saturating_sub(passage.start);
        let snippet = snippet(passage.text, body, &self.snapshot.analyzer, &self.wanted);
        let named = |place: usize| page.node_id(&doc_id, self.forest.places[place].1);
        let merged_from = match item.merged.whole {
            true => item.merged.hits(),
            false => Vec::new(),
        };
        let merged_from =
            merged_from.into_iter().map(|(node, score)| MergedHit { id: named(node), score });
        Ok(Some(SearchResult {
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
            tokens: passage.tokens,
            whole_tokens: matches!(item.shown, ShownText::Parts(..)).then_some(node.tokens),
            line_start: page.line(passage.start),
            line_end: page.line((passage.start + passage.text.len()).saturating_sub(1)),
            byte_start: passage.start,
            byte_end: passage.start + passage.text.len(),
            text: passage.text.to_owned(),
            snippet: snippet.text,
            highlights: snippet.highlights,
            merged_from: merged_from.collect(),
            stale,
            explain: explain::lines(item, self.forest, self.request, &self.weights, &named),
            id: passage.id,
            doc_id,
        }))
    }
}

/// Returns the query terms, weighted by how few sections contain the word.
fn wanted(snapshot: &Snapshot, words: &[Word]) -> HashMap<String, QueryTerm> {
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
            wanted.entry(term.clone()).or_insert(QueryTerm { word: nth, worth });
        }
    }
    wanted
}
