use chunkwright_config::Language;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;

fn cut(text: &str, words: &[&str]) -> Snippet {
    let worth = 1.0;
    let wanted = words.iter().enumerate();
    let wanted =
        wanted.map(|(word, text)| ((*text).to_owned(), QueryTerm { word, worth })).collect();
    snippet(text, 0, &Analyzer::new(Language::English), &wanted)
}

fn highlighted(snippet: &Snippet) -> Vec<&str> {
    snippet.highlights.iter().map(|&(from, to)| &snippet.text[from..to]).collect()
}

fn plain(markdown: &str) -> String {
    Plain::of(markdown).text
}

#[test]
fn shows_the_passage_with_the_most_words() {
    let filler = "Nothing to see here. ".repeat(30);
    let text = format!("A key. {filler}\nThe key of the kettle is round. {filler}");
    let snippet = cut(&text, &["key", "kettl"]);
    assert!(snippet.text.starts_with("The key of the kettle"), "{snippet:?}");
    assert_eq!(highlighted(&snippet), ["key", "kettle"]);
}

#[test]
fn shows_the_rarest_word() {
    let filler = "Nothing to see here. ".repeat(30);
    let text = format!("A common word. {filler} A rare word. {filler}");
    let wanted = [("common", 0, 1.0), ("rare", 1, 3.0)];
    let wanted = wanted.map(|(text, word, worth)| (text.to_owned(), QueryTerm { word, worth }));
    let snippet = snippet(&text, 0, &Analyzer::new(Language::English), &HashMap::from(wanted));
    assert!(snippet.text.starts_with("A rare word."), "{snippet:?}");
}

#[test]
fn prefers_prose_to_headings_and_links() {
    let filler = "Nothing to see here. ".repeat(15);
    let text = format!(
        "- [Boil a kettle](/boil)\n- [Kettles](/kettles)\n\n{filler}\n\n## Kettles\n\n{filler}\n\n\
         Fill the kettle. {filler}"
    );
    let snippet = cut(&text, &["kettl"]);
    assert!(snippet.text.starts_with("Fill the kettle."), "{snippet:?}");
}

#[test]
fn shows_the_heading_only_without_a_body() {
    let analyzer = Analyzer::new(Language::English);
    let shown = |text| snippet(text, 10, &analyzer, &HashMap::new()).text;
    assert_eq!(shown("## Kettle\n\nBoils water."), "Boils water.");
    assert_eq!(shown("## Kettle\n\n<!-- nothing -->\n"), "Kettle");
}

#[test]
fn marks_truncated_sentences() {
    let text = format!("{} kettle {}", "one two ".repeat(60), "three four ".repeat(60));
    let snippet = cut(&text, &["kettl"]);
    assert!(snippet.text.starts_with('…') && snippet.text.ends_with('…'), "{snippet:?}");
    assert_eq!(highlighted(&snippet), ["kettle"]);
    let words = snippet.text.trim_matches('…').split(' ');
    let known = ["one", "two", "three", "four", "kettle"];
    assert!(words.clone().all(|word| known.contains(&word)), "{snippet:?}");
    let whole = cut("The kettle boils. Pour the water.", &["water"]);
    assert_eq!(whole.text, "The kettle boils. Pour the water.");
}

#[test]
fn an_abbreviation_does_not_end_a_sentence() {
    let text = format!("{}Use a pot, e.g. Grandma's kettle. ", "Nothing here. ".repeat(40));
    let text = format!("{text}{}", "Nothing there. ".repeat(40));
    assert!(cut(&text, &["kettl"]).text.starts_with("Use a pot, e.g. Grandma's"));
}

#[test]
fn splits_text_without_spaces_between_characters() {
    let text = "水壶烧开水".repeat(100);
    let snippet = cut(&text, &["烧开"]);
    assert!(snippet.text.len() > SNIPPET_BYTES / 2 && snippet.text.len() <= SNIPPET_BYTES);
    assert_eq!(highlighted(&snippet)[0], "烧开");
}

#[test]
fn removes_markup() {
    let cases = [
        ("See [the **docs**](/docs/a_(b) \"Title\") now.", "See the docs now."),
        ("A [link][ref], [`Type`] and [brackets].", "A link, Type and [brackets]."),
        ("![A kettle](kettle.png) boils", "A kettle boils"),
        ("<https://example.org> and <b>bold</b>", "https://example.org and bold"),
        ("a <!-- hidden --> b", "a b"),
        ("A {{< glossary_tooltip text=\"pod\" term_id=\"p\" >}}, here.", "A pod, here."),
        ("Since {{< skew currentVersion >}}.", "Since."),
        ("`{{< glossary_tooltip text=\"pod\" >}}`", "pod"),
        ("{{domxref(\"Foo\")}} and {{jsxref(\"Foo/bar\", \"bar()\")}}", "Foo and bar()"),
        ("{{EmbedLiveSample(\"Foo\", 100, 60)}} {% raw %}x{% endraw %}", "x"),
        ("## Storage {#storage}\n\nText", "Storage · Text"),
        ("| a | b |\n|---|:-:|\n| `c\\|d` | |", "a · b · c|d"),
        ("a | b\n--|--\nc | d\n\ne", "a · b · c · d · e"),
        ("1. One.\n2. [x] Two\n   - Three\n> Four\n", "One. Two · Three Four"),
        ("- __init__ and snake_case_name * 2", "init and snake_case_name * 2"),
        ("```sh\nls  *.md | wc\n  cat <file>\n```\nEnd", "ls *.md | wc cat <file> · End"),
        (":::note Careful\nHot.\n:::", "Careful · Hot."),
        ("> [!NOTE]\n> Hot.", "Hot."),
        ("Title\n===\nText[^1] a\\*b &lt;\n\n[^1]: Note\n[x]: /y", "Title · Text a*b < · Note"),
        ("import A from './a';\n\nText", "Text"),
        ("Text:\n\n    code * line\n\nMore", "Text: code * line · More"),
        ("[Encrypt\nat rest](/a\n'b') {unclosed [x](y", "Encrypt at rest {unclosed [x](y"),
    ];
    for (markdown, expected) in cases {
        assert_eq!(plain(markdown), expected, "{markdown}");
    }
}

