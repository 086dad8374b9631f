//! Payloads: long runs of base64, base64url or hexadecimal digits, which say nothing to a reader.

use std::ops::Range;

use crate::runs::long_runs;

/// Bytes in the shortest run that is a payload.
const LEAST: usize = 200;

/// Padding characters that may end base64.
const MOST_PADDING: usize = 2;

/// Whether a byte is a digit of base64 or base64url. A table, since this is asked on every page.
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

/// Returns the payloads of a text, in order and apart.
pub(super) fn runs(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut runs = Vec::new();
    for run in long_runs(bytes, LEAST, |byte| DIGITS[usize::from(byte)]) {
        in_one_alphabet(bytes, &run, &mut runs);
    }
    runs
}

/// Adds the payloads in a run of digits of both alphabets. Those of one may overlap those of the
/// other; both are then one payload.
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

/// Returns what `embed_text` shows in place of a payload.
pub(super) fn replacement(run: &Range<usize>) -> String {
    format!("[{} characters]", run.len())
}

/// Whether a run is a line drawn with signs, such as the delimiter row of a wide table.
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
    fn a_payload_has_two_hundred_characters_or_more() {
        for digits in ["0123456789abcdef", "+/aB", "-_aB"] {
            let run = |length: usize| digits.chars().cycle().take(length).collect::<String>();
            assert_eq!(lengths(&format!("a {}.", run(199))), [0; 0], "{digits}");
            assert_eq!(lengths(&format!("a {}.", run(200))), [200], "{digits}");
            assert_eq!(lengths(&format!("{}=== {}", run(200), run(250))), [202, 250], "{digits}");
        }
    }

    #[test]
    fn the_two_alphabets_do_not_mix() {
        assert_eq!(lengths(&"docs/how-to/".repeat(40)), [0; 0]);
    }

    #[test]
    fn runs_that_overlap_are_one_payload() {
        let part = "a".repeat(150);
        assert_eq!(lengths(&format!("{part}/{part}_{part}")), [452]);
    }

    #[test]
    fn separators_are_no_payloads() {
        for sign in ["-", "_", "/", "=", "- ", "+-"] {
            assert_eq!(lengths(&sign.repeat(500)), [0; 0], "{sign}");
        }
    }
}
