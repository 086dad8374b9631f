//! The rules of `hierarchical` for headings, told a second time: an outline comes in, chunks go out.

use chunkwright::{Bias, Chunk, Chunker, Config, Context, Source, Strategy};

use crate::documents::words;

/// Headings by level, each with so many words under it; every heading line is two words.
#[derive(Clone, Debug)]
pub(crate) struct Outline {
    pub(crate) preamble: usize,
    pub(crate) sections: Vec<(u8, usize)>,
}

/// The tokens of a chunk, and the headings of its breadcrumb by number.
pub(crate) type Packed = Vec<(usize, Vec<usize>)>;

/// A section as the rules see it.
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

    pub(crate) fn chunked(&self, target: usize, max: usize) -> Packed {
        let mut config = Config::default().with_limits(target, max);
        config.strategy = Strategy::Hierarchical;
        config.context = Some(Context::None);
        let counter = chunkwright_tokens::counter("words:1", Bias::Balanced).unwrap();
        let text = self.write();
        let chunker = Chunker::new(config, counter).unwrap();
        let chunked = chunker.chunk(&Source::new("page.md", &text));
        let path = |chunk: &Chunk<'_>| {
            chunk.breadcrumb[1..].iter().map(|title| title.parse().unwrap()).collect()
        };
        chunked.chunks.iter().map(|chunk| (chunk.tokens, path(chunk))).collect()
    }

    /// Rules 1 to 6 as they are written; none where content would have to be cut.
    pub(crate) fn packed(&self, target: usize, max: usize) -> Option<Packed> {
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

    /// The tokens of the preamble, and the sections: empty headings are lines of what is before
    /// them, or of the first section. None when nothing has content.
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

/// Each section that no open one holds, with all below it.
fn subtrees(sections: &[Packable]) -> Vec<&[Packable]> {
    sections.chunk_by(|_, next| next.path.len() > 1).collect()
}

/// Rules 5 and 6 for a subtree that does not fit.
fn pack(sections: &[Packable], max: usize) -> Option<Packed> {
    let mut packed: Packed = Vec::new();
    let mut scope: Option<usize> = None;
    // A bare heading is one with the sections after it, up to the first with content.
    for item in sections.split_inclusive(|section| !section.is_bare) {
        let tokens: usize = item.iter().map(|section| section.tokens).sum();
        let first = &item[0];
        let joins = scope.is_some_and(|scope| first.path.contains(&scope));
        match packed.last_mut() {
            Some((open, _)) if joins && *open + tokens <= max => *open += tokens,
            _ if tokens > max => return None,
            _ => {
                packed.push((tokens, first.path.clone()));
                let above = first.path.len().saturating_sub(2);
                scope = first.path.get(above).copied();
            }
        }
    }
    debug_assert!(sections.iter().all(|s| s.path.last() == Some(&s.heading) && s.level > 0));
    Some(packed)
}
