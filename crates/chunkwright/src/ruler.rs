//! Measuring: a document and a counter come in; the cost of any run of blocks goes out.
//!
//! Each block is counted once, and a run of blocks is a difference of sums: blocks begin at line
//! starts, where the counters add up. Where they do not (the counter says so, or something is left
//! out of the embedded text) the sum is in doubt, and the text is counted again.

mod joints;
mod lines;

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use crate::context::Line;
use crate::counter::{Scale, TextKind, TokenCounter};
use crate::document::Document;
use crate::elide;
use crate::ids::{BlockId, BlockRange};
use crate::plan::Piece;
use crate::render;
use crate::span::{Span, without_leading_blank_lines};

pub(crate) use lines::Lines;

/// How far back from a text's end to look for a place where counts add up.
const TAIL_BYTES: usize = 256;

/// Bytes in the longest end of a text that is remembered.
const SHORT_TAIL: usize = 8;

/// Bytes from which on a block is counted line by line.
const LONG_BLOCK: usize = 2048;

/// The units of the end of a text.
#[derive(Clone, Copy, Debug, Default)]
struct Tail {
    with_space: usize,
    /// The units without the white space. They may be more: a full stop and a line end can be one
    /// token, and the full stop two.
    shown: usize,
}

impl Tail {
    /// Returns the units of a text that has this end, less those of the white space. A user's own
    /// counter may count less for the whole than for its end.
    fn trim(self, units: usize) -> usize {
        (units + self.shown).saturating_sub(self.with_space)
    }
}

pub(crate) struct Ruler<'d> {
    document: &'d Document<'d>,
    counter: &'d dyn TokenCounter,
    /// The first block that is shown: leading blank lines are cut off it.
    first: BlockId,
    /// Units in all blocks before this one.
    sums: Vec<usize>,
    /// Blocks before this one whose sums are in doubt.
    doubts: Vec<usize>,
    /// Parts of blocks that were measured before.
    parts: RefCell<HashMap<Span, usize>>,
    /// Lines of blocks that are long, or were taken apart.
    lines: RefCell<HashMap<BlockId, Rc<Lines>>>,
    /// Ends of texts that were measured before.
    short_tails: RefCell<HashMap<Box<str>, Tail>>,
    /// For each block that ended something: what its trailing white space makes of its end.
    tails: Vec<OnceCell<Tail>>,
}

impl<'d> Ruler<'d> {
    /// Measures all blocks from `first` on.
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

    /// Units in a block; a long one is counted line by line, since it may have to be cut. A counter
    /// that sums pieces is so cheap that this would cost more than counting twice.
    fn block(&self, shown: Span, block: BlockId) -> usize {
        let is_long = shown.len() > LONG_BLOCK && shown == self.document[block].span;
        let may_pay = is_long && !self.counter.sums_pieces();
        let by_lines = (may_pay && self.adds(shown)).then(|| self.lines(block).all()).flatten();
        by_lines.unwrap_or_else(|| self.stretch(shown))
    }

    pub(crate) fn scale(&self) -> Scale {
        self.counter.scale()
    }

    /// Units in a run of blocks, white space at its end included.
    pub(crate) fn run(&self, blocks: impl Into<BlockRange>) -> usize {
        let BlockRange { start, end } = blocks.into();
        self.sums[end.index()] - self.sums[start.index()]
    }

    /// Units in a run of blocks without the white space at its end, as a chunk shows it.
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

    /// Whether the sums over a run of blocks are what a count of its text would give.
    pub(crate) fn is_exact(&self, blocks: BlockRange) -> bool {
        self.doubts[blocks.end.index()] == self.doubts[blocks.start.index()]
    }

    /// Units in a stretch of the source inside one block, as `embed_text` shows it.
    pub(crate) fn stretch(&self, span: Span) -> usize {
        if span.is_empty() {
            return 0;
        }
        let text = render::stretch(self.document, span);
        self.counter.count(&text, self.kind_at(span.start))
    }

    /// The same for a part of a block that is measured more than once.
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

    /// Units in such a stretch, if they are no more than `limit`.
    pub(crate) fn stretch_within(&self, span: Span, limit: usize) -> Option<usize> {
        if span.is_empty() {
            return Some(0);
        }
        let text = render::stretch(self.document, span);
        self.counter.count_within(&text, self.kind_at(span.start), limit)
    }

    /// The lines of a block.
    pub(crate) fn lines(&self, block: BlockId) -> Rc<Lines> {
        let mut lines = self.lines.borrow_mut();
        let made = || Rc::new(Lines::of(self, block));
        Rc::clone(lines.entry(block).or_insert_with(made))
    }

    /// Measures the end of a text at byte `at`.
    fn tail(&self, text: &str, at: usize) -> Tail {
        let trimmed = text.trim_end().len();
        if trimmed == text.len() {
            return Tail::default();
        }
        let from = self.seam_near(text, trimmed);
        let kind = self.kind_at(at);
        let count = || {
            let units =
                |text: &str| if text.is_empty() { 0 } else { self.counter.count(text, kind) };
            Tail { with_space: units(&text[from..]), shown: units(&text[from..trimmed]) }
        };
        // Most texts end alike. A counter that sums pieces looks at their kind too, and is faster
        // than a lookup.
        if text.len() - from > SHORT_TAIL || self.counter.sums_pieces() {
            return count();
        }
        let mut tails = self.short_tails.borrow_mut();
        if let Some(&known) = tails.get(&text[from..]) {
            return known;
        }
        *tails.entry(text[from..].into()).or_insert_with(count)
    }

    /// Units in `text` that stands for itself.
    pub(crate) fn text(&self, text: &str) -> usize {
        self.counter.count(text, TextKind::Prose)
    }

    /// Units in `text` that is glue.
    pub(crate) fn glue(&self, text: &str) -> usize {
        self.counter.count(text, TextKind::Code)
    }

    /// Whether the counts of the two parts of `text` add up.
    pub(crate) fn adds_at(&self, text: &str, at: usize) -> bool {
        self.counter.adds_at(text, at)
    }

    /// Units in a chunk, counted anew.
    pub(crate) fn chunk(&self, context: &Line, pieces: &[Piece]) -> usize {
        let sum = joints::Sum::of(self, context, pieces);
        sum.unwrap_or_else(|| match self.counter.sums_pieces() {
            true => context.units + self.sum_of_pieces(pieces),
            false => self.text(&render::embed_text(self.document, &context.text, pieces)),
        })
    }

    /// Each block's part in each piece is a share; white space that is not shown is in none.
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

    /// Writes the parts of a span that lie in different blocks, with the end and kind of each.
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

    /// What a block shows at most.
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
        // A block may begin with a blank line, which a chunk that begins with it does not show.
        if without_leading_blank_lines(text).len() < text.len() {
            return true;
        }
        elide::touches(&self.document.elisions, span)
            || !self.counter.adds_at(self.document.source, span.start)
    }

    fn kind_at(&self, byte: usize) -> TextKind {
        self.document[self.document.block_at(byte)].kind.text_kind()
    }

    /// The last place in `text` up to `end`, not too far back, from which on it may be counted alone.
    fn seam_near(&self, text: &str, end: usize) -> usize {
        let nearest = end.saturating_sub(TAIL_BYTES);
        let mut places = (nearest..=end).rev().filter(|&at| text.is_char_boundary(at));
        places.find(|&at| at > 0 && self.counter.adds_at(text, at)).unwrap_or(0)
    }

    /// Whether counts may add up inside a stretch.
    fn adds(&self, span: Span) -> bool {
        !elide::touches(&self.document.elisions, span)
    }
}
