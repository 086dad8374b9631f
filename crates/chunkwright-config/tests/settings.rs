//! Checks which options take effect, and the errors of configuration files and flags.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

use std::path::Path;

use chunkwright::{ConfigTable, StrategyName};
use chunkwright_config::{Chunkers, Settings, declared};
use serde_json::json;

fn settings(file: &str) -> Settings {
    Settings::parse("chunkwright.toml", Path::new("/site"), file).unwrap()
}

fn fault(file: &str) -> String {
    let read = Settings::parse("chunkwright.toml", Path::new("/site"), file);
    let settings = match read {
        Err(error) => return error.to_string(),
        Ok(settings) => settings,
    };
    settings.chunking().unwrap_err().to_string()
}

#[test]
fn uses_defaults_without_a_file() {
    assert_eq!(Settings::default().chunking().unwrap(), ConfigTable::default());
    assert_eq!(settings("").chunking().unwrap(), ConfigTable::default());
    assert_eq!(settings("").indexing(), None);
}

#[test]
fn flags_win_over_the_file() {
    let mut settings = settings("max = 300\n[hierarchical]\nmin = 20\n");
    settings.set("max", "400", "--max 400").unwrap();
    let config = settings.chunking().unwrap();
    assert_eq!((config.hierarchical.max, config.hierarchical.min), (Some(400), Some(20)));
}

#[test]
fn sets_options_from_json_values() {
    let mut settings = settings("max = 300\n");
    let mut set =
        |key: &str, value| settings.set_value(key, &value, key).map_err(|error| error.to_string());
    set("window", json!({ "max": 200, "tail": "merge" })).unwrap();
    set("search", json!({ "ranking": { "k1": 2.5 } })).unwrap();
    set("with", json!(["pieces"])).unwrap();
    set("max", json!(null)).unwrap();
    assert_eq!(
        set("max", json!("400")).unwrap_err(),
        "max: invalid value `\"400\"`: expected a positive integer"
    );
    assert_eq!(set("max", json!({ "a": 1 })).unwrap_err(), "max: expected a value, not a table");
    assert_eq!(
        set("window", json!({ "mx": 1 })).unwrap_err(),
        "window: unknown option `window.mx`; did you mean `window.max`?"
    );
    assert_eq!(
        set("size", json!(10)).unwrap_err(),
        "size: unknown value `10`: expected one of `small`, `medium`, `large`"
    );
    assert_eq!(
        set("chunk_size", json!(1000)).unwrap_err(),
        "chunk_size: unknown option `chunk_size`; did you mean `max`?"
    );
    let config = settings.chunking().unwrap();
    assert_eq!((config.hierarchical.max, config.window.max), (Some(300), Some(200)));
    assert_eq!(settings.tuning().ranking.k1, 2.5);
    assert!(settings.processing().with().pieces);
}

#[test]
fn options_without_a_table_apply_to_the_chosen_strategy() {
    let mut settings = settings("max = 300");
    settings.set("strategy", "window", "--strategy window").unwrap();
    let config = settings.chunking().unwrap();
    assert_eq!((config.window.max, config.hierarchical.max), (Some(300), None));
    let both = [StrategyName::Blocks, StrategyName::Tree];
    let chunkers = Chunkers::compared(&settings, &both, "words").unwrap();
    let names: Vec<_> = chunkers.iter().map(|chunker| chunker.config().strategy.name()).collect();
    assert_eq!((names.as_slice(), chunkers[0].max_tokens()), (&both[..], Some(300)));
}

#[test]
fn rejects_a_flag_that_no_strategy_uses() {
    let mut settings = Settings::default();
    settings.set("overlap", "high", "--overlap high").unwrap();
    let said = settings.chunking().unwrap_err().to_string();
    assert_eq!(
        said,
        "--overlap high: `hierarchical` has no option `overlap`; use it with `blocks`"
    );
    assert!(Chunkers::compared(&settings, StrategyName::ALL, "words").is_ok());
}

