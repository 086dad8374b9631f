//! Nesting: a text comes in; whether its lists and quotes may nest too deep goes out.

use super::line;
use crate::runs::long_runs;

/// Whether more than `most` list items and quotes may hold what stands on one of the lines.
pub(crate) fn nests_deeper(text: &str, most: usize) -> bool {
    // No byte of a margin indents what is in more than two of them: a tab has four columns.
    has_wide_margin(text.as_bytes(), most / 2) && deepest(text) > most
}

/// Whether a line begins with more than `most` bytes of white space and marks.
fn has_wide_margin(text: &[u8], most: usize) -> bool {
    let is_margin =
        |byte: u8| matches!(byte, b' ' | b'\t' | b'>' | b'*'..=b'.' | b'0'..=b'9' | b')');
    let starts_line = |at: usize| at == 0 || matches!(text[at - 1], b'\n' | b'\r');
    long_runs(text, most + 1, is_margin).any(|run| starts_line(run.start))
}

/// The most items and quotes that may hold what stands on one of the lines: each has its mark there
/// or above, and is indented by two columns or more.
fn deepest(text: &str) -> usize {
    let mut begun = 0;
    let depth = |line| match line::marks(line).count() {
        0 => 0,
        marks => {
            begun += marks;
            let indents = space(line[..line::margin(line)].trim_ascii_end()) / 2;
            begun.min(marks + indents)
        }
    };
    let lines = text.as_bytes().split(|byte| matches!(byte, b'\n' | b'\r'));
    lines.map(depth).max().unwrap_or(0)
}

/// The columns of white space in a margin, without the one that each mark has after it.
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
    fn a_margin_that_is_not_wide_is_not_deep() {
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
