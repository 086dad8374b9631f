//! MDX expressions, tags and scripts that are opened and never closed.

use crate::hostile::{Pattern, count, fill};

pub(super) const PATTERNS: &[Pattern] = &[
    Pattern::mdx("braces opened", |n| fill(n, "{")),
    Pattern::mdx("braces opened on lines", |n| fill(n, "{\n\n")),
    Pattern::mdx("braces in braces", |n| format!("{}{}", fill(n / 2, "{"), fill(n / 2, "}"))),
    Pattern::mdx("braces in text", |n| fill(n, "a {b} ")),
    Pattern::mdx("braces closed", |n| fill(n, "}")),
    Pattern::mdx("components in components on one line", |n| fill(n, "<A>")),
    Pattern::mdx("components in components on lines", |n| fill(n, "<A>\n\n")),
    Pattern::mdx("components closed, never opened", |n| fill(n, "</A>\n\n")),
    Pattern::mdx("components, each closed by another", |n| fill(n, "<A>\n\ntext\n\n</B>\n\n")),
    Pattern::mdx("components deep, and closed again", |n| {
        let times = n / 13;
        "<A>\n\n".repeat(times) + "text\n\n" + &"</A>\n\n".repeat(times)
    }),
    Pattern::mdx("attributes opened", |n| fill(n, "<A b={")),
    Pattern::mdx("attributes with quotes, never closed", |n| fill(n, "<A b=\"\n\n")),
    Pattern::mdx("one component of many attributes", |n| format!("<A{} />\n", fill(n, " b={1}"))),
    Pattern::mdx("spread attributes, never closed", |n| fill(n, "<A {...")),
    Pattern::mdx("template literals in template literals", |n| fill(n, "{`${")),
    Pattern::mdx("one long template literal", |n| {
        format!("export const a = `\n{}`\n\ntext\n", fill(n, "# not a heading\n\n"))
    }),
    Pattern::mdx("quotes in an expression, never closed", |n| format!("{{'{}", fill(n, "a\\'"))),
    Pattern::mdx("comments in an expression, never closed", |n| fill(n, "{/* ")),
    Pattern::mdx("comments in expressions", |n| fill(n, "{/* a */}\n\n")),
    Pattern::mdx("imports", |n| count(n, |nth| format!("import A{nth} from 'a'\n"))),
    Pattern::mdx("imports, never closed", |n| fill(n, "import {\n\n")),
    Pattern::mdx("exports, never closed", |n| fill(n, "export const a = {\n\n")),
    Pattern::mdx("one long export", |n| {
        format!("export const a = [\n{}]\n\ntext\n", fill(n, "  { b: 'c' },\n"))
    }),
    Pattern::mdx("slashes that could be regular expressions", |n| format!("{{{}", fill(n, "/a."))),
    Pattern::mdx("numbers after angles", |n| fill(n, "a <5 ")),
    Pattern::mdx("fragments opened", |n| fill(n, "<>\n\n")),
    Pattern::mdx("comments of HTML", |n| fill(n, "<!-- a -->\n\n")),
    Pattern::mdx("headings in components", |n| fill(n, "<A>\n\n# a\n\ntext\n\n</A>\n\n")),
];
