//! `hierarchical`: keeps every subtree of sections that fits the maximum whole.
//!
//! 1. A document within the target is one chunk.
//! 2. Otherwise, the preamble is a separate chunk.
//! 3. If everything under headings fits the maximum, it is one chunk.
//! 4. Otherwise, top-level sections never share a chunk. A subtree within the maximum is one chunk.
//! 5. A larger subtree is split by its child subtrees, in reading order:
//!    - A child subtree within the maximum joins the open chunk if it lies under the parent of the
//!      section that opened the chunk, and both fit together. Otherwise, it opens the next chunk.
//!    - If the open chunk contains only the text directly under the parent of a section, and the
//!      section's subtree doesn't fit there, the section joins without its descendants.
//!    - A child subtree over the maximum is split the same way, starting with its own text.
//! 6. A heading with no content directly under it stays with the section after it.
//! 7. A section over the maximum is split into chunks within the target. The last one stays open
//!    for the sections that follow.
//! 8. A chunk under `min` merges with the previous chunk, or else with the next one. The two must
//!    have the same parent and fit the maximum together.
//! 9. The breadcrumb is the path of the section that opened the chunk.

use serde::{Deserialize, Serialize};

use super::pack::{Budget, Names, Stretch, pack, plans_of};
use super::{About, Brief, Rules, Settings, Size, Strategy, target_within};
use crate::config::{ConfigError, limit};
use crate::context::Context;
use crate::ids::{BlockId, BlockRange, SectionId};
use crate::plan::Plan;
use crate::split::{Seam, Series};

/// The strategy `hierarchical`, which keeps as many subsections together as the maximum allows.
///
/// ```
/// use chunkwright::{Chars, Chunker, Hierarchical};
///
/// let chunker = Chunker::new(Hierarchical::default().max(2000), Chars)?;
/// assert_eq!(chunker.max_tokens(), Some(2000));
/// # Ok::<(), chunkwright::ConfigError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Hierarchical {
    /// Preset for the token limits: `small`, `medium` or `large`. Explicit limits override it.
    /// Default: `medium`.
    pub size: Option<Size>,
    /// Preferred tokens per chunk. A section that has to be split is split at this size. With the
    /// tokenizer `chars`, a maximum that is set is also the target. Default: 512.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = crate::config::MOST_TOKENS)))]
    #[serde(alias = "target_tokens", alias = "targetTokens")]
    pub target: Option<usize>,
    /// Maximum tokens per chunk. Default: 1024.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = crate::config::MOST_TOKENS)))]
    #[serde(alias = "hard_cap", alias = "hardCap", alias = "max_tokens", alias = "maxTokens")]
    pub max: Option<usize>,
    /// Minimum tokens per chunk; smaller chunks merge with a neighbor. 0 turns this off. Default:
    /// `target` / 10.
    #[serde(alias = "min_tokens", alias = "minTokens")]
    pub min: Option<usize>,
}

impl Hierarchical {
    pub(super) const ABOUT: About =
        About { counter: "o200k", context: Context::Title, has_nodes: false, version: 3 };
}

impl Settings for Hierarchical {
    fn limit(&mut self, target: usize, max: usize) {
        (self.target, self.max) = (Some(target), Some(max));
    }

    fn rules(&self, counter: &str) -> Result<Box<dyn Rules>, ConfigError> {
        Ok(Box::new(self.limits(counter)?))
    }

    fn filled(&self, counter: &str) -> Result<Strategy, ConfigError> {
        let Limits { target, max, min } = self.limits(counter)?;
        let size = Some(self.size.unwrap_or_default());
        Ok(Strategy::from(Self { size, target: Some(target), max: Some(max), min: Some(min) }))
    }
}

impl Hierarchical {
    /// Sets the preset for both limits.
    #[must_use]
    pub fn size(mut self, size: Size) -> Self {
        self.size = Some(size);
        self
    }

    /// Sets the preferred tokens per chunk where content is split.
    #[must_use]
    pub fn target(mut self, tokens: usize) -> Self {
        self.target = Some(tokens);
        self
    }

    /// Sets the maximum tokens per chunk.
    #[must_use]
    pub fn max(mut self, tokens: usize) -> Self {
        self.max = Some(tokens);
        self
    }

