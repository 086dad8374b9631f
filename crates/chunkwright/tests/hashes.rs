//! Checks `config_hash`, which is stored with every output: it must change with every option that
//! takes effect, and with nothing else.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

use std::collections::{BTreeMap, BTreeSet};

use chunkwright::StrategyName::{Blocks, Hierarchical, Tree, Window};
use chunkwright::{Chunker, ConfigTable, StrategyName};
use serde_json::Value;

/// The default hash of each strategy with the tokenizer `chars`, and the text that is hashed: the
/// version of the strategy, the tokenizer, and the effective options under their public names.
const GOLDEN: [(StrategyName, &str, &str); 4] = [
    (
        Hierarchical,
        "5d8e41ecc21583d8a4679f75961a3e25",
        r#"4 chars {
            "context": "title",
            "frontmatter": "metadata",
            "mdx": "auto",
            "repeat_table_headers": true,
            "shortcodes": {},
            "slugs": "ascii",
            "split_oversized": true,
            "strategy": {"hierarchical": {"max": 1024, "min": 51, "target": 512}}
        }"#,
    ),
    (
        Window,
        "e0ec704c810fc90ec452e03bec9448b6",
        r#"4 chars {
            "context": "none",
            "frontmatter": "metadata",
            "mdx": "auto",
            "repeat_table_headers": true,
            "shortcodes": {},
            "slugs": "ascii",
            "split_oversized": true,
            "strategy": {"window": {
                "lookahead": false,
                "max": 750,
                "min": 250,
                "min_deeper": 500,
                "parents": true,
                "tail": "keep"
            }}
        }"#,
    ),
    (
        Blocks,
        "cb028ea9a2995bb7f9b4c133733c752b",
        r#"3 chars {
            "context": "title",
            "frontmatter": "metadata",
            "mdx": "auto",
            "repeat_table_headers": true,
            "shortcodes": {},
            "slugs": "ascii",
            "split_oversized": true,
            "strategy": {"blocks": {
                "heading_depth": 6,
                "max": 768,
                "min": 128,
                "mode": "heading",
                "overlap": 0,
                "overlap_scope": "section",
                "target": 512
            }}
        }"#,
    ),
    (
        Tree,
        "f8914ed5d5fe8da1961e5f6a8096eba4",
        r#"3 chars {
            "context": "title",
            "frontmatter": "metadata",
            "mdx": "auto",
            "repeat_table_headers": true,
            "shortcodes": {},
            "slugs": "ascii",
            "split_oversized": true,
            "strategy": {"tree": {}}
        }"#,
    ),
];

/// The default of an option for a strategy, in TOML.
type Default = fn(StrategyName) -> &'static str;

