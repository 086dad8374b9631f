//! Generates random documents: outlines, documents with all kinds of blocks, and random syntax.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// A part of a document: a heading, or a paragraph of words.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    Heading(u8, &'static str),
    Words(&'static str, usize),
}

impl Part {
    fn write(&self) -> String {
        match *self {
            Self::Heading(level, title) => format!("{} {title}\n\n", "#".repeat(level.into())),
            Self::Words(word, count) => words(word, count) + "\n\n",
        }
    }

    pub(crate) fn reworded(&self) -> Self {
        match self {
            // Keeps the capital letters: they start sentences, where a paragraph may be split.
            Self::Words("Word", count) => Self::Words("Other", *count),
            Self::Words("Wörter", count) => Self::Words("Anderes", *count),
            Self::Words("语", count) => Self::Words("文", *count),
            Self::Words(_, count) => Self::Words("y", *count),
            heading @ Self::Heading(..) => heading.clone(),
        }
    }
}

/// Writes an outline as Markdown.
pub(crate) fn write(tree: &[Part]) -> String {
    tree.iter().map(Part::write).collect()
}

/// Returns sentences of up to seven words, four per line.
pub(crate) fn words(word: &str, count: usize) -> String {
    let mut text = String::new();
    for nth in 1..=count {
        text += word;
        text += match nth {
            _ if nth == count => ".",
            _ if nth % 28 == 0 => ".\n",
            _ if nth % 7 == 0 => ". ",
            _ => " ",
        };
    }
    text
}

pub(crate) fn tree() -> impl Strategy<Value = Vec<Part>> {
    let title = select(vec!["One", "Two", "Two", "A longer title, of six words", "*Über* `x`", ""]);
    let heading = (1..7u8, title).prop_map(|(level, title)| Part::Heading(level, title));
    let word = select(vec!["Word", "Wörter", "语", "x"]);
    let size = prop_oneof![1..10usize, 1..40usize, 1..200usize];
    let content = (word, size).prop_map(|(word, count)| Part::Words(word, count));
    vec(prop_oneof![2 => heading, 3 => content], 0..24)
}

/// Generates a document with all kinds of blocks, and unusual line endings and whitespace.
pub(crate) fn document() -> impl Strategy<Value = String> {
    let gap = select(vec!["\n", "\n", "\n", "", "\n\n", " \n", "\u{a0}\n", "\n\t\n"]);
    let blocks = vec((block(), gap), 0..12)
        .prop_map(|blocks| blocks.into_iter().map(|(block, gap)| block + gap).collect::<String>());
    let lead = select(vec![
        "",
        "",
        "",
        "\n \n",
        "\u{feff}",
        "---\ntitle: One\ntags: [a, b]\n---\n",
        "+++\ntitle = \"One\"\n+++\n\n",
        "---\na: b: c\n---\n",
        "---\ntitle: open\n",
        "\u{feff}---\ntitle: One\n---\n",
    ]);
    let line_end = select(vec!["\n", "\n", "\r\n", "\r"]);
    (lead, blocks, line_end, prop::bool::ANY).prop_map(|(lead, blocks, line_end, ends)| {
        let text = format!("{lead}{blocks}").replace('\n', line_end);
        if ends { text } else { text.trim_end().to_owned() }
    })
}

/// Generates a block, or blocks inside a list item or a quote.
fn block() -> impl Strategy<Value = String> {
    leaf().prop_recursive(3, 12, 4, |inner| {
        let inside = vec(inner, 1..4);
        let markers = select(vec!["- ", "* ", "1. ", "12) ", "> ", "- [ ] ", "[^1]: "]);
        (inside, markers, prop::bool::ANY).prop_map(|(blocks, marker, loose)| {
            let text = blocks.join(if loose { "\n" } else { "" });
            hang(marker, &text)
        })
    })
}

/// Indents a text behind a list marker or quote markers.
fn hang(marker: &str, text: &str) -> String {
    let rest = if marker == "> " { marker.to_owned() } else { " ".repeat(marker.len()) };
    let mut hung = String::new();
    for (nth, line) in text.lines().enumerate() {
        let margin = if nth == 0 { marker } else { rest.as_str() };
        let hanging = format!("{margin}{line}");
        // Tabs are kept, because they may follow a closing fence.
        let is_blank = line.trim().is_empty();
        hung += if is_blank { hanging.trim_end() } else { hanging.trim_end_matches(' ') };
        hung.push('\n');
    }
    hung
}

fn leaf() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => vec(sentence(), 1..8).prop_map(|sentences| sentences.join(" ") + "\n"),
        2 => (1..7usize, sentence()).prop_map(|(level, t)| format!("{} {t}\n", "#".repeat(level))),
        1 => sentence().prop_map(|text| format!("{text}\n---\n")),
        2 => fence(),
        2 => table(),
        1 => vec(line(), 1..6).prop_map(|lines| format!("    {}\n", lines.join("\n    "))),
        1 => vec(line(), 1..5).prop_map(|lines| format!("<div>\n{}\n</div>\n", lines.join("\n"))),
        2 => html_table(),
        1 => vec(line(), 1..5).prop_map(|lines| format!("$$\n{}\n$$\n", lines.join("\n"))),
        1 => vec(line(), 1..4).prop_map(|lines| format!("<!-- {} -->\n", lines.join("\n\n"))),
        2 => select(vec![
            "#\n", "##\n\n", "---\n", "***\n", "[a]: https://example.com 'A'\n", "[^1]: A note.\n",
            "[a]:\n", "$$\n", "<!-- open\n", "> [!NOTE]\n> Take care.\n", "\\# no\n", "\u{c}\n",
            "![x](data:image/png;base64,AAAA)\n", "- \n", "1.\n", ">\n", "| a |\n|---|\n", "\u{0}\n",
        ]).prop_map(str::to_owned),
    ]
}

