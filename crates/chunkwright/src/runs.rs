//! Finds long runs of bytes that belong together, looking at few of the others.

use std::ops::Range;

/// Returns the maximal runs of at least `least` bytes that are all `member`s, in order.
///
/// Such a run covers a multiple of `least`, so only those bytes are looked at, and their neighbors
/// where one of them is a member.
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns the same by looking at every byte.
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
        fn finds_every_long_run(text in "(x{0,9} {1,3}){0,9}", least in 1_usize..8) {
            let found: Vec<_> = long_runs(text.as_bytes(), least, |byte| byte == b'x').collect();
            prop_assert_eq!(found, all_runs(text.as_bytes(), least));
        }
    }
}