#[test]
fn any_text_has_a_snippet() {
    assert_eq!(cut("", &["a"]), Snippet::default());
    assert_eq!(cut("Kein Wort", &["other"]).text, "Kein Wort");
    let long = "ü".repeat(1000);
    assert!(cut(&long, &[]).text.len() <= SNIPPET_BYTES);
}

/// Takes minutes if any of these is quadratic.
#[test]
fn unclosed_markup_takes_linear_time() {
    let cases = [
        "[", "](", "](a (", "]({{", "[](<", "`a``", "<a \"", "<!--", "{{", "{%", "{#", "*a ", "_a",
        "**a*", "> ", "- ", "|", "a.) ", "。", "[^", "][", "<!-- -->", "kettle", "kettle. ", "\r",
    ];
    for case in cases {
        let snippet = cut(&case.repeat(300_000 / case.len()), &["kettl"]);
        assert!(snippet.text.len() <= SNIPPET_BYTES, "{case}");
    }
}

const FRAGMENTS: [&str; 40] = [
    "kettle ",
    "water. ",
    "boil ",
    "Tea ",
    "cup, ",
    "leaf",
    " ",
    "\n",
    "\n\n",
    "\r\n",
    "茶壶",
    "。",
    "é",
    "[",
    "](",
    "](https://target.example/a_(b))",
    ")",
    "![",
    "<https://auto.example>",
    "`",
    "``",
    "```\n",
    "~~~",
    "*",
    "**",
    "_",
    "~~",
    "<b title='",
    "</b>",
    "<!--",
    "-->",
    "{{<",
    ">}}",
    "{{domxref(\"Foo\")}}",
    "{%",
    "{#id}",
    "# ",
    "- ",
    "> ",
    "|",
];

proptest! {
    #[test]
    fn snippets_are_well_formed(
        fragments in prop::collection::vec(select(&FRAGMENTS[..]), 0..200),
    ) {
        let text = fragments.concat();
        let snippet = cut(&text, &["kettl", "water", "boil", "茶壶", "foo"]);
        prop_assert!(snippet.text.len() <= SNIPPET_BYTES);
        prop_assert!(!snippet.text.contains(['\n', '\r', '\t']) && !snippet.text.contains("  "));
        let mut end = 0;
        for &(from, to) in &snippet.highlights {
            prop_assert!(end <= from && from < to);
            prop_assert!(!snippet.text[from..to].contains(' '));
            let is_inside = |at: usize| {
                let letter = |c: char| c.is_ascii_alphabetic();
                snippet.text[..at].ends_with(letter) && snippet.text[at..].starts_with(letter)
            };
            prop_assert!(!is_inside(from) && !is_inside(to));
            end = to;
        }
        let whole = plain(&text);
        let shown = snippet.text.strip_prefix('…').unwrap_or(&snippet.text);
        let shown = shown.strip_suffix('…').unwrap_or(shown);
        let is_inside_word = |at: usize| {
            let letter = |c: char| c.is_alphanumeric() && !is_paired(c);
            whole[..at].ends_with(letter) && whole[at..].starts_with(letter)
        };
        let is_at_words = |(at, _): (usize, &str)| {
            !is_inside_word(at) && !is_inside_word(at + shown.len())
        };
        // Only a word longer than a snippet may be split.
        let is_long = whole.split(' ').any(|word| word.len() >= PASSAGE_BYTES);
        prop_assert!(is_long || shown.is_empty() || whole.match_indices(shown).any(is_at_words));
    }

    #[test]
    fn removes_link_targets(
        words in prop::collection::vec(select(&["kettle", "**water**", "`boil`", "茶壶", "a_b"][..]), 1..30),
        targets in prop::collection::vec("https://target\\.example/[a-z0-9_*()~.-]{0,20}", 1..30),
    ) {
        let links = words.iter().zip(&targets);
        let balanced = |target: &str| target.replace(['(', ')'], "");
        let text: String =
            links.map(|(word, target)| format!("[{word}]({}) ", balanced(target))).collect();
        let snippet = cut(&text, &["kettl"]);
        prop_assert!(!snippet.text.contains("target.example"), "{}", snippet.text);
        prop_assert!(!snippet.text.contains(['[', ']', '(', ')']));
    }
}
