//! `window`: fills chunks in one pass over the lines, without lookahead. Chunks start at headings.
//!
//! 1. A heading seals the open chunk if one of these rules applies:
//!    - The chunk starts at level 1, and the heading is its second heading of level 2.
//!    - The heading is no deeper than the chunk's first heading or its deepest one, and the chunk
//!      has at least `min` tokens.
//!    - The heading is deeper, and the chunk has at least `min_deeper` tokens.
//! 2. The minimums count the chunk's own lines only, without blank lines.
//! 3. A chunk that starts inside a section has the level of the innermost open heading. A chunk
//!    that starts before any heading has no level until its first heading, which counts as deeper.
//! 4. A line that would exceed `max` seals the chunk. `max` limits everything that the chunk shows.
//!    A line that exceeds `max` on its own is split, and its first part fills the remaining room.
//! 5. A chunk that contains only headings is not sealed:
//!    - Where `max` would seal it, the next line is split to fill the remaining room, unless that
//!      line opens a code fence or a Markdown table. The opening of an HTML table is split only
//!      between words.
//!    - At the end of the document, it joins the previous chunk. If both don't fit together, the
//!      last line of the previous chunk moves into it.
//! 6. A chunk starts with its parent headings: those of lower levels than its first heading, or all
//!    open headings if it starts inside a section. They take up at most a quarter of `max`.
//!    Headings that exceed the quarter on their own are left out, then the second, the third, and
//!    so on; the first heading goes last.
//! 7. A code fence or a table that is split is closed and reopened.
//! 8. With `lookahead`, a chunk that `max` would seal inside a section is sealed before its last
//!    heading instead, if at least `min` tokens precede that heading.
//! 9. A last chunk under `min` is kept, merged into the previous one, or dropped, as set by `tail`.
//! 10. The breadcrumb is the path of the section in which the chunk starts.

mod fragment;
mod open;
mod parents;
mod pass;
mod seal;
mod sealed;

use serde::{Deserialize, Serialize};

use super::{About, ConfigError, Rules, Size, Strategy, StrategyOptions, limit, within};
use crate::brief::Brief;
use crate::context::Context;
use crate::plan::Plan;
use pass::Pass;

/// The treatment of a last chunk with fewer tokens than the minimum.
///
/// ```
/// use chunkwright::{Chunker, Tail, Window, Words};
///
/// let text = "# Tea\n\nBoil water first.\n\n# Coffee\n\nGrind.\n";
/// for (tail, chunks) in [(Tail::Keep, 2), (Tail::Merge, 1)] {
///     let window = Window::default().min(4).max(20).tail(tail);
///     let chunker = Chunker::new(window, Words::with_factor(1.0)?)?;
///     assert_eq!(chunker.chunk("drinks.md", text).chunks.len(), chunks);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Tail {
    /// Keep it as a chunk.
    #[default]
    Keep,
    /// Merge it into the previous chunk, if both fit the maximum.
    Merge,
    /// Drop it, with a note.
    Drop,
}

/// The strategy `window`, which reads line by line and starts a chunk at a heading once the current
/// one is large enough.
///
/// ```
/// use chunkwright::{Chunker, Window, Words};
///
/// let chunker = Chunker::new(Window::default().max(300), Words::default())?;
/// assert_eq!(chunker.max_tokens(), Some(300));
/// # Ok::<(), chunkwright::ConfigError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Window {
    /// Preset for the token limits: `small`, `medium` or `large`. Explicit limits override it.
    /// Default: `medium`.
    pub size: Option<Size>,
    /// Minimum tokens before a split at a heading. It applies to headings that are no deeper than
    /// those before them. Default: 250.
    #[serde(alias = "min_tokens", alias = "minTokens")]
    pub min: Option<usize>,
    /// Minimum tokens before a split at a deeper heading. Default: 500.
    #[serde(alias = "min_tokens_deeper", alias = "minTokensDeeper")]
    pub min_deeper: Option<usize>,
    /// Maximum tokens per chunk. Default: 750.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = crate::strategy::MOST_TOKENS)))]
    #[serde(alias = "max_tokens", alias = "maxTokens")]
    pub max: Option<usize>,
    /// Treatment of a last chunk under `min`: `keep`, `merge` or `drop`. Default: `keep`.
    pub tail: Option<Tail>,
    /// Start each chunk with its parent headings. Default: `true`.
    pub parents: Option<bool>,
    /// Split a full chunk before its last section, if at least `min` tokens remain. Default:
    /// `false`.
    pub lookahead: Option<bool>,
}

