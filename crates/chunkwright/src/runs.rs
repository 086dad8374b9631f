//! Fast searches for long runs and for pairs of bytes.

use std::ops::Range;

/// Returns the maximal runs of at least `least` bytes that all satisfy `member`, in order.
///
/// Every such run covers an index that is a multiple of `least`. The search tests only bytes at
/// these indices, and scans around those that satisfy `member`.
pub(crate) fn long_runs(
    bytes: &[u8],
    least: usize,
    member: impl Fn(u8) -> bool + Copy,
) -> impl Iterator<Item = Range<usize>> {
    let mut next = 0;
    std::iter::from_fn(move || {
        while let Some(&byte) = bytes.get(next) {
            let at = next;
            next += least;
            if !member(byte) {
                continue;
            }
            let before = bytes[..at].iter().rev().take_while(|&&byte| member(byte)).count();
            let after = bytes[at..].iter().take_while(|&&byte| member(byte)).count();
            if before + after >= least {
                let run = at - before..at + after;
                next = run.end.next_multiple_of(least);
                return Some(run);
            }
        }
        None
    })
}

/// The number of bytes tested together.
const BATCH: usize = 64;

/// Returns the indices at which two consecutive bytes are a pair, in order.
///
/// Full batches are tested without branches, so that the compiler can vectorize the loop. `is_pair`
/// should be branch-free, too (`&` and `|` instead of `&&` and `||`).
pub(crate) fn pairs(
    bytes: &[u8],
    is_pair: impl Fn(u8, u8) -> bool + Copy,
) -> impl Iterator<Item = usize> {
    let (firsts, _) = bytes.as_chunks::<BATCH>();
    let (seconds, _) = bytes.get(1..).unwrap_or_default().as_chunks::<BATCH>();
    let has_pair = move |firsts: &[u8; BATCH], seconds: &[u8; BATCH]| {
        let mut found = 0;
        for at in 0..BATCH {
            found |= u8::from(is_pair(firsts[at], seconds[at]));
        }
        found > 0
    };
    let batches = firsts.iter().zip(seconds).enumerate();
    let filled = batches.filter(move |(_, (firsts, seconds))| has_pair(firsts, seconds));
    let filled = filled.map(|(nth, _)| nth * BATCH..(nth + 1) * BATCH);
    let rest = seconds.len() * BATCH..bytes.len().saturating_sub(1);
    filled.chain([rest]).flatten().filter(move |&at| is_pair(bytes[at], bytes[at + 1]))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Finds the same runs by testing every byte.
    fn all_runs(bytes: &[u8], least: usize) -> Vec<Range<usize>> {
        let mut runs = Vec::new();
        let mut start = 0;
        for (at, &byte) in bytes.iter().chain([&b' ']).enumerate() {
            if byte != b'x' {
                runs.extend((at - start >= least).then_some(start..at));
                start = at + 1;
            }
        }
        runs
    }

    proptest! {
        #[test]
        fn finds_every_pair(text in "[ab]{0,300}") {
            let found: Vec<_> = pairs(text.as_bytes(), |a, b| (a == b'a') & (b == b'b')).collect();
            let all: Vec<_> = text.match_indices("ab").map(|(at, _)| at).collect();
            prop_assert_eq!(found, all);
        }

        #[test]
        fn finds_every_long_run(text in "(x{0,9} {1,3}){0,9}", least in 1_usize..8) {
            let found: Vec<_> = long_runs(text.as_bytes(), least, |byte| byte == b'x').collect();
            prop_assert_eq!(found, all_runs(text.as_bytes(), least));
        }
    }
}
