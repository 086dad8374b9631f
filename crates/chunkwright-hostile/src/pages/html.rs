//! HTML: opened and never closed, as blocks and in lines.

use crate::{Pattern, fill};

pub(super) const PATTERNS: &[Pattern] = &[
    Pattern::markdown("comments in a line, never closed", |n| fill(n, "a <!-- ")),
    Pattern::markdown("comments on lines, never closed", |n| fill(n, "<!--\n")),
    Pattern::markdown("comments as paragraphs, never closed", |n| fill(n, "a <!--\n\n")),
    Pattern::markdown("comments, nearly closed", |n| fill(n, "<!---->--")),
    Pattern::markdown("one long comment", |n| format!("<!-- {} -->\n", fill(n, "a\n\n"))),
    Pattern::markdown("processing instructions, never closed", |n| fill(n, "a <?")),
    Pattern::markdown("declarations, never closed", |n| fill(n, "a <!A ")),
    Pattern::markdown("character data, never closed", |n| fill(n, "a <![CDATA[")),
    Pattern::markdown("tags, never closed", |n| fill(n, "a <a ")),
    Pattern::markdown("one tag of many attributes, never closed", |n| {
        "a <a ".to_owned() + &fill(n, "b=c ")
    }),
    Pattern::markdown("attributes with quotes, never closed", |n| fill(n, "a <a b=\"")),
    Pattern::markdown("blanks in a tag", |n| format!("a <a{}!", fill(n, " "))),
    Pattern::markdown("closing tags", |n| fill(n, "a </a>")),
    Pattern::markdown("elements in elements on one line", |n| fill(n, "<b>")),
    Pattern::markdown("elements in elements on lines", |n| fill(n, "<div>\n")),
    Pattern::markdown("elements in elements as paragraphs", |n| fill(n, "<div>\n\n")),
    Pattern::markdown("scripts, never closed", |n| fill(n, "<script>\n\n")),
    Pattern::markdown("preformatted text, never closed", |n| fill(n, "<pre>\n\n")),
    Pattern::markdown("details, each with a heading", |n| {
        fill(n, "<details>\n<summary>a</summary>\n\n# b\n\ntext\n\n</details>\n\n")
    }),
    Pattern::markdown("angles", |n| fill(n, "<")),
    Pattern::markdown("angles on lines", |n| fill(n, "<\n")),
    Pattern::markdown("tables of HTML, never closed", |n| fill(n, "<table><tr><td>\n\n")),
];