impl Window {
    pub(super) const ABOUT: About =
        About { counter: "words", context: Context::None, has_nodes: false, version: 4 };
}

impl StrategyOptions for Window {
    fn limit(&mut self, _: usize, max: usize) {
        self.max = Some(max);
    }

    fn rules(&self, _: &str) -> Result<Box<dyn Rules>, ConfigError> {
        Ok(Box::new(self.limits()?))
    }

    fn filled(&self, _: &str) -> Result<Strategy, ConfigError> {
        let WindowRules { min, min_deeper, max, tail, parents, lookahead } = self.limits()?;
        Ok(Strategy::from(Self {
            size: Some(self.size.unwrap_or_default()),
            min: Some(min),
            min_deeper: Some(min_deeper),
            max: Some(max),
            tail: Some(tail),
            parents: Some(parents),
            lookahead: Some(lookahead),
        }))
    }
}

impl Window {
    fn limits(&self) -> Result<WindowRules, ConfigError> {
        let set = self.min.max(self.min_deeper).unwrap_or(0);
        let size_max = self.size.unwrap_or_default().of(375, 750, 1500);
        let max = limit("max", self.max, size_max.max(set))?;
        let least = (size_max / 3).min(max / 3).min(self.min_deeper.unwrap_or(max));
        let min = within("min", self.min.unwrap_or(least), max)?;
        let least = (size_max * 2 / 3).min(max * 2 / 3).max(min);
        let min_deeper = within("min_deeper", self.min_deeper.unwrap_or(least), max)?;
        let tail = self.tail.unwrap_or_default();
        let (parents, lookahead) = (self.parents.unwrap_or(true), self.lookahead.unwrap_or(false));
        Ok(WindowRules { min, min_deeper, max, tail, parents, lookahead })
    }
}

impl Window {
    /// Sets the preset for all limits.
    #[must_use]
    pub fn size(mut self, size: Size) -> Self {
        self.size = Some(size);
        self
    }

    /// Sets the maximum tokens per chunk.
    #[must_use]
    pub fn max(mut self, tokens: usize) -> Self {
        self.max = Some(tokens);
        self
    }

    /// Sets the minimum tokens before a heading starts a new chunk.
    #[must_use]
    pub fn min(mut self, tokens: usize) -> Self {
        self.min = Some(tokens);
        self
    }

    /// Sets the minimum tokens before a deeper heading starts a new chunk.
    #[must_use]
    pub fn min_deeper(mut self, tokens: usize) -> Self {
        self.min_deeper = Some(tokens);
        self
    }

    /// Sets the treatment of a last chunk under the minimum.
    #[must_use]
    pub fn tail(mut self, tail: Tail) -> Self {
        self.tail = Some(tail);
        self
    }

    /// Sets whether a chunk starts with the headings above it.
    #[must_use]
    pub fn parents(mut self, parents: bool) -> Self {
        self.parents = Some(parents);
        self
    }

    /// Sets whether a chunk that is full inside a section ends before that section.
    #[must_use]
    pub fn lookahead(mut self, lookahead: bool) -> Self {
        self.lookahead = Some(lookahead);
        self
    }
}

#[derive(Debug)]
struct WindowRules {
    min: usize,
    min_deeper: usize,
    max: usize,
    tail: Tail,
    parents: bool,
    lookahead: bool,
}

impl Rules for WindowRules {
    fn max(&self) -> Option<usize> {
        Some(self.max)
    }

    /// Returns `None`, because chunks are filled up to the maximum.
    fn target(&self) -> Option<usize> {
        None
    }

    fn plan(&self, brief: &Brief<'_>) -> Vec<Plan> {
        Pass::new(brief, self).plans()
    }
}
