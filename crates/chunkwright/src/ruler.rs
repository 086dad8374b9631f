//! Token counts for arbitrary ranges of blocks.
//!
//! Every block is counted once. A range of blocks is then a difference of two prefix sums, because
//! blocks start at line boundaries, where counts are usually additive. If the counter can't
//! guarantee that, or if part of the text is elided, the sum is in doubt, and the text is counted
//! again.

mod joints;
mod lines;

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use crate::counter::{Scale, TextKind, TokenCounter};
use crate::document::Document;
use crate::elide;
use crate::ids::{BlockId, BlockRange};
use crate::piece::Piece;
use crate::render;
use crate::span::{Span, without_leading_blank_lines};

pub(crate) use lines::BlockLines;

/// The maximum distance, in bytes, from the end of a text to a position where counts are additive.
const TAIL_BYTES: usize = 256;

/// The maximum bytes of a tail that is cached.
const SHORT_TAIL: usize = 8;

/// The bytes above which a block is counted line by line.
const LONG_BLOCK: usize = 2048;

/// The context line of a chunk, with its units.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContextLine {
    pub(crate) text: String,
    /// The units, including the blank line after it.
    pub(crate) units: usize,
}

/// The units of a text's tail, with and without its trailing whitespace.
#[derive(Clone, Copy, Debug, Default)]
struct TailUnits {
    with_space: usize,
    /// The units without the whitespace. They may be more than with it: punctuation followed by a
    /// line ending can be one token, and two tokens without the line ending.
    shown: usize,
}

impl TailUnits {
    /// Returns the units, without trailing whitespace, of a text that has this tail and `units`
    /// with the whitespace. Saturates, because a custom counter may count less for the text than
    /// for its tail.
    fn trim(self, units: usize) -> usize {
        (units + self.shown).saturating_sub(self.with_space)
    }
}

pub(crate) struct Ruler<'d> {
    document: &'d Document<'d>,
    counter: &'d dyn TokenCounter,
    /// The first shown block, which is counted without leading blank lines.
    first: BlockId,
    /// The prefix sums of the blocks' units.
    sums: Vec<usize>,
    /// The prefix sums of the number of blocks in doubt.
    doubts: Vec<usize>,
    /// A cache of the units of parts of blocks.
    parts: RefCell<HashMap<Span, usize>>,
    /// The lines of blocks that are long or were split.
    lines: RefCell<HashMap<BlockId, Rc<BlockLines>>>,
    /// A cache of short tails.
    short_tails: RefCell<HashMap<Box<str>, TailUnits>>,
    /// The tail of each block that ended a range.
    tails: Vec<OnceCell<TailUnits>>,
}

impl<'d> Ruler<'d> {
    /// Counts all blocks from `first` on.
    pub(crate) fn new(
        document: &'d Document<'d>,
        counter: &'d dyn TokenCounter,
        first: BlockId,
    ) -> Self {
        let blocks = document.blocks.len();
        let mut ruler = Self {
            document,
            counter,
            first,
            sums: Vec::with_capacity(blocks + 1),
            doubts: Vec::with_capacity(blocks + 1),
            parts: RefCell::default(),
            lines: RefCell::default(),
            short_tails: RefCell::default(),
            tails: vec![OnceCell::new(); blocks],
        };
        ruler.sums.push(0);
        ruler.doubts.push(0);
        let (mut sum, mut doubts) = (0, 0);
        for block in document.all_blocks().iter() {
            if block >= first {
                sum += ruler.block(ruler.shown(block), block);
                doubts += usize::from(ruler.is_doubtful(block));
            }
            ruler.sums.push(sum);
            ruler.doubts.push(doubts);
        }
        ruler
    }

