//! Finds the starts of sentences and words in running text.
//!
//! A start is after the preceding whitespace. If that whitespace contains a line ending, it is the
//! start of the line, so that indentation and block quote markers stay with their line.

use std::ops::Range;

use crate::parse::line::is_margin;

/// Abbreviations whose period does not end a sentence, in lower case.
const ABBREVIATIONS: &[&str] = &[
    "al", "approx", "ca", "cf", "ch", "co", "corp", "dept", "dr", "ed", "eds", "eq", "eqs", "est",
    "etc", "ex", "fig", "figs", "inc", "jr", "lt", "ltd", "max", "min", "mr", "mrs", "ms", "mt",
    "no", "nos", "op", "p", "pp", "prof", "ref", "resp", "rev", "sec", "sect", "sr", "st", "tab",
    "vol", "vs",
];

/// Returns the starts of the second and later sentences of `text`, except inside `whole` ranges.
pub(super) fn sentences(text: &str, whole: &[Range<usize>]) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut next_whole = whole.iter().peekable();
    let mut from = 0;
    while let Some(stop) = text[from..].find(ends_sentence) {
        let at = from + stop;
        let c = text[at..].chars().next().unwrap_or_default();
        let closed = at + closers(&text[at..]);
        let start = after_space(text, closed);
        from = closed;
        while next_whole.peek().is_some_and(|range| range.end <= start) {
            next_whole.next();
        }
        let inside = next_whole.peek().is_some_and(|range| range.start < start);
        let boundary = is_full_width(c) || (start > closed && !goes_on(text, at, c, start));
        if boundary && !inside && start < text.len() {
            starts.push(start);
        }
    }
    starts
}

/// Returns the starts of the second and later words of `text`.
pub(super) fn words(text: &str) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut at = 0;
    while let Some(space) = text[at..].find(char::is_whitespace) {
        let start = after_space(text, at + space);
        if start >= text.len() {
            break;
        }
        if at + space > 0 {
            starts.push(start);
        }
        // A line's indentation and block quote markers belong to its first word.
        let content = text[start..].find(|c: char| !is_margin(c)).map_or(text.len(), |n| start + n);
        at = content.max(at + space + 1);
    }
    starts
}

fn ends_sentence(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…' | '؟' | '۔' | '।') || is_full_width(c)
}

fn is_full_width(c: char) -> bool {
    matches!(c, '。' | '！' | '？' | '｡')
}

/// Returns the length of the terminators, closing quotes, brackets and emphasis at the start.
fn closers(text: &str) -> usize {
    let closes = |c: char| ends_sentence(c) || "\"')]}*_~”’»」』）】".contains(c);
    text.find(|c| !closes(c)).unwrap_or(text.len())
}

/// Returns the offset after whitespace, or the start of the line if there is a line ending in it.
fn after_space(text: &str, at: usize) -> usize {
    let space = text[at..].len() - text[at..].trim_start().len();
    match text[at..at + space].rfind(['\n', '\r']) {
        Some(line_end) => at + line_end + 1,
        None => at + space,
    }
}

/// Returns whether the sentence continues after the period at `at`.
fn goes_on(text: &str, at: usize, stop: char, start: usize) -> bool {
    let next = text[start..].trim_start_matches(is_margin).trim_start_matches(['*', '_', '"', '(']);
    let lower = next.chars().next().is_some_and(char::is_lowercase);
    stop == '.' && (lower || is_abbreviation(&text[..at]))
}

