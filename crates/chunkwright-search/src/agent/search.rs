//! Search results for a language model.

use std::fmt::Write as _;

use chunkwright_config::Tuning;

use super::{
    SEARCH_RESULTS, SEARCH_TOKENS, breadcrumb, budget, check_length, cost, count, id, inline,
    push_fenced,
};
use crate::answer::{Answer, Handle, SearchResult, Unmatched};
use crate::budget::Budget;
use crate::error::Error;
use crate::filter::Filter;
use crate::index::Snapshot;
use crate::options::Request;

/// Maximum number of words without a match that an answer lists.
const WORDS: usize = 8;

/// Maximum characters of a word or message in an answer.
const WORD_CHARS: usize = 40;

/// Maximum characters of a message in an answer.
const MESSAGE_CHARS: usize = 300;

/// The arguments of [`search_docs`].
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SearchDocs {
    /// Words or a question, of at most [`MAX_QUERY_CHARS`](super::MAX_QUERY_CHARS) characters.
    pub query: String,
    /// Maximum tokens of the answer. Default: [`SEARCH_TOKENS`].
    pub max_tokens: Option<usize>,
    /// Documents to search. Default: all.
    pub filter: Filter,
    /// Result size, merging and ranking.
    pub tuning: Tuning,
}

/// Searches, and returns the best results as Markdown.
///
/// Each result is a line with its number, id, breadcrumb, location and size, and its text in a code
/// fence. Then come the results that did not fit, and the words without a match.
///
/// ```
/// # use chunkwright_search::{Snapshot, Tree, Update, update};
/// use chunkwright_search::agent::{SearchDocs, search_docs};
///
/// # let dir = tempfile::tempdir()?;
/// # std::fs::create_dir(dir.path().join("docs"))?;
/// # std::fs::write(dir.path().join("docs/tea.md"), "# Tea\n\nBoil water.\n")?;
/// # let index = dir.path().join("index");
/// # update(&index, &Update::of(vec![Tree::at(dir.path().join("docs"))]))?;
/// # let snapshot = Snapshot::open(&index)?;
/// let mut call = SearchDocs::default();
/// call.query = "boil water".to_owned();
/// let answer = search_docs(&snapshot, &call)?;
/// assert!(answer.starts_with("[1] docs:tea.md#tea · Tea · tea.md:1-3 · 7 tokens\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Fails if the query is empty or too long, the token budget too large or too small, a filter
/// invalid, or the index damaged.
pub fn search_docs(snapshot: &Snapshot, call: &SearchDocs) -> Result<String, Error> {
    let max_tokens = budget(call.max_tokens, SEARCH_TOKENS)?;
    check_length("the number of characters in `query`", &call.query)?;
    let Filter { trees, paths, conditions, .. } = &call.filter;
    for part in trees.iter().chain(paths).chain(conditions) {
        check_length("the number of characters in a filter", part)?;
    }
    let request = Request {
        limit: Some(SEARCH_RESULTS),
        filter: call.filter.clone(),
        tuning: call.tuning,
        ..Request::default()
    };
    let cost = |answer: &Answer| cost(&render(answer), max_tokens);
    let budget = Budget { max_tokens, cost: &cost, must_list: true };
    Ok(render(&snapshot.answer(&call.query, &request, Some(&budget))?))
}

fn render(answer: &Answer) -> String {
    let mut out = String::new();
    for (nth, found) in answer.results.iter().enumerate() {
        let _ = writeln!(out, "[{}] {}", nth + 1, head(found));
        push_fenced(&mut out, &found.text);
    }
    if !answer.handles.is_empty() {
        let _ = writeln!(out, "Not shown: {}", handles(&answer.handles));
    }
    if let Some(corrected) = &answer.corrected {
        let (query, corrected) = (inline(&answer.query, WORD_CHARS), inline(corrected, WORD_CHARS));
        let _ = writeln!(out, "No match for {query}; these results are for {corrected}");
    } else if !answer.unmatched.is_empty() {
        let _ = writeln!(out, "No match for: {}", unmatched(&answer.unmatched));
    }
    if let Some(reason) = &answer.reason {
        let _ = writeln!(out, "No results: {}", inline(reason, MESSAGE_CHARS));
    }
    for warning in &answer.warnings {
        let _ = writeln!(out, "Note: {}", inline(warning, MESSAGE_CHARS));
    }
    out
}

fn head(found: &SearchResult) -> String {
    let SearchResult { path, line_start, line_end, .. } = found;
    let mut head = format!(
        "{} · {} · {}:{line_start}-{line_end} · {}",
        id(&found.id),
        breadcrumb(&found.breadcrumb),
        id(path),
        count(found.tokens, "token")
    );
    if found.stale {
        head += " · changed since it was indexed";
    }
    head
}

/// Lists ids with token counts.
pub(super) fn handles(handles: &[Handle]) -> String {
    let handles = handles.iter().map(|handle| format!("{} ({})", id(&handle.id), handle.tokens));
    handles.collect::<Vec<_>>().join(", ")
}

fn unmatched(words: &[Unmatched]) -> String {
    let word = |Unmatched { term, suggestion }: &Unmatched| {
        let term = inline(term, WORD_CHARS);
        match suggestion {
            Some(near) => format!("{term} (did you mean {}?)", inline(near, WORD_CHARS)),
            None => term,
        }
    };
    let more = if words.len() > WORDS { ", …" } else { "" };
    words.iter().take(WORDS).map(word).collect::<Vec<_>>().join(", ") + more
}