    /// Counts a block. A long block is counted line by line, because it may have to be split.
    /// Counters that sum pieces are so cheap that counting twice costs less.
    fn block(&self, shown: Span, block: BlockId) -> usize {
        let is_long = shown.len() > LONG_BLOCK && shown == self.document[block].span;
        let may_pay = is_long && !self.counter.sums_pieces();
        let by_lines = (may_pay && self.adds(shown)).then(|| self.lines(block).all()).flatten();
        by_lines.unwrap_or_else(|| self.stretch(shown))
    }

    pub(crate) fn scale(&self) -> Scale {
        self.counter.scale()
    }

    /// Returns the units of a range of blocks, including trailing whitespace.
    pub(crate) fn run(&self, blocks: impl Into<BlockRange>) -> usize {
        let BlockRange { start, end } = blocks.into();
        self.sums[end.index()] - self.sums[start.index()]
    }

    /// Returns the units of a range of blocks without trailing whitespace, as a chunk shows it.
    pub(crate) fn trimmed(&self, blocks: impl Into<BlockRange>) -> usize {
        let blocks = blocks.into();
        if blocks.is_empty() || blocks.end <= self.first {
            return 0;
        }
        let last = blocks.end.before();
        let tail = self.tails[last.index()].get_or_init(|| {
            let text = render::stretch(self.document, self.shown(last));
            self.tail(&text, self.document[last].span.start)
        });
        tail.trim(self.run(blocks))
    }

    /// Returns whether sums over a range of blocks equal the count of its text.
    pub(crate) fn is_exact(&self, blocks: BlockRange) -> bool {
        self.doubts[blocks.end.index()] == self.doubts[blocks.start.index()]
    }

    /// Counts a span inside one block, as `embed_text` shows it.
    pub(crate) fn stretch(&self, span: Span) -> usize {
        if span.is_empty() {
            return 0;
        }
        let text = render::stretch(self.document, span);
        self.counter.count(&text, self.kind_at(span.start))
    }

    /// Counts a span like [`stretch`](Self::stretch), and caches the result.
    pub(crate) fn part(&self, span: Span) -> usize {
        if span.is_empty() {
            return 0;
        }
        let lines = self.lines.borrow().get(&self.document.block_at(span.start)).cloned();
        if let Some(units) = lines.and_then(|lines| lines.exact(self, span)) {
            return units;
        }
        *self.parts.borrow_mut().entry(span).or_insert_with(|| self.stretch(span))
    }

    /// Counts a span like [`stretch`](Self::stretch), but returns `None` above `limit`.
    pub(crate) fn stretch_within(&self, span: Span, limit: usize) -> Option<usize> {
        if span.is_empty() {
            return Some(0);
        }
        let text = render::stretch(self.document, span);
        self.counter.count_within(&text, self.kind_at(span.start), limit)
    }

    /// Returns the lines of a block.
    pub(crate) fn lines(&self, block: BlockId) -> Rc<BlockLines> {
        let mut lines = self.lines.borrow_mut();
        let made = || Rc::new(BlockLines::of(self, block));
        Rc::clone(lines.entry(block).or_insert_with(made))
    }

    /// Counts the tail of a text that starts at byte `at`.
    fn tail(&self, text: &str, at: usize) -> TailUnits {
        let trimmed = text.trim_end().len();
        if trimmed == text.len() {
            return TailUnits::default();
        }
        let from = self.seam_near(text, trimmed);
        let kind = self.kind_at(at);
        let count = || {
            let units =
                |text: &str| if text.is_empty() { 0 } else { self.counter.count(text, kind) };
            TailUnits { with_space: units(&text[from..]), shown: units(&text[from..trimmed]) }
        };
        // Most texts end alike, so caching pays. Counters that sum pieces are faster than a lookup,
        // and depend on the kind of the text, which the cache ignores.
        if text.len() - from > SHORT_TAIL || self.counter.sums_pieces() {
            return count();
        }
        let mut tails = self.short_tails.borrow_mut();
        if let Some(&known) = tails.get(&text[from..]) {
            return known;
        }
        *tails.entry(text[from..].into()).or_insert_with(count)
    }

