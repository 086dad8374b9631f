//! `stats` as a user meets it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must stop")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

const PAGE: &str = "# Tea\n\nBoil water.\n\n```sh\nkettle on\nkettle off\n```\n\n## Green\n\n\
                    Let it cool for a minute, then pour.\n";

fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("docs")).unwrap();
    fs::write(folder.path().join("docs/tea.md"), PAGE).unwrap();
    fs::write(folder.path().join("docs/more.md"), PAGE.replace("Tea", "Mate")).unwrap();
    folder
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chunkwright"));
    command.args(arguments).current_dir(folder).output().unwrap()
}

fn json(folder: &Path, arguments: &[&str]) -> Value {
    let output = run(folder, &[&["stats", "docs", "--json"], arguments].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn counts_are_those_of_the_chunks() {
    let folder = folder();
    for strategy in ["hierarchical", "window", "blocks", "tree"] {
        let flags = ["--strategy", strategy, "--tokenizer", "chars"];
        let counts = json(folder.path(), &flags)["strategies"][0].clone();
        let output = run(folder.path(), &[&["chunk", "docs"], &flags[..]].concat());
        let lines = String::from_utf8(output.stdout).unwrap();
        let chunks: Vec<Value> = lines.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
        let mut tokens: Vec<u64> = chunks.iter().map(|c| c["tokens"].as_u64().unwrap()).collect();
        tokens.sort_unstable();
        assert_eq!(counts["chunks"], tokens.len(), "{strategy}");
        assert_eq!(counts["tokens"], tokens.iter().sum::<u64>());
        assert_eq!(counts["tokens_per_chunk"]["p0"], tokens[0]);
        assert_eq!(counts["tokens_per_chunk"]["p100"], *tokens.last().unwrap());
        let bins = counts["histogram"].as_array().unwrap().iter();
        let in_bins: u64 = bins.map(|bin| bin["chunks"].as_u64().unwrap()).sum();
        assert_eq!(in_bins, tokens.len() as u64, "{strategy}");
        assert_eq!(counts["code"], serde_json::json!({"blocks": 2, "cut": 0}));
    }
}

#[test]
fn strategies_that_are_compared_count_alike() {
    let folder = folder();
    let flags = ["--compare", "window,blocks", "--max", "300", "--price", "2"];
    let compared = json(folder.path(), &flags)["strategies"].clone();
    for (nth, strategy) in ["window", "blocks"].into_iter().enumerate() {
        let way = &compared[nth];
        assert_eq!((&way["strategy"], &way["tokenizer"]), (&strategy.into(), &"o200k".into()));
        assert_eq!(way["max"], 300);
        let alone = ["--strategy", strategy, "--tokenizer", "o200k", "--max", "300"];
        assert_eq!(json(folder.path(), &alone)["strategies"][0]["tokens"], way["tokens"]);
        let cost = way["tokens"].as_f64().unwrap() * 2.0 / 1e6;
        assert!((way["cost"].as_f64().unwrap() - cost).abs() < 1e-12);
    }
}

#[test]
fn files_of_an_override_have_a_column_of_their_own() {
    let folder = folder();
    let config = "[[override]]\npaths = ['tea.md']\nstrategy = 'window'\n";
    fs::write(folder.path().join("chunkwright.toml"), config).unwrap();
    let counted = json(folder.path(), &[])["strategies"].clone();
    let told: Vec<_> = counted.as_array().unwrap().iter().collect();
    assert_eq!(told.len(), 2);
    assert_eq!(
        (&told[0]["strategy"], &told[0]["tokenizer"]),
        (&"hierarchical".into(), &"o200k".into())
    );
    assert_eq!((&told[1]["strategy"], &told[1]["tokenizer"]), (&"window".into(), &"words".into()));
    assert_eq!((&told[0]["files"], &told[1]["files"]), (&1.into(), &1.into()));
    let table = String::from_utf8(run(folder.path(), &["stats", "docs"]).stdout).unwrap();
    assert!(
        table.contains("tokens by                        o200k             words\n"),
        "{table}"
    );
}

#[test]
fn a_picture_is_drawn_of_the_same_counts() {
    let folder = folder();
    let arguments = ["stats", "docs", "--compare", "hierarchical,tree", "--plot", "sizes.svg"];
    assert!(run(folder.path(), &arguments).status.success());
    let svg = fs::read_to_string(folder.path().join("sizes.svg")).unwrap();
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{svg}");
    assert!(svg.contains(">hierarchical<") && svg.contains(">tree<"), "{svg}");
    assert!(svg.contains("prefers-color-scheme"), "{svg}");
    let counted = json(folder.path(), &arguments[2..4]);
    let bins = counted["strategies"][0]["histogram"].as_array().unwrap().len();
    assert_eq!(svg.matches("class=\"bar\"").count(), 2 * bins);
    for way in counted["strategies"].as_array().unwrap() {
        let chunks = format!(">{} chunk", way["chunks"]);
        assert!(svg.contains(&chunks), "{chunks}: {svg}");
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = folder();
    let refused: [(&[&str], &str); 7] = [
        (&["--compare", "window,tree,window"], "window is named twice"),
        (&["--compare", "hierarchical,magic"], "magic"),
        (
            &["--compare", "hierarchical,tree", "--overlap", "high"],
            "have no such option; blocks has",
        ),
        (&["--compare", "window", "--strategy", "tree"], "cannot be used with"),
        (&["--price", "-1"], "from 0 up"),
        (&["--price", "cheap"], "a number"),
        (&["--plot", "docs"], "directory"),
    ];
    for (flags, reason) in refused {
        let output = run(folder.path(), &[&["stats", "docs"], flags].concat());
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{flags:?}");
        assert!(said.contains(reason), "{flags:?}: {said}");
    }
}

#[test]
fn what_cannot_be_read_is_told_and_the_rest_counted() {
    let folder = folder();
    fs::write(folder.path().join("docs/bad.md"), b"\xff").unwrap();
    let output = run(folder.path(), &["stats", "docs", "missing.md", "--json"]);
    assert_eq!(output.status.code(), Some(2));
    let counts: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(counts["strategies"][0]["files"], 2);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("bad.md") && said.contains("missing.md") && said.contains("2 files"));
}