#[test]
fn later_overrides_win_and_flags_win_over_them() {
    let file = "
        max = 900
        [[override]]
        paths = ['blog/**']
        strategy = 'window'
        max = 300
        [[override]]
        paths = ['**/long.md', 'x?.md']
        max = 200
    ";
    let mut settings = settings(file);
    let of = |settings: &Settings, path: &str| {
        let mut chunkers = Chunkers::new(settings).unwrap();
        chunkers.add([path].iter()).unwrap();
        let chunker = chunkers.of(path);
        (chunker.config().strategy.name(), chunker.max_tokens().unwrap())
    };
    assert_eq!(of(&settings, "a.md"), (StrategyName::Hierarchical, 900));
    assert_eq!(of(&settings, "blog/2026/a.md"), (StrategyName::Window, 300));
    assert_eq!(of(&settings, "blog/long.md"), (StrategyName::Window, 200));
    assert_eq!(of(&settings, "x1.md"), (StrategyName::Hierarchical, 200));
    settings.set("max", "250", "--max 250").unwrap();
    assert_eq!(of(&settings, "blog/long.md"), (StrategyName::Window, 250));
}

#[test]
fn lists_where_every_value_was_set() {
    let mut settings = settings("\nmax = 300\n");
    settings.set("bias", "code", "--set bias=code").unwrap();
    let listed = settings.list(None).unwrap();
    let from = |key: &str| {
        let one = listed.iter().find(|one| one.key == key).unwrap();
        (one.value.to_string(), one.origin.as_ref().map(ToString::to_string).unwrap_or_default())
    };
    assert_eq!(from("hierarchical.max"), ("300".into(), "chunkwright.toml, line 2".into()));
    assert_eq!(from("hierarchical.target"), ("300".into(), String::new()));
    assert_eq!(from("bias"), ("\"code\"".into(), "--set bias=code".into()));
    assert_eq!(from("tokenizer"), ("\"o200k\"".into(), String::new()));
    assert_eq!(from("url_base"), ("null".into(), String::new()));
}

#[test]
fn documented_defaults_are_the_defaults() {
    let values = |settings: &Settings| -> Vec<_> {
        let listed = settings.list(None).unwrap().into_iter();
        listed.map(|listed| (listed.key, listed.value)).collect()
    };
    // What the default follows from.
    let explained = ["", "none", "`target` / 10", "by extension", "number of cores"];
    for option in declared().iter().filter(|option| !explained.contains(&option.default_text())) {
        let default = option.default_text().split(';').next().unwrap().trim_matches('`');
        let mut settings = Settings::default();
        settings.set(&option.name, default, &option.name).unwrap();
        assert_eq!(values(&settings), values(&Settings::default()), "{}", option.name);
    }
}

#[test]
fn descriptions_suit_editors_and_name_every_choice() {
    for option in declared() {
        let text = &option.description;
        assert!(!text.is_empty() && !text.contains("](") && !text.contains("```"), "{option:?}");
        let is_listed = |name: &&str| option.summary().contains(&format!("`{name}`"));
        let names = option.choices();
        let is_alias = |name: &str| name.contains('-');
        let is_long = names.len() > 6;
        assert!(
            is_long || names.iter().all(|name| is_listed(name) || is_alias(name)),
            "{}: {names:?} in {text}",
            option.name
        );
    }
}

#[test]
fn the_index_shares_the_parsing_options() {
    let indexing = settings("mdx = 'on'\nurl_base = 'https://x.y'").indexing().unwrap();
    assert_eq!(
        (indexing.mdx, indexing.url_base.as_deref()),
        (chunkwright::Mdx::On, Some("https://x.y"))
    );
    assert_eq!(settings("max = 3").indexing(), None);
    assert!(settings("[index]\nlanguage = 'english'").indexing().is_some());
}

