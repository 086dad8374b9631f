//! Answers queries: selects candidates, ranks and merges them, and assembles the answer.

use tantivy::collector::TopDocs;
use tantivy::query::{BooleanQuery, Occur, Query, TermQuery};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocAddress, Term};

use crate::answer::Answer;
use crate::assemble::Assembler;
use crate::budget::{self, Budget};
use crate::compile::{Compiled, Word, WordSet, compile};
use crate::confidence::{self, Confidence};
use crate::error::Error;
use crate::forest::{Forest, Item};
use crate::index::{Snapshot, guard};
use crate::options::Request;
use crate::outline;
use crate::query::{self, Oddity};
use crate::rank::Ranker;

/// Maximum number of syntax errors that are reported individually.
const MOST_DESCRIBED: usize = 3;

/// Number of top results that decide which query words are matched.
const ASKED: usize = 10;

/// All items found for a query, before the limit or budget applies.
struct Hits {
    words: Vec<Word>,
    forest: Forest,
    items: Vec<Item>,
    confidence: Confidence,
    warnings: Vec<String>,
}

impl Snapshot {
    /// Searches the index.
    ///
    /// If no word of the query is indexed, its most similar indexed words are searched for instead
    /// (see [`Answer::corrected`]).
    ///
    /// # Errors
    /// Fails if the query has no words, a strict query has a syntax error, a filter is invalid, or
    /// the index is damaged.
    pub fn search(&self, query: &str, request: &Request) -> Result<Answer, Error> {
        self.answer(query, request, None)
    }

    /// Searches the index for an answer that fits a token budget.
    ///
    /// The output of `render` has at most `max_tokens` tokens, counted with `o200k`. Merged results
    /// that do not fit are split again, and results that still do not fit are listed in
    /// [`Answer::handles`].
    ///
    /// ```
    /// # use chunkwright_search::{Request, Snapshot, Tree, Update, render, update};
    /// # let dir = tempfile::tempdir()?;
    /// # std::fs::create_dir(dir.path().join("docs"))?;
    /// # std::fs::write(dir.path().join("docs/tea.md"), "# Tea\n\nBoil water.\n")?;
    /// # let index = dir.path().join("index");
    /// # update(&index, &Update::of(vec![Tree::at(dir.path().join("docs"))]))?;
    /// # let snapshot = Snapshot::open(&index)?;
    /// let answer = snapshot.search_within("water", &Request::default(), 200, &render::markdown)?;
    /// let prompt = render::markdown(&answer);
    /// assert!(prompt.contains("Boil water."));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Fails like [`Snapshot::search`], or if not even an answer without results fits.
    pub fn search_within(
        &self,
        query: &str,
        request: &Request,
        max_tokens: usize,
        render: &dyn Fn(&Answer) -> String,
    ) -> Result<Answer, Error> {
        let counter = outline::counter();
        let cost = |answer: &Answer| outline::tokens(&*counter, &render(answer));
        self.answer(query, request, Some(&Budget { max_tokens, cost: &cost, must_list: false }))
    }

    pub(crate) fn answer(
        &self,
        text: &str,
        request: &Request,
        budget: Option<&Budget<'_>>,
    ) -> Result<Answer, Error> {
        let mut hits = self.hits(text, request)?;
        let mut corrected = None;
        if hits.items.is_empty()
            && let Some(query) = confidence::corrected(text, &hits.confidence.unmatched)
        {
            let unmatched = std::mem::take(&mut hits.confidence.unmatched);
            hits = self.hits(&query, request)?;
            hits.confidence.unmatched = unmatched;
            corrected = Some(query);
        }
        let Hits { words, forest, items, confidence, warnings } = hits;
        let mut answer = Answer {
            query: text.to_owned(),
            corrected,
            matched: confidence.matched,
            unmatched: confidence.unmatched,
            coverage: confidence.coverage,
            results: Vec::new(),
            handles: Vec::new(),
            reason: None,
            warnings,
        };
        if items.is_empty() {
            answer.reason = Some(self.reason(&request.filter)?);
        }
        let mut assembler = Assembler::new(self, &forest, request, &words);
        guard(&self.place.engine(), || match budget {
            None => budget::fill(&mut answer, items, &mut assembler, request),
            Some(budget) => budget.fill(&mut answer, items, &forest, &mut assembler, request),
        })?;
        Ok(answer)
    }

