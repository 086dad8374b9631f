use proptest::prelude::*;

use super::is_suspect;
use crate::document::BlockKind;
use crate::format::Format;
use crate::note::NoteKind;
use crate::parse::{Shortcuts, read};
use crate::shortcodes::Shortcodes;
use crate::slug::Slugs;

/// Returns the kind and the first line of each block of a page.
fn blocks(source: &str, format: Format) -> Vec<String> {
    let document = read(source, format, Slugs::Ascii, &Shortcodes::default(), Shortcuts::ALL);
    let all: String = document.blocks.iter().map(|block| block.span.of(source)).collect();
    assert_eq!(all, source, "blocks tile the source");
    let line = |text: &str| text.trim().lines().next().unwrap_or_default().to_owned();
    let named = document.blocks.iter();
    named.map(|b| format!("{}: {}", b.kind.name(), line(b.span.of(source)))).collect()
}

fn markdown(source: &str) -> Vec<String> {
    blocks(source, Format::Markdown)
}

fn mdx(source: &str) -> Vec<String> {
    blocks(source, Format::Mdx)
}

fn notes(source: &str) -> usize {
    let document = read(source, Format::Mdx, Slugs::Ascii, &Shortcodes::default(), Shortcuts::ALL);
    document.notes.iter().filter(|note| note.kind == NoteKind::Mdx).count()
}

#[test]
fn imports_and_exports_may_span_blank_lines() {
    let page = "import A from 'a'\nimport {\n  B,\n} from \"b\"\n\nexport const c = {\n\n  # d: `\n\n# e`,\n}\n\n# Title\n";
    assert_eq!(
        mdx(page),
        ["esm: import A from 'a'", "esm: export const c = {", "heading: # Title"]
    );
}

#[test]
fn recognizes_a_heading_directly_after_an_import() {
    assert_eq!(mdx("import A from 'a'\n# T\n"), ["esm: import A from 'a'", "heading: # T"]);
}

#[test]
fn sentences_that_start_with_import_or_export_are_text() {
    let page = "import is a word.\n\nexport when you can.\n\nText\nimport A from 'a'\n";
    assert_eq!(mdx(page).len(), 3);
    assert!(mdx(page).iter().all(|block| block.starts_with("paragraph")));
}

#[test]
fn a_component_without_a_heading_is_one_block() {
    let page = "<Tabs a=\"x\" b={{ c: '>' }}>\n<Tab>\n\n```sh\n# no\n</Tabs>\n```\n\n</Tab>\n</Tabs>\n\nText\n";
    assert_eq!(mdx(page), ["jsx: <Tabs a=\"x\" b={{ c: '>' }}>", "paragraph: Text"]);
}

#[test]
fn recognizes_indented_headings_in_components() {
    let page = "<Steps>\n  <Step title=\"a\">\n    ### In\n\n    Text.\n\n        code\n  </Step>\n  <Step title=\"b\">\n    More.\n  </Step>\n</Steps>\n";
    let expected = [
        "jsx: <Steps>",
        "jsx: <Step title=\"a\">",
        "heading: ### In",
        "paragraph: Text.",
        "code: code",
        "jsx: </Step>",
        "jsx: <Step title=\"b\">",
        "jsx: </Steps>",
    ];
    assert_eq!(mdx(page), expected);
}

#[test]
fn a_tag_may_span_blank_lines() {
    assert_eq!(mdx("<A\n  b\n\n  c=\"d\"\n/>\n\n# T\n"), ["jsx: <A", "heading: # T"]);
}

#[test]
fn inline_elements_are_text() {
    let page =
        "<b>Bold</b> and text.\n\nText\n<br/>\nmore {x}\n\n{x} is y.\n\n<Note>Alone.</Note>\n";
    let expected = [
        "paragraph: <b>Bold</b> and text.",
        "paragraph: Text",
        "paragraph: {x} is y.",
        "jsx: <Note>Alone.</Note>",
    ];
    assert_eq!(mdx(page), expected);
}

#[test]
fn an_element_in_a_list_item_belongs_to_the_list() {
    let page = "- one\n\n  <Note>\n  text\n\n  more\n  </Note>\n\n- two\n\nText\n";
    assert_eq!(mdx(page), ["list: - one", "paragraph: Text"]);
}

#[test]
fn comments_and_expressions_are_blocks() {
    let page = "{/* # a\n\n- b } */}\n\n{a.map(() => (\n\n  <b>{`}`}</b>\n))}\n\n<!-- <A>\n\n# -->\n\nText\n";
    assert_eq!(
        mdx(page),
        ["expression: {/* # a", "expression: {a.map(() => (", "html: <!-- <A>", "paragraph: Text"]
    );
}

