//! `diff` of directories, files and records.

#![allow(clippy::unwrap_used, reason = "a failed test should panic")]

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use chunkwright::StrategyName;
use serde_json::Value;
use tempfile::TempDir;

const TEA: &str = "# Tea\n\nBoil water.\n\n## Green\n\nWait a bit.\n\n## Black\n\nDo not wait.\n";

/// Creates a folder with an old and a new version.
fn versions(old: &[(&str, &str)], new: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (version, files) in [("old", old), ("new", new)] {
        fs::create_dir(folder.path().join(version)).unwrap();
        for (path, text) in files {
            let path = folder.path().join(version).join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }
    folder
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chunkwright"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    command
}

fn run(folder: &TempDir, arguments: &[&str]) -> Output {
    command(folder.path(), arguments).output().unwrap()
}

/// Returns the output of a `diff` that must succeed. Every heading is a chunk.
fn diff(folder: &TempDir, arguments: &[&str]) -> String {
    let output = run(folder, &[&["diff", "--strategy", "tree"], arguments].concat());
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), said.as_str()), (Some(0), ""), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn plan(folder: &TempDir, arguments: &[&str]) -> Value {
    serde_json::from_str(&diff(folder, &[arguments, &["--json"]].concat())).unwrap()
}

/// Returns the error of a `diff` that must fail without output.
fn refused(folder: &TempDir, arguments: &[&str]) -> String {
    let output = run(folder, &[&["diff"], arguments].concat());
    assert_eq!((output.status.code(), &*output.stdout), (Some(2), &b""[..]), "{arguments:?}");
    String::from_utf8(output.stderr).unwrap()
}

fn ids(plan: &Value, list: &str) -> Vec<String> {
    let entries = plan[list].as_array().unwrap().iter();
    let id = |entry: &Value| entry.get("id").unwrap_or(entry).as_str().unwrap().to_owned();
    entries.map(id).collect()
}

#[test]
fn reports_the_chunks_to_embed_again() {
    let new =
        TEA.replace("Wait a bit", "Wait long").replace("## Black", "## White\n\nRare.\n\n## Black");
    let folder = versions(
        &[("tea.md", TEA), ("one/index.md", "# Pot\n\nClay.\n"), ("gone.md", "# Gone\n\nAway.\n")],
        &[("tea.md", &new), ("two/index.md", "# Pot\n\nClay.\n")],
    );
    let expected = "\
new:gone.md  -1
  - #gone  5 tokens

new:tea.md  +1 ~1
  ~ #green  8 tokens
  + #white  7 tokens

new:two/index.md  →1
  → #pot  from new:one/index.md#pot

1 added, 1 changed, 1 moved, 1 removed, 2 unchanged (1 with a new position or metadata)
2 chunks to embed, 15 of 36 tokens, 58.3% saved
";
    assert_eq!(diff(&folder, &["old", "new"]), expected);
}

#[test]
fn plans_the_update_of_a_vector_store() {
    let new = TEA.replace("Wait a bit", "Wait long").replace("Boil", "<!-- soft -->Boil");
    let folder = versions(
        &[("tea.md", TEA), ("one/index.md", "# Pot\n\nClay.\n")],
        &[("tea.md", &new), ("two/index.md", "# Pot\n\nClay.\n")],
    );
    let plan = plan(&folder, &["old", "new"]);
    assert_eq!(ids(&plan, "upsert"), ["new:tea.md#green"]);
    assert_eq!(plan["upsert"][0]["embed_text"], "> Tea › Green\n\nWait long.");
    assert_eq!(ids(&plan, "update"), ["new:tea.md#tea", "new:tea.md#black"]);
    assert_eq!(ids(&plan, "delete"), ["new:one/index.md#pot"]);
    assert_eq!(plan["move"][0]["from"], "new:one/index.md#pot");
    assert_eq!(plan["move"][0]["record"]["id"], "new:two/index.md#pot");
    assert_eq!(plan["config_hash"].as_str().unwrap().len(), 32);
    let summary = &plan["summary"];
    assert_eq!((&summary["changed"], &summary["updated"]), (&1.into(), &2.into()));
}

