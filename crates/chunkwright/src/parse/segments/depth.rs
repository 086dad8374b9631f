//! Estimates the nesting depth of lists and block quotes.

use super::line::{margin, marks};
use crate::runs::long_runs;

/// Returns whether a line may be nested in more than `most` list items and block quotes.
pub(crate) fn nests_deeper(text: &str, most: usize) -> bool {
    // A level takes at least two columns, and a tab has four: each byte adds at most two levels.
    has_wide_margin(text.as_bytes(), most / 2) && deepest(text) > most
}

/// Returns whether a line starts with more than `most` bytes of whitespace and container markers.
fn has_wide_margin(text: &[u8], most: usize) -> bool {
    let is_margin =
        |byte: u8| matches!(byte, b' ' | b'\t' | b'>' | b'*'..=b'.' | b'0'..=b'9' | b')');
    let starts_line = |at: usize| at == 0 || matches!(text[at - 1], b'\n' | b'\r');
    long_runs(text, most + 1, is_margin).any(|run| starts_line(run.start))
}

/// Returns an upper bound for the nesting depth of any line. Each level has its marker on the line
/// itself, or has one on an earlier line and adds at least two columns of indentation.
fn deepest(text: &str) -> usize {
    let mut begun = 0;
    let depth = |line| match marks(line).count() {
        0 => 0,
        marks => {
            begun += marks;
            let indents = space(line[..margin(line)].trim_ascii_end()) / 2;
            begun.min(marks + indents)
        }
    };
    let lines = text.as_bytes().split(|byte| matches!(byte, b'\n' | b'\r'));
    lines.map(depth).max().unwrap_or(0)
}

/// Returns the columns of whitespace in a margin, except for the one after each marker.
fn space(margin: &[u8]) -> usize {
    let after_mark = |pair: &[u8]| !is_space(pair[0]) && is_space(pair[1]);
    let columns = margin.iter().map(|byte| match byte {
        b' ' => 1,
        b'\t' => 4,
        _ => 0,
    });
    columns.sum::<usize>() - margin.windows(2).filter(|pair| after_mark(pair)).count()
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_for_wide_margins_does_not_change_the_result() {
        for unit in ["\t", " ", ">", "> ", "- ", "-\t", "1. ", "12)\t", ">\t", "> \t- "] {
            for times in 0..120 {
                for (above, mark) in [("", "a"), ("", "- a"), ("- b\n".repeat(120).as_str(), "* a")]
                {
                    let text = format!("{above}{}{mark}\n", unit.repeat(times));
                    for most in [0, 1, 2, 7, 100] {
                        assert_eq!(
                            nests_deeper(&text, most),
                            deepest(&text) > most,
                            "{text:?} {most}"
                        );
                    }
                }
            }
        }
    }
}
