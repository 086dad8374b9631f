//! Sums up the units of a chunk's pieces, if counts are additive wherever two pieces meet.
//!
//! Only the parts of blocks at the start and the end of the chunk have to be counted then.

use super::{ContextLine, Ruler};
use crate::elide;
use crate::ids::BlockId;
use crate::piece::Piece;
use crate::span::{Span, line_start};

/// The bytes of a text, after leading whitespace, that decide whether counts are additive at its
/// start.
const LOOK: usize = 64;

/// The units of a text so far, and its last character.
pub(super) struct Sum<'r, 'd> {
    ruler: &'r Ruler<'d>,
    units: usize,
    last: Option<char>,
}

impl<'r, 'd> Sum<'r, 'd> {
    /// Returns the units of a chunk, if they can be summed up.
    pub(super) fn of(
        ruler: &'r Ruler<'d>,
        context: &ContextLine,
        pieces: &[Piece],
    ) -> Option<usize> {
        let is_shown = |piece: &&Piece| !matches!(piece, Piece::Hidden(_));
        let end = pieces.iter().rposition(|piece| is_shown(&piece))?;
        let last = (!context.text.is_empty()).then_some('\n');
        let mut sum = Self { ruler, units: context.units, last };
        for (nth, piece) in pieces[..=end].iter().enumerate().filter(|(_, piece)| is_shown(piece)) {
            let source = ruler.document.source;
            let text = match piece {
                Piece::Own(span) | Piece::Echo(span) => span.of(source),
                Piece::Glue(glue) => glue,
                Piece::Hidden(_) => continue,
            };
            let shown = if nth == end { text.trim_end() } else { text };
            let space = shown.len() - shown.trim_start().len();
            let begins_with_blank_line = space == shown.len() || line_start(shown, space) > 0;
            if begins_with_blank_line || !sum.joins(shown, space) {
                return None;
            }
            sum.units += match piece {
                Piece::Own(span) | Piece::Echo(span) => {
                    sum.stretch(*span, Span::new(span.start, span.start + shown.len()))?
                }
                _ => ruler.glue(shown),
            };
            sum.last = shown.chars().next_back();
        }
        Some(sum.units)
    }

    /// Returns whether counts are additive before a text with `space` bytes of leading whitespace.
    fn joins(&self, text: &str, space: usize) -> bool {
        let Some(last) = self.last.filter(|_| !self.ruler.counter.sums_pieces()) else {
            return true;
        };
        let mut joint = String::from(last);
        joint.push_str(&text[..text.floor_char_boundary(space + LOOK)]);
        self.ruler.counter.adds_at(&joint, last.len_utf8())
    }

    /// Returns the units of a span, of which `shown` excludes trailing whitespace.
    fn stretch(&self, all: Span, shown: Span) -> Option<usize> {
        let Ruler { document, .. } = self.ruler;
        let blocks = document.blocks_of(all);
        let is_exact = self.ruler.is_exact(blocks.start.next().to(blocks.end));
        if elide::touches(&document.elisions, shown) || !is_exact {
            return None;
        }
        let units = |block: BlockId| {
            let whole = document[block].span;
            match (whole.overlap(all), whole.overlap(shown)) {
                (_, part) if part == whole => self.ruler.run(block),
                (part, _) if part == whole => self.ruler.trimmed(block),
                (_, part) => self.ruler.part(part),
            }
        };
        Some(blocks.iter().map(units).sum())
    }
}