    /// Sets the minimum tokens per chunk. Smaller chunks merge with a neighbor.
    #[must_use]
    pub fn min(mut self, tokens: usize) -> Self {
        self.min = Some(tokens);
        self
    }
}

/// The divisor of the target that gives the default minimum.
const MIN_SHARE: usize = 10;

impl Hierarchical {
    fn limits(&self, counter: &str) -> Result<Limits, ConfigError> {
        let set = self.target.max(self.min).unwrap_or(0);
        let size_target = self.size.unwrap_or_default().target();
        let max = limit("max", self.max, (2 * size_target).max(set))?;
        let target =
            limit("target", self.target, target_within(max, self.max, size_target, counter))?;
        if target > max {
            return Err(ConfigError::AboveMaximum { option: "target", value: target, max });
        }
        let min = self.min.unwrap_or(target / MIN_SHARE);
        if min > max {
            return Err(ConfigError::AboveMaximum { option: "min", value: min, max });
        }
        Ok(Limits { target, max, min })
    }
}

#[derive(Debug)]
struct Limits {
    target: usize,
    max: usize,
    min: usize,
}

const ROOT: SectionId = SectionId::ROOT;

impl Rules for Limits {
    fn max(&self) -> Option<usize> {
        Some(self.max)
    }

    fn target(&self) -> Option<usize> {
        Some(self.target)
    }

    fn plan(&self, brief: &Brief<'_>) -> Vec<Plan> {
        let budget =
            Budget { target: brief.units_within(self.target), max: brief.units_within(self.max) };
        let mut packer = Packer { brief, budget, drafts: Vec::new() };
        packer.document();
        let merger = Merger { brief, max: budget.max, min: brief.units_reaching(self.min) };
        let drafts = merger.merge(packer.drafts);
        drafts.into_iter().flat_map(|draft| merger.plans(draft)).collect()
    }
}

/// A chunk that isn't final yet. The section that opened it names it.
struct Draft {
    stretch: Stretch,
    names: Names,
}

/// A chunk that more sections may join.
struct Open {
    start: Seam,
    section: SectionId,
    /// The units before the first whole block, including the context line.
    head_units: usize,
    first_whole: BlockId,
    end: BlockId,
    /// The last section of the item that opened the chunk, if the chunk contains nothing else and
    /// the item was not split.
    only: Option<SectionId>,
}

/// Consecutive sections that join a chunk as a whole.
struct Item {
    first: SectionId,
    last: SectionId,
    blocks: BlockRange,
}

struct Packer<'b> {
    brief: &'b Brief<'b>,
    budget: Budget,
    drafts: Vec<Draft>,
}

