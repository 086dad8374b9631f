//! `hierarchical`: keeps as much of the heading tree together as the maximum allows.
//!
//! 1. A document within the target is one chunk.
//! 2. Otherwise the preamble is a chunk of its own.
//! 3. If everything under headings fits the maximum, it is one chunk.
//! 4. Otherwise each top-level heading stands alone; a subtree within the maximum is one chunk.
//! 5. A larger subtree is packed section by section: the next section joins while it fits and lies
//!    under the parent of the section that opened the chunk.
//! 6. A heading without content of its own travels with the section after it.
//! 7. A section over the maximum is cut into chunks within the target; the last stays open for the
//!    sections that follow.
//! 8. Chunks under `min` merge with a neighbour under the same parent.
//! 9. The breadcrumb is the path of the section that opened the chunk.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::pack::{Budget, Stretch, pack, plans};
use super::{Brief, Rules, Settings};
use crate::config::{ConfigError, limit};
use crate::plan::Plan;
use crate::split::Seam;

/// Options of `hierarchical`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Options {
    /// Tokens at which content is cut. Default: 512.
    #[serde(alias = "target_tokens")]
    pub target: Option<usize>,
    /// The most tokens in a chunk. Default: 1024.
    #[serde(alias = "hard_cap", alias = "max_tokens")]
    pub max: Option<usize>,
    /// Chunks with fewer tokens merge with a neighbour; 0 lets them be. Default: 0.
    #[serde(alias = "min_tokens")]
    pub min: Option<usize>,
}

impl Settings for Options {
    const COUNTER: &'static str = "o200k";
    const VERSION: u32 = 1;

    fn limit(&mut self, target: usize, max: usize) {
        (self.target, self.max) = (Some(target), Some(max));
    }

    fn rules(&self) -> Result<Box<dyn Rules>, ConfigError> {
        Ok(Box::new(self.hierarchical()?))
    }

    fn filled(&self) -> Result<Self, ConfigError> {
        let Hierarchical { target, max, min } = self.hierarchical()?;
        Ok(Self { target: Some(target), max: Some(max), min: Some(min) })
    }
}

impl Options {
    fn hierarchical(&self) -> Result<Hierarchical, ConfigError> {
        let max = limit("max", self.max, 1024.max(self.target.unwrap_or(0)))?;
        let target = limit("target", self.target, 512.min(max))?;
        if target > max {
            return Err(ConfigError::AboveMaximum { option: "target", value: target, max });
        }
        let min = self.min.unwrap_or(0);
        if min > max {
            return Err(ConfigError::AboveMaximum { option: "min", value: min, max });
        }
        Ok(Hierarchical { target, max, min })
    }
}

#[derive(Debug)]
struct Hierarchical {
    target: usize,
    max: usize,
    min: usize,
}

/// The preamble, and what the whole document hangs from.
const ROOT: usize = 0;

impl Rules for Hierarchical {
    fn max(&self) -> Option<usize> {
        Some(self.max)
    }

    fn target(&self) -> Option<usize> {
        Some(self.target)
    }

    fn plan(&self, brief: &Brief<'_>) -> Vec<Plan> {
        let budget =
            Budget { target: brief.units_within(self.target), max: brief.units_within(self.max) };
        let mut drafts = Drafter { brief, budget, drafts: Vec::new() };
        drafts.document();
        if self.min > 0 {
            drafts.merge_small(self.min);
        }
        let drafts = drafts.drafts;
        drafts
            .iter()
            .flat_map(|draft| plans(brief, &draft.stretch, draft.trail, budget.max))
            .collect()
    }
}

/// A chunk in the making.
#[derive(Clone)]
struct Draft {
    stretch: Stretch,
    /// The section that opened it.
    section: usize,
    trail: usize,
}

/// A chunk that sections may still join.
struct Open {
    start: Seam,
    section: usize,
    /// Units before the first whole block, context line included.
    head_units: usize,
    first_whole: usize,
    end: usize,
}

/// A section with the bare headings that travel with it.
struct Item {
    first: usize,
    last: usize,
    blocks: Range<usize>,
}

struct Drafter<'b> {
    brief: &'b Brief<'b>,
    budget: Budget,
    drafts: Vec<Draft>,
}

