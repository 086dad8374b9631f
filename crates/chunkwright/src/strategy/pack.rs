//! Packs a range of blocks that exceeds the limit into stretches that fit.

use std::rc::Rc;

use crate::brief::Brief;
use crate::document::Block;
use crate::ids::{BlockId, BlockRange, SectionId};
use crate::render;
use crate::seam::{Edge, Grade, Seam, Wrap};
use crate::span::Span;
use crate::split::{Atom, Measure, Room, Series, split};

/// The limits for packing, in units that include the context line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PackLimits {
    /// The preferred maximum.
    pub(crate) target: usize,
    /// The hard maximum.
    pub(crate) max: usize,
}

impl PackLimits {
    /// Returns the target, raised so that the overhead before the content takes at most half of it.
    fn for_overhead(self, units: usize) -> usize {
        self.target.max((units * 2).min(self.max))
    }
}

/// The source between two seams.
#[derive(Clone, Debug)]
pub(crate) struct Stretch {
    pub(crate) start: Seam,
    pub(crate) end: Seam,
}

impl Stretch {
    /// Returns the stretch of a range of whole blocks.
    pub(crate) fn of_blocks(brief: &Brief<'_>, blocks: BlockRange) -> Self {
        let span = brief.document.span_of(blocks);
        Self { start: Seam::between_blocks(span.start), end: Seam::between_blocks(span.end) }
    }

    /// Returns whether `embed_text` shows nothing of it but whitespace.
    pub(crate) fn is_invisible(&self, brief: &Brief<'_>) -> bool {
        let Self { start, end } = self;
        let is_bare = start.edge.wrap.is_none() && end.edge.wrap.is_none();
        let shown = || render::stretch(brief.document, Span::new(start.at, end.at));
        is_bare && shown().trim_start().is_empty()
    }

    /// Returns the blocks that it overlaps.
    pub(crate) fn blocks(&self, brief: &Brief<'_>) -> BlockRange {
        brief.document.blocks_of(Span::new(self.start.at, self.end.at))
    }
}

/// Packs a stretch into stretches within the target, and splits blocks that don't fit. Headings at
/// the start stay with the content after them. `trails` gives the breadcrumbs of the first chunk
/// and of all later ones.
pub(crate) fn pack(
    brief: &Brief<'_>,
    stretch: &Stretch,
    trails: Series<SectionId>,
    limits: PackLimits,
) -> Vec<Stretch> {
    let contexts = Series {
        first: brief.context(trails.first, stretch.start.at),
        rest: brief.context_inside(trails.rest),
    };
    let mut packer =
        Packer { brief, stretch, trails, limits, contexts, atoms: Vec::new(), tail: None };
    packer.take_apart();
    packer.stretches()
}

/// Returns the room for content after `overhead` units.
fn room(limits: PackLimits, overhead: usize) -> Room {
    let prose = limits.for_overhead(overhead).saturating_sub(overhead);
    let solid = limits.target.min(limits.max.saturating_sub(overhead)).max(prose);
    Room { prose, solid }
}

struct Packer<'b> {
    brief: &'b Brief<'b>,
    stretch: &'b Stretch,
    trails: Series<SectionId>,
    limits: PackLimits,
    /// The units of the context lines.
    contexts: Series<usize>,
    atoms: Vec<Atom>,
    /// The wrap that closes a code fence left open by the document.
    tail: Option<Rc<Wrap>>,
}