impl Packer<'_> {
    fn document(&mut self) {
        let shown = self.brief.shown();
        if self.brief.cost(ROOT, shown) <= self.budget.target {
            return self.push(shown, ROOT);
        }
        let preamble = self.brief.document.own_blocks(ROOT).end.max(shown.start);
        if preamble > shown.start {
            self.content(shown.start.to(preamble), ROOT);
        }
        if preamble < shown.end {
            self.headings(preamble.to(shown.end));
        }
    }

    /// Packs everything under headings: together if it fits, or else each top-level section
    /// separately.
    fn headings(&mut self, blocks: BlockRange) {
        let document = self.brief.document;
        let is_top = |section: &SectionId| document.parent(*section) == Some(ROOT);
        let tops: Vec<SectionId> = document.section_ids().filter(is_top).collect();
        let trail = if let [only] = tops[..] { only } else { ROOT };
        if self.fit(trail, blocks) {
            return self.push(blocks, trail);
        }
        for top in tops {
            if self.fits(top) {
                self.push(document.subtree_blocks(top), top);
            } else {
                self.subtree(top);
            }
        }
    }

    /// Returns whether a subtree fits one chunk.
    fn fits(&self, section: SectionId) -> bool {
        self.fit(section, self.brief.document.subtree_blocks(section))
    }

    /// Returns whether blocks fit a chunk with this breadcrumb. Where text is elided, sums may be
    /// slightly too high, so blocks near the maximum are counted.
    fn fit(&self, trail: SectionId, blocks: BlockRange) -> bool {
        let max = self.budget.max;
        let units = self.brief.cost(trail, blocks);
        let is_near = units > max && units <= max + max / 16;
        units <= max
            || (is_near && !self.brief.ruler.is_exact(blocks) && {
                let Stretch { start, end } = Stretch::of_blocks(self.brief, blocks);
                self.brief.measure(trail, &start, &end) <= max
            })
    }

    /// Splits a subtree that doesn't fit by its child subtrees.
    fn subtree(&mut self, top: SectionId) {
        let mut open: Option<Open> = None;
        let mut next = top;
        while next < self.brief.document.subtree_end(top) {
            let (item, joins) = self.item(next, open.as_ref());
            next = item.last.next();
            match open.as_mut().filter(|_| joins) {
                Some(open) => (open.end, open.only) = (item.blocks.end, None),
                None => {
                    open.take().into_iter().for_each(|open| self.close(&open));
                    open = Some(self.open(item));
                }
            }
        }
        open.into_iter().for_each(|open| self.close(&open));
    }

    /// Returns the item to pack next, and whether it joins the open chunk. The item is the subtree
    /// of a section if it fits, or else the section's own text.
    fn item(&self, section: SectionId, open: Option<&Open>) -> (Item, bool) {
        let document = self.brief.document;
        let item = |last: SectionId| {
            let blocks = document.own_blocks(section).start.to(document.own_blocks(last).end);
            Item { first: section, last, blocks }
        };
        let own = || {
            let mut last = section;
            while document[last].is_bare {
                last = last.next();
            }
            item(last)
        };
        let whole = self.fits(section).then(|| item(document.subtree_end(section).before()));
        if let Some(open) = open {
            if let Some(whole) = whole.as_ref().filter(|whole| self.joins(open, whole)) {
                return (item(whole.last), true);
            }
            if open.only.is_some() && open.only == document.parent(section) {
                let own = own();
                if self.joins(open, &own) {
                    return (own, true);
                }
            }
        }
        (whole.unwrap_or_else(own), false)
    }

    fn joins(&self, open: &Open, item: &Item) -> bool {
        let document = self.brief.document;
        let scope = document.parent(open.section).filter(|&parent| parent != ROOT);
        let scope = scope.unwrap_or(open.section);
        let below = scope..document.subtree_end(scope);
        let units = self.brief.ruler.trimmed(open.first_whole.to(item.blocks.end));
        below.contains(&item.first) && open.head_units + units <= self.budget.max
    }

    /// Opens a chunk with an item. An item that doesn't fit fills several chunks, and the last one
    /// stays open.
    fn open(&mut self, item: Item) -> Open {
        let Item { first, last, blocks } = item;
        let start = self.brief.document[blocks.start].span.start;
        let head_units = self.brief.context(first, start);
        if self.fit(first, blocks) {
            return Open {
                start: Seam::between_blocks(start),
                section: first,
                head_units,
                first_whole: blocks.start,
                end: blocks.end,
                only: Some(last),
            };
        }
        let stretch = Stretch::of_blocks(self.brief, blocks);
        let mut parts = pack(self.brief, &stretch, Series { first, rest: last }, self.budget);
        let open = parts.pop().unwrap_or(stretch);
        let document = self.brief.document;
        let section = |part: &Stretch| document.section_of(document.block_at(part.start.at));
        for stretch in parts {
            self.drafts.push(Draft { names: Names::of(section(&stretch)), stretch });
        }
        self.reopen(&open.start, section(&open), blocks.end)
    }

    /// Opens a chunk that starts inside a section.
    fn reopen(&self, start: &Seam, section: SectionId, end: BlockId) -> Open {
        let block = self.brief.document.block_at(start.at);
        let context = self.brief.context(section, start.at);
        let (head_units, first_whole) = match self.brief.block_at_start(start) {
            Some(block) => (context, block),
            None => (context + self.brief.head_units(start), block.next()),
        };
        Open { start: start.clone(), section, head_units, first_whole, end, only: None }
    }

    fn close(&mut self, open: &Open) {
        let end = self.brief.document.start_of(open.end);
        let stretch = Stretch { start: open.start.clone(), end: Seam::between_blocks(end) };
        self.drafts.push(Draft { stretch, names: Names::of(open.section) });
    }

    /// Packs the blocks of one section into one chunk if they fit, or else into several.
    fn content(&mut self, blocks: BlockRange, section: SectionId) {
        if self.fit(section, blocks) {
            return self.push(blocks, section);
        }
        let stretch = Stretch::of_blocks(self.brief, blocks);
        for stretch in pack(self.brief, &stretch, Series::both(section), self.budget) {
            self.drafts.push(Draft { stretch, names: Names::of(section) });
        }
    }

    fn push(&mut self, blocks: BlockRange, trail: SectionId) {
        let section = self.brief.document.section_of(blocks.start);
        let stretch = Stretch::of_blocks(self.brief, blocks);
        self.drafts.push(Draft { stretch, names: Names { section, trail } });
    }
}

