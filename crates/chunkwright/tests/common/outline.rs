//! A second implementation of the heading rules of `hierarchical`, based on token counts alone.

use chunkwright::{Chunk, Chunker, ConfigTable, Context, StrategyName};

use crate::documents::words;

/// The level of each heading and the number of words below it. A heading line has two words.
#[derive(Clone, Debug)]
pub(crate) struct Outline {
    pub(crate) preamble: usize,
    pub(crate) sections: Vec<(u8, usize)>,
}

/// The tokens of each chunk, and the headings of its breadcrumb by number.
pub(crate) type Packed = Vec<(usize, Vec<usize>)>;

/// A section as the rules treat it.
struct Packable {
    heading: usize,
    level: u8,
    tokens: usize,
    is_bare: bool,
    path: Vec<usize>,
}

impl Outline {
    fn write(&self) -> String {
        let mut text = words("w", self.preamble) + "\n\n";
        for (nth, &(level, count)) in self.sections.iter().enumerate() {
            text += &format!("{} {nth}\n\n", "#".repeat(level.into()));
            text += &(words("w", count) + "\n\n");
        }
        text
    }

    pub(crate) fn chunked(&self, target: usize, max: usize, min: usize) -> Packed {
        let mut config = ConfigTable::default().with_limits(target, max);
        config.strategy = StrategyName::Hierarchical;
        config.hierarchical.min = Some(min);
        config.context = Some(Context::None);
        let counter = chunkwright::counter_by_name("words:1").unwrap();
        let text = self.write();
        let chunker = Chunker::new(config, counter).unwrap();
        let chunked = chunker.chunk("page.md", &text);
        let path = |chunk: &Chunk<'_>| {
            chunk.breadcrumb[1..].iter().map(|title| title.parse().unwrap()).collect()
        };
        chunked.chunks.iter().map(|chunk| (chunk.tokens, path(chunk))).collect()
    }

    /// Applies rules 1 to 6 and 8, or returns `None` if content would have to be split.
    pub(crate) fn packed(&self, target: usize, max: usize, min: usize) -> Option<Packed> {
        self.unmerged(target, max).map(|packed| merge(packed, min, max))
    }

    fn unmerged(&self, target: usize, max: usize) -> Option<Packed> {
        let (preamble, sections) = self.packables()?;
        let total = |sections: &[Packable]| sections.iter().map(|s| s.tokens).sum::<usize>();
        if preamble + total(&sections) <= target {
            return Some(vec![(preamble + total(&sections), vec![])]);
        }
        let mut packed = Vec::new();
        match preamble {
            0 => {}
            tokens if tokens > max => return None,
            tokens => packed.push((tokens, vec![])),
        }
        let tops: Vec<&[Packable]> = subtrees(&sections);
        if total(&sections) <= max {
            let path = if tops.len() == 1 { sections[0].path.clone() } else { vec![] };
            packed.push((total(&sections), path));
            return Some(packed);
        }
        for top in tops {
            if total(top) <= max {
                packed.push((total(top), top[0].path.clone()));
            } else {
                packed.extend(pack(top, max)?);
            }
        }
        Some(packed)
    }

    /// Returns the tokens of the preamble, and the sections. Empty headings are lines of the
    /// previous section, or of the first one. Returns `None` if no section has content.
    fn packables(&self) -> Option<(usize, Vec<Packable>)> {
        let mut preamble = self.preamble;
        let mut sections: Vec<Packable> = Vec::new();
        let mut leading = 0;
        let mut path: Vec<usize> = Vec::new();
        for (heading, &(level, count)) in self.sections.iter().enumerate() {
            let below = self.sections[heading + 1..].iter().take_while(|(next, _)| *next > level);
            let is_filled = count > 0 || below.clone().any(|&(_, count)| count > 0);
            match (is_filled, sections.last_mut()) {
                (false, Some(before)) => before.tokens += 2,
                (false, None) if preamble > 0 => preamble += 2,
                (false, None) => leading += 2,
                (true, _) => {
                    path.retain(|&above| self.sections[above].0 < level);
                    path.push(heading);
                    let tokens = 2 + count + std::mem::take(&mut leading);
                    let path = path.clone();
                    sections.push(Packable { heading, level, tokens, is_bare: count == 0, path });
                }
            }
        }
        (!sections.is_empty()).then_some((preamble, sections))
    }
}

/// Splits the sections into the subtrees of top-level headings.
fn subtrees(sections: &[Packable]) -> Vec<&[Packable]> {
    sections.chunk_by(|_, next| next.path.len() > 1).collect()
}

/// Applies rules 5 and 6 to a subtree that does not fit, or returns `None` if content would have to
/// be split.
fn pack(sections: &[Packable], max: usize) -> Option<Packed> {
    let total = |sections: &[Packable]| sections.iter().map(|s| s.tokens).sum::<usize>();
    let mut packed: Packed = Vec::new();
    let mut scope: Option<usize> = None;
    // The heading whose own text is alone in the last chunk.
    let mut alone: Option<usize> = None;
    let mut at = 0;
    while at < sections.len() {
        let (first, level) = (&sections[at], sections[at].level);
        let below = sections[at + 1..].iter().take_while(|section| section.level > level).count();
        let subtree = &sections[at..at + 1 + below];
        let bare = subtree.iter().take_while(|section| section.is_bare).count();
        let own = &subtree[..=bare];
        let parent = first.path.iter().rev().nth(1).copied();
        let open = packed.last().map(|(tokens, _)| *tokens);
        let joins = |part: &[Packable]| {
            let is_inside = scope.is_some_and(|scope| first.path.contains(&scope));
            is_inside && open.is_some_and(|open| open + total(part) <= max)
        };
        let fits = total(subtree) <= max;
        let after_parent = alone.is_some() && alone == parent;
        let (part, is_joined) = match () {
            () if fits && joins(subtree) => (subtree, true),
            () if after_parent && joins(own) => (own, true),
            () if fits => (subtree, false),
            () => (own, false),
        };
        at += part.len();
        match packed.last_mut() {
            Some((open, _)) if is_joined => {
                *open += total(part);
                alone = None;
            }
            _ if total(part) > max => return None,
            _ => {
                packed.push((total(part), first.path.clone()));
                scope = first.path.get(first.path.len().saturating_sub(2)).copied();
                alone = part.last().map(|last| last.heading);
            }
        }
    }
    Some(packed)
}

/// Applies rule 8. The parent of a chunk whose breadcrumb is the file name alone is the root.
fn merge(packed: Packed, min: usize, max: usize) -> Packed {
    let parent = |(_, path): &(usize, Vec<usize>)| path[..path.len().saturating_sub(1)].to_vec();
    let may = |one: &(usize, Vec<usize>), two: &(usize, Vec<usize>)| {
        parent(one) == parent(two) && one.0 + two.0 <= max
    };
    let mut packed = packed;
    let mut at = 0;
    while at < packed.len() {
        let is_small = packed[at].0 < min;
        if is_small && at > 0 && may(&packed[at - 1], &packed[at]) {
            let (tokens, _) = packed.remove(at);
            at -= 1;
            packed[at].0 += tokens;
        } else if is_small && at + 1 < packed.len() && may(&packed[at], &packed[at + 1]) {
            let (tokens, path) = packed.remove(at);
            let is_preamble = path.is_empty();
            packed[at].0 += tokens;
            packed[at].1 = if is_preamble { packed[at].1.clone() } else { path };
        } else {
            at += 1;
        }
    }
    packed
}
