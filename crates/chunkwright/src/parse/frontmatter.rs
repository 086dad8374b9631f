//! Finds and parses front matter.
//!
//! Front matter is at the very start of a document, after an optional byte order mark. It is
//! enclosed in two `---` lines (YAML; `...` may close it, too) or two `+++` lines (TOML).
//!
//! Front matter that is invalid or exceeds the limits is kept as a block of content, with a note.
//! If it were parsed as Markdown, its last line would be a setext underline and turn it into a
//! heading. If it parses to something other than a map, it is not front matter, but text between
//! two thematic breaks.

use std::cell::Cell;

use serde::de::DeserializeSeed;

use super::{Shortcuts, flat};
use crate::metadata::{Bounded, Metadata, Value};
use crate::note::{Note, NoteKind};
use crate::span::{Span, lines_of};

/// The maximum size of front matter in bytes, before and after aliases are expanded.
const MAX_BYTES: usize = 64 * 1024;
/// The maximum nesting depth of values.
const MAX_DEPTH: usize = 32;

/// The front matter at the start of a document, if any.
#[derive(Debug, Default)]
pub(crate) struct ParsedFrontMatter {
    /// The end of the front matter, or 0 if there is none.
    pub(crate) end: usize,
    /// The parsed values, or `None` if the front matter is treated as content.
    pub(crate) metadata: Option<Metadata>,
    /// The reason why it is treated as content.
    pub(crate) note: Option<Note>,
}

#[derive(Clone, Copy)]
enum Syntax {
    Yaml,
    Toml,
}

pub(crate) fn read(text: &str, shortcuts: Shortcuts) -> ParsedFrontMatter {
    let mut lines = lines_of(text, Span::new(0, text.len()));
    let Some(opening) = lines.next() else { return ParsedFrontMatter::default() };
    let syntax = match opening.of(text).trim_end() {
        "---" => Syntax::Yaml,
        "+++" => Syntax::Toml,
        _ => return ParsedFrontMatter::default(),
    };
    let closes = |line: &Span| match (syntax, line.of(text).trim_end()) {
        (Syntax::Yaml, closing) => closing == "---" || closing == "...",
        (Syntax::Toml, closing) => closing == "+++",
    };
    match lines.find(closes) {
        Some(closing) => parse(syntax, &text[opening.end..closing.start], closing.end, shortcuts),
        None => ParsedFrontMatter {
            note: Some(note("no closing delimiter")),
            ..ParsedFrontMatter::default()
        },
    }
}

fn parse(syntax: Syntax, inner: &str, end: usize, shortcuts: Shortcuts) -> ParsedFrontMatter {
    let raw = |why: &str| ParsedFrontMatter { end, metadata: None, note: Some(note(why)) };
    if inner.len() > MAX_BYTES {
        return raw(&format!("{} bytes exceed the limit of {MAX_BYTES}", inner.len()));
    }
    match value(syntax, inner, shortcuts) {
        Ok(Value::Map(metadata)) => ParsedFrontMatter { end, metadata: Some(metadata), note: None },
        Ok(Value::Null) => {
            ParsedFrontMatter { end, metadata: Some(Metadata::default()), note: None }
        }
        Ok(_) => ParsedFrontMatter {
            note: Some(note("not a mapping of keys to values")),
            ..ParsedFrontMatter::default()
        },
        Err(why) => raw(&why),
    }
}

fn value(syntax: Syntax, inner: &str, shortcuts: Shortcuts) -> Result<Value, String> {
    match syntax {
        Syntax::Toml => {
            let document = toml::Deserializer::parse(inner).map_err(|error| first_line(&error))?;
            let bytes = Cell::new(MAX_BYTES);
            Bounded { depth: Some(MAX_DEPTH), bytes: Some(&bytes) }
                .deserialize(document)
                .map_err(|error| first_line(&error))
        }
        Syntax::Yaml if inner.trim().is_empty() => Ok(Value::Null),
        Syntax::Yaml => match shortcuts.front_matter.then(|| flat::read(inner)).flatten() {
            Some(metadata) => Ok(Value::Map(metadata)),
            None => parse_yaml(inner),
        },
    }
}

pub(super) fn parse_yaml(inner: &str) -> Result<Value, String> {
    let bytes = Cell::new(MAX_BYTES);
    let bounded = Bounded { depth: Some(MAX_DEPTH), bytes: Some(&bytes) };
    let options = serde_saphyr::options! {
        duplicate_keys: serde_saphyr::DuplicateKeyPolicy::LastWins,
        // Without this, YAML 1.1 turns the country code `no` and the axis `y` into booleans.
        strict_booleans: true,
        // They become null, because JSON has no infinity and no NaN.
        non_finite_float_policy: serde_saphyr::NonFiniteFloatPolicy::PassThrough,
        with_snippet: false,
    };
    serde_saphyr::with_deserializer_from_str_with_options(inner, options, |document| {
        bounded.deserialize(document)
    })
    .map_err(|error| first_line(&error))
}