/// Merges chunks under the minimum with their neighbors.
struct Merger<'b> {
    brief: &'b Brief<'b>,
    max: usize,
    min: usize,
}

/// A draft with its units.
struct Measured {
    draft: Draft,
    units: usize,
    /// Whether the units are exact. Sums may be slightly off.
    is_exact: bool,
}

impl Merger<'_> {
    fn merge(&self, drafts: Vec<Draft>) -> Vec<Measured> {
        if self.min == 0 {
            return drafts.into_iter().map(|draft| self.measured(draft)).collect();
        }
        let mut done: Vec<Measured> = Vec::with_capacity(drafts.len());
        let drafts = self.with_invisible_ones_joined(drafts);
        let mut rest = drafts.into_iter().map(|draft| self.measured(draft)).peekable();
        while let Some(mut small) = rest.next() {
            while small.units < self.min {
                let before =
                    done.last().and_then(|before| self.merged(before, &small, before.draft.names));
                if let Some(merged) = before {
                    done.pop();
                    small = merged;
                    continue;
                }
                let after = rest
                    .peek()
                    .and_then(|after| self.merged(&small, after, self.names_before(&small, after)));
                let Some(merged) = after else { break };
                rest.next();
                small = merged;
            }
            done.push(small);
        }
        done
    }

    /// Joins adjacent invisible drafts, because every merge of one would count all text before it.
    fn with_invisible_ones_joined(&self, drafts: Vec<Draft>) -> Vec<Draft> {
        let mut joined: Vec<(Draft, bool)> = Vec::with_capacity(drafts.len());
        for draft in drafts {
            let invisible = draft.stretch.is_invisible(self.brief);
            match joined.last_mut() {
                Some((last, true)) if invisible && last.names.section == draft.names.section => {
                    last.stretch.end = draft.stretch.end;
                }
                _ => joined.push((draft, invisible)),
            }
        }
        joined.into_iter().map(|(draft, _)| draft).collect()
    }

    fn measured(&self, draft: Draft) -> Measured {
        let Stretch { start, end } = &draft.stretch;
        let units = self.brief.measure(draft.names.trail, start, end);
        Measured { draft, units, is_exact: true }
    }

    fn plans(&self, measured: Measured) -> Vec<Plan> {
        let Measured { draft, units, .. } =
            if measured.is_exact { measured } else { self.measured(measured.draft) };
        plans_of(self.brief, &draft.stretch, draft.names, units, self.max)
    }

    /// Returns the names of a small chunk merged with the next one. A preamble takes over the names
    /// of the section after it.
    fn names_before(&self, small: &Measured, after: &Measured) -> Names {
        match small.draft.names.section {
            ROOT => after.draft.names,
            _ => small.draft.names,
        }
    }

    /// Merges two adjacent drafts, if their sections have the same parent and both fit together.
    fn merged(&self, one: &Measured, two: &Measured, names: Names) -> Option<Measured> {
        let document = self.brief.document;
        let parent = |of: &Measured| document.parent(of.draft.names.section).unwrap_or(ROOT);
        if parent(one) != parent(two) {
            return None;
        }
        let (start, end) = (&one.draft.stretch.start, &two.draft.stretch.end);
        let second = &two.draft;
        let repeated = self.brief.context(second.names.trail, second.stretch.start.at);
        let sum = (one.units + two.units).saturating_sub(repeated);
        // Far from the limits, the exact count doesn't matter, and rendering and counting the text
        // after every merge is expensive.
        let is_near = sum < 2 * self.min || sum + sum / 16 > self.max;
        let is_exact = is_near || self.brief.whole_blocks(start, end).is_some();
        let units = if is_exact { self.brief.measure(names.trail, start, end) } else { sum };
        let stretch = Stretch { start: start.clone(), end: end.clone() };
        (units <= self.max).then_some(Measured { draft: Draft { stretch, names }, units, is_exact })
    }
}