#[test]
fn chunks_below_a_renamed_heading_must_be_embedded_again() {
    let new = TEA.replace("# Tea\n", "# Drinks\n");
    let folder = versions(&[("tea.md", TEA)], &[("tea.md", &new)]);
    let plan = plan(&folder, &["old", "new"]);
    assert_eq!(ids(&plan, "upsert").len(), 3, "the context line of all chunks changed");
}

#[test]
fn compares_output_of_chunk_in_every_format() {
    let new = TEA.replace("Wait a bit", "Wait long");
    let folder = versions(&[("tea.md", TEA)], &[("tea.md", &new)]);
    let expected = diff(&folder, &["old", "new"]);
    for with in [&[][..], &["--with", "embed_text,pieces"]] {
        for extension in ["jsonl", "json", "parquet"] {
            for side in ["old", "new"] {
                let file = format!("{side}.{extension}");
                let chunk = ["chunk", side, "--tree", "new", "--strategy", "tree", "-o", &file];
                assert!(run(&folder, &[&chunk, with].concat()).status.success());
            }
            let (old, new) = (&*format!("old.{extension}"), &*format!("new.{extension}"));
            for sides in [[old, "new"], ["old", new], [old, new]] {
                assert_eq!(diff(&folder, &[&sides[..], &["--tree", "new"]].concat()), expected);
            }
        }
    }
}

