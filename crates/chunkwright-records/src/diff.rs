//! The diff: rows of an old and of a new version come in; what becomes of each goes out.
//!
//! A vector may be kept if the model would see the same: the same `embed_text`, which is more than
//! the same text, since it begins with the breadcrumb. Where a record does not have it, the text's
//! hash, the breadcrumb and the tokens stand for it.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use chunkwright::StrategyName;
use serde::Serialize;
use thiserror::Error;

use crate::row::{Hash, Row, hash};

/// What becomes of a chunk of the new version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The id is new, and so is what is embedded.
    Added,
    /// The id is old, but what is embedded is new.
    Changed,
    /// What is embedded was at another id before, whose vector will do.
    Moved,
    /// The id and what is embedded are old; something else in the record is new.
    Updated,
    /// All is as it was.
    Unchanged,
}

/// A chunk that has the vector of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// The id in the old version. It may be that of another chunk in the new one.
    pub from: String,
    /// The id in the new version.
    pub to: String,
}

/// How many chunks and tokens there are of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// New chunks.
    pub added: usize,
    /// Chunks that must be embedded again.
    pub changed: usize,
    /// Chunks with the vector of another id.
    pub moved: usize,
    /// Chunks of which only the record changed.
    pub updated: usize,
    /// Chunks that are as they were.
    pub unchanged: usize,
    /// Chunks that are gone, and moved nowhere.
    pub removed: usize,
    /// The tokens of all chunks of the new version.
    pub tokens: usize,
    /// The tokens of those that must be embedded.
    pub tokens_to_embed: usize,
}

/// What is known when all rows are seen.
#[derive(Debug)]
pub struct Outcome {
    /// In the order of the new version.
    pub moves: Vec<Move>,
    /// The rows whose ids are gone, in the order of the old version, and whether they moved.
    pub gone: Vec<(Row, bool)>,
    /// The counts.
    pub summary: Summary,
}

/// Rows that cannot be compared.
#[derive(Debug, Error)]
pub enum DiffError {
    /// An id that two chunks of one version have.
    #[error("duplicate id {0}")]
    Twice(String),
    /// A document that was cut with different strategies.
    #[error(
        "{id} was split with {expected} before, now with {found}; use the same options for both"
    )]
    Strategies {
        /// The chunk.
        id: String,
        /// How it was cut.
        found: StrategyName,
        /// How the old version of the document was cut.
        expected: StrategyName,
    },
}

/// A comparison: it knows the old version, and is told the new one row by row.
#[derive(Debug)]
pub struct Diff {
    old: Vec<Row>,
    by_id: Vec<u32>,
    /// Empty if some row does not have `embed_text`.
    by_embed_text: Vec<u32>,
    by_ingredients: Vec<u32>,
    /// How each old document was cut.
    strategies: HashMap<Hash, StrategyName>,
    /// A new row that was cut as no old one was, as long as there are no others.
    stranger: Option<(Box<str>, StrategyName)>,
    is_familiar: bool,
    /// Which old ids the new version has.
    kept: Vec<bool>,
    /// Ids that only the new version has.
    fresh: HashSet<Hash>,
    /// Ids, and the old rows that have their vector.
    moves: Vec<(Box<str>, Likeness)>,
    summary: Summary,
}

/// Old rows that look the same to a model: a range of one of the orders.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Likeness {
    is_exact: bool,
    rows: Range<usize>,
}

impl Likeness {
    /// Whether an old row looks the same as the new one.
    fn has(&self, old: &Row, new: &Row) -> bool {
        match self.is_exact {
            true => old.embed_text == new.embed_text,
            false => old.ingredients == new.ingredients,
        }
    }
}

impl Diff {
    /// A comparison with these rows of the old version, in reading order.
    ///
    /// # Errors
    /// When two have the same id.
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

    /// A document is cut as it was. One that is new may be cut in a way of its own, but all of them
    /// are not.
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

    /// What becomes of the next row of the new version.
    ///
    /// # Errors
    /// When there was a row with its id already, or its document was cut with another strategy.
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

    /// Ends the comparison. A chunk that moved rather comes from an id that is gone than from one
    /// that is still there; where several are alike, the first goes with the first.
    ///
    /// # Errors
    /// When no document was cut with a strategy of the old version.
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

    /// The old row with this id.
    fn known(&self, id: &str) -> Option<usize> {
        let found = self.by_id.binary_search_by(|&nth| (*self.old[nth as usize].id).cmp(id));
        found.ok().map(|at| self.by_id[at] as usize)
    }

    /// The old rows that look the same to a model.
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

/// The places of rows in the order of a key; those with the same key in reading order.
fn sorted<K: Ord + ?Sized>(rows: &[Row], key: impl Fn(&Row) -> &K) -> Vec<u32> {
    let mut order: Vec<u32> = (0..index(rows.len())).collect();
    order.sort_by(|&a, &b| key(&rows[a as usize]).cmp(key(&rows[b as usize])));
    order
}

fn index(nth: usize) -> u32 {
    u32::try_from(nth).expect("memory has no room for four billion rows")
}
