//! Link and footnote definitions: numerous, malformed, or chained.

use crate::hostile::{Pattern, count, fill};

pub(super) const PATTERNS: &[Pattern] = &[
    Pattern::markdown("link definitions", |n| count(n, |nth| format!("[a{nth}]: b\n"))),
    Pattern::markdown("link definitions and their uses", |n| {
        let definitions = count(n / 2, |nth| format!("[a{nth}]: b\n"));
        definitions + "\n" + &count(n / 2, |nth| format!("[a{nth}] "))
    }),
    Pattern::markdown("one link definition, used often", |n| {
        format!("[a]: {}\n\n{}", fill(n / 2, "x."), fill(n / 2, "[a] "))
    }),
    Pattern::markdown("link definitions that are all the same", |n| fill(n, "[a]: b\n")),
    Pattern::markdown("link definitions without a destination", |n| fill(n, "[x]:\n\n")),
    Pattern::markdown("link definitions with titles, never closed", |n| fill(n, "[a]: b \"\n")),
    Pattern::markdown("a link definition with blank titles", |n| {
        format!("[a]: b{}\"c\n", fill(n, " "))
    }),
    Pattern::markdown("a label that is never closed", |n| format!("[{}\n", fill(n, "a\n"))),
    Pattern::markdown("labels, each with an escape", |n| fill(n, "[\\")),
    Pattern::markdown("labels of growing length", |n| {
        (1..(2 * n).isqrt()).map(|length| format!("[{}]\n", "a".repeat(length))).collect()
    }),
    Pattern::markdown("link definitions in quotes", |n| fill(n, "> [a]: b\n\n")),
    Pattern::markdown("footnotes", |n| count(n, |nth| format!("Text[^{nth}]\n\n[^{nth}]: a\n\n"))),
    Pattern::markdown("footnotes without definition", |n| fill(n, "[^a]")),
    Pattern::markdown("footnotes, never closed", |n| fill(n, "[^")),
    Pattern::markdown("footnote definitions that are all the same", |n| fill(n, "[^a]: b\n")),
    Pattern::markdown("footnotes that lead to each other", |n| {
        count(n, |nth| format!("[^{nth}]: see [^{}]\n\n", nth + 1))
    }),
    Pattern::markdown("footnotes in footnotes", |n| fill(n, "[^a]: ") + "b\n"),
    Pattern::markdown("footnotes in quotes in footnotes", |n| fill(n, "[^a]: > ") + "b\n"),
    Pattern::markdown("definition lists", |n| fill(n, "term\n: what it is\n\n")),
];
