//! Bins of a histogram. All strategies share them, and no bin crosses a token limit.

use std::collections::BTreeSet;

use chunkwright_records::Stats;

use super::StrategyStats;

/// Range for the number of bins up to the largest limit. Few chunks get few bins.
const MOST_BINS: usize = 14;
const LEAST_BINS: usize = 5;

/// Consecutive ranges of token counts.
pub(crate) struct Bins {
    /// The last token count in each bin.
    pub(crate) ends: Vec<usize>,
    /// Whether an additional bin holds larger chunks.
    pub(crate) is_open: bool,
}

impl Bins {
    /// Returns bins for the chunks of all strategies.
    pub(crate) fn of(strategies: &[StrategyStats]) -> Self {
        let largest =
            strategies.iter().map(|strategy| strategy.stats.percentile(100)).max().unwrap_or(0);
        // Without a limit, a few chunks may be huge.
        let wanted = |strategy: &StrategyStats| {
            strategy.max.unwrap_or_else(|| strategy.stats.percentile(95))
        };
        let top = strategies.iter().map(wanted).max().unwrap_or(0).min(largest).max(1);
        let chunks = strategies.iter().map(|strategy| strategy.stats.chunks).max().unwrap_or(0);
        let ends = ends(
            &strategies.iter().filter_map(|strategy| strategy.max).collect(),
            top,
            chunks.isqrt(),
        );
        let is_open = ends.last().is_some_and(|end| largest > *end);
        Self { ends, is_open }
    }

    /// Returns the number of chunks in each bin.
    pub(crate) fn counts(&self, stats: &Stats) -> Vec<usize> {
        let bins = self.each().map(|(from, to)| match to {
            Some(to) => stats.within(from..=to),
            None => stats.within(from..),
        });
        bins.collect()
    }

    /// Returns the first and last token count of each bin. The open bin has no last one.
    pub(crate) fn each(&self) -> impl Iterator<Item = (usize, Option<usize>)> {
        let starts = [0].into_iter().chain(self.ends.iter().map(|end| end + 1));
        let ends = self.ends.iter().copied().map(Some);
        starts.zip(ends.chain(self.is_open.then_some(None)))
    }
}

/// Returns the ends of about `bins` bins from 0 to `top`. Every limit in or near this range is an
/// end, and bins between two limits have the same width.
fn ends(limits: &BTreeSet<usize>, top: usize, bins: usize) -> Vec<usize> {
    let bins = bins.clamp(LEAST_BINS, MOST_BINS);
    let round = round_up(top.div_ceil(bins));
    let limits = limits.range(..=top.next_multiple_of(round) + round);
    let width = match limits.clone().last() {
        // If chunks are far above the largest limit, this width would give too many bins.
        Some(limit) if *limit >= top / 4 * 3 => limit.div_ceil(parts(*limit, bins)),
        _ => round,
    };
    let mut ends = Vec::new();
    let mut from = 0;
    for to in limits.copied() {
        let parts = (to - from).div_ceil(width);
        ends.extend((1..=parts).map(|nth| from + (to - from) * nth / parts));
        from = to;
    }
    while from < top {
        from += width;
        ends.push(from);
    }
    ends
}

/// Returns the number of bins that divides a limit without a remainder, or else `bins`.
fn parts(limit: usize, bins: usize) -> usize {
    let mut parts = (LEAST_BINS..=bins).rev().chain(bins + 1..=MOST_BINS);
    parts.find(|parts| limit.is_multiple_of(*parts)).unwrap_or(bins)
}

/// Returns the next number of the form 1, 2, 2.5 or 5 times a power of ten.
fn round_up(number: usize) -> usize {
    let powers = (0..18).map(|power| 10_usize.pow(power));
    let round = powers.flat_map(|power| [power, 2 * power, 5 * power / 2, 5 * power]);
    round.into_iter().find(|round| *round >= number).unwrap_or(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_widths_up() {
        let rounded = [1, 3, 11, 77, 103, 251].map(round_up);
        assert_eq!(rounded, [1, 5, 20, 100, 200, 500]);
    }

    #[test]
    fn ends_a_bin_at_every_limit() {
        let ends = |limits: &[usize], top| ends(&limits.iter().copied().collect(), top, 100);
        assert_eq!(ends(&[1024], 1000), [128, 256, 384, 512, 640, 768, 896, 1024]);
        assert_eq!(ends(&[10], 10), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
        assert_eq!(ends(&[1], 1), [1]);
        assert_eq!(
            ends(&[1024], 279),
            [20, 40, 60, 80, 100, 120, 140, 160, 180, 200, 220, 240, 260, 280]
        );
        let several = ends(&[750, 768, 1024], 1500);
        assert!([750, 768, 1024].iter().all(|limit| several.contains(limit)), "{several:?}");
        assert!(several.is_sorted_by(|a, b| a < b) && *several.last().unwrap() >= 1500);
        assert!(ends(&[10], 100_000).len() <= MOST_BINS + 1);
    }

    #[test]
    fn limits_the_number_of_bins() {
        for limit in 1..2000 {
            let ends = ends(&BTreeSet::from([limit]), limit, 100);
            assert!(ends.len() <= MOST_BINS && ends.last() == Some(&limit), "{limit}: {ends:?}");
        }
    }
}