#[test]
fn compares_two_files_as_one_document() {
    let folder = versions(&[("tea.md", TEA)], &[("drink.md", TEA)]);
    assert!(diff(&folder, &["old/tea.md", "new/drink.md"]).contains("3 unchanged\n"));
    fs::write(folder.path().join("new/drink.txt"), TEA).unwrap();
    for new in ["new/drink.md", "new/drink.txt"] {
        let mut child = command(folder.path(), &["diff", "-", new])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(TEA.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(String::from_utf8(output.stdout).unwrap().contains("1 unchanged\n"), "{new}");
    }
}

#[test]
fn both_sides_use_the_tree_and_path_of_the_new_one() {
    let folder = versions(&[("r/tea.md", TEA), ("r/old.md", TEA)], &[("r/tea.md", TEA)]);
    let config = "[trees.site]\npath = 'new'\n[[override]]\npaths = ['r/tea.md']\nmax = 20\n";
    for (config, tree, root) in [("", "new", &["--root", "new"][..]), (config, "site", &[])] {
        fs::write(folder.path().join("chunkwright.toml"), config).unwrap();
        let plan = |old: &str, new: &str| plan(&folder, &[&[old, new], root].concat());
        let directories = plan("old/r", "new/r");
        assert_eq!(directories["summary"]["unchanged"], 3, "{directories}");
        assert_eq!(ids(&directories, "delete")[0], format!("{tree}:r/old.md#tea"));
        let files = plan("old/r/old.md", "new/r/tea.md");
        assert_eq!(files["summary"]["unchanged"], 3, "{files}");
        let (chunk, page) =
            (["chunk", "new", "--strategy", "tree", "-o", "all.json"], "new/r/tea.md");
        assert!(run(&folder, &[&chunk, root].concat()).status.success());
        assert_eq!(plan("all.json", page)["summary"]["unchanged"], 3);
        assert_eq!(plan(page, "all.json")["summary"]["unchanged"], 3);
    }
}

#[test]
fn shortens_long_lists_unless_all_is_given() {
    let pages: Vec<(String, String)> = (0..30)
        .map(|nth| (format!("{nth:02}.md"), (0..12).map(|n| format!("# H{n}\n\nx\n\n")).collect()))
        .collect();
    let pages: Vec<_> = pages.iter().map(|(path, text)| (&**path, &**text)).collect();
    let folder = versions(&[], &pages);
    let shown = diff(&folder, &["old", "new", "--quiet"]);
    assert!(shown.contains("  … and 4 more\n") && shown.contains("… and 10 more files"), "{shown}");
    let shown = diff(&folder, &["old", "new", "--all", "--quiet"]);
    assert_eq!(shown.matches("  + #").count(), 360);
}

#[test]
fn prints_nothing_if_a_file_cannot_be_read() {
    let folder = versions(&[("a.md", TEA)], &[("a.md", TEA)]);
    fs::write(folder.path().join("new/bad.md"), b"caf\xe9").unwrap();
    let said = refused(&folder, &["old", "new", "--json"]);
    assert!(
        said.contains("new/bad.md: invalid UTF-8 at byte 3") && said.contains("1 file"),
        "{said}"
    );
    assert!(refused(&folder, &["nowhere", "old"]).contains("nowhere: no such file"));
    assert!(refused(&folder, &["-", "-"]).contains("only one side can be standard input"));
}

#[test]
fn rejects_records_that_cannot_be_compared() {
    let folder = versions(&[("a.md", TEA)], &[("a.md", TEA)]);
    for format in ["jsonl", "json"] {
        let file = format!("window.{format}");
        run(&folder, &["chunk", "old", "--strategy", "window", "-o", &file]);
    }
    let said = refused(&folder, &["window.jsonl", "new"]);
    assert!(said.contains("split with window before, now with hierarchical"), "{said}");
    let said = refused(&folder, &["window.json", "new"]);
    assert!(said.contains("window.json and new were split with different options"), "{said}");
    let lines = fs::read_to_string(folder.path().join("window.jsonl")).unwrap();
    let window = format!("{} {}", StrategyName::Window, StrategyName::Window.version());
    let other = &format!("{{\"config_hash\":\"\",\"algorithms\":\"{window}\",\"chunks\":[");
    let cases: &[(&str, String, &str)] = &[
        (
            "a.jsonl",
            format!("{lines}\n{{\"id\":"),
            "a.jsonl: line 4: not a record: expected a JSON object",
        ),
        ("b.jsonl", "{\"id\":\"a\"}\n".to_owned(), "b.jsonl: line 1: not a record: `doc_id`"),
        ("c.jsonl", lines.repeat(2), "duplicate id"),
        ("d.json", lines.clone(), "d.json: not written by `chunkwright chunk --format json`"),
        ("e.json", format!("{other}\n{lines}"), "different options"),
        ("f.parquet", "PAR1".to_owned(), "f.parquet: "),
    ];
    for (name, text, part) in cases {
        fs::write(folder.path().join(name), text).unwrap();
        let said = refused(&folder, &[name, "new", "--strategy", "window"]);
        assert!(said.contains(part), "{said}");
    }
    let cut = fs::read_to_string(folder.path().join("window.json")).unwrap().replace("]}", "");
    fs::write(folder.path().join("cut.json"), cut).unwrap();
    let said = refused(&folder, &["cut.json", "new", "--strategy", "window"]);
    assert!(said.contains("unexpected end of file"), "{said}");
}

#[test]
fn rejects_versions_with_different_overrides() {
    let folder = versions(&[("a.md", TEA)], &[("a.md", TEA)]);
    let config = folder.path().join("chunkwright.toml");
    fs::write(&config, "[[override]]\npaths = ['a.md']\nmax = 20\n").unwrap();
    run(&folder, &["chunk", "old", "--tree", "new", "-o", "old.json"]);
    assert!(run(&folder, &["diff", "old.json", "new"]).status.success());
    fs::remove_file(&config).unwrap();
    let said = refused(&folder, &["old.json", "new"]);
    assert!(said.contains("were split with different options"), "{said}");
}

#[test]
fn warns_of_output_of_an_older_version_and_compares_it() {
    let folder = versions(&[("tea.md", TEA)], &[("tea.md", TEA)]);
    for name in ["old.json", "old.parquet"] {
        run(&folder, &["chunk", "old", "--strategy", "tree", "--tree", "new", "-o", name]);
    }
    let written = fs::read_to_string(folder.path().join("old.json")).unwrap();
    let now =
        format!(",\"algorithms\":\"{} {}\"", StrategyName::Tree, StrategyName::Tree.version());
    for older in ["", ",\"algorithms\":\"tree 1\""] {
        let (before, rest) = written.split_once(&now).unwrap();
        // The hash depends on the version, so it must differ too.
        let before = before.replace(|c: char| c.is_ascii_digit(), "f");
        fs::write(folder.path().join("older.json"), [&before, older, rest].concat()).unwrap();
        let output = run(&folder, &["diff", "older.json", "new", "--strategy", "tree"]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(
            said.starts_with(
                "warning: older.json was written by a version that splits differently"
            )
        );
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && printed.contains("3 unchanged"), "{printed}");
    }
    for same in ["old.json", "old.parquet"] {
        let output = run(&folder, &["diff", same, "new", "--strategy", "tree"]);
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    }
}
