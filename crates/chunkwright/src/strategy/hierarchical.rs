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

use super::draft::{Draft, Names, OpenDraft};
use super::merge::{Neighbor, merge_small, with_invisible_ones_joined};
use super::pack::{PackLimits, Stretch, pack};
use super::{
    About, ConfigError, Rules, Size, Strategy, StrategyOptions, limit, target_within, within,
};
use crate::brief::Brief;
use crate::context::Context;
use crate::ids::{BlockRange, SectionId};
use crate::plan::Plan;
use crate::seam::Seam;
use crate::split::Series;

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
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = crate::strategy::MOST_TOKENS)))]
    #[serde(alias = "target_tokens", alias = "targetTokens")]
    pub target: Option<usize>,
    /// Maximum tokens per chunk. Default: 1024.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = crate::strategy::MOST_TOKENS)))]
    #[serde(alias = "hard_cap", alias = "hardCap", alias = "max_tokens", alias = "maxTokens")]
    pub max: Option<usize>,
    /// Minimum tokens per chunk; smaller chunks merge with a neighbor. 0 turns this off. Default:
    /// `target` / 10.
    #[serde(alias = "min_tokens", alias = "minTokens")]
    pub min: Option<usize>,
}

impl Hierarchical {
    pub(super) const ABOUT: About =
        About { counter: "o200k", context: Context::Title, has_nodes: false, version: 4 };
}

impl StrategyOptions for Hierarchical {
    fn limit(&mut self, target: usize, max: usize) {
        (self.target, self.max) = (Some(target), Some(max));
    }

    fn rules(&self, counter: &str) -> Result<Box<dyn Rules>, ConfigError> {
        Ok(Box::new(self.limits(counter)?))
    }

    fn filled(&self, counter: &str) -> Result<Strategy, ConfigError> {
        let HierarchicalRules { target, max, min } = self.limits(counter)?;
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
    fn limits(&self, counter: &str) -> Result<HierarchicalRules, ConfigError> {
        let set = self.target.max(self.min).unwrap_or(0);
        let size_target = self.size.unwrap_or_default().target();
        let max = limit("max", self.max, (2 * size_target).max(set))?;
        let default = target_within(max, self.max, size_target, counter);
        let target = within("target", limit("target", self.target, default)?, max)?;
        let min = within("min", self.min.unwrap_or(target / MIN_SHARE), max)?;
        Ok(HierarchicalRules { target, max, min })
    }
}

#[derive(Debug)]
struct HierarchicalRules {
    target: usize,
    max: usize,
    min: usize,
}

const ROOT: SectionId = SectionId::ROOT;

impl Rules for HierarchicalRules {
    fn max(&self) -> Option<usize> {
        Some(self.max)
    }

    fn target(&self) -> Option<usize> {
        Some(self.target)
    }

    fn plan(&self, brief: &Brief<'_>) -> Vec<Plan> {
        let limits = PackLimits {
            target: brief.units_within(self.target),
            max: brief.units_within(self.max),
        };
        let mut packer = SectionPacker { brief, limits, drafts: Vec::new() };
        packer.document();
        let drafts = merge(brief, packer.drafts, brief.units_reaching(self.min), limits.max);
        drafts.into_iter().flat_map(|draft| draft.plans(brief, limits.max)).collect()
    }
}

/// A chunk that more sections may join.
struct OpenSections {
    open: OpenDraft,
    /// The seam after its last section, which closes a code fence that the document leaves open.
    end: Seam,
    /// The last section of the run that opened the chunk, if the chunk contains nothing else and
    /// the run was not split.
    only: Option<SectionId>,
}

/// Consecutive sections that join a chunk as a whole.
struct SectionRun {
    first: SectionId,
    last: SectionId,
    blocks: BlockRange,
}

struct SectionPacker<'b> {
    brief: &'b Brief<'b>,
    limits: PackLimits,
    drafts: Vec<Draft>,
}

