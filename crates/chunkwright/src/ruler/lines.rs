//! Token counts for arbitrary ranges of lines in a block.

use std::ops::Range;

use super::Ruler;
use crate::ids::BlockId;
use crate::span::{Span, lines_of};

/// The maximum bytes of consecutive blank lines that are counted exactly, since each one is counted
/// together with all before it.
const MOST_BLANK: usize = 64;

/// The lines of a block, each counted once.
#[derive(Debug)]
pub(crate) struct BlockLines {
    starts: Vec<usize>,
    end: usize,
    /// For each line, the index of the first line from there on that is not blank.
    filled: Vec<usize>,
    /// The prefix sums of the lines' units. A blank line has the units that it adds.
    sums: Vec<usize>,
    /// Whether sums that start and end at lines that are not blank equal the count of the text.
    is_exact: bool,
}

impl BlockLines {
    pub(super) fn of(ruler: &Ruler<'_>, block: BlockId) -> Self {
        let source = ruler.document.source;
        let counted = (ruler.sums.len() > block.next().index()).then(|| ruler.run(block));
        let block = ruler.document[block].span;
        let mut lines = Self {
            starts: Vec::new(),
            end: block.end,
            filled: Vec::new(),
            sums: vec![0],
            is_exact: ruler.adds(block),
        };
        let mut filled: Option<Span> = None;
        let mut sum = 0;
        for line in lines_of(source, block) {
            let is_blank = is_blank(line.of(source));
            match filled.filter(|_| is_blank && lines.is_exact) {
                Some(above) if line.end - above.end <= MOST_BLANK => {
                    let tail =
                        |end: usize| ruler.tail(&source[above.start..end], line.start).with_space;
                    let (before, with) = (tail(line.start), tail(line.end));
                    lines.is_exact &= before <= with;
                    sum += with.saturating_sub(before);
                }
                above => {
                    lines.is_exact &= above.is_none();
                    let alone = counted.filter(|_| line == block);
                    sum += alone.unwrap_or_else(|| ruler.stretch(line));
                }
            }
            if !is_blank {
                lines.is_exact &= filled.is_none() || ruler.adds_at(source, line.start);
                filled = Some(line);
                lines.filled.resize(lines.starts.len() + 1, lines.starts.len());
            }
            lines.starts.push(line.start);
            lines.sums.push(sum);
        }
        lines.filled.resize(lines.starts.len() + 1, lines.starts.len());
        lines
    }

    /// Returns the units of the block, if the sums are exact.
    pub(super) fn all(&self) -> Option<usize> {
        self.sums.last().copied().filter(|_| self.is_exact)
    }

    /// Returns the units of a span that starts at a line, if the sums are exact.
    pub(crate) fn exact(&self, ruler: &Ruler<'_>, stretch: Span) -> Option<usize> {
        let is_known = self.is_exact && !stretch.is_empty();
        let first = self.starts.binary_search(&stretch.start).ok().filter(|_| is_known)?;
        let last = self.starts.partition_point(|&start| start < stretch.end) - 1;
        if [first, last].into_iter().any(|nth| self.filled[nth] > nth) {
            return None;
        }
        let next = self.filled[last + 1];
        let end = self.starts.get(next).copied().unwrap_or(self.end);
        let units = self.sums[next] - self.sums[first];
        if stretch.end == end {
            return Some(units);
        }
        let text = &ruler.document.source[self.starts[last]..end];
        if stretch.end != self.starts[last] + text.trim_end().len() {
            return None;
        }
        Some(ruler.tail(text, stretch.start).trim(units))
    }

    /// Returns the span of the whole lines around a range of the block's text.
    pub(crate) fn around(&self, block: Span, range: &Range<usize>) -> Span {
        let last = (block.start + range.end).saturating_sub(1).max(block.start);
        Span::new(self.line_at(block.start + range.start).start, self.line_at(last).end)
    }

    /// Returns the line that contains a byte.
    pub(crate) fn line_at(&self, byte: usize) -> Span {
        self.nth(self.starts.partition_point(|&start| start <= byte).saturating_sub(1))
    }

    /// Returns the units of the lines that a span overlaps.
    pub(crate) fn units(&self, stretch: Span) -> usize {
        let first = self.starts.partition_point(|&start| start <= stretch.start).saturating_sub(1);
        let last = self.starts.partition_point(|&start| start < stretch.end).max(first);
        self.sums[last] - self.sums[first]
    }

    fn nth(&self, nth: usize) -> Span {
        Span::new(self.starts[nth], self.starts.get(nth + 1).copied().unwrap_or(self.end))
    }
}

fn is_blank(text: &str) -> bool {
    text.trim_start().is_empty()
}
