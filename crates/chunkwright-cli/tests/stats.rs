//! `stats` and `inspect`: counts, views and layout.

#![allow(clippy::unwrap_used, reason = "a failed test should panic")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;
use unicode_width::UnicodeWidthStr;

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
    command.args(arguments).current_dir(folder).env_remove("COLUMNS").output().unwrap()
}

/// Returns the output of a command in this many columns.
fn printed(folder: &Path, columns: usize, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chunkwright"));
    command.args(arguments).current_dir(folder).env("COLUMNS", columns.to_string());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Creates a folder with long paths, titles, lines and blocks.
fn long_folder() -> TempDir {
    let folder = folder();
    let title = "A title that is far longer than a line 你好吗 ".repeat(4);
    let code = "    let value = compute(1, 2, 3); // a line of code\n".repeat(60);
    let row = "| a cell with some text | another cell |\n".repeat(60);
    let page = format!(
        "# {title}\n\nText ![](data:image/png;base64,iVBORw0KGgo=)\n\n## {title}\n\n```rs\n{code}```\n\n\
         ###### {title}\n\n| a | b |\n|---|---|\n{row}\n{}\n",
        "A long paragraph. ".repeat(200),
    );
    let path = folder.path().join("docs").join("a-long-name/".repeat(10));
    fs::create_dir_all(&path).unwrap();
    fs::write(path.join("page-with-a-long-name.md"), page).unwrap();
    folder
}

fn json(folder: &Path, arguments: &[&str]) -> Value {
    let output = run(folder, &[&["stats", "docs", "--json"], arguments].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn counts_agree_with_the_output_of_chunk() {
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
fn compared_strategies_use_the_same_tokenizer() {
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
fn counts_files_of_an_override_separately() {
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
    assert!(table.contains("tokenizer                     o200k             words\n"), "{table}");
}

#[test]
fn plots_the_same_counts() {
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
fn rejects_wrong_usage() {
    let folder = folder();
    let refused: [(&[&str], &str); 11] = [
        (&["--compare", "window,tree,window"], "duplicate strategy `window` in `--compare`"),
        (&["--compare", "hierarchical,magic"], "magic"),
        (
            &["--compare", "hierarchical,tree", "--overlap", "high"],
            "have no option `overlap`; use it with `blocks`",
        ),
        (&["--compare", "window", "--strategy", "tree"], "cannot be used with"),
        (&["--price", "-1"], "expected a non-negative number"),
        (&["--price", "cheap"], "expected a non-negative number"),
        (&["--plot", "docs"], "directory"),
        (
            &["--plot", "out.png"],
            "cannot write out.png: plots are SVG; use a file that ends in .svg",
        ),
        (&["--by", "page"], "page"),
        (&["--by", "file", "--chunks"], "cannot be used with"),
        (&["--chunks", "--compare", "window,tree"], "cannot be used with"),
    ];
    for (flags, reason) in refused {
        let output = run(folder.path(), &[&["stats", "docs"], flags].concat());
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{flags:?}");
        assert!(said.contains(reason), "{flags:?}: {said}");
    }
}

#[test]
fn reports_unreadable_files_and_counts_the_rest() {
    let folder = folder();
    fs::write(folder.path().join("docs/bad.md"), b"\xff").unwrap();
    let output = run(folder.path(), &["stats", "docs", "missing.md", "--json"]);
    assert_eq!(output.status.code(), Some(2));
    let counts: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(counts["strategies"][0]["files"], 2);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("bad.md") && said.contains("missing.md") && said.contains("2 files"));
}

#[test]
fn every_view_fits_the_width() {
    let folder = long_folder();
    let page = format!("docs/{}page-with-a-long-name.md", "a-long-name/".repeat(10));
    let views: [&[&str]; 10] = [
        &["stats", "docs"],
        &["stats", "docs", "--compare", "hierarchical,window,blocks,tree", "--price", "0.02"],
        &["stats", "docs", "--compare", "hierarchical,window,blocks,tree", "--max", "100"],
        &["stats", "docs", "--by", "file", "--max", "100"],
        &["stats", "docs", "--chunks", "--max", "100"],
        &["stats", "docs", "--chunks", "--strategy", "tree"],
        &["inspect", &page, "--what", "sections"],
        &["inspect", &page, "--what", "blocks"],
        &["inspect", &page, "--what", "plan", "--max", "100"],
        &["inspect", &page, "--what", "nodes"],
    ];
    for view in views {
        for columns in [80, 100] {
            for line in printed(folder.path(), columns, view).lines() {
                assert!(line.width() <= columns, "{view:?}: {} columns: {line}", line.width());
            }
        }
    }
}

#[test]
fn stacks_strategies_that_do_not_fit_side_by_side() {
    let folder = folder();
    let arguments = ["stats", "docs", "--compare", "hierarchical,window,blocks,tree"];
    let heads = |columns| {
        let shown = printed(folder.path(), columns, &arguments);
        shown.lines().filter(|line| line.starts_with("limits ")).count()
    };
    assert_eq!([80, 60, 40].map(heads), [1, 2, 4]);
}

#[test]
fn a_bin_ends_at_the_maximum_of_each_strategy() {
    let folder = long_folder();
    let flags = ["--compare", "window,blocks", "--set", "window.max=90", "--set", "blocks.max=128"];
    let ways = json(folder.path(), &flags)["strategies"].clone();
    for way in ways.as_array().unwrap() {
        let bins = way["histogram"].as_array().unwrap();
        assert!(bins.iter().any(|bin| bin["to"] == way["max"]), "{way}");
    }
    let svg = folder.path().join("sizes.svg");
    json(folder.path(), &[&flags[..], &["--plot", "sizes.svg"]].concat());
    let svg = fs::read_to_string(svg).unwrap();
    assert!(svg.contains(">max 90<") && svg.contains(">max 128<"), "{svg}");
}

#[test]
fn lists_files_with_split_blocks_first() {
    let folder = long_folder();
    let shown = json(folder.path(), &["--by", "file", "--max", "100"]);
    let files = shown["files"].as_array().unwrap();
    let paths: Vec<_> = files.iter().map(|file| file["path"].as_str().unwrap()).collect();
    assert!(paths[0].ends_with("page-with-a-long-name.md"), "{paths:?}");
    assert_eq!(paths[1..], ["more.md", "tea.md"]);
    assert_eq!((&files[0]["code_cut"], &files[0]["tables_cut"]), (&1.into(), &1.into()));
    let sum = |field: &str| files.iter().map(|file| file[field].as_u64().unwrap()).sum::<u64>();
    let total = &shown["strategies"][0];
    assert_eq!((sum("chunks"), sum("tokens")), (uint(&total["chunks"]), uint(&total["tokens"])));
    let largest = files.iter().map(|file| uint(&file["largest"])).max();
    assert_eq!(largest.unwrap(), uint(&total["tokens_per_chunk"]["p100"]));
}

fn uint(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

#[test]
fn lists_every_chunk_in_input_order() {
    let folder = long_folder();
    let chunks = |jobs: &str| json(folder.path(), &["--chunks", "--max", "100", "--jobs", jobs]);
    let shown = chunks("1");
    assert_eq!(shown, chunks("4"));
    let listed = shown["chunks"].as_array().unwrap();
    let output = run(folder.path(), &["chunk", "docs", "--max", "100"]);
    let lines = String::from_utf8(output.stdout).unwrap();
    let records: Vec<Value> = lines.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(listed.len(), records.len());
    for (chunk, record) in listed.iter().zip(&records) {
        assert_eq!((&chunk["id"], &chunk["tokens"]), (&record["id"], &record["tokens"]));
        let flags = chunk["flags"].as_array().unwrap();
        assert_eq!(flags.contains(&"tiny".into()), uint(&chunk["tokens"]) < 50, "{chunk}");
        for (flag, block) in [("code_cut", "code"), ("table_cut", "table")] {
            let notes = record["notes"].as_array().into_iter().flatten();
            let is_noted = notes.into_iter().any(|note| note["block"] == block);
            assert_eq!(flags.contains(&flag.into()), is_noted, "{chunk} {record}");
        }
    }
    let empty = run(folder.path(), &["stats", "-", "--chunks", "--json"]);
    let empty: Value = serde_json::from_slice(&empty.stdout).unwrap();
    assert_eq!(empty["chunks"], serde_json::json!([]));
}

#[test]
fn numbers_in_a_pipe_have_no_separators() {
    let folder = long_folder();
    let shown = printed(folder.path(), 80, &["stats", "docs"]);
    assert!(shown.contains("512–1024"), "{shown}");
}

#[test]
fn inspect_prints_every_view_as_json() {
    let folder = long_folder();
    let view = |what: &str| -> Value {
        let arguments = ["inspect", "docs/tea.md", "--what", what, "--json"];
        serde_json::from_slice(&run(folder.path(), &arguments).stdout).unwrap()
    };
    let sections = view("sections");
    assert_eq!((&sections["path"], &sections["tokenizer"]), (&"tea.md".into(), &"o200k".into()));
    let green = &sections["sections"][1];
    assert_eq!((&green["title"], &green["slug"]), (&"Green".into(), &"green".into()));
    let start = PAGE.find("## Green").unwrap();
    assert_eq!((&green["byte_start"], &green["byte_end"]), (&start.into(), &PAGE.len().into()));
    assert_eq!(green["tokens"], green["subtree_tokens"]);
    assert!(uint(&sections["sections"][0]["subtree_tokens"]) > uint(&green["tokens"]));
    let blocks = view("blocks")["blocks"].clone();
    assert_eq!((&blocks[2]["kind"], &blocks[2]["first_line"]), (&"code".into(), &"```sh".into()));
    assert_eq!(blocks[0]["byte_end"], blocks[1]["byte_start"]);
    let plan = view("plan")["chunks"].clone();
    let pieces = serde_json::json!([{"kind": "own", "start": 0, "end": PAGE.len()}]);
    assert_eq!((&plan[0]["id"], &plan[0]["pieces"]), (&"docs:tea.md#tea".into(), &pieces));
    let nodes = view("nodes")["nodes"].clone();
    assert_eq!((&nodes[0]["id"], &nodes[0]["byte_start"]), (&"docs:tea.md".into(), &Value::Null));
    assert_eq!(nodes[1]["parent_id"], nodes[0]["id"]);
    assert_eq!(view("tree")["nodes"], nodes);
}
