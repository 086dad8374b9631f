//! Compares two versions of the records, and reports which chunks must be embedded again.
//!
//! A vector can be kept if the model's input is the same: `embed_text`, which starts with the
//! breadcrumb and so depends on more than the chunk's text. For a record without `embed_text`, the
//! hash of its text, its breadcrumb and its token count are compared instead.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use chunkwright::StrategyName;
use serde::Serialize;
use thiserror::Error;

use crate::digest::{Hash, hash};
use crate::row::Row;

/// The change to a chunk of the new version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// New id and new embedded text: embed the chunk.
    Added,
    /// Known id, but new embedded text: embed the chunk again.
    Changed,
    /// Embedded text that had a different id: copy its vector.
    Moved,
    /// Known id and embedded text, but a different field changed: update the record only.
    Updated,
    /// No change.
    Unchanged,
}

/// A chunk that takes over the vector of an old id.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Move {
    /// Id in the old version. In the new version, a different chunk may have it.
    pub from: String,
    /// Id in the new version.
    pub to: String,
}

/// Counts of chunks by their change, and of tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Summary {
    /// New chunks.
    pub added: usize,
    /// Chunks that must be embedded again.
    pub changed: usize,
    /// Chunks that take over the vector of an old id.
    pub moved: usize,
    /// Chunks whose record changed, but not the embedded text.
    pub updated: usize,
    /// Chunks without a change.
    pub unchanged: usize,
    /// Old chunks whose id is gone, apart from those that moved.
    pub removed: usize,
    /// Tokens of all chunks of the new version.
    pub tokens: usize,
    /// Tokens of the added and changed chunks.
    pub tokens_to_embed: usize,
}

/// The result of a comparison.
#[derive(Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// Moves, in the order of the new version.
    pub moves: Vec<Move>,
    /// Rows whose ids are gone, in the order of the old version, and whether their chunk moved.
    pub gone: Vec<(Row, bool)>,
    /// Counts of chunks and tokens.
    pub summary: Summary,
}

/// An error that makes two versions incomparable.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DiffError {
    /// Two chunks of one version with the same id.
    #[error("duplicate id {0}")]
    Twice(String),
    /// A document that the two versions split with different strategies.
    #[error(
        "{id} was split with {expected} before, now with {found}; use the same options for both"
    )]
    Strategies {
        /// Id of the chunk.
        id: String,
        /// Strategy of the new version.
        found: StrategyName,
        /// Strategy of the old version.
        expected: StrategyName,
    },
}

/// A comparison of the old version with the rows of the new one.
///
/// ```
/// use chunkwright_records::{Diff, Fate, Row};
///
/// let row = |id: &str, text: &str| {
///     let record = serde_json::json!({
///         "id": id, "doc_id": "docs:tea.md", "strategy": "tree", "breadcrumb": [],
///         "tokens": 3, "content_hash": text,
///     });
///     Row::parse(&record.to_string()).expect("a record")
/// };
/// let mut diff = Diff::new(vec![row("docs:tea.md#green", "Wait.")])?;
/// assert_eq!(diff.compare(&row("docs:tea.md#green", "Boil water."))?, Fate::Changed);
/// assert_eq!(diff.compare(&row("docs:tea.md#black", "Wait."))?, Fate::Moved);
/// assert_eq!(diff.finish()?.summary.tokens_to_embed, 3);
/// # Ok::<(), chunkwright_records::DiffError>(())
/// ```
#[derive(Debug)]
pub struct Diff {
    old: Vec<Row>,
    by_id: Vec<u32>,
    /// Empty if a row has no `embed_text`.
    by_embed_text: Vec<u32>,
    by_ingredients: Vec<u32>,
    /// The strategy of each old document.
    strategies: HashMap<Hash, StrategyName>,
    /// A new row, as long as no new row shares a strategy with the old version.
    stranger: Option<(Box<str>, StrategyName)>,
    is_familiar: bool,
    /// Whether the new version contains the id of each old row.
    kept: Vec<bool>,
    /// Ids that only the new version contains.
    fresh: HashSet<Hash>,
    /// Ids of moved chunks, and the old rows whose vector they can take over.
    moves: Vec<(Box<str>, Likeness)>,
    summary: Summary,
}