#[test]
fn treats_invalid_mdx_as_markdown_with_a_note() {
    for page in [
        "<A b=\"\n\n# H\n",
        "{ a\n\n# H\n",
        "<A>\n\n# H\n",
        "</A>\n\n# H\n",
        "export const a = `\n\n# H\n",
    ] {
        let found = mdx(page);
        assert_eq!(found.last().map(String::as_str), Some("heading: # H"), "{page}");
        assert_eq!(notes(page), 1, "{page}");
    }
    for page in ["<5 ms, a < b\n\n<https://a.b>\n", "- <A>\n  </A>\n", "A <b>\nc\n</b> d\n"] {
        assert_eq!(notes(page), 0, "{page}");
    }
}

#[test]
fn mdx_syntax_is_text_in_markdown_files() {
    let page = "import A from 'a'\n\n{x}\n";
    assert_eq!(markdown(page), ["paragraph: import A from 'a'", "paragraph: {x}"]);
}

#[test]
fn directives_nest_by_the_number_of_colons() {
    let page = ":::note[T]\nText\n:::\n\n::::tabs\n:::tab\nA\n:::\n:::tab\nB\n:::\n::::\nText\n";
    assert_eq!(markdown(page), ["directive: :::note[T]", "directive: ::::tabs", "paragraph: Text"]);
}

#[test]
fn recognizes_headings_in_directives() {
    let page = "::: {.callout}\n## Tip\nText\n:::\n";
    let expected =
        ["directive: ::: {.callout}", "heading: ## Tip", "paragraph: Text", "directive: :::"];
    assert_eq!(markdown(page), expected);
}

#[test]
fn an_unclosed_directive_is_text() {
    assert_eq!(markdown(":::note\nText\n\n# H\n"), ["paragraph: :::note", "heading: # H"]);
}

#[test]
fn admonitions_and_tabs_end_at_a_less_indented_line() {
    let page = "!!! note \"T\"\n    A\n\n        # B\n\n=== \"Tab\"\n\n    ```sh\n    # c\nText\n\n!!! so what\n";
    let expected = [
        "directive: !!! note \"T\"",
        "directive: === \"Tab\"",
        "paragraph: Text",
        "paragraph: !!! so what",
    ];
    assert_eq!(markdown(page), expected);
}

#[test]
fn recognizes_headings_in_admonitions() {
    let page = "=== \"Tab\"\n\n    !!! note\n\t\t# A\n\n        Text.\n!!! tip\n    Text.\n";
    let expected = [
        "directive: === \"Tab\"",
        "directive: !!! note",
        "heading: # A",
        "paragraph: Text.",
        "directive: !!! tip",
    ];
    assert_eq!(markdown(page), expected);
}

#[test]
fn agrees_with_the_parser_on_closing_fences() {
    let page = "```\n    ```\n:::note\n```\n:::\n\n# A\n";
    assert_eq!(markdown(page), ["code: ```", "paragraph: :::", "heading: # A"]);
    let page = "```\n:::note\n```\t\n:::tip\n\n# A\n:::\n";
    let expected = ["code: ```", "directive: :::tip", "heading: # A", "directive: :::"];
    assert_eq!(markdown(page), expected);
    let page = "```\n:::note\n```\u{a0}\n:::\n\n# A\n";
    assert_eq!(markdown(page), ["code: ```"]);
    let page = "<A>\n\n  ~~~\n  <B>\n  ~~~ \t\n\n  # C\n\n</A>\n";
    assert_eq!(mdx(page), ["jsx: <A>", "code: ~~~", "heading: # C", "jsx: </A>"]);
    let page = " ```\na\n\t```\n<>\n```\n```\n</>\n";
    assert_eq!(mdx(page), ["code: ```", "code: ```"]);
}

#[test]
fn several_elements_may_close_on_one_line() {
    let page = "<A>\n  <B>\n\n    # C\n\n  </B></A>\nText\n";
    let expected = ["jsx: <A>", "jsx: <B>", "heading: # C", "jsx: </B></A>", "paragraph: Text"];
    assert_eq!(mdx(page), expected);
}

#[test]
fn shortcodes_may_be_paired_or_single() {
    let page = "{{< figure src=\"a\" >}}\n{{% note %}}\nText\n\n- a\n{{% /note %}}\n\n{{< b >}}x{{< /b >}}\n\nText {{< c >}}.\n\n{{< d >}} and text\n\n{{< e\n  f=\"g\"\n>}}\n";
    let expected = [
        "shortcode: {{< figure src=\"a\" >}}",
        "shortcode: {{% note %}}",
        "shortcode: {{< b >}}x{{< /b >}}",
        "paragraph: Text {{< c >}}.",
        "paragraph: {{< d >}} and text",
        "shortcode: {{< e",
    ];
    assert_eq!(markdown(page), expected);
}