impl Drafter<'_> {
    fn document(&mut self) {
        let shown = self.brief.shown();
        if self.brief.cost(ROOT, shown.clone()) <= self.budget.target {
            return self.push(shown, ROOT);
        }
        let preamble = self.brief.document.sections[ROOT].blocks.end.max(shown.start);
        if preamble > shown.start {
            self.content(shown.start..preamble, ROOT);
        }
        if preamble < shown.end {
            self.headings(preamble..shown.end);
        }
    }

    /// Everything under headings: together if it fits, else each top-level heading on its own.
    fn headings(&mut self, blocks: Range<usize>) {
        let sections = &self.brief.document.sections;
        let tops: Vec<usize> =
            (1..sections.len()).filter(|&section| sections[section].parent == Some(ROOT)).collect();
        let trail = if let [only] = tops[..] { only } else { ROOT };
        if self.brief.cost(trail, blocks.clone()) <= self.budget.max {
            return self.push(blocks, trail);
        }
        for top in tops {
            let blocks = self.brief.document.subtree_blocks(top);
            if self.brief.cost(top, blocks.clone()) <= self.budget.max {
                self.push(blocks, top);
            } else {
                self.subtree(top);
            }
        }
    }

    /// Packs a subtree that does not fit, section by section.
    fn subtree(&mut self, top: usize) {
        let mut open: Option<Open> = None;
        for item in self.items(top) {
            match open.as_mut().filter(|open| self.joins(open, &item)) {
                Some(open) => open.end = item.blocks.end,
                None => {
                    open.take().into_iter().for_each(|open| self.close(&open));
                    open = Some(self.open(item));
                }
            }
        }
        open.into_iter().for_each(|open| self.close(&open));
    }

    /// The sections of a subtree, each with the bare headings before it.
    fn items(&self, top: usize) -> Vec<Item> {
        let sections = &self.brief.document.sections;
        let mut items = Vec::new();
        let mut first = top;
        for last in top..sections[top].subtree_end {
            if !sections[last].is_bare {
                let blocks = sections[first].blocks.start..sections[last].blocks.end;
                items.push(Item { first, last, blocks });
                first = last + 1;
            }
        }
        items
    }

    fn joins(&self, open: &Open, item: &Item) -> bool {
        let sections = &self.brief.document.sections;
        let scope = sections[open.section].parent.filter(|&parent| parent != ROOT);
        let scope = scope.unwrap_or(open.section);
        let below = scope..sections[scope].subtree_end;
        let units = self.brief.ruler.trimmed(open.first_whole..item.blocks.end);
        below.contains(&item.first) && open.head_units + units <= self.budget.max
    }

    /// Opens a chunk with an item; one that does not fit fills several, and the last stays open.
    fn open(&mut self, item: Item) -> Open {
        let Item { first, last, blocks } = item;
        let start = self.brief.document.blocks[blocks.start].span.start;
        let head_units = self.brief.context(first, start);
        if self.brief.cost(first, blocks.clone()) <= self.budget.max {
            return Open {
                start: Seam::between_blocks(start),
                section: first,
                head_units,
                first_whole: blocks.start,
                end: blocks.end,
            };
        }
        let stretch = Stretch::of_blocks(self.brief, blocks.clone());
        let mut parts = pack(self.brief, &stretch, [first, last], self.budget);
        let open = parts.pop().unwrap_or(stretch);
        for (nth, stretch) in parts.into_iter().enumerate() {
            let section = if nth == 0 { first } else { last };
            self.drafts.push(Draft { stretch, section, trail: section });
        }
        self.reopen(&open.start, if open.start.at == start { first } else { last }, blocks.end)
    }

    /// Opens a chunk that begins inside a section.
    fn reopen(&self, start: &Seam, section: usize, end: usize) -> Open {
        let block = self.brief.document.block_at(start.at);
        let context = self.brief.context(section, start.at);
        let (head_units, first_whole) = match self.brief.block_at_start(start) {
            Some(block) => (context, block),
            None => (context + self.brief.head_units(start), block + 1),
        };
        Open { start: start.clone(), section, head_units, first_whole, end }
    }

    fn close(&mut self, open: &Open) {
        let end = self.brief.document.span_of(open.end..open.end).start;
        let stretch = Stretch { start: open.start.clone(), end: Seam::between_blocks(end) };
        self.drafts.push(Draft { stretch, section: open.section, trail: open.section });
    }

    /// A run of blocks under one section: one chunk if it fits, else several.
    fn content(&mut self, blocks: Range<usize>, section: usize) {
        if self.brief.cost(section, blocks.clone()) <= self.budget.max {
            return self.push(blocks, section);
        }
        let stretch = Stretch::of_blocks(self.brief, blocks);
        for stretch in pack(self.brief, &stretch, [section, section], self.budget) {
            self.drafts.push(Draft { stretch, section, trail: section });
        }
    }

    fn push(&mut self, blocks: Range<usize>, trail: usize) {
        let section = self.brief.document.section_of(blocks.start);
        let stretch = Stretch::of_blocks(self.brief, blocks);
        self.drafts.push(Draft { stretch, section, trail });
    }

    /// Merges chunks under `min` tokens with the next, else the previous one, under the same parent.
    fn merge_small(&mut self, min: usize) {
        let mut nth = 0;
        while nth < self.drafts.len() {
            let draft = &self.drafts[nth];
            let units = self.brief.measure(draft.trail, &draft.stretch.start, &draft.stretch.end);
            if self.brief.ruler.scale().tokens(units) >= min {
                nth += 1;
            } else if let Some(merged) = self.merged(nth) {
                self.drafts.splice(nth..nth + 2, [merged]);
            } else if let Some(merged) = nth.checked_sub(1).and_then(|before| self.merged(before)) {
                nth -= 1;
                self.drafts.splice(nth..nth + 2, [merged]);
            } else {
                nth += 1;
            }
        }
    }

    /// A draft and the next one as one, if they have the same parent and fit.
    fn merged(&self, nth: usize) -> Option<Draft> {
        let (one, two) = (self.drafts.get(nth)?, self.drafts.get(nth + 1)?);
        let parent =
            |draft: &Draft| self.brief.document.sections[draft.section].parent.unwrap_or(ROOT);
        let trail = self.brief.document.common(one.trail, two.trail);
        let stretch = Stretch { start: one.stretch.start.clone(), end: two.stretch.end.clone() };
        let fits = || self.brief.measure(trail, &stretch.start, &stretch.end) <= self.budget.max;
        let merges = parent(one) == parent(two) && fits();
        merges.then_some(Draft { stretch, section: one.section, trail })
    }
}