/// Old rows with the same model input: a range of `by_embed_text` or `by_ingredients`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Likeness {
    is_exact: bool,
    rows: Range<usize>,
}

impl Likeness {
    /// Returns whether an old row has the same model input as the new one.
    fn has(&self, old: &Row, new: &Row) -> bool {
        match self.is_exact {
            true => old.embed_text == new.embed_text,
            false => old.ingredients == new.ingredients,
        }
    }
}

impl Diff {
    /// Starts a comparison with the rows of the old version, in reading order.
    ///
    /// # Errors
    /// Fails if two rows have the same id.
    pub fn new(old: Vec<Row>) -> Result<Self, DiffError> {
        let by_id = sorted(&old, |row| &row.id);
        let is_twice = |pair: &&[u32]| old[pair[0] as usize].id == old[pair[1] as usize].id;
        if let Some(pair) = by_id.windows(2).find(is_twice) {
            return Err(DiffError::Twice(old[pair[0] as usize].id.to_string()));
        }
        let is_exact = old.iter().all(|row| row.embed_text.is_some());
        Ok(Self {
            by_embed_text: if is_exact { sorted(&old, |row| &row.embed_text) } else { Vec::new() },
            by_ingredients: sorted(&old, |row| &row.ingredients),
            by_id,
            strategies: old.iter().map(|row| (hash(row.document()), row.strategy)).collect(),
            stranger: None,
            is_familiar: false,
            kept: vec![false; old.len()],
            fresh: HashSet::new(),
            moves: Vec::new(),
            summary: Summary::default(),
            old,
        })
    }

    /// Checks that the strategy of a document is the same in both versions. A new document may have
    /// any strategy, but at least one row must share a strategy with the old version.
    fn check_strategy(&mut self, new: &Row) -> Result<(), DiffError> {
        let (id, found) = (&new.id, new.strategy);
        match self.strategies.get(&hash(new.document())) {
            Some(&expected) if expected != found => {
                return Err(DiffError::Strategies { id: id.to_string(), found, expected });
            }
            Some(_) => self.is_familiar = true,
            None => self.is_familiar |= self.old.first().is_some_and(|old| old.strategy == found),
        }
        self.stranger = (!self.is_familiar).then(|| (id.clone(), found));
        Ok(())
    }

    /// Compares the next row of the new version.
    ///
    /// # Errors
    /// Fails if an earlier row has the same id, or if the old version split the document with a
    /// different strategy.
    pub fn compare(&mut self, new: &Row) -> Result<Fate, DiffError> {
        self.check_strategy(new)?;
        let known = self.known(&new.id);
        let is_first = match known {
            Some(nth) => !std::mem::replace(&mut self.kept[nth], true),
            None => self.fresh.insert(hash(&new.id)),
        };
        if !is_first {
            return Err(DiffError::Twice(new.id.to_string()));
        }
        let alike = self.alike(new);
        let fate = match known {
            Some(nth) if alike.has(&self.old[nth], new) => {
                let is_same = self.old[nth].stored == new.stored;
                if is_same { Fate::Unchanged } else { Fate::Updated }
            }
            _ if !alike.rows.is_empty() => Fate::Moved,
            Some(_) => Fate::Changed,
            None => Fate::Added,
        };
        if fate == Fate::Moved {
            self.moves.push((new.id.clone(), alike));
        }
        self.summary.count(fate, new.tokens);
        Ok(fate)
    }

