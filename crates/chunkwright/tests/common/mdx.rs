//! Generates random MDX: components, statements, expressions, directives, admonitions, shortcodes
//! and math, closed or unclosed, nested and mixed with Markdown.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// Generates a page.
pub(crate) fn mdx() -> impl Strategy<Value = String> {
    let lead = select(vec!["", "", "", "---\ntitle: One\n---\n", "\u{feff}"]);
    let line_end = select(vec!["\n", "\n", "\n", "\r\n", "\r"]);
    let parts = prop_oneof![4 => blocks(0..10), 1 => soup()];
    (lead, parts, line_end, prop::bool::ANY).prop_map(|(lead, parts, line_end, ends)| {
        let text = format!("{lead}{parts}").replace('\n', line_end);
        if ends { text } else { text.trim_end().to_owned() }
    })
}

fn blocks(count: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    let gap = select(vec!["\n", "\n", "\n", "", "\n\n", " \n"]);
    vec((block(), gap), count)
        .prop_map(|blocks| blocks.into_iter().map(|(block, gap)| block + gap).collect())
}

/// Generates a block, or a construct that contains blocks.
fn block() -> impl Strategy<Value = String> {
    leaf().prop_recursive(4, 24, 4, |inner| {
        let gap = select(vec!["", "\n", "\n"]);
        let inside = (vec(inner, 0..4), gap).prop_map(|(blocks, gap)| blocks.join(gap));
        prop_oneof![
            6 => (pair(), inside.clone(), gap_and_indent(), prop::bool::weighted(0.9)).prop_map(
                |((open, close), inside, (gap, indent), is_closed)| {
                    let close = if is_closed { close } else { "" };
                    format!("{open}\n{gap}{}{gap}{close}\n", hang(indent, indent, &inside))
                }
            ),
            2 => (admonition(), inside.clone())
                .prop_map(|(line, inside)| format!("{line}\n{}", hang("    ", "    ", &inside))),
            2 => (select(vec!["- ", "1. ", "> ", "[^1]: "]), inside).prop_map(|(marker, inside)| {
                let rest = if marker == "> " { "> " } else { &"      "[..marker.len()] };
                hang(marker, rest, &inside)
            }),
        ]
    })
}

/// Puts the first line of a text behind `first` and every other line behind `rest`.
fn hang(first: &str, rest: &str, text: &str) -> String {
    let mut hung = String::new();
    for (nth, line) in text.lines().enumerate() {
        let margin = if nth == 0 { first } else { rest };
        hung += format!("{margin}{line}").trim_end();
        hung.push('\n');
    }
    hung
}

fn gap_and_indent() -> impl Strategy<Value = (&'static str, &'static str)> {
    (select(vec!["", "\n"]), select(vec!["", "", "  ", "    ", "\t"]))
}

/// Generates an opening line and its closing line.
fn pair() -> impl Strategy<Value = (&'static str, &'static str)> {
    select(vec![
        ("<A>", "</A>"),
        ("<A>", "</A>"),
        ("<B c=\"d\" e={{ f: '>' }} g={() => <H />}>", "</B>"),
        ("<B\n  c={[\n    1,\n  ]}\n>", "</B>"),
        ("<>", "</>"),
        ("<div>", "</div>"),
        ("<A><B>", "</B></A>"),
        ("<A>text", "text</A>"),
        ("<A>", "</B>"),
        (":::note", ":::"),
        (":::note[Title]{#id}", ":::"),
        ("::::tabs", "::::"),
        ("::: {.x}", "::::"),
        ("{{< a >}}", "{{< /a >}}"),
        ("{{% a b=\"c\" %}}", "{{% /a %}}"),
        ("{{< highlight sh >}}", "{{< /highlight >}}"),
        ("{% if a %}", "{% endif %}"),
        ("{% raw %}", "{% endraw %}"),
        ("{a && (", ")}"),
        ("{/*", "*/}"),
        ("{`", "`}"),
        ("export const a = `", "`"),
        ("export const a = {", "}"),
        ("export const A = () => (", ")"),
        ("$$", "$$"),
        ("```md", "```"),
        ("<!--", "-->"),
    ])
}

fn admonition() -> impl Strategy<Value = &'static str> {
    select(vec!["!!! note", "??? tip \"T\"", "???+ note", "=== \"Tab\"", "!!! note \"A title\""])
}

