//! Finds payloads: long runs of base64, base64url or hexadecimal digits, which carry no meaning for
//! embeddings.

use std::ops::Range;

use crate::runs::long_runs;

/// The minimum length of a payload in bytes.
const LEAST: usize = 200;

/// The maximum number of padding characters at the end of base64.
const MOST_PADDING: usize = 2;

/// Marks the bytes that are digits of base64 or base64url. A lookup table, because every byte of
/// every document is tested.
const DIGITS: [bool; 256] = {
    let mut digits = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let is_sign = matches!(byte as u8, b'+' | b'/' | b'-' | b'_');
        digits[byte] = (byte as u8).is_ascii_alphanumeric() || is_sign;
        byte += 1;
    }
    digits
};

/// Returns the payloads of a text, in order and without overlap.
pub(crate) fn runs(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut runs = Vec::new();
    for run in long_runs(bytes, LEAST, |byte| DIGITS[usize::from(byte)]) {
        in_one_alphabet(bytes, &run, &mut runs);
    }
    runs
}

/// Adds the payloads in a run of base64 and base64url digits. Each payload uses one of the two
/// alphabets; overlapping payloads are merged.
fn in_one_alphabet(bytes: &[u8], digits: &Range<usize>, runs: &mut Vec<Range<usize>>) {
    let base64 = |byte: u8| !matches!(byte, b'-' | b'_');
    let base64url = |byte: u8| !matches!(byte, b'+' | b'/');
    let inside = &bytes[digits.clone()];
    let mut found: Vec<_> = long_runs(inside, LEAST, base64)
        .chain(long_runs(inside, LEAST, base64url))
        .map(|run| digits.start + run.start..digits.start + run.end)
        .filter(|run| !is_separator(&bytes[run.clone()]))
        .map(|run| run.start..run.end + padding(&bytes[run.end..]))
        .collect();
    found.sort_by_key(|run| run.start);
    found.dedup_by(|next, before| {
        let meets = next.start < before.end;
        before.end = if meets { before.end.max(next.end) } else { before.end };
        meets
    });
    runs.extend(found);
}

/// Returns the text that replaces a payload.
pub(crate) fn replacement(run: &Range<usize>) -> String {
    format!("[{} characters]", run.len())
}

/// Returns whether a run consists mostly of punctuation, like the delimiter row of a wide table.
fn is_separator(run: &[u8]) -> bool {
    run.iter().filter(|byte| byte.is_ascii_alphanumeric()).count() * 4 < run.len()
}

fn padding(rest: &[u8]) -> usize {
    rest.iter().take(MOST_PADDING).take_while(|&&byte| byte == b'=').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lengths(text: &str) -> Vec<usize> {
        runs(text.as_bytes()).into_iter().map(|run| run.len()).collect()
    }

    #[test]
    fn a_payload_has_at_least_200_digits() {
        for digits in ["0123456789abcdef", "+/aB", "-_aB"] {
            let run = |length: usize| digits.chars().cycle().take(length).collect::<String>();
            assert_eq!(lengths(&format!("a {}.", run(199))), [0; 0], "{digits}");
            assert_eq!(lengths(&format!("a {}.", run(200))), [200], "{digits}");
            assert_eq!(lengths(&format!("{}=== {}", run(200), run(250))), [202, 250], "{digits}");
        }
    }

    #[test]
    fn a_payload_does_not_mix_alphabets() {
        assert_eq!(lengths(&"docs/how-to/".repeat(40)), [0; 0]);
    }

    #[test]
    fn merges_overlapping_runs() {
        let part = "a".repeat(150);
        assert_eq!(lengths(&format!("{part}/{part}_{part}")), [452]);
    }

    #[test]
    fn separators_are_not_payloads() {
        for sign in ["-", "_", "/", "=", "- ", "+-"] {
            assert_eq!(lengths(&sign.repeat(500)), [0; 0], "{sign}");
        }
    }
}
