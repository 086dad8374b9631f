//! Fills an answer with results, up to a number of results or a token budget.

use crate::answer::{Answer, Handle, SearchResult};
use crate::assemble::Assembler;
use crate::error::Error;
use crate::forest::{Forest, Item};
use crate::options::Request;

/// Default maximum number of results.
const LIMIT: usize = 10;

/// Maximum number of listed results that did not fit. More would use tokens that a smaller result
/// may need.
const HANDLES: usize = 5;

/// Filling may stop once at most `1 / ENOUGH` of the budget is unused: results that are small
/// enough for the rest are hard to find.
const ENOUGH: usize = 5;

/// A number of tokens that is too small for any rendered result.
const LEAST_RESULT: usize = 8;

/// Adds the best results to an answer, up to the limit.
pub(crate) fn fill(
    answer: &mut Answer,
    items: Vec<Item>,
    assembler: &mut Assembler<'_>,
    request: &Request,
) -> Result<(), Error> {
    for item in items {
        if answer.results.len() == request.limit.unwrap_or(LIMIT) {
            break;
        }
        answer.results.extend(assembler.found(&item)?);
    }
    Ok(())
}

/// A token budget for a rendered answer.
pub(crate) struct Budget<'a> {
    pub(crate) max_tokens: usize,
    /// Returns the token count of a rendered answer.
    pub(crate) cost: &'a dyn Fn(&Answer) -> usize,
    /// Whether it is an error if results exist, but not even one of them can be listed.
    pub(crate) must_list: bool,
}

impl Budget<'_> {
    /// Adds the best results that fit, and lists those that do not as long as the list fits.
    ///
    /// The cost of a result is measured in an answer that contains nothing else. Token counts are
    /// not additive where results meet, so the whole answer is counted again after each handle,
    /// and at the end.
    pub(crate) fn fill(
        &self,
        answer: &mut Answer,
        items: Vec<Item>,
        forest: &Forest,
        assembler: &mut Assembler<'_>,
        request: &Request,
    ) -> Result<(), Error> {
        let empty = answer.clone();
        let smallest = (self.cost)(&empty);
        let too_small = |smallest| Err(Error::Budget { given: self.max_tokens, smallest });
        if smallest > self.max_tokens && (items.is_empty() || !self.must_list) {
            return too_small(smallest);
        }
        let mut room = self.max_tokens.saturating_sub(smallest);
        let added = |answer: Answer| (self.cost)(&answer).saturating_sub(smallest);
        // The next item is the last in the list.
        let mut open: Vec<Item> = items;
        open.reverse();
        // Whether the list of results that did not fit is complete.
        let mut is_listed = false;
        // The cost of an answer that lists only the first result, if that is too much.
        let mut listing = None;
        while let Some(item) = open.pop() {
            let many = answer.results.len() + answer.handles.len();
            let is_full = room <= self.max_tokens / ENOUGH && is_listed;
            let is_small = room < LEAST_RESULT && (many > 0 || is_listed || !self.must_list);
            if is_full || is_small || request.limit.is_some_and(|limit| many == limit) {
                break;
            }
            let Some(found) = assembler.found(&item)? else { continue };
            let tokens = added(Answer { results: vec![found.clone()], ..empty.clone() });
            if tokens <= room {
                answer.results.push(found);
                room = if is_listed { self.room(answer) } else { room - tokens };
            } else if item.merged.whole {
                // The members of a merged result may fit individually.
                for part in item.merged.undone() {
                    open.extend(forest.item(part, request));
                }
                open.sort_by(|one, other| other.order(one));
            } else if !is_listed {
                answer.handles.push(handle(found));
                let tokens = (self.cost)(answer);
                if tokens > self.max_tokens {
                    answer.handles.pop();
                    is_listed = true;
                    listing.get_or_insert(tokens);
                }
                is_listed |= answer.handles.len() == HANDLES;
                room = self.room(answer);
            }
        }
        while (self.cost)(answer) > self.max_tokens
            && (answer.handles.pop().is_some() || answer.results.pop().is_some())
        {}
        match listing {
            Some(smallest) if self.must_list && is_empty(answer) => too_small(smallest),
            _ if smallest > self.max_tokens => too_small(smallest),
            _ => Ok(()),
        }
    }

    /// Returns the number of tokens that an answer leaves unused.
    fn room(&self, answer: &Answer) -> usize {
        self.max_tokens.saturating_sub((self.cost)(answer))
    }
}

fn is_empty(answer: &Answer) -> bool {
    answer.results.is_empty() && answer.handles.is_empty()
}

fn handle(found: SearchResult) -> Handle {
    let SearchResult { id, breadcrumb, tokens, .. } = found;
    Handle { id, breadcrumb, tokens }
}