impl Packer<'_> {
    /// Divides the stretch into atoms: whole blocks where they fit, or else the parts of a block.
    fn take_apart(&mut self) {
        let blocks = self.stretch.blocks(self.brief);
        let lead = self.lead(blocks);
        let Series { first, rest } = self.contexts;
        let context = if lead.start > blocks.start { rest } else { first };
        let first = room(self.limits, context + self.brief.ruler.run(lead));
        let rest = room(self.limits, self.contexts.max());
        for block in blocks.iter() {
            // A heading after content opens no section, so it stays with the content.
            let is_heading = self.brief.document[block].kind.is_heading();
            let glued = lead.start < block && (block <= lead.end || is_heading);
            let grade = if glued { Grade::NEVER } else { Grade::BLOCK };
            let first = if block == lead.end { first } else { rest };
            self.block(block, grade, Series { first, rest });
        }
        self.atoms.retain(|atom| atom.at < self.stretch.end.at);
        if let Some(atom) = self.atoms.first_mut() {
            atom.edge.wrap.clone_from(&self.stretch.start.edge.wrap);
        }
    }

    /// Returns the headings that stay with the first content: as many of those before it as leave
    /// room for the content.
    fn lead(&self, blocks: BlockRange) -> BlockRange {
        let is_heading = |block: &BlockId| self.brief.document[*block].kind.is_heading();
        let end = blocks.iter().find(|block| !is_heading(block)).unwrap_or(blocks.end);
        let context = self.contexts.max();
        let most = self.limits.max * 7 / 8;
        let fits = |start: &BlockId| context + self.brief.ruler.run(start.to(end)) <= most;
        let start = blocks.start.to(end).iter().find(fits).unwrap_or(end);
        start.to(if end < blocks.end { end } else { start })
    }

    fn block(&mut self, block: BlockId, grade: Grade, rooms: Series<Room>) {
        let Block { kind, span, .. } = self.brief.document[block];
        let from = span.start.max(self.stretch.start.at);
        let trimmed = self.brief.ruler.trimmed(block);
        let fits = if kind.is_heading() {
            self.contexts.max() + trimmed <= self.limits.max
        } else {
            rooms.first.holds(kind, trimmed) || !self.brief.split_oversized.allows(kind)
        };
        if from == span.start && fits {
            let units = self.brief.ruler.run(block);
            let measure = Measure { units, gap: units.saturating_sub(trimmed) };
            self.atoms.push(Atom { at: from, measure, edge: Edge::plain(grade) });
            return;
        }
        let split = split(self.brief, block, from, rooms);
        self.tail = split.tail;
        let mut atoms = split.atoms;
        if let Some(atom) = atoms.first_mut() {
            (atom.at, atom.edge) = (from, Edge::plain(grade));
        }
        self.atoms.extend(atoms);
    }

    fn stretches(&self) -> Vec<Stretch> {
        let mut stretches = Vec::new();
        let mut from = 0;
        while from < self.atoms.len() {
            let to = self.checked_end(from);
            stretches.push(self.between(from, to));
            from = to;
        }
        stretches
    }

    /// Returns the end of the chunk that starts at atom `from`. Counts the text, so that the chunk
    /// is certain to fit.
    fn checked_end(&self, from: usize) -> usize {
        let (mut less, mut end) = (0, self.whole_end(from, self.best_end(from, 0)));
        loop {
            let over = self.units(from, end).saturating_sub(self.limits.max);
            let is_good = |&at: &usize| self.atoms[at].edge.grade > Grade::NEVER;
            let earlier = (from + 1..end).rev().find(is_good);
            // If atoms that must stay together don't fit, the caller retries with a lower target,
            // which splits blocks into smaller atoms. Separate them only once the target is zero.
            let torn = (self.limits.target == 0 && end > from + 1).then(|| end - 1);
            match earlier.or(torn) {
                Some(earlier) if over > 0 => end = earlier,
                _ => return end,
            }
            less += over.max(less);
            end = self.best_end(from, less).min(end);
        }
    }

    /// Moves an end that would separate atoms that must stay together, if a count shows that they
    /// fit. Sums over lines may be slightly too high.
    fn whole_end(&self, from: usize, end: usize) -> usize {
        let is_torn =
            |at: usize| self.atoms.get(at).is_some_and(|atom| atom.edge.grade == Grade::NEVER);
        let mut room = self.limits.max;
        let mut whole = end;
        while is_torn(whole) && self.atoms[whole].measure.units <= room {
            room -= self.atoms[whole].measure.units;
            whole += 1;
        }
        let fits = || self.units(from, whole) <= self.limits.max;
        if whole > end && !is_torn(whole) && fits() { whole } else { end }
    }

    /// Returns the best end of a chunk, with the limits reduced by `less` units.
    fn best_end(&self, from: usize, less: usize) -> usize {
        let context = self.contexts.nth(from);
        let target = self.limits.for_overhead(context).saturating_sub(context + less);
        let max = self.limits.max.saturating_sub(context + less);
        let mut sum = self.atoms[from].edge.open_units();
        let mut best: Option<(Grade, usize)> = None;
        let mut last_resort = from + 1;
        for end in from + 1..=self.atoms.len() {
            sum += self.atoms[end - 1].measure.units;
            let units = self.closed(sum, end);
            if units > max || (units > target && best.is_some()) {
                break;
            }
            last_resort = end;
            let grade = self.atoms.get(end).map_or(Grade::BLOCK, |atom| atom.edge.grade);
            // In the first half of a chunk, a later cut is always better.
            let early = units * 2 < target;
            if grade > Grade::NEVER && best.is_none_or(|(other, _)| grade >= other) {
                best = Some((if early { Grade::NEVER } else { grade }, end));
            }
        }
        best.map_or(last_resort, |(_, end)| end)
    }

    /// Returns the units of a chunk that ends before atom `end`: closed, and without trailing
    /// whitespace.
    fn closed(&self, sum: usize, end: usize) -> usize {
        let gap = self.atoms[end - 1].measure.gap;
        let next = self.atoms.get(end);
        next.map_or(sum.saturating_sub(gap), |next| next.edge.closed(sum, gap))
    }

    /// Counts the chunk of some atoms.
    fn units(&self, from: usize, to: usize) -> usize {
        let Stretch { start, end } = self.between(from, to);
        self.brief.measure(self.brief.line(self.trails.nth(from), start.at), &start, &end)
    }

    fn between(&self, from: usize, to: usize) -> Stretch {
        let start = self.seam(from);
        let mut end = self.seam(to);
        let reopened = |tail: &&Rc<Wrap>| start.edge.wrap.as_ref() == Some(*tail);
        if to == self.atoms.len() && end.edge.wrap.is_none() {
            end.edge.wrap = self.tail.as_ref().filter(reopened).cloned();
        }
        Stretch { start, end }
    }

    fn seam(&self, atom: usize) -> Seam {
        match self.atoms.get(atom) {
            _ if atom == 0 => self.stretch.start.clone(),
            Some(atom) => Seam { at: atom.at, edge: atom.edge.clone() },
            None => self.stretch.end.clone(),
        }
    }
}