fn sentence() -> impl Strategy<Value = String> {
    vec(word(), 1..14).prop_map(|words| words.join(" "))
}

fn line() -> impl Strategy<Value = String> {
    (select(vec!["", "", "  ", "\t"]), vec(word(), 0..8))
        .prop_map(|(indent, words)| format!("{indent}{}", words.join(" ")))
}

fn word() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        6 => select(vec!["one", "two,", "three.", "Four", "five!", "is", "a", "e.g.", "(six)"]),
        1 => select(vec![
            "`code span`", "[a link](https://example.com/x)", "**bold**", "_it_", "![i](x.png)",
            "[a]", "[^1]", "<b>", "<!-- c -->", "$x$", "\\|", "&amp;", "{#id}", "http://a.b/c",
            "data:image/png;base64,AAAA", "\u{200b}x", "zero\u{200b}width", "\u{202e}rtl\u{202c}",
        ]),
        1 => select(vec![
            "你好。再见！", "ありがとう", "สวัสดีครับ", "नमस्ते", "e\u{301}e\u{301}", "👨‍👩‍👧‍👦", "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
            "Donaudampfschifffahrtsgesellschaftskapitän", "\u{645}\u{200c}\u{645}", "a\u{a0}b",
        ]),
    ]
}

fn fence() -> impl Strategy<Value = String> {
    let mark = select(vec!["```", "````", "~~~", "~~~~~"]);
    let info = select(vec!["", "", "rust", " python {.x}", "a long info string of many words"]);
    let blanks = select(vec!["", "", "", " ", "\t", " \t", "\t\t"]);
    let closing = prop::option::weighted(0.9, blanks);
    (mark, info, vec(line(), 0..12), closing).prop_map(|(mark, info, lines, closing)| {
        let lines: String = lines.into_iter().map(|line| line + "\n").collect();
        let closing = closing.map_or(String::new(), |blanks| format!("{mark}{blanks}\n"));
        format!("{mark}{info}\n{lines}{closing}")
    })
}

fn table() -> impl Strategy<Value = String> {
    let cells = vec(vec(word(), 0..4).prop_map(|words| words.join(" ")), 1..4);
    vec(cells, 1..8).prop_map(|rows| {
        let mut text = String::new();
        for (nth, cells) in rows.iter().enumerate() {
            text += &format!("| {} |\n", cells.join(" | "));
            if nth == 0 {
                text += &format!("|{}\n", "---|".repeat(cells.len()));
            }
        }
        text
    })
}

/// Generates an HTML table: mostly well-formed, with optional end tags and line endings.
fn html_table() -> impl Strategy<Value = String> {
    let gap = || select(vec!["", "\n", "\n  ", " "]);
    let start = select(vec!["<td>", "<td>", "<th>", "<td rowspan=2>", "<TD\n class='a > b'>"]);
    let cell = (gap(), start, vec(line(), 0..3), select(vec!["", "</td>"])).prop_map(
        |(gap, start, lines, end)| {
            let end = if start == "<th>" && !end.is_empty() { "</th>" } else { end };
            format!("{gap}{start}{}{end}", lines.join("\n"))
        },
    );
    let row = (gap(), vec(cell, 0..4), select(vec!["", "</tr>", "\n</tr>"]))
        .prop_map(|(gap, cells, end)| format!("{gap}<tr>{}{end}", cells.concat()));
    let section = select(vec![
        "",
        "",
        "",
        "<thead>",
        "</thead>",
        "<tbody>",
        "</tbody><tbody>",
        "\n  <tbody>\n",
        "<tfoot>",
        "<!-- <tr> -->",
        "<caption>a</caption>",
        "<table>",
        "text",
        "</table><table>",
        "</table>\n",
    ]);
    let ends = select(vec!["</table>", "\n</table>\n", "</tbody></table> a. b.", ""]);
    (
        select(vec!["<table>", "<table class=\"a\">\n", "<div>\n  <table>\n"]),
        vec((section, row), 0..8),
        ends,
    )
        .prop_map(|(start, parts, end)| {
            let rows: String =
                parts.into_iter().map(|(section, row)| format!("{section}{row}")).collect();
            format!("{start}{rows}{end}\n")
        })
}

/// Generates Markdown syntax in random order.
pub(crate) fn soup() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        3 => select(vec!["\n", "\n\n", " ", "a", "word ", "One. ", "\n"]),
        2 => select(vec![
            "#", "# ", "## ", "`", "```", "~~~", "````", "    ", "\t", "- ", "* ", "+ ", "1. ",
            "2) ", "> ", ">", "|", "|-|", "---", "===", "***", "[", "]", "(", ")", "](", "]: ",
            "[^", "[x]", "<", ">", "</", "/>", "<!--", "-->", "<div>", "<br>", "$", "$$", "*",
            "**", "_", "~~", "\\", "!", "![", "&", ";", ":", "{", "}", "{#", "+++", "'", "\"",
        ]),
        1 => select(vec![
            "\r", "\r\n", "\u{0}", "\u{c}", "\u{b}", "\u{85}", "\u{2028}", "\u{a0}", "\u{3000}",
            "\u{feff}", "\u{200b}", "\u{200d}", "\u{202e}", "\u{e0041}", "é", "e\u{301}", "你。",
            "👨‍👩‍👧", "ſ", "İ", "data:image/png;base64,A", "<img src=\"data:x,y\">", "title: a",
        ]),
    ];
    vec(pieces, 0..60).prop_map(|pieces| pieces.concat())
}