    /// Ends the comparison, and finds the old id of each moved chunk.
    ///
    /// Ids that are gone are preferred over those that the new version contains. Several chunks with
    /// the same embedded text are matched in order.
    ///
    /// # Errors
    /// Fails if no document was split with a strategy of the old version.
    pub fn finish(mut self) -> Result<Outcome, DiffError> {
        if let (Some((id, found)), Some(old)) = (self.stranger.take(), self.old.first()) {
            return Err(DiffError::Strategies { id: id.into(), found, expected: old.strategy });
        }
        let mut moved = vec![false; self.old.len()];
        let mut next: HashMap<Likeness, usize> = HashMap::new();
        let mut moves = Vec::with_capacity(self.moves.len());
        for (to, alike) in std::mem::take(&mut self.moves) {
            let rows = self.order(&alike);
            let start = next.entry(alike.clone()).or_default();
            let gone = (*start..rows.len()).find(|&nth| !self.kept[rows[nth] as usize]);
            *start = gone.map_or(rows.len(), |nth| nth + 1);
            let from = rows[gone.unwrap_or(0)] as usize;
            moved[from] |= gone.is_some();
            moves.push(Move { from: self.old[from].id.to_string(), to: to.into() });
        }
        let rows = self.old.into_iter().zip(self.kept).zip(moved);
        let gone: Vec<_> =
            rows.filter(|((_, kept), _)| !kept).map(|((row, _), moved)| (row, moved)).collect();
        self.summary.removed = gone.iter().filter(|(_, moved)| !moved).count();
        Ok(Outcome { moves, gone, summary: self.summary })
    }

    /// Returns the index of the old row with this id.
    fn known(&self, id: &str) -> Option<usize> {
        let found = self.by_id.binary_search_by(|&nth| (*self.old[nth as usize].id).cmp(id));
        found.ok().map(|at| self.by_id[at] as usize)
    }

    /// Returns the old rows with the same model input.
    fn alike(&self, new: &Row) -> Likeness {
        let is_exact = new.embed_text.is_some() && !self.by_embed_text.is_empty();
        let rows = if is_exact {
            self.equal(&self.by_embed_text, |row| row.embed_text.cmp(&new.embed_text))
        } else {
            self.equal(&self.by_ingredients, |row| row.ingredients.cmp(&new.ingredients))
        };
        Likeness { is_exact, rows }
    }

    fn equal(&self, order: &[u32], compare: impl Fn(&Row) -> std::cmp::Ordering) -> Range<usize> {
        let compare = |nth: &u32| compare(&self.old[*nth as usize]);
        let start = order.partition_point(|nth| compare(nth).is_lt());
        let length = order[start..].partition_point(|nth| compare(nth).is_eq());
        start..start + length
    }

    fn order(&self, alike: &Likeness) -> &[u32] {
        let order = if alike.is_exact { &self.by_embed_text } else { &self.by_ingredients };
        &order[alike.rows.clone()]
    }
}

impl Summary {
    fn count(&mut self, fate: Fate, tokens: usize) {
        let count = match fate {
            Fate::Added => &mut self.added,
            Fate::Changed => &mut self.changed,
            Fate::Moved => &mut self.moved,
            Fate::Updated => &mut self.updated,
            Fate::Unchanged => &mut self.unchanged,
        };
        *count += 1;
        self.tokens += tokens;
        if matches!(fate, Fate::Added | Fate::Changed) {
            self.tokens_to_embed += tokens;
        }
    }
}

/// Returns the indices of rows sorted by a key. The sort is stable.
fn sorted<K: Ord + ?Sized>(rows: &[Row], key: impl Fn(&Row) -> &K) -> Vec<u32> {
    let mut order: Vec<u32> = (0..index(rows.len())).collect();
    order.sort_by(|&a, &b| key(&rows[a as usize]).cmp(key(&rows[b as usize])));
    order
}

fn index(nth: usize) -> u32 {
    u32::try_from(nth).expect("memory has no room for four billion rows")
}