impl SectionPacker<'_> {
    fn document(&mut self) {
        let shown = self.brief.shown();
        if self.brief.cost(ROOT, shown) <= self.limits.target {
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
        let max = self.limits.max;
        let units = self.brief.cost(trail, blocks);
        let is_near = units > max && units <= max + max / 16;
        let is_exact = !is_near || self.brief.ruler.is_exact(blocks);
        units <= max || (!is_exact && self.brief.measure_blocks(trail, blocks) <= max)
    }

    /// Splits a subtree that doesn't fit by its child subtrees.
    fn subtree(&mut self, top: SectionId) {
        let mut open: Option<OpenSections> = None;
        let mut next = top;
        while next < self.brief.document.subtree_end(top) {
            let (run, joins) = self.next_run(next, open.as_ref());
            next = run.last.next();
            match &mut open {
                Some(open) if joins => (open.end, open.only) = (self.end_of(run.blocks), None),
                _ => {
                    open.take().into_iter().for_each(|open| self.close(open));
                    open = Some(self.open(run));
                }
            }
        }
        open.into_iter().for_each(|open| self.close(open));
    }

    /// Returns the run to pack next, and whether it joins the open chunk. The run is the subtree of
    /// a section if it fits, or else the section's own text.
    fn next_run(&self, section: SectionId, open: Option<&OpenSections>) -> (SectionRun, bool) {
        let document = self.brief.document;
        let run = |last: SectionId| {
            let blocks = document.own_blocks(section).start.to(document.own_blocks(last).end);
            SectionRun { first: section, last, blocks }
        };
        let own = || {
            let mut last = section;
            while document[last].is_bare {
                last = last.next();
            }
            run(last)
        };
        let whole = self.fits(section).then(|| run(document.subtree_end(section).before()));
        if let Some(open) = open {
            if let Some(whole) = whole.as_ref().filter(|whole| self.joins(open, whole)) {
                return (run(whole.last), true);
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

    fn joins(&self, OpenSections { open, .. }: &OpenSections, run: &SectionRun) -> bool {
        let document = self.brief.document;
        let scope = document.parent(open.section).filter(|&parent| parent != ROOT);
        let scope = scope.unwrap_or(open.section);
        let below = scope..document.subtree_end(scope);
        let fits = || open.units_to(self.brief, run.blocks.end) <= self.limits.max;
        below.contains(&run.first) && fits()
    }

    /// Opens a chunk with a run. A run that doesn't fit fills several chunks, and the last one stays
    /// open.
    fn open(&mut self, run: SectionRun) -> OpenSections {
        let SectionRun { first, last, blocks } = run;
        let brief = self.brief;
        let stretch = Stretch::of_blocks(brief, blocks);
        if self.fit(first, blocks) {
            let open = OpenDraft::at(brief, stretch.start, first);
            return OpenSections { open, end: stretch.end, only: Some(last) };
        }
        let mut parts = pack(brief, &stretch, Series { first, rest: last }, self.limits);
        let Stretch { start, end } = parts.pop().unwrap_or(stretch);
        let section = |at: usize| brief.document.section_of(brief.document.block_at(at));
        for part in parts {
            let names = Names::of(section(part.start.at));
            self.drafts.push(Draft::new(brief, names, part));
        }
        let section = section(start.at);
        OpenSections { open: OpenDraft::at(brief, start, section), end, only: None }
    }

    fn end_of(&self, blocks: BlockRange) -> Seam {
        Seam::between_blocks(self.brief.document.start_of(blocks.end))
    }

    fn close(&mut self, OpenSections { open, end, .. }: OpenSections) {
        let stretch = Stretch { start: open.start, end };
        self.drafts.push(Draft::new(self.brief, Names::of(open.section), stretch));
    }

    /// Packs the blocks of one section into one chunk if they fit, or else into several.
    fn content(&mut self, blocks: BlockRange, section: SectionId) {
        if self.fit(section, blocks) {
            return self.push(blocks, section);
        }
        let stretch = Stretch::of_blocks(self.brief, blocks);
        for stretch in pack(self.brief, &stretch, Series::both(section), self.limits) {
            self.drafts.push(Draft::new(self.brief, Names::of(section), stretch));
        }
    }

    fn push(&mut self, blocks: BlockRange, trail: SectionId) {
        let section = self.brief.document.section_of(blocks.start);
        let stretch = Stretch::of_blocks(self.brief, blocks);
        self.drafts.push(Draft::new(self.brief, Names { section, trail }, stretch));
    }
}

/// Merges drafts under the minimum with the previous draft, or else with the next one.
fn merge(brief: &Brief<'_>, drafts: Vec<Draft>, min: usize, max: usize) -> Vec<Draft> {
    if min == 0 {
        return drafts;
    }
    let are_alike = |one: &Draft, other: &Draft| one.names.section == other.names.section;
    let drafts = with_invisible_ones_joined(brief, drafts, are_alike);
    let parent = |draft: &Draft| brief.document.parent(draft.names.section).unwrap_or(ROOT);
    let order = [Neighbor::Previous, Neighbor::Next];
    merge_small(drafts, min, order, |one, two, neighbor| {
        if parent(one) != parent(two) {
            return None;
        }
        // A preamble takes over the names of the section after it.
        let takes_over = neighbor == Neighbor::Next && one.names.section == ROOT;
        let names = if takes_over { two.names } else { one.names };
        let both = one.joined(brief, two, names);
        // Far from the limits, the exact count doesn't matter, and rendering and counting the text
        // after every merge is expensive.
        let is_near = both.units < 2 * min || both.units + both.units / 16 > max;
        let Stretch { start, end } = &both.stretch;
        let is_exact = is_near || brief.whole_blocks(start, end).is_some();
        let both = if is_exact { both.measured(brief) } else { both };
        (both.units <= max).then_some(both)
    })
}