fn leaf() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => vec(sentence(), 1..5).prop_map(|sentences| sentences.join(" ") + "\n"),
        1 => vec(sentence(), 1..5).prop_map(|sentences| sentences.join("\n") + "\n"),
        2 => (1..5usize, sentence()).prop_map(|(level, t)| format!("{} {t}\n", "#".repeat(level))),
        1 => sentence().prop_map(|text| format!("{text}\n---\n")),
        1 => vec(sentence(), 1..6).prop_map(|lines| format!("```js\n{}\n```\n", lines.join("\n"))),
        1 => vec(sentence(), 1..6).prop_map(|rows| format!("- {}\n", rows.join("\n- "))),
        1 => vec(sentence(), 1..5)
            .prop_map(|rows| format!("| a | b |\n|---|---|\n| {} |\n", rows.join(" |\n| "))),
        1 => sentence().prop_map(|text| format!("<A>{text}</A>\n")),
        1 => sentence().prop_map(|text| format!("{{/* {text} */}}\n")),
        1 => sentence().prop_map(|text| format!("{{{{< a >}}}}{text}{{{{< /a >}}}}\n")),
        1 => sentence().prop_map(|text| format!("$$\n{text}\n\n{text}\n$$\n")),
        4 => select(vec![
            "import A from 'a'\n", "import {\n  B,\n} from \"b\"\n", "export const a = 1\n",
            "export default ({ children }) => <A>{children}</A>\n", "export { a }\n", "<A />\n",
            "<A\n  b=\"c\"\n  d={`\n# e\n`}\n/>\n", "<img src=\"a.png\" />\n", "<br>\n", "{a}\n",
            "{a.map((b) => (\n  <C key={b}>\n\n    {b}\n  </C>\n))}\n", "{{< a b=\"c\" >}}\n",
            "{{< a />}}\n", "{{%\n  a\n%}}\n", "{% include a.html %}\n", "{%- assign a = 1 -%}\n",
            "::a[b]{c=d}\n", "> [!NOTE]\n> Take care.\n", "[^1]: A note.\n\n    More of it.\n",
            "<!-- c -->\n", "---\n", "#\n", "[a]: https://example.com\n", "    indented\n",
        ]).prop_map(str::to_owned),
        1 => select(vec![
            "<A\n", "<A b=\"\n", "<A b={\n", "<A>\n", "</A>\n", "<>\n", "{\n", "}\n", "{`\n", "`\n",
            "{/*\n", "*/}\n", "export const a = {\n", "export const a =\n", "import {\n", ":::\n",
            ":::note\n", "::::\n", "{{< a >}}\n", "{{< /a >}}\n", "{{< a\n", "{{<\n", "{% raw %}\n",
            "{% endraw %}\n", "{% endif %}\n", "{{< highlight >}}\n", "!!! note\n", "$$\n", "```\n",
            "<!--\n", "-->\n", "<pre>\n", "\t<A>\n", "  </A>\n", "<A>text\n", "text</A>\n",
        ]).prop_map(str::to_owned),
    ]
}

fn sentence() -> impl Strategy<Value = String> {
    vec(word(), 1..12).prop_map(|words| words.join(" "))
}

fn word() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        6 => select(vec!["one", "two,", "three.", "Four", "is", "it's", "import", "e.g.", "语。"]),
        1 => select(vec![
            "<b>bold</b>", "<Kbd>K</Kbd>", "<br/>", "{x}", "{`t`}", "{'}'}", "`<A>`", "`{`", "a<b",
            "<5", "\\{", "\\<A>", "{{< r \"a\" >}}", "{% r %}", "[a](b)", "$x$", "**b**", "=>",
            "<A", "{", "}", "`", ":::", "$$", "</A>", "<A>", "/>", "{/* c */}", "<!-- c -->", "//",
        ]),
    ]
}

/// Generates MDX syntax in random order.
fn soup() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        2 => select(vec!["\n", "\n\n", "\n", " ", "a ", "One. ", "  ", "    "]),
        3 => select(vec![
            "<A>", "</A>", "<A", "/>", ">", "<", "</", "<>", "</>", "{", "}", "{{", "}}", "`", "```",
            "'", "\"", "\\", "${", "(", ")", "[", "]", "=>", "//", "/*", "*/", "{/*", "*/}", "<!--",
            "-->", ":::", "::::", ":::a", "::a", "!!! a", "=== \"a\"", "???", "{{<", ">}}", "{{%",
            "%}}", "{%", "%}", "/a", "raw", "endraw", "highlight", "$$", "#", "# ", "- ", "> ", "1. ",
            "---", "===", "import ", "import a from 'b'", "export ", "export const a = ", "a=", "\t",
            "|", "|-|",
        ]),
    ];
    vec(pieces, 0..50).prop_map(|pieces| pieces.concat())
}
