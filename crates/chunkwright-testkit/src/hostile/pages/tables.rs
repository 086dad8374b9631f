//! Tables: long, wide, ragged, or almost valid.

use crate::hostile::{Pattern, count, fill};

pub(super) const PATTERNS: &[Pattern] = &[
    Pattern::markdown("one long table", |n| {
        format!("| a | b |\n|---|---|\n{}", count(n, |nth| format!("| {nth} | text |\n")))
    }),
    Pattern::markdown("one wide table", |n| {
        let third = n / 3;
        format!("{}|\n{}|\n{}|\n", fill(third, "|a "), fill(third, "|--"), fill(third, "|1 "))
    }),
    Pattern::markdown("a wide head over short rows", |n| {
        let third = n / 3;
        format!("{}|\n{}|\n{}", fill(third, "|a"), fill(third, "|-"), fill(third, "|x\n"))
    }),
    Pattern::markdown("a head of one long word over short rows", |n| {
        format!("|{}|\n|---|\n{}", fill(n / 2, "x"), fill(n / 2, "|a b c|\n"))
    }),
    Pattern::markdown("rows that are too wide", |n| format!("|a|\n|-|\n{}|\n", fill(n, "|x"))),
    Pattern::markdown("heads without rows", |n| fill(n, "|a|b|\n|-|-|\n\n")),
    Pattern::markdown("rows under rows that could be heads", |n| fill(n, "|a|\n|-|\n")),
    Pattern::markdown("a delimiter row without a head", |n| fill(n, "|-") + "|\n"),
    Pattern::markdown("a head and a delimiter row that do not match", |n| {
        format!("{}\n{}", fill(n / 2, "|a"), fill(n / 2, ":-:|"))
    }),
    Pattern::markdown("escaped pipes", |n| format!("|a|\n|-|\n|{}|\n", fill(n, "\\|"))),
    Pattern::markdown("pipes in code, never closed", |n| {
        format!("|a|b|\n|-|-|\n{}", fill(n, "|`|x|\n"))
    }),
    Pattern::markdown("pipes in every line, without a table", |n| fill(n, "a|b\n")),
    Pattern::markdown("tables in items", |n| fill(n, "- |a|\n  |-|\n  |x|\n")),
];