/// Returns whether the text before a period ends with an abbreviation or an initial.
fn is_abbreviation(before: &str) -> bool {
    let word = before.rsplit(|c: char| !c.is_alphanumeric() && c != '.').next().unwrap_or_default();
    let parts = word.split('.');
    let initials = word.chars().next().is_some_and(char::is_alphabetic)
        && parts.clone().all(|part| part.chars().count() == 1)
        && word != "I";
    initials || ABBREVIATIONS.contains(&word.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;
    use proptest::test_runner::{RngSeed, contextualize_config};
    use unicode_segmentation::UnicodeSegmentation;

    use super::*;

    fn split(text: &str) -> Vec<&str> {
        cut(text, &sentences(text, &[]))
    }

    fn cut<'t>(text: &'t str, starts: &[usize]) -> Vec<&'t str> {
        let from = std::iter::once(0).chain(starts.iter().copied());
        let to = starts.iter().copied().chain([text.len()]);
        from.zip(to).map(|(from, to)| &text[from..to]).collect()
    }

    #[test]
    fn sentences_end_at_punctuation_before_whitespace() {
        assert_eq!(split("One. Two! Three? Four"), ["One. ", "Two! ", "Three? ", "Four"]);
        assert_eq!(
            split("\"One.\" (Two.) **Three.** Four"),
            ["\"One.\" ", "(Two.) ", "**Three.** ", "Four"]
        );
        assert_eq!(split("Wait... What?! Yes."), ["Wait... ", "What?! ", "Yes."]);
    }

    #[test]
    fn abbreviations_numbers_and_initials_do_not_end_a_sentence() {
        for text in [
            "Use one, e.g. This one.",
            "Ask Dr. Smith.",
            "It is 3.14 or v1.2.3 now.",
            "J. R. Smith of the U.S. Army.",
            "See Fig. 3 and no. 5.",
            "Visit example.com today.",
            "It ended. and went on.",
        ] {
            assert_eq!(split(text), [text]);
        }
        assert_eq!(split("So did I. Then we left."), ["So did I. ", "Then we left."]);
    }

    #[test]
    fn full_width_punctuation_needs_no_space() {
        assert_eq!(split("你好。再见！好"), ["你好。", "再见！", "好"]);
        assert_eq!(split("「はい。」と言った。"), ["「はい。」", "と言った。"]);
    }

    #[test]
    fn a_sentence_at_a_line_start_includes_the_indentation_or_quote_marker() {
        assert_eq!(split("> One.\n> Two.\n"), ["> One.\n", "> Two.\n"]);
        assert_eq!(split("One.\n  Two."), ["One.\n", "  Two."]);
    }

    #[test]
    fn code_spans_and_links_stay_whole() {
        let text = "See `a. B` here. Next.";
        let (open, close) = (text.find('`').unwrap(), text.rfind('`').unwrap() + 1);
        let whole = [Range { start: open, end: close }];
        assert_eq!(cut(text, &sentences(text, &whole)), ["See `a. B` here. ", "Next."]);
    }

    #[test]
    fn words_include_trailing_whitespace() {
        assert_eq!(
            cut("one  two\n> three", &words("one  two\n> three")),
            ["one  ", "two\n", "> three"]
        );
        assert_eq!(words("  one"), [] as [usize; 0]);
        assert_eq!(words("one "), [] as [usize; 0]);
    }

    /// Returns the starts of a line's sentences by Unicode's rules, if whitespace precedes them.
    fn unicode(line: &str) -> Vec<usize> {
        let starts = line.split_sentence_bound_indices().map(|(start, _)| start).skip(1);
        starts.filter(|&start| line[..start].ends_with(char::is_whitespace)).collect()
    }

    /// Unicode's rules don't consider abbreviations and initials.
    fn is_after_abbreviation(line: &str, start: usize) -> bool {
        let before = line[..start].trim_end().trim_end_matches(['"', ')', '*', '.']);
        is_abbreviation(before)
    }

    /// Unicode's rules treat an ellipsis like a letter, and don't consider markup at the end of a
    /// sentence.
    fn is_after_ellipsis_or_markup(line: &str, start: usize) -> bool {
        line[..start].trim_end().ends_with(['…', '*', '_', '~'])
    }

    fn prose() -> impl Strategy<Value = String> {
        let word = select(vec![
            "One",
            "two",
            "Three",
            "e.g",
            "Dr",
            "U.S",
            "J",
            "I",
            "3.14",
            "v1.2",
            "no",
            "No",
            "(aside)",
            "**bold**",
            "Ünder",
            "über",
            "\"quoted\"",
            "你好",
            "नमस्ते",
            "שלום",
        ]);
        let stop = select(vec![
            " ", " ", " ", ", ", ". ", ". ", ".  ", "! ", "? ", "?! ", ".\" ", ".) ", "… ", "... ",
            ": ",
        ]);
        vec((word, stop), 1..20).prop_map(|parts| {
            parts.into_iter().flat_map(|(word, stop)| [word, stop]).collect::<String>() + "end"
        })
    }

    proptest! {
        #![proptest_config(contextualize_config(ProptestConfig {
            cases: 2000,
            failure_persistence: None,
            rng_seed: RngSeed::Fixed(1),
            ..ProptestConfig::default()
        }))]

        #[test]
        fn sentences_match_unicode_except_for_abbreviations_and_markup(line in prose()) {
            let (ours, theirs) = (sentences(&line, &[]), unicode(&line));
            for &start in &ours {
                let is_explained = is_after_ellipsis_or_markup(&line, start);
                prop_assert!(theirs.contains(&start) || is_explained, "only ours: {}", &line[start..]);
            }
            for &start in &theirs {
                let is_explained = is_after_abbreviation(&line, start);
                prop_assert!(ours.contains(&start) || is_explained, "only theirs: {}", &line[start..]);
            }
        }
    }
}
