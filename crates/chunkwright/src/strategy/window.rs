//! `window`: one pass over the lines, without looking ahead; chunks begin at headings.
//!
//! 1. At a heading the open chunk is sealed, in this order of rules:
//!    - It began at level 1, and this is its second heading of level 2.
//!    - The heading is no deeper than the chunk's first heading or its deepest one, and the chunk has
//!      at least `min` tokens.
//!    - The heading is deeper, and the chunk has at least `min_deeper` tokens.
//! 2. The minimums look at the chunk's own lines only, and not at blank ones.
//! 3. A chunk that begins inside a section has the level of the innermost open heading. One that
//!    begins before any heading has no level until its first heading, which is deeper than nothing.
//! 4. A line that would take the chunk over `max` seals it. `max` bounds all that the chunk shows. A
//!    line that is over it by itself is cut, and its first part fills the room left.
//! 5. A chunk that holds only headings is not sealed: where `max` would, the next line is cut to fill
//!    the room, unless it opens a fence or a table. If it is the last one, it joins the one before it, or takes that one's last line
//!    along where both do not fit.
//! 6. The chunk begins with its parent headings: those of lower levels than its first heading, or all
//!    open ones when it begins inside a section. They take at most a quarter of `max`: one that
//!    is longer by itself is left out, then the second, the third and so on, the first one last.
//! 7. A fence or a table that is cut is closed and opened again.
//! 8. A last chunk under `min` is kept, merged into the one before it, or dropped, as `tail` says.
//! 9. The breadcrumb is the path of the section in which the chunk begins.

mod draft;
mod fold;
mod open;
mod parents;
mod seal;
mod unit;

use serde::{Deserialize, Serialize};

use super::{Brief, Rules, Settings};
use crate::config::{ConfigError, limit};
use crate::context::Context;
use crate::plan::Plan;
use fold::Fold;

/// What becomes of a last chunk with fewer tokens than the minimum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tail {
    /// It is a chunk like others.
    #[default]
    Keep,
    /// It merges into the chunk before it, if both fit the maximum.
    Merge,
    /// It is left out, with a note.
    Drop,
}

/// Options of `window`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Options {
    /// Tokens from which on a heading that is no deeper than those before it begins a new chunk.
    /// Default: 250.
    #[serde(alias = "min_tokens")]
    pub min: Option<usize>,
    /// Tokens from which on a deeper heading begins a new chunk. Default: 500.
    #[serde(alias = "min_tokens_deeper")]
    pub min_deeper: Option<usize>,
    /// The most tokens in a chunk. Default: 750.
    #[serde(alias = "max_tokens")]
    pub max: Option<usize>,
    /// What becomes of a last chunk under `min`. Default: it is kept.
    pub tail: Option<Tail>,
    /// Whether a chunk begins with the headings above it. Default: yes.
    pub parents: Option<bool>,
}

impl Settings for Options {
    const COUNTER: &'static str = "words";
    const CONTEXT: Context = Context::None;
    const VERSION: u32 = 2;

    fn limit(&mut self, _: usize, max: usize) {
        self.max = Some(max);
    }

    fn rules(&self) -> Result<Box<dyn Rules>, ConfigError> {
        Ok(Box::new(self.window()?))
    }

    fn filled(&self) -> Result<Self, ConfigError> {
        let Window { min, min_deeper, max, tail, parents } = self.window()?;
        Ok(Self {
            min: Some(min),
            min_deeper: Some(min_deeper),
            max: Some(max),
            tail: Some(tail),
            parents: Some(parents),
        })
    }
}

impl Options {
    fn window(&self) -> Result<Window, ConfigError> {
        let set = self.min.max(self.min_deeper).unwrap_or(0);
        let max = limit("max", self.max, 750.max(set))?;
        let within = |option: &'static str, value: usize| match value <= max {
            true => Ok(value),
            false => Err(ConfigError::AboveMaximum { option, value, max }),
        };
        let least = 250.min(max / 3).min(self.min_deeper.unwrap_or(max));
        let min = within("min", self.min.unwrap_or(least))?;
        let least = 500.min(max * 2 / 3).max(min);
        let min_deeper = within("min_deeper", self.min_deeper.unwrap_or(least))?;
        let tail = self.tail.unwrap_or_default();
        Ok(Window { min, min_deeper, max, tail, parents: self.parents.unwrap_or(true) })
    }
}

#[derive(Debug)]
struct Window {
    min: usize,
    min_deeper: usize,
    max: usize,
    tail: Tail,
    parents: bool,
}

impl Rules for Window {
    fn max(&self) -> Option<usize> {
        Some(self.max)
    }

    /// There is none: content is cut at the maximum.
    fn target(&self) -> Option<usize> {
        None
    }

    fn plan(&self, brief: &Brief<'_>) -> Vec<Plan> {
        Fold::new(brief, self).plans()
    }
}
