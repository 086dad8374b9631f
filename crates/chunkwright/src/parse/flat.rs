//! Parses flat YAML, a fast path for simple front matter.
//!
//! Most front matter is a flat list of keys with scalar values, and the YAML parser takes longer
//! than the rest of the page. Anything that is not certain to be flat is left to that parser.

use crate::metadata::{Metadata, Value};

/// Parses flat YAML, and returns `None` if it is not certain to be flat.
pub(super) fn read(yaml: &str) -> Option<Metadata> {
    let mut metadata = Metadata::default();
    let mut lines = yaml.lines().filter(|line| !line.is_empty()).peekable();
    while let Some(line) = lines.next() {
        let (name, value) = line.split_once(':')?;
        if !is_name(name) || metadata.get(name).is_some() {
            return None;
        }
        let value = match value.strip_prefix(' ') {
            Some(value) => scalar(value)?,
            None if !value.is_empty() => return None,
            None => {
                let item = |line: &&str| line.trim_start_matches(' ').starts_with("- ");
                let mut items = Vec::new();
                let indent = lines.peek().map_or(0, |line| indent_of(line));
                while let Some(line) = lines.next_if(item) {
                    let text = line[indent_of(line)..].strip_prefix("- ")?;
                    items.push((indent_of(line) == indent).then(|| scalar(text)).flatten()?);
                }
                if items.is_empty() {
                    return None;
                }
                Value::List(items)
            }
        };
        metadata.set(name.to_owned(), value);
    }
    (!metadata.is_empty()).then_some(metadata)
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

fn is_name(name: &str) -> bool {
    let is_rest = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(is_rest)
        && !is_word(name)
}

/// Returns whether a word may be something other than a string in YAML.
fn is_word(text: &str) -> bool {
    const WORDS: &[&str] = &["true", "false", "null", "nan"];
    WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
}

fn scalar(text: &str) -> Option<Value> {
    let bytes = text.as_bytes();
    match *bytes.first()? {
        quote @ (b'"' | b'\'') => {
            let inner = text[1..].strip_suffix(char::from(quote))?;
            let is_text = |c: char| !c.is_control() && c != char::from(quote) && c != '\\';
            inner.chars().all(is_text).then(|| Value::Text(inner.to_owned()))
        }
        b'1'..=b'9' if bytes.len() < 10 && bytes.iter().all(u8::is_ascii_digit) => {
            text.parse().ok().map(Value::Integer)
        }
        b'a'..=b'z' | b'A'..=b'Z' | b'<' => match text {
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            _ => is_plain(text).then(|| Value::Text(text.to_owned())),
        },
        _ => None,
    }
}

/// Returns whether an unquoted value that starts with a letter is a plain string.
fn is_plain(text: &str) -> bool {
    const SIGNS: &str = " .,;/()_-'\"!?&+=<>`*|@%[]{}$~^:#’“”–—…";
    let is_sure = |c: char| c.is_ascii_alphanumeric() || c.is_alphabetic() || SIGNS.contains(c);
    let ends = text.ends_with([' ', ':']);
    text.chars().all(is_sure)
        && !ends
        && !text.contains(": ")
        && !text.contains(" #")
        && !is_word(text)
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;
    use proptest::test_runner::{RngSeed, contextualize_config};

    use super::*;
    use crate::parse::frontmatter::parse_yaml;

    #[test]
    fn agrees_with_the_yaml_parser() {
        let flat = [
            "title: Getting started\n",
            "lang: no\ny: yes\n",
            "title: \"A: b\"\nweight: 10\ndraft: false\n",
            "url: https://a.b/c#d\ntitle: <b>\nname: Café [x] {y} 50% a:b~\n",
            "title: It's <b>a</b> \"b\", & c\nlist:\n  - one\n  - 'two # 2'\nlast: x/y.md\n",
            "list:\r\n- a\r\n- b\r\n\r\nname: c\r\n",
        ];
        for yaml in flat {
            assert_eq!(read(yaml).map(Value::Map), parse_yaml(yaml).ok(), "{yaml:?}");
        }
    }

    #[test]
    fn leaves_other_yaml_to_the_parser() {
        let others = [
            "",
            "a",
            "a: b: c",
            "a: [x]",
            "a: &x 1",
            "a: # c",
            "a: b # c",
            "a:\n  b: c",
            "a: |\n  b",
            "a: 'it''s'",
            "a: \"\\n\"",
            "a: Null",
            "a: 1.5",
            "a: 2024-01-01",
            "a: ~",
            "a:",
            "a:\n  - b\n - c",
            "a: b\n  c",
            "a: b ",
            "a: b\na: c",
            "? a",
            "- a",
            "a:\tb",
            "a: é:",
            "a: b #c",
            "a: <\u{a0}>",
            "a: b\u{2028}c",
            "a: b:",
            "a:\n- b: c",
            "a: 0x1",
            "a: 012",
            "a: -1",
            "a: *b",
            "a: !x y",
            "a: %b",
        ];
        for yaml in others {
            assert_eq!(read(yaml), None, "{yaml:?}");
        }
    }

    /// Generates lines of front matter: keys, list items, and values of all kinds.
    fn lines() -> impl Strategy<Value = String> {
        let start = select(vec![
            "a: ", "b-c: ", "D_1: ", "a:", "  - ", "- ", "e:\n- ", "  ", "true: ", "n: ",
            "\u{e9}: ",
        ]);
        let value = select(vec![
            "",
            "x",
            "two words",
            "no",
            "True",
            "null",
            "Nan",
            "~",
            "0",
            "7",
            "-1",
            "1.5",
            "0x1f",
            "12345678901",
            "2024-05-06",
            "'quoted'",
            "'it''s'",
            "\"a: b\"",
            "\"\\n\"",
            "a: b",
            "a #b",
            "a#b",
            "[x, y]",
            "{x: y}",
            "&a x",
            "*a",
            "!t x",
            "|",
            ">",
            "<b>",
            "%x",
            "@x",
            "`x`",
            "x:",
            "x ",
            "\u{e9}t\u{e9}",
            "\u{a0}x",
            "x\ty",
            "x, y",
            "https://a.b/c?d=e&f#g",
            "x\u{2028}y",
            "...",
            "---",
            "? x",
            "x|y",
            "$x",
            "a 'b' c",
            "\"a\" b",
            "'a' b",
        ]);
        let end = select(vec!["\n", "\n", "\n", "\n\n", "\r\n"]);
        let line =
            (start, value, end).prop_map(|(start, value, end)| format!("{start}{value}{end}"));
        vec(line, 0..6).prop_map(|lines| lines.concat())
    }

    proptest! {
        #![proptest_config(contextualize_config(ProptestConfig {
            cases: 4000,
            failure_persistence: None,
            rng_seed: RngSeed::Fixed(1),
            ..ProptestConfig::default()
        }))]

        #[test]
        fn agrees_with_the_yaml_parser_on_generated_lines(yaml in lines()) {
            if let Some(metadata) = read(&yaml) {
                prop_assert_eq!(Some(Value::Map(metadata)), parse_yaml(&yaml).ok());
            }
        }
    }
}
