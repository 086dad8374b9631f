//! Bins of a histogram: what was counted comes in; round ranges that suit all of it go out.

use chunkwright_io::Stats;

use crate::stats::Way;

/// The most bins that are closed; fewer if there is little to put into them.
const MOST_BINS: usize = 14;
const LEAST_BINS: usize = 5;

/// Ranges of tokens, all of one width; the last may be open.
pub(crate) struct Bins {
    pub(crate) width: usize,
    /// How many of them are closed.
    pub(crate) closed: usize,
    /// Whether some chunks are larger than all of those.
    pub(crate) is_open: bool,
}

impl Bins {
    /// Bins for the sizes of all chunks. What has no maximum may have giants: they share a bin.
    pub(crate) fn of(ways: &[Way]) -> Self {
        let largest = ways.iter().map(|way| way.stats.percentile(100)).max().unwrap_or(0);
        let wanted = |way: &Way| way.max.unwrap_or_else(|| way.stats.percentile(95));
        let top = ways.iter().map(wanted).max().unwrap_or(0).min(largest + 1).max(1);
        let chunks = ways.iter().map(|way| way.stats.chunks).max().unwrap_or(0);
        let width = round_up(top.div_ceil(chunks.isqrt().clamp(LEAST_BINS, MOST_BINS)));
        let closed = top.div_ceil(width);
        Self { width, closed, is_open: largest >= closed * width }
    }

    /// How many chunks are in each.
    pub(crate) fn counts(&self, stats: &Stats) -> Vec<usize> {
        let each = self.each();
        each.map(|(from, to)| stats.between(from, to.unwrap_or(usize::MAX))).collect()
    }

    /// Where each begins and ends; the end is not included.
    pub(crate) fn each(&self) -> impl Iterator<Item = (usize, Option<usize>)> {
        let width = self.width;
        let closed = (0..self.closed).map(move |nth| (nth * width, Some((nth + 1) * width)));
        closed.chain(self.is_open.then_some((self.closed * width, None)))
    }
}

/// The next number of the form 1, 2, 2.5 or 5 times a power of ten.
fn round_up(number: usize) -> usize {
    let powers = (0..18).map(|power| 10_usize.pow(power));
    let round = powers.flat_map(|power| [power, 2 * power, 5 * power / 2, 5 * power]);
    round.into_iter().find(|round| *round >= number).unwrap_or(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_round() {
        let rounded = [1, 3, 11, 77, 103, 251].map(round_up);
        assert_eq!(rounded, [1, 5, 20, 100, 200, 500]);
    }
}
