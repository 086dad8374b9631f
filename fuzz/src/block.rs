//! Generates pages with a single block, and possibly a heading before it.

/// The content of blocks.
const WORDS: &[&str] = &[
    "word ",
    "One. ",
    "two, ",
    "e.g. ",
    "`code span` ",
    "[a link](https://example.com/x) ",
    "你。",
    "สวัสดี",
    "👨‍👩‍👧‍👦",
    "e\u{301}",
    "**b** ",
    "Donaudampfschifffahrt",
    "\\| ",
    "\n",
    "\n",
    "\n\n",
    "\u{200b}",
    "<b>x</b> ",
    "$x$ ",
    "![i](data:image/png;base64,AAAA) ",
    "# ",
    "- ",
    "> ",
    "| ",
    "{x} ",
    "<!-- c --> ",
    "\t",
    "    ",
    "\\",
    "1. ",
    "\r\n",
    "```",
    "~~~",
    "$$",
    ":::",
    "<A>",
];

/// The kinds of blocks: the text before the first line, before each other line, and after the last.
const KINDS: &[(&str, &str, &str)] = &[
    ("", "", "\n"),
    ("```rust\n", "", "\n```\n"),
    ("~~~~ a long info string\n", "", "\n~~~~\n"),
    ("```\n", "", "\n"),
    ("    ", "    ", "\n"),
    ("| a | b |\n|---|---|\n| ", "| ", " |\n"),
    ("- ", "- ", "\n"),
    ("1. ", "   ", "\n"),
    ("- a\n  - ", "  - ", "\n"),
    ("- ```sh\n  ", "  ", "\n  ```\n"),
    ("- | a |\n  |---|\n  | ", "  | ", " |\n"),
    ("> ", "> ", "\n"),
    ("> > - ", "> >   ", "\n"),
    ("> ```\n> ", "> ", "\n> ```\n"),
    ("> [!NOTE]\n> ", "> ", "\n"),
    ("<div>\n", "", "\n</div>\n"),
    ("<!-- ", "", " -->\n"),
    ("$$\n", "", "\n$$\n"),
    ("[a]: /", "[b]: /", "\n"),
    ("[^1]: ", "    ", "\n"),
    (":::note\n", "", "\n:::\n"),
    ("!!! note\n    ", "    ", "\n"),
    ("{{< highlight sh >}}\n", "", "\n{{< /highlight >}}\n"),
    ("{{< a >}}\n", "", "\n{{< /a >}}\n"),
    ("<A>\n", "", "\n</A>\n"),
    ("export const a = `", "", "`\n"),
    ("{`", "", "`}\n"),
    ("---\na: ", "b: ", "\n---\n"),
];

/// Generates a page. The first byte selects the kind of block, the others its content.
pub fn block(data: &[u8]) -> String {
    let Some((kind, words)) = data.split_first() else { return String::new() };
    let has_heading = usize::from(*kind) / KINDS.len() % 2 == 1;
    let (first, rest, last) = KINDS[usize::from(*kind) % KINDS.len()];
    let mut page = String::from(if has_heading { "# Title\n\n" } else { "" });
    page += first;
    for word in words {
        let word = WORDS[usize::from(*word) % WORDS.len()];
        page += &word.replace('\n', &format!("\n{rest}"));
    }
    page + last
}