    /// Counts a text that is not part of the source, as prose.
    pub(crate) fn text(&self, text: &str) -> usize {
        self.counter.count(text, TextKind::Prose)
    }

    /// Counts a glue piece.
    pub(crate) fn glue(&self, text: &str) -> usize {
        self.counter.count(text, TextKind::Code)
    }

    /// Returns whether counts are additive at byte `at` of a text.
    pub(crate) fn adds_at(&self, text: &str, at: usize) -> bool {
        self.counter.adds_at(text, at)
    }

    /// Counts a chunk exactly.
    pub(crate) fn chunk(&self, context: &ContextLine, pieces: &[Piece]) -> usize {
        let sum = joints::Sum::of(self, context, pieces);
        sum.unwrap_or_else(|| match self.counter.sums_pieces() {
            true => context.units + self.sum_of_pieces(pieces),
            false => self.text(&render::embed_text(self.document, &context.text, pieces)),
        })
    }

    /// Counts each block's part of each piece separately, without surrounding whitespace that
    /// chunks don't show.
    fn sum_of_pieces(&self, pieces: &[Piece]) -> usize {
        let mut all = String::new();
        let mut shares: Vec<(usize, TextKind)> = Vec::new();
        for piece in pieces {
            match piece {
                Piece::Own(span) | Piece::Echo(span) => self.write(*span, &mut all, &mut shares),
                Piece::Glue(glue) => {
                    all.push_str(glue);
                    shares.push((all.len(), TextKind::Code));
                }
                Piece::Hidden(_) => {}
            }
        }
        let start = all.len() - without_leading_blank_lines(&all).len();
        let end = all.trim_end().len();
        let mut from = start;
        let mut sum = 0;
        for (share_end, kind) in shares {
            let to = share_end.min(end).max(from);
            sum += self.counter.count(&all[from..to], kind);
            from = to;
        }
        sum
    }

    /// Appends the text of a span, and the end and kind of each block's part in it.
    fn write(&self, span: Span, all: &mut String, shares: &mut Vec<(usize, TextKind)>) {
        let first = self.document.block_at(span.start);
        for block in &self.document.blocks[first.index()..] {
            let part = block.span.overlap(span);
            if part.is_empty() {
                break;
            }
            elide::write(self.document.source, &self.document.elisions, part, all);
            shares.push((all.len(), block.kind.text_kind()));
        }
    }

    /// Returns the span of a block that chunks can show.
    fn shown(&self, block: BlockId) -> Span {
        let span = self.document[block].span;
        if block > self.first {
            return span;
        }
        let text = without_leading_blank_lines(span.of(self.document.source));
        Span::new(span.end - text.len(), span.end)
    }

    fn is_doubtful(&self, block: BlockId) -> bool {
        let span = self.shown(block);
        let text = span.of(self.document.source);
        // A block may start with a blank line, which isn't shown at the start of a chunk.
        if without_leading_blank_lines(text).len() < text.len() {
            return true;
        }
        elide::touches(&self.document.elisions, span)
            || !self.counter.adds_at(self.document.source, span.start)
    }

    fn kind_at(&self, byte: usize) -> TextKind {
        self.document[self.document.block_at(byte)].kind.text_kind()
    }

    /// Returns the last position up to `end` at which counts are additive, or 0 if there is none
    /// nearby.
    fn seam_near(&self, text: &str, end: usize) -> usize {
        let nearest = end.saturating_sub(TAIL_BYTES);
        let mut places = (nearest..=end).rev().filter(|&at| text.is_char_boundary(at));
        places.find(|&at| at > 0 && self.counter.adds_at(text, at)).unwrap_or(0)
    }

    /// Returns whether counts can be additive inside a span.
    fn adds(&self, span: Span) -> bool {
        !elide::touches(&self.document.elisions, span)
    }
}