    fn hits(&self, text: &str, request: &Request) -> Result<Hits, Error> {
        if !text.contains(char::is_alphanumeric) {
            return Err(Error::EmptyQuery);
        }
        let query = query::parse(text);
        if let (true, Some(oddity)) = (request.strict, query.oddities.first()) {
            return Err(Error::Query { message: oddity.pointed(text) });
        }
        let dir = self.place.engine();
        guard(&dir, || {
            let engine = Error::engine(&dir);
            let ranking = &request.tuning.ranking;
            let compiled = compile(&query, &self.analyzer, &self.fields, &self.searcher, ranking);
            let compiled = compiled.map_err(&engine)?;
            let candidates = self.candidates(&compiled, request)?;
            let ranker = Ranker {
                searcher: &self.searcher,
                fields: &self.fields,
                statistics: &self.statistics,
                indexing: &self.state.indexing,
                ranking,
                words: &compiled.words,
                pairs: &compiled.pairs,
                key: compiled.key.as_ref(),
            };
            let rarities = ranker.rarities().map_err(&engine)?;
            let scored = ranker.rank(&candidates, &rarities).map_err(&engine)?;
            let forest = Forest::grow(self, &scored).map_err(&engine)?;
            let items = forest.items(request);
            let shown: Vec<WordSet> =
                items.iter().take(ASKED).map(|item| forest.words(item)).collect();
            let best = shown.first().copied().unwrap_or_default();
            let any = shown.iter().fold(0, |any, words| any | words);
            let confidence = Confidence::of(self, &compiled.words, &rarities, best, any)?;
            let mut warnings = described(&query.oddities);
            warnings.extend(compiled.warnings);
            Ok(Hits { words: compiled.words, forest, items, confidence, warnings })
        })
    }

    /// Returns the best nodes by tantivy's ranking, up to the same number from each tree.
    fn candidates(&self, compiled: &Compiled, request: &Request) -> Result<Vec<DocAddress>, Error> {
        let engine = Error::engine(&self.place.engine());
        let top = || TopDocs::with_limit(request.tuning.ranking.candidates.max(1)).order_by_score();
        let mut must: Vec<Box<dyn Query>> = vec![compiled.query.box_clone()];
        if !request.filter.is_empty() {
            must.push(Box::new(request.filter.compile()?));
        }
        let mut found = Vec::new();
        for tree in self.trees_apart(request) {
            let mut must: Vec<_> = must.iter().map(|query| query.box_clone()).collect();
            if let Some(tree) = tree {
                let term = Term::from_field_text(self.fields.tree, tree);
                must.push(Box::new(TermQuery::new(term, IndexRecordOption::Basic)));
            }
            let query: Box<dyn Query> = match must.len() {
                1 => must.remove(0),
                _ => {
                    let must = must.into_iter().map(|query| (Occur::Must, query));
                    Box::new(BooleanQuery::new(must.collect()))
                }
            };
            found.extend(self.searcher.search(&*query, &top()).map_err(&engine)?);
        }
        Ok(found.into_iter().map(|(_, address)| address).collect())
    }

    /// Returns the trees to search separately, so that a large tree does not crowd out small ones.
    /// `None` means the whole index.
    fn trees_apart(&self, request: &Request) -> Vec<Option<&String>> {
        let wanted =
            |tree: &&String| request.filter.trees.is_empty() || request.filter.trees.contains(tree);
        let trees: Vec<_> = self.state.trees.keys().filter(wanted).map(Some).collect();
        if trees.len() > 1 { trees } else { vec![None] }
    }
}

/// Returns warnings for the first syntax errors, and the number of further ones.
fn described(oddities: &[Oddity]) -> Vec<String> {
    let first = oddities.iter().take(MOST_DESCRIBED).map(ToString::to_string);
    let more = oddities.len().saturating_sub(MOST_DESCRIBED);
    first.chain((more > 0).then(|| format!("and {more} more like these"))).collect()
}