#[test]
fn a_shortcode_on_a_line_of_a_paragraph_is_text() {
    let page = "The\n{{< term \"a\" >}}\nruns.\n\n{{< term \"b\" >}}\nruns too.\n";
    assert_eq!(markdown(page), ["paragraph: The", "paragraph: {{< term \"b\" >}}"]);
}

#[test]
fn recognizes_headings_in_shortcodes() {
    let page = "{{< tabs >}}\n{{% tab \"a\" %}}\n## A\n{{% /tab %}}\n{{< /tabs >}}\n";
    let expected = [
        "shortcode: {{< tabs >}}",
        "shortcode: {{% tab \"a\" %}}",
        "heading: ## A",
        "shortcode: {{% /tab %}}",
        "shortcode: {{< /tabs >}}",
    ];
    assert_eq!(markdown(page), expected);
}

#[test]
fn raw_shortcodes_are_code() {
    let page = "{{< highlight sh >}}\n# a\n---\n{{< /highlight >}}\n{% raw %}\n# b\n{% endraw %}\n{%- if a -%}\nText\n{%- endif -%}\n";
    let expected = ["code: {{< highlight sh >}}", "code: {% raw %}", "shortcode: {%- if a -%}"];
    assert_eq!(markdown(page), expected);
}

#[test]
fn recognizes_no_elements_in_code_and_html() {
    let page = "```\n:::note\n:::\n```\n\n    :::note\n    :::\n\n<div>\n:::note\n:::\n</div>\n\n- ```\n  :::note\n  ```\n\n> :::note\n> :::\n\n<!--\n:::note\n:::\n-->\n";
    let kinds = markdown(page);
    assert!(kinds.iter().all(|block| !block.starts_with("directive")), "{kinds:?}");
}

#[test]
fn math_may_span_blank_lines() {
    assert_eq!(markdown("$$\na\n\n# b\n$$\nText\n"), ["math: $$", "paragraph: Text"]);
    assert_eq!(markdown("$$\na\n\n# b\n").last().map(String::as_str), Some("heading: # b"));
}

#[test]
fn supports_all_kinds_of_line_endings() {
    for end in ["\n", "\r\n", "\r"] {
        let page = "<A>\n\n## H\n\n</A>\n\n:::note\nText\n:::\n".replace('\n', end);
        let kinds: Vec<_> =
            mdx(&page).iter().map(|b| b.split(':').next().unwrap_or_default().to_owned()).collect();
        assert_eq!(kinds, ["jsx", "heading", "jsx", "directive"], "{end:?}");
    }
}

/// These pages would exhaust the stack or take quadratic time without the limit on lookahead.
#[test]
fn parses_hostile_pages_in_linear_time() {
    let count = 20_000;
    let starts = [
        "<A ",
        "<A\n",
        "<A>\n",
        "<A b={\n",
        "{\n",
        "{",
        "{`\n",
        "<A b=\"\n",
        "`\n<a>`",
        "</A>\n",
        ":::note\n",
        "{{< x >}}\n",
        "{% raw %}\n",
        "{{< highlight >}}\n",
        "$$\n",
        "export const a = {\n",
        "export const a =\n",
        "!!! note\n",
        "<A>{\n",
        "<!--\n",
        "::::\n:::n\n",
    ];
    for start in starts {
        let page = start.repeat(count);
        for format in [Format::Markdown, Format::Mdx] {
            let document =
                read(&page, format, Slugs::Ascii, &Shortcodes::default(), Shortcuts::ALL);
            assert_eq!(
                document.blocks.last().map(|block| block.span.end),
                Some(page.len()),
                "{start:?}"
            );
        }
    }
    let nested = format!("{}# H\n{}", "<A>\n".repeat(count), "</A>\n".repeat(count));
    let document = read(&nested, Format::Mdx, Slugs::Ascii, &Shortcodes::default(), Shortcuts::ALL);
    assert_eq!(document.blocks.len(), 2 * count + 1);
    assert!(document.blocks[count].kind == BlockKind::Heading(1));
}

/// Returns whether any line starts with an opener, by testing each line.
fn has_opener(text: &str) -> bool {
    text.split(['\n', '\r']).any(|line| {
        let line = line.trim_start_matches([' ', '\t']);
        ["{{", "{%", "::", "!!", "??", "==", "$$"].iter().any(|opener| line.starts_with(opener))
    })
}

proptest! {
    #[test]
    fn finds_openers_at_the_start_of_any_line(
        before in "[ a\n]{0,130}",
        line in "(\n|\r|)[ \t]{0,3}[{%:!?=$]{1,2}[a ]{0,2}",
        after in "[ a\n]{0,70}",
    ) {
        let text = [before, line, after].concat();
        prop_assert_eq!(is_suspect(&text), has_opener(&text), "{:?}", text);
    }
}
