//! Headings, lists, quotes and code fences: numerous, deeply nested, or never closed.

use crate::hostile::{Pattern, count, fill};

/// Returns the number of steps that add up to `bytes` if the nth step has n bytes.
fn steps(bytes: usize) -> usize {
    (2 * bytes).isqrt()
}

pub(super) const PATTERNS: &[Pattern] = &[
    Pattern::markdown("headings only", |n| count(n, |nth| format!("## Part {nth}\n"))),
    Pattern::markdown("headings with a line each", |n| {
        count(n, |nth| format!("## Part {nth}\n\nText {nth}.\n\n"))
    }),
    Pattern::markdown("headings that are all the same", |n| fill(n, "# Same\n\nText.\n\n")),
    Pattern::markdown("headings that slug to nothing", |n| fill(n, "# ***\n\nText.\n\n")),
    Pattern::markdown("headings that look like numbered twins", |n| {
        count(n, |nth| format!("# A\n\n# A {}\n\ntext\n\n", nth / 2))
    }),
    Pattern::markdown("headings of growing level, again and again", |n| {
        count(n, |nth| format!("{} H{nth}\n\ntext\n\n", "#".repeat(nth % 6 + 1)))
    }),
    Pattern::markdown("small sections with a comment each", |n| fill(n, "# a\n\nb <!-- c -->\n\n")),
    Pattern::markdown("comments before the first heading", |n| {
        fill(n, "<!-- note -->\n\n") + "# a\n\ntext\n"
    }),
    Pattern::markdown("a chain of bare headings, again and again", |n| {
        fill(n, "# a\n## b\n### c\n#### d\n##### e\n###### f\n\ntext\n\n")
    }),
    Pattern::markdown("empty headings", |n| fill(n, "#\n")),
    Pattern::markdown("one heading, very long", |n| format!("# {}\n\ntext\n", fill(n, "word "))),
    Pattern::markdown("long headings around each line", |n| {
        let title = "long ".repeat(40);
        fill(n, &format!("# {title}\n\n## {title}\n\ntext\n\n"))
    }),
    Pattern::markdown("setext underlines", |n| fill(n, "a\n=\n")),
    Pattern::markdown("a setext heading of many lines", |n| fill(n, "line\n") + "---\n"),
    Pattern::markdown("underline characters without a heading", |n| fill(n, "=\n\n")),
    Pattern::markdown("thematic breaks", |n| fill(n, "***\n")),
    Pattern::markdown("a thematic break that is none", |n| fill(n, "* ") + "a\n"),
    Pattern::markdown("quote marks on one line", |n| fill(n, "> ") + "a\n"),
    Pattern::markdown("quote marks on one line, then lazy lines", |n| {
        format!("{}a\n{}", fill(n / 2, "> "), fill(n / 2, "lazy\n"))
    }),
    Pattern::markdown("quote marks on one line, then others", |n| {
        format!("{}a\n{}", fill(n / 2, "> "), fill(n / 2, "> b\n"))
    }),
    Pattern::markdown("quotes one deeper in each line", |n| {
        let deep = (1..=steps(n / 2)).map(|depth| ">".repeat(depth * 2) + "\n");
        deep.collect()
    }),
    Pattern::markdown("one long quote", |n| fill(n, "> Some words in a line.\n")),
    Pattern::markdown("list marks on one line", |n| fill(n, "- ") + "a\n"),
    Pattern::markdown("list marks on one line, then blank lines", |n| {
        format!("{}a{}", fill(n / 2, "- "), fill(n / 2, "\n"))
    }),
    Pattern::markdown("list marks in quotes, then blank lines", |n| {
        format!("{}a\n{}", fill(n / 2, "> - "), fill(n / 2, ">\n"))
    }),
    Pattern::markdown("lists one deeper in each line", |n| {
        (0..steps(n)).map(|depth| " ".repeat(depth) + "* a\n").collect()
    }),
    Pattern::markdown("lists one deeper in each line, then lazy lines", |n| {
        let deep: String = (0..steps(n / 2)).map(|depth| " ".repeat(depth) + "* a\n").collect();
        deep + &fill(n / 2, "lazy\n")
    }),
    Pattern::markdown("lists one deeper in each line of a quote, then lazy lines", |n| {
        let deeper = |depth| format!("  > {}- a\n", "  ".repeat(depth));
        let deep: String = (0..steps(n / 4)).map(deeper).collect();
        format!("- > a\n{deep}{}", fill(n / 2, "lazy\n"))
    }),
    Pattern::markdown("list marks on one line, then lazy lines", |n| {
        format!("{}a\n{}", fill(n / 2, "- "), fill(n / 2, "lazy\n"))
    }),
    Pattern::markdown("lists 30 deep, again and again", |n| {
        let deep: String = (0..30).map(|depth| "  ".repeat(depth) + "- a\n").collect();
        fill(n, &deep)
    }),
    Pattern::markdown("numbers and quotes in turn on one line", |n| fill(n, "1. > ") + "a\n"),
    Pattern::markdown("items of a loose list", |n| fill(n, "- item\n\n")),
    Pattern::markdown("items, each with another mark", |n| fill(n, "- a\n+ b\n* c\n1. d\n2) e\n")),
    Pattern::markdown("empty items", |n| fill(n, "-\n")),
    Pattern::markdown("items that lose their indent", |n| fill(n, "   - a\n  - b\n - c\n")),
    Pattern::markdown("task list items", |n| fill(n, "- [ ] a\n- [x] b\n")),
    Pattern::markdown("one item of many paragraphs", |n| {
        format!("- first\n{}", fill(n, "\n  another paragraph\n"))
    }),
    Pattern::markdown("one long fence", |n| format!("```\n{}```\n", fill(n, "let a = 1;\n"))),
    Pattern::markdown("a fence that is never closed", |n| "```\n".to_owned() + &fill(n, "a b\n\n")),
    Pattern::markdown("fences that open fences", |n| {
        (3..steps(n)).map(|length| "`".repeat(length) + "\n").collect()
    }),
    Pattern::markdown("fences of both kinds in turn", |n| fill(n, "```\n~~~\n")),
    Pattern::markdown("a long fence around short lines", |n| {
        format!("{}\n{}", fill(n / 2, "~"), fill(n / 2, "a b c\n"))
    }),
    Pattern::markdown("a fence with a long word around short lines", |n| {
        format!("```{}\n{}", fill(n / 2, "x"), fill(n / 2, "a b c\n"))
    }),
    Pattern::markdown("a long info string", |n| format!("```{}\ncode\n```\n", fill(n, "a "))),
    Pattern::markdown("fences in quotes, never closed", |n| fill(n, "> ```\n> code\n\n")),
    Pattern::markdown("fences in items, never closed", |n| fill(n, "- ```\n  code\n")),
    Pattern::markdown("indented code", |n| fill(n, "    code\n\n")),
    Pattern::markdown("indents of growing depth", |n| {
        (0..steps(n)).map(|depth| " ".repeat(depth) + "a\n").collect()
    }),
    Pattern::markdown("tabs", |n| fill(n, "\t") + "a\n"),
    Pattern::markdown("directives in directives", |n| fill(n, ":::note\n")),
    Pattern::markdown("directives of growing length", |n| {
        (3..steps(n)).map(|length| ":".repeat(length) + "note\n").collect()
    }),
    Pattern::markdown("admonitions one deeper in each line", |n| {
        (0..steps(n / 2)).map(|depth| "    ".repeat(depth / 2) + "!!! note\n").collect()
    }),
    Pattern::markdown("tabs of a page", |n| fill(n, "=== \"Tab\"\n\n    text\n\n")),
    Pattern::markdown("shortcodes, never closed", |n| fill(n, "{{< a ")),
    Pattern::markdown("shortcodes on lines, never closed", |n| fill(n, "{{% note %}}\n")),
    Pattern::markdown("raw blocks, never closed", |n| fill(n, "{% raw %}\n")),
    Pattern::markdown("callouts", |n| fill(n, "> [!NOTE]\n> text\n\n")),
];
