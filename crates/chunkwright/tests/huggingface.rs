//! Checks `hf:PATH` with tokenizers that are small enough to count by hand.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]
#![allow(clippy::disallowed_methods, reason = "only the library must not write files")]
#![cfg(feature = "huggingface")]

use std::fs;
use std::path::Path;

use chunkwright::{CounterError, HuggingFace, TextKind, TokenCounter};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

fn open(path: &Path) -> Result<HuggingFace, CounterError> {
    HuggingFace::from_file(path)
}

fn open_json(json: &Value) -> HuggingFace {
    let directory = TempDir::new().expect("a temporary directory");
    let path = directory.path().join("tokenizer.json");
    fs::write(&path, json.to_string()).expect("a writable directory");
    open(&path).expect("a valid tokenizer")
}

fn count(counter: &dyn TokenCounter, text: &str) -> usize {
    counter.count(text, TextKind::Prose)
}

/// A tokenizer of whole words that adds special tokens, truncates to two and pads to eight tokens.
fn words() -> Value {
    let special = |id: u32, content: &str| {
        json!({
            "id": id, "content": content, "single_word": false, "lstrip": false, "rstrip": false,
            "normalized": false, "special": true,
        })
    };
    json!({
        "version": "1.0",
        "truncation": {
            "direction": "Right", "max_length": 2, "strategy": "LongestFirst", "stride": 0,
        },
        "padding": {
            "strategy": {"Fixed": 8}, "direction": "Right", "pad_to_multiple_of": null,
            "pad_id": 0, "pad_type_id": 0, "pad_token": "[UNK]",
        },
        "added_tokens": [special(0, "[UNK]"), special(1, "[CLS]")],
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [
                {"SpecialToken": {"id": "[CLS]", "type_id": 0}},
                {"Sequence": {"id": "A", "type_id": 0}},
            ],
            "pair": [
                {"Sequence": {"id": "A", "type_id": 0}},
                {"Sequence": {"id": "B", "type_id": 1}},
            ],
            "special_tokens": {"[CLS]": {"id": "[CLS]", "ids": [1], "tokens": ["[CLS]"]}},
        },
        "decoder": null,
        "model": {
            "type": "WordLevel", "unk_token": "[UNK]",
            "vocab": {"[UNK]": 0, "[CLS]": 1, "hello": 2, "world": 3, ",": 4},
        },
    })
}

/// A byte-level BPE tokenizer like that of GPT-2, with three merges.
fn bytes() -> Value {
    let printable = |byte: u32| matches!(byte, 0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff);
    let hidden = (0..256).filter(|&byte| !printable(byte)).zip(256..).map(|(_, letter)| letter);
    let letters = (0..256).filter(|&byte| printable(byte)).chain(hidden);
    let tokens =
        letters.map(|letter| char::from_u32(letter).expect("a letter below U+0200").to_string());
    let merged = ["he", "ll", "Ġw"].map(str::to_owned);
    let vocab: Map<String, Value> =
        tokens.chain(merged).zip(0..).map(|(token, id)| (token, json!(id))).collect();
    json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
        "normalizer": null,
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true},
        "post_processor": {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": false},
        "decoder": {"type": "ByteLevel"},
        "model": {
            "type": "BPE", "dropout": null, "unk_token": null,
            "continuing_subword_prefix": null, "end_of_word_suffix": null, "fuse_unk": false,
            "vocab": vocab, "merges": ["h e", "l l", "Ġ w"],
        },
    })
}

#[test]
fn truncation_padding_and_added_special_tokens_do_not_count() {
    let counter = open_json(&words());
    assert_eq!(count(&counter, "Hello, wide world"), 4);
    assert_eq!(count(&counter, "hello"), 1);
    assert_eq!(count(&counter, ""), 0);
}

#[test]
fn special_tokens_in_the_text_count_as_one_token() {
    assert_eq!(count(&open_json(&words()), "[CLS]hello"), 2);
}

#[test]
fn byte_level_merges_are_counted() {
    let counter = open_json(&bytes());
    // he ll o Ġw o r l d
    assert_eq!(count(&counter, "hello world"), 8);
    assert_eq!(count(&counter, "é😀"), 6);
}

#[test]
fn a_count_over_the_limit_is_none() {
    let counter = open_json(&bytes());
    assert_eq!(counter.count_within("hello world", TextKind::Prose, 8), Some(8));
    assert_eq!(counter.count_within("hello world", TextKind::Prose, 7), None);
}

#[test]
fn a_name_depends_on_the_content_and_not_on_the_directory() {
    let (first, again, other) = (open_json(&words()), open_json(&words()), open_json(&bytes()));
    assert!(first.name().starts_with("hf:tokenizer.json blake3="), "{}", first.name());
    assert_eq!(first.name(), again.name());
    assert_ne!(first.name(), other.name());
}

#[test]
fn reports_a_missing_file() {
    let error = open(Path::new("no/such/tokenizer.json")).err().unwrap();
    assert!(matches!(error, CounterError::Read { .. }));
    assert!(
        error.to_string().starts_with("cannot read tokenizer file no/such/tokenizer.json: "),
        "{error}"
    );
}

#[test]
fn reports_why_a_file_is_not_a_tokenizer() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("tokenizer.json");
    let whole = words().to_string();
    let mut speechless = words();
    speechless["model"]["unk_token"] = json!("[GONE]");
    let mut strange = words();
    strange["pre_tokenizer"]["type"] = json!("Sideways");
    let (speechless, strange) = (speechless.to_string(), strange.to_string());
    for (content, fault) in [
        ("", "EOF"),
        (&whole[..whole.len() / 2], "EOF"),
        ("hello", "expected"),
        ("[]", "object"),
        ("{}", "no model"),
        ("\u{1}", "expected"),
        (&speechless, "[UNK]"),
        (&strange, "unsupported pre_tokenizer: type \"Sideways\""),
    ] {
        fs::write(&path, content).unwrap();
        let error = open(&path).err().unwrap_or_else(|| panic!("{content} is accepted"));
        assert!(matches!(error, CounterError::Load { .. }), "{error}");
        let message = error.to_string();
        let start = format!("cannot load tokenizer file {}: ", path.display());
        assert!(message.starts_with(&start) && message[start.len()..].contains(fault), "{message}");
    }
}