#[test]
fn paths_in_the_file_are_relative_to_its_directory() {
    let settings = settings("tokenizer = 'hf:models/t.json'\n[trees.docs]\npath = 'docs'");
    assert_eq!(settings.chunking().unwrap().counter_name(), "hf:/site/models/t.json");
    assert_eq!(settings.trees(), [("docs".to_owned(), "/site/docs".into())]);
}

#[test]
fn aliases_of_tokenizers_do_not_change_the_hash() {
    let hash = |general: &str, special: &str| {
        let file = format!(
            "tokenizer = '{general}'\n[[override]]\npaths = ['x']\ntokenizer = '{special}'"
        );
        Chunkers::new(&settings(&file)).unwrap().provenance().config_hash
    };
    assert_eq!(hash("gpt-4o", "gpt-4"), hash("o200k", "cl100k"));
    assert_ne!(hash("gpt-4o", "gpt-4"), hash("o200k", "o200k"));
    let mut settings = settings("");
    settings.set("tokenizer", "gpt-4", "--tokenizer gpt-4").unwrap();
    let listed = settings.list(None).unwrap();
    let tokenizer = listed.iter().find(|one| one.key == "tokenizer").unwrap();
    assert_eq!(tokenizer.value, "cl100k");
    assert_eq!(tokenizer.origin.as_ref().unwrap().to_string(), "--tokenizer gpt-4");
}

#[test]
fn points_at_errors() {
    let unknown = "\
chunkwright.toml:2:1: unknown option `maxx`
  |
2 | maxx = 3
  | ^^^^ did you mean `max`?";
    assert_eq!(fault("\nmaxx = 3\n"), unknown);
    let contradiction = "\
chunkwright.toml:1:9: target (900) is above the maximum (800)
  |
1 | target= 900
  |         ^^^";
    assert_eq!(fault("target= 900\nmax = 800"), contradiction);
    let wide = "\
chunkwright.toml:1:12: unknown value `wïndow`: expected one of `hierarchical`, `window`, `blocks`, `tree`
  |
1 | strategy = 'wïndow'
  |            ^^^^^^^^ did you mean `window`?";
    assert_eq!(fault("strategy = 'wïndow'"), wide);
}

#[test]
fn points_at_errors_in_overrides() {
    let settings = settings("tokenizer = 'o200k'\n[[override]]\npaths = ['x']\ntokenizer = 'y'");
    let mut chunkers = Chunkers::new(&settings).unwrap();
    let said = chunkers.add(["x"].iter()).unwrap_err().to_string();
    assert!(said.starts_with("chunkwright.toml:4:13: "), "{said}");
}

#[test]
fn points_at_every_error_in_a_file() {
    let faults = [
        "x = [1,",
        "window = 3",
        "override = 3",
        "trees = 3",
        "override = [3]",
        "[[override]]\nmax = 3",
        "[[override]]\npaths = 'x'",
        "[[override]]\npaths = [3]",
        "[[override]]\npaths = []",
        "[[override]]\npaths = ['x']\nmax = 0",
        "[bogus]",
        "[window.max]\nx = 1",
        "jobs = 0",
        "max = ",
        "[[override]]\npaths = ['[']",
        "[[override]]\npaths = ['x']\njobs = 3",
        "[[override]]\npaths = ['x']\nindex.language = 'german'",
        "[trees.'a:b']\npath = 'x'",
        "[trees.a]\nmax = 3",
        "[trees.a]",
        "[trees]\na = 3",
        "[index]\nurl_base = 'x'",
        "[index]\nlanguage = 'klingon'",
        "with = 'pieces'",
        "with = ['piece']",
        "max_file_size = -1",
        "max = 0",
        "max = 1.5",
        "max = 99999999999999999999",
        "\u{feff}max = nope",
        "max = 3\nmax = 4",
        "[search]\nranking = 3",
    ];
    for file in faults {
        let said = fault(file);
        assert!(said.starts_with("chunkwright.toml:") && said.contains('^'), "{file:?}: {said}");
    }
}