/// Every option: its default, another value in TOML, and the strategies whose hash covers it.
/// Options that all strategies share are part of every hash, even where they have no effect: `tree`
/// splits nothing.
const OPTIONS: &[(&str, Default, &str, &[StrategyName])] = &[
    ("tokenizer", tokenizer, r#""words:2""#, StrategyName::ALL),
    // `blocks` is the only strategy with the tokenizer `estimate` by default.
    ("bias", |_| r#""balanced""#, r#""code""#, &[Blocks]),
    ("context", context, r#""path""#, StrategyName::ALL),
    ("frontmatter", |_| r#""metadata""#, r#""include""#, StrategyName::ALL),
    ("mdx", |_| r#""auto""#, r#""on""#, StrategyName::ALL),
    ("repeat_table_headers", |_| "true", "false", StrategyName::ALL),
    ("split_oversized", |_| "true", r#"["code", "table"]"#, StrategyName::ALL),
    ("slugs", |_| r#""ascii""#, r#""unicode""#, StrategyName::ALL),
    ("shortcodes", |_| "{}", r#"{heading = {next = "Next"}}"#, StrategyName::ALL),
    ("url_base", |_| UNSET, r#""https://example.org""#, StrategyName::ALL),
    ("hierarchical.size", |_| r#""medium""#, r#""small""#, &[Hierarchical]),
    ("hierarchical.target", |_| "512", "500", &[Hierarchical]),
    ("hierarchical.max", |_| "1024", "1000", &[Hierarchical]),
    ("hierarchical.min", |_| "51", "50", &[Hierarchical]),
    ("window.size", |_| r#""medium""#, r#""small""#, &[Window]),
    ("window.min", |_| "250", "200", &[Window]),
    ("window.min_deeper", |_| "500", "400", &[Window]),
    ("window.max", |_| "750", "700", &[Window]),
    ("window.tail", |_| r#""keep""#, r#""drop""#, &[Window]),
    ("window.parents", |_| "true", "false", &[Window]),
    ("window.lookahead", |_| "false", "true", &[Window]),
    ("blocks.size", |_| r#""medium""#, r#""small""#, &[Blocks]),
    ("blocks.target", |_| "512", "500", &[Blocks]),
    ("blocks.max", |_| "768", "700", &[Blocks]),
    ("blocks.min", |_| "128", "100", &[Blocks]),
    ("blocks.overlap", |_| r#""none""#, r#""high""#, &[Blocks]),
    ("blocks.overlap_scope", |_| r#""section""#, r#""document""#, &[Blocks]),
    ("blocks.mode", |_| r#""heading""#, r#""hybrid""#, &[Blocks]),
    ("blocks.heading_depth", |_| "6", "2", &[Blocks]),
];

/// The default of an option that has no value unless it is set.
const UNSET: &str = "";

fn tokenizer(strategy: StrategyName) -> &'static str {
    match strategy {
        Window => r#""words""#,
        Blocks => r#""estimate""#,
        _ => r#""o200k""#,
    }
}

fn context(strategy: StrategyName) -> &'static str {
    if strategy == Window { r#""none""# } else { r#""title""# }
}

/// Returns the `config_hash` of a strategy with these options in TOML.
fn hash(strategy: StrategyName, options: &str) -> String {
    let table = format!("strategy = \"{strategy}\"\n{options}\n");
    let table: ConfigTable = toml::from_str(&table).unwrap_or_else(|e| panic!("{table}{e}"));
    let counter = table.counter().unwrap();
    Chunker::new(table, counter).unwrap().config_hash().to_owned()
}

fn set(option: &str, value: &str) -> String {
    if value == UNSET { String::new() } else { format!("{option} = {value}") }
}

/// Hashes a text, ignoring whitespace in its options.
fn hash_of_text(text: &str) -> String {
    let (start, options) = text.split_at(text.find('{').unwrap());
    let options: String = options.split_whitespace().collect();
    let hash = blake3::hash(format!("{start}{options}").as_bytes());
    hash.to_hex()[..32].to_owned()
}

/// If this fails, every stored output is out of date. If that is intended, raise the version of the
/// strategy or describe the change in the changelog.
#[test]
fn defaults_have_known_hashes() {
    let expected: Vec<_> = GOLDEN.map(|(name, hash, _)| (name, hash.to_owned())).into();
    let hashes: Vec<_> = StrategyName::ALL
        .iter()
        .map(|&strategy| (strategy, hash(strategy, "tokenizer = \"chars\"")))
        .collect();
    assert_eq!(hashes, expected);
}

/// The texts are written by hand and complete, so no private name or value can be part of a hash:
/// renaming a private field changes none.
#[test]
fn golden_hashes_cover_public_option_names_and_values_only() {
    for (strategy, golden, text) in GOLDEN {
        assert_eq!(hash_of_text(text), hash(strategy, "tokenizer = \"chars\""), "{strategy}");
        assert_eq!(hash_of_text(text), golden, "{strategy}");
    }
}

#[test]
fn an_alias_of_a_tokenizer_has_the_hash_of_the_tokenizer() {
    for (alias, counter) in chunkwright::COUNTER_ALIASES {
        let of = |name| hash(Hierarchical, &format!("tokenizer = \"{name}\""));
        assert_eq!(of(alias), of(counter), "{alias}");
        let mut table = ConfigTable::default();
        table.tokenizer = Some((*alias).to_owned());
        assert_eq!(table.filled().unwrap().tokenizer.as_deref(), Some(*counter), "{alias}");
    }
}

#[test]
fn hashes_of_other_values_cover_public_option_names_and_values_only() {
    let options = r#"
        tokenizer = "estimate"
        bias = "prose"
        context = "path"
        frontmatter = "strip"
        mdx = "off"
        repeat_table_headers = false
        slugs = "unicode"
        split_oversized = ["front_matter", "code"]
        url_base = "https://example.org"
        shortcodes.heading = { next = "Next", also = "Also" }
        blocks.size = "small"
        blocks.target = 200
        blocks.max = 300
        blocks.min = 20
        blocks.overlap = "high"
        blocks.overlap_scope = "document"
        blocks.mode = "paragraph"
        blocks.heading_depth = 3
        hierarchical.max = 99
        window.max = 99
    "#;
    let text = r#"3 estimate bias=prose {
        "context": "path",
        "frontmatter": "strip",
        "mdx": "off",
        "repeat_table_headers": false,
        "shortcodes": {"heading": {"also": "Also", "next": "Next"}},
        "slugs": "unicode",
        "split_oversized": ["front_matter", "code"],
        "strategy": {"blocks": {
            "heading_depth": 3,
            "max": 300,
            "min": 20,
            "mode": "paragraph",
            "overlap": 40,
            "overlap_scope": "document",
            "target": 200
        }},
        "url_base": "https://example.org"
    }"#;
    assert_eq!(hash(Blocks, options), hash_of_text(text));
}

#[test]
fn every_option_is_listed() {
    let Value::Object(table) = serde_json::to_value(ConfigTable::default()).unwrap() else {
        panic!("a table of options");
    };
    let strategies: BTreeSet<&str> = StrategyName::ALL.iter().map(|name| name.as_str()).collect();
    let names = table.iter().flat_map(|(name, value)| match value {
        Value::Object(options) if strategies.contains(&**name) => {
            options.keys().map(|option| format!("{name}.{option}")).collect()
        }
        _ => vec![name.clone()],
    });
    let mut expected: BTreeSet<String> = names.collect();
    assert!(expected.remove("strategy"), "the strategy selects the options");
    let listed: BTreeSet<String> = OPTIONS.iter().map(|option| option.0.to_owned()).collect();
    assert_eq!(listed, expected);
}

#[test]
fn setting_an_option_to_its_default_keeps_every_hash() {
    for (option, default, ..) in OPTIONS {
        for &strategy in StrategyName::ALL {
            let default = set(option, default(strategy));
            assert_eq!(hash(strategy, &default), hash(strategy, ""), "{strategy}: {default}");
        }
    }
}

#[test]
fn setting_all_options_to_their_defaults_keeps_every_hash() {
    for &strategy in StrategyName::ALL {
        let defaults = OPTIONS.iter().map(|(option, default, ..)| set(option, default(strategy)));
        let defaults: Vec<String> = defaults.collect();
        assert_eq!(hash(strategy, &defaults.join("\n")), hash(strategy, ""), "{strategy}");
    }
}

#[test]
fn changing_an_option_changes_exactly_the_hashes_of_the_strategies_that_use_it() {
    for (option, _, other, used_by) in OPTIONS {
        let other = set(option, other);
        let is_changed = |&&strategy: &&StrategyName| hash(strategy, &other) != hash(strategy, "");
        let changed: Vec<_> = StrategyName::ALL.iter().filter(is_changed).copied().collect();
        assert_eq!(changed, *used_by, "{other}");
    }
}

#[test]
fn different_options_have_different_hashes() {
    let mut seen = BTreeMap::new();
    for (option, _, other, used_by) in OPTIONS {
        for &strategy in *used_by {
            let options = format!("{strategy}: {}", set(option, other));
            let equal = seen.insert(hash(strategy, &set(option, other)), options.clone());
            assert_eq!(equal, None, "same hash as {options}");
        }
    }
}

#[test]
fn a_size_has_the_hash_of_its_limits() {
    for (strategy, size, limits) in [
        (Hierarchical, "size = \"small\"", "target = 256\nmax = 512"),
        (Window, "size = \"small\"", "min = 125\nmin_deeper = 250\nmax = 375"),
        (Blocks, "size = \"small\"", "target = 256\nmax = 384\nmin = 64"),
    ] {
        let in_table = |options: &str| format!("[{strategy}]\n{options}");
        let (size, limits) = (in_table(size), in_table(limits));
        assert_eq!(hash(strategy, &size), hash(strategy, &limits), "{strategy}");
    }
}
