//! Emphasis, links and code spans in one paragraph: openers without closers, and vice versa.

use crate::hostile::{Pattern, fill};

/// Repeats `first`, then `second` equally often.
fn halves(bytes: usize, first: &str, second: &str) -> String {
    let times = bytes / (first.len() + second.len());
    first.repeat(times) + &second.repeat(times)
}

pub(super) const PATTERNS: &[Pattern] = &[
    Pattern::markdown("emphasis opened", |n| fill(n, "*a ")),
    Pattern::markdown("emphasis closed", |n| fill(n, "a_ ")),
    Pattern::markdown("emphasis opened and closed by another", |n| fill(n, "*a_ ")),
    Pattern::markdown("emphasis in strong emphasis", |n| halves(n, "*a **a ", "b** b*")),
    Pattern::markdown("emphasis in multiples of three", |n| "a**b".to_owned() + &fill(n, "c* ")),
    Pattern::markdown("a run of stars", |n| fill(n, "*") + "a"),
    Pattern::markdown("a run of underscores, then of closers", |n| halves(n, "_", ">")),
    Pattern::markdown("tildes opened", |n| fill(n, "~~a ")),
    Pattern::markdown("tildes, one and two in turn", |n| fill(n, "~a ~~b ")),
    Pattern::markdown("brackets opened", |n| fill(n, "[")),
    Pattern::markdown("brackets closed", |n| fill(n, "a]")),
    Pattern::markdown("brackets in brackets", |n| halves(n, "[", "]")),
    Pattern::markdown("brackets in brackets, as links", |n| halves(n, "[", "](a)")),
    Pattern::markdown("brackets opened, emphasis closed", |n| fill(n, "[ a_")),
    Pattern::markdown("brackets and parentheses crossed", |n| fill(n, "[ (](")),
    Pattern::markdown("pairs of brackets", |n| fill(n, "[a][b]")),
    Pattern::markdown("image openers", |n| fill(n, "![")),
    Pattern::markdown("images in images", |n| halves(n, "![", "](a)")),
    Pattern::markdown("image openers with empty links", |n| fill(n, "![[]()")),
    Pattern::markdown("links in emphasis that cross", |n| fill(n, "**x [a*b**c*](d)")),
    Pattern::markdown("link destinations, never closed", |n| fill(n, "[a](b")),
    Pattern::markdown("pointed link destinations, never closed", |n| fill(n, "[a](<b")),
    Pattern::markdown("link titles, never closed", |n| fill(n, "[a](b \"c")),
    Pattern::markdown("link titles of all kinds, never closed", |n| fill(n, "[a](b '(\"")),
    Pattern::markdown("parentheses in a link destination", |n| {
        format!("[a]({})", halves(n, "(", ")"))
    }),
    Pattern::markdown("links", |n| fill(n, "[a](b) ")),
    Pattern::markdown("one link with a long text", |n| format!("[{}](b)\n", fill(n, "word "))),
    Pattern::markdown("one link with a long destination", |n| format!("[a]({})\n", fill(n, "x./"))),
    Pattern::markdown("wiki links, never closed", |n| fill(n, "[[a")),
    Pattern::markdown("wiki links", |n| fill(n, "[[a|b]] ")),
    Pattern::markdown("code of growing length", |n| {
        (1..(2 * n).isqrt()).map(|length| "e".to_owned() + &"`".repeat(length)).collect()
    }),
    Pattern::markdown("code of falling length", |n| {
        (1..(2 * n).isqrt()).rev().map(|length| "e".to_owned() + &"`".repeat(length)).collect()
    }),
    Pattern::markdown("code opened once, by one and two in turn", |n| fill(n, "`a``b")),
    Pattern::markdown("one long code", |n| format!("`{}`\n", fill(n, "a b "))),
    Pattern::markdown("backslashes", |n| fill(n, "\\")),
    Pattern::markdown("backslashes before brackets", |n| format!("[{}", fill(n, "\\]"))),
    Pattern::markdown("ampersands", |n| fill(n, "&")),
    Pattern::markdown("entities, never closed", |n| fill(n, "&#x1234")),
    Pattern::markdown("dollars", |n| fill(n, "$a $$b ")),
    Pattern::markdown("dollars and braces", |n| fill(n, "${")),
    Pattern::markdown("autolinks, never closed", |n| fill(n, "<a:")),
    Pattern::markdown("mail addresses, never closed", |n| fill(n, "<a@b.")),
    Pattern::markdown("bare addresses", |n| fill(n, "https://a.b/")),
    Pattern::markdown("at signs", |n| fill(n, "a@")),
    Pattern::markdown("hard breaks", |n| fill(n, "a  \n")),
    Pattern::markdown("exclamation marks", |n| fill(n, "!")),
    Pattern::markdown("heading attributes, never closed", |n| {
        format!("# a {}\n\ntext\n", fill(n, "{#"))
    }),
];