fn note(why: &str) -> Note {
    Note::new(NoteKind::FrontMatter, format!("front matter is treated as content: {why}"))
}

fn first_line(error: &impl ToString) -> String {
    error.to_string().lines().next().unwrap_or("invalid syntax").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> ParsedFrontMatter {
        super::read(text, Shortcuts::ALL)
    }

    fn json(text: &str) -> String {
        serde_json::to_string(&read(text).metadata).unwrap()
    }

    fn complaint(text: &str) -> String {
        read(text).note.map(|note| note.message.into_owned()).unwrap_or_default()
    }

    #[test]
    fn keeps_the_order_and_the_dates_of_yaml() {
        let text =
            "---\ntitle: A\ndate: 2024-05-06\ntags: [x, 2]\nold: 2001-01-01T00:00:00Z\n---\nText";
        let expected =
            r#"{"title":"A","date":"2024-05-06","tags":["x",2],"old":"2001-01-01T00:00:00Z"}"#;
        assert_eq!(json(text), expected);
        assert_eq!(&text[read(text).end..], "Text");
    }

    #[test]
    fn only_true_and_false_are_booleans() {
        let text = "---\nlang: no\ny: yes\non: Off\nn: [y, true, FALSE]\n---\n";
        assert_eq!(json(text), r#"{"lang":"no","y":"yes","on":"Off","n":["y",true,false]}"#);
    }

    #[test]
    fn parses_toml_between_plus_signs() {
        let text = "+++\ntitle = 'A'\nday = 2024-05-06\n[x]\ny = 1.5\n+++\n";
        assert_eq!(json(text), r#"{"title":"A","day":"2024-05-06","x":{"y":1.5}}"#);
    }

    #[test]
    fn infinity_and_nan_are_null() {
        assert_eq!(json("---\na: [.nan, -.inf, 1.5]\n---\n"), r#"{"a":[null,null,1.5]}"#);
        assert_eq!(json("+++\na = [nan, -inf, 1.5]\n+++\n"), r#"{"a":[null,null,1.5]}"#);
    }

    #[test]
    fn empty_front_matter_is_empty_metadata() {
        assert_eq!(json("---\n---\n"), "{}");
        assert_eq!(json("---\r\n# only a comment\r\n---\r\n"), "{}");
    }

    #[test]
    fn other_text_between_rules_stays_markdown() {
        assert_eq!(read("---\n\nSome words\n\n---\n").end, 0);
        assert_eq!(read("text\n---\na: b\n---\n").end, 0);
        assert_eq!(read("----\na: b\n---\n").end, 0);
        assert!(complaint("---\ntitle: a\n").contains("no closing delimiter"));
        assert!(
            complaint("---\n\nSome words\n\n---\n").contains("not a mapping of keys to values")
        );
    }

    #[test]
    fn keeps_invalid_front_matter_whole_with_a_note() {
        let front_matter = read("---\ntitle: a: b\n---\nText");
        assert!(front_matter.metadata.is_none() && front_matter.end == 20);
        assert!(complaint("---\ntitle: a: b\n---\nText").starts_with("front matter is treated"));
        assert!(complaint("+++\ntitle = \n+++\n").starts_with("front matter is treated"));
    }

    #[test]
    fn the_last_of_duplicate_keys_wins() {
        assert_eq!(json("---\na: 1\na: 2\n---\n"), r#"{"a":2}"#);
    }

    #[test]
    fn limits_the_expansion_of_aliases() {
        assert_eq!(json("---\na: &x [1]\nb: *x\n---\n"), r#"{"a":[1],"b":[1]}"#);
        let mut bomb = String::from("---\na0: &a0 [x,x,x,x,x,x,x,x,x]\n");
        for level in 1..12 {
            let below = vec![format!("*a{}", level - 1); 9].join(",");
            bomb += &format!("a{level}: &a{level} [{below}]\n");
        }
        let front_matter = read(&format!("{bomb}---\n"));
        assert!(
            front_matter.metadata.is_none() && front_matter.end > 0 && front_matter.note.is_some()
        );
    }

    #[test]
    fn rejects_deep_nesting_and_large_front_matter() {
        for deep in ["[".repeat(60_000), "{a: ".repeat(15_000), "- ".repeat(30_000)] {
            assert!(read(&format!("---\na:\n {deep}\n---\n")).metadata.is_none());
        }
        let nested = format!("---\na: {}{}\n---\n", "[".repeat(40), "]".repeat(40));
        assert!(read(&nested).metadata.is_none());
        let toml = format!("+++\na = {}{}\n+++\n", "[".repeat(30_000), "]".repeat(30_000));
        assert!(read(&toml).metadata.is_none());
        let large = format!("---\na: {}\n---\n", "x".repeat(70_000));
        assert!(read(&large).metadata.is_none() && read(&large).end > 70_000);
    }
}
