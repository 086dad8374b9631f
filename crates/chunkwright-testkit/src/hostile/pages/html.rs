//! HTML blocks and inline HTML that are opened and never closed.

use crate::hostile::{Pattern, count, fill};

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
    Pattern::markdown("one long table of HTML", |n| {
        let rows = count(n, |nth| format!("<tr>\n<td>{nth}</td>\n<td>text</td>\n</tr>\n"));
        format!(
            "<table>\n<thead>\n<tr><th>a</th></tr>\n</thead>\n<tbody>\n{rows}</tbody>\n</table>\n"
        )
    }),
    Pattern::markdown("a table of HTML on one line", |n| {
        format!("<table><tr><th>a</th></tr>{}</table>\n", fill(n, "<tr><td>a</td></tr>"))
    }),
    Pattern::markdown("one row of HTML with many cells", |n| {
        format!("<table>\n<tr>\n{}</tr>\n</table>\n", fill(n, "<td>a\n"))
    }),
    Pattern::markdown("one row of HTML with many cells on one line", |n| {
        format!("<table><tr title=\"a b c\">{}</table>\n", fill(n, "<td class=a>"))
    }),
    Pattern::markdown("one cell of HTML with much text", |n| {
        format!("<table><tr><th>a<tr><td>{}</table>\n", fill(n, "One two. "))
    }),
    Pattern::markdown("a table of HTML with many bodies", |n| {
        let bodies = fill(n, "<tbody><tr><td>a\n<tr><td>b\n");
        format!("<table>\n<thead><tr><th>one two three\n{bodies}</table>\n")
    }),
    Pattern::markdown("a table of HTML with a huge head", |n| {
        let (head, rows) = (fill(n / 2, "<th>a</th>\n"), fill(n / 2, "<tr><td>a</td></tr>\n"));
        format!("<table>\n<tr>\n{head}</tr>\n{rows}</table>\n")
    }),
    Pattern::markdown("a table of HTML with a huge start tag", |n| {
        let (tag, rows) = (fill(n / 2, " a='b'"), fill(n / 2, "<tr><td>a</td></tr>\n"));
        format!("<table{tag}>\n{rows}</table>\n")
    }),
    Pattern::markdown("rows of HTML that span rows", |n| {
        format!("<table>\n{}</table>\n", fill(n, "<tr><td rowspan=2>a</td></tr>\n"))
    }),
    Pattern::markdown("tables of HTML in tables", |n| {
        let (open, close) = (fill(n * 2 / 3, "<table><tr><td>\n"), n * 2 / 3 / 16);
        open + &"</table>\n".repeat(close)
    }),
    Pattern::markdown("tables of HTML on lines, never closed", |n| fill(n, "<table>\n<tr>\n")),
    Pattern::markdown("small tables of HTML", |n| {
        fill(n, "<table>\n<tr><td>a</td></tr>\n</table>\n")
    }),
    Pattern::markdown("small tables of HTML on one line", |n| fill(n, "<table><tr><td>a</table>")),
    Pattern::markdown("rows of HTML without a table", |n| fill(n, "<tr><td>a</td></tr>\n")),
    Pattern::markdown("cells of HTML with quotes, the last never closed", |n| {
        let rows = fill(n, "<tr><td a=\"b>\n<tr><td a=\"c>\n");
        format!("<table>\n{rows}<tr><td a=\"d></table>\n")
    }),
    Pattern::markdown("tables of HTML with scripts, never closed", |n| {
        fill(n, "<table>\n<tr><td><script>\n</table>\n")
    }),
    Pattern::markdown("blanks between rows of HTML", |n| {
        format!("<table><tr><td>{}<tr><td>a</table>\n", fill(n, "<tr><td>a                "))
    }),
];
