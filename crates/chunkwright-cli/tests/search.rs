//! `index` and `search`: results, operators, filters, merging, ranking, updates.

#![allow(clippy::unwrap_used, reason = "a failed test should panic")]

#[path = "common/kitchen.rs"]
mod kitchen;

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use chunkwright_search::render::FIELDS;
use kitchen::{KETTLE, command, folder, ids, index, kitchen, run, said, search};
use serde_json::Value;

#[test]
fn results_have_the_documented_fields_and_the_text_of_the_file() {
    let folder = kitchen();
    let answer = search(folder.path(), &["limescale"]);
    let result = &answer["results"][0];
    let fields: Vec<&str> = result.as_object().unwrap().keys().map(String::as_str).collect();
    // The rest is only in merged results, parts, and explained results.
    let expected = FIELDS.iter().copied();
    let expected: Vec<&str> = expected
        .filter(|field| !["combined_score", "whole_tokens", "explain"].contains(field))
        .collect();
    assert_eq!(fields, expected);
    let bytes = |name: &str| usize::try_from(result[name].as_u64().unwrap()).unwrap();
    let text = &KETTLE[bytes("byte_start")..bytes("byte_end")];
    assert_eq!(result["text"], text);
    assert_eq!(text, "## Clean\n\nUse vinegar against limescale.");
    let line = KETTLE.lines().nth(bytes("line_start") - 1).unwrap();
    assert_eq!(line, "## Clean");
    assert_eq!(result["breadcrumb"], serde_json::json!(["Kettle", "Clean"]));
    let highlight = &result["highlights"][0];
    let at = |nth: usize| usize::try_from(highlight[nth].as_u64().unwrap()).unwrap();
    assert_eq!(&result["snippet"].as_str().unwrap()[at(0)..at(1)], "limescale");
}

#[test]
fn the_exit_code_distinguishes_results_no_results_and_errors() {
    let folder = kitchen();
    let code = |arguments: &[&str]| {
        run(folder.path(), &[&["search", "--index", "ix"], arguments].concat()).status.code()
    };
    assert_eq!(code(&["vinegar"]), Some(0));
    assert_eq!(code(&["submarine"]), Some(1));
    assert_eq!(code(&["vinegar", "--where", "nonsense"]), Some(2));
    assert_eq!(code(&["--strict", "a \"b"]), Some(2));
    let nothing = search(folder.path(), &["submarine"]);
    assert_eq!(nothing["results"], serde_json::json!([]));
    assert_eq!(nothing["query"], "submarine");
}

#[test]
fn answers_a_question_with_an_unknown_word() {
    let folder = kitchen();
    let answer = search(folder.path(), &["how do I get rid of limescale in my submarine?"]);
    assert_eq!(ids(&answer)[0], "docs:kettle.md#clean");
}

#[test]
fn applies_query_operators() {
    let folder = kitchen();
    let found = |query: &str| -> Vec<String> {
        ids(&search(folder.path(), &["--no-merge", query])).into_iter().map(str::to_owned).collect()
    };
    assert!(found("lid +hinge").iter().all(|id| id == "docs:kettle.md#lid"));
    assert!(!found("lid -hinge").contains(&"docs:kettle.md#lid".to_owned()));
    assert_eq!(found("\"two screws\""), ["docs:kettle.md#handle"]);
    assert_eq!(found("\"screws two\""), Vec::<String>::new());
    assert_eq!(found("title:cable"), ["docs:kettle.md#cable"]);
    assert!(found("limesc*").contains(&"docs:kettle.md#clean".to_owned()));
    assert!(found("-hinge lid").contains(&"docs:more/pot.md#pot".to_owned()));
    assert!(found("lid +path:pot").iter().all(|id| id.starts_with("docs:more/pot.md")));
    assert!(found("lid +tag:tea").iter().all(|id| id.starts_with("docs:kettle.md")));
}

#[test]
fn warns_of_syntax_errors_unless_strict() {
    let folder = kitchen();
    let answer = search(folder.path(), &["\"vinegar"]);
    assert_eq!(ids(&answer)[0], "docs:kettle.md#clean");
    assert_eq!(answer["warnings"], serde_json::json!(["unclosed quote at byte 0"]));
    let output = run(folder.path(), &["search", "--index", "ix", "--strict", "a \"vinegar"]);
    assert!(said(&output).ends_with("\n  a \"vinegar\n    ^\n"), "{}", said(&output));
}

#[test]
fn filters_by_path_tree_and_front_matter() {
    let folder = kitchen();
    let paths = |filter: &[&str]| -> Vec<String> {
        let answer = search(folder.path(), &[&["lid"], filter].concat());
        let results = answer["results"].as_array().unwrap().clone();
        results.iter().map(|result| result["path"].as_str().unwrap().to_owned()).collect()
    };
    assert!(paths(&["--path", "more/*.md"]).iter().all(|path| path == "more/pot.md"));
    assert!(paths(&["--path", "*.md"]).iter().all(|path| path == "kettle.md"));
    assert!(paths(&["--where", "weight>10"]).iter().all(|path| path == "more/pot.md"));
    assert!(paths(&["--where", "date<2026-03-01"]).iter().all(|path| path == "kettle.md"));
    assert!(paths(&["--where", "draft!=true"]).iter().all(|path| path == "kettle.md"));
    assert!(paths(&["--tree", "other"]).is_empty());
    assert_eq!(paths(&["--tree", "docs"]).len(), paths(&[]).len());
}

#[test]
fn merges_matching_siblings_and_explains_it() {
    let folder = kitchen();
    let flags = "--explain --set search.merging.match_ratio=0.2 \
                 --set search.merging.match_coverage=0";
    let flags: Vec<&str> = flags.split_whitespace().collect();
    let answer = search(folder.path(), &[&["repair lid handle cable"], &flags[..]].concat());
    let result = &answer["results"][0];
    assert!(result["merged_from"].as_array().unwrap().len() >= 3, "{result}");
    let why = result["explain"].to_string();
    assert!(why.contains("children"), "{why}");
    let apart = search(folder.path(), &["repair lid handle cable", "--no-merge"]);
    assert!(ids(&apart).len() > ids(&answer).len());
}

/// Returns the slugs of the results of `zebra` on one page, and whether each is merged. Only the five
/// rules of merging are active.
fn by_rules_alone(page: &str, more: &[&str]) -> Vec<(String, bool)> {
    let folder = folder(&[("docs/a.md", page)]);
    index(folder.path());
    let mut args = vec!["zebra"];
    for option in [
        "search.merging.match_ratio=0",
        "search.merging.match_coverage=0",
        "search.merging.max_merge_tokens=0",
        "search.max_result_tokens=0",
        "search.merging.order=sum",
    ] {
        args.extend(["--set", option]);
    }
    args.extend(more);
    let answer = search(folder.path(), &args);
    let results = answer["results"].as_array().unwrap();
    let slug = |result: &Value| result["id"].as_str().unwrap().replace("docs:a.md#", "");
    let is_merged = |result: &Value| !result["merged_from"].as_array().unwrap().is_empty();
    results.iter().map(|result| (slug(result), is_merged(result))).collect()
}

fn merged(slug: &str) -> (String, bool) {
    (slug.to_owned(), true)
}

fn alone(slug: &str) -> (String, bool) {
    (slug.to_owned(), false)
}

#[test]
fn rule_1_merges_more_than_half_of_the_siblings() {
    let page = "# Top\n\nx\n\n## Animals\n\ny\n\n### A\n\nzebra\n\n### B\n\nzebra\n\n### C\n\nz\n\n## Rest\n\nw\n";
    assert_eq!(by_rules_alone(page, &[]), [merged("animals+")]);
    let half = page.replace("### C", "### C\n\nz\n\n### D");
    let results = by_rules_alone(&half, &[]);
    assert_eq!(results.len(), 2);
    assert!(results.contains(&alone("a")) && results.contains(&alone("b")), "{results:?}");
}

#[test]
fn rule_1_ignores_matches_in_titles_above_the_siblings() {
    let page = "# Zebra\n\ntop words\n\n## Mid\n\nplain\n\n### Leaf one\n\nzebra\n\n### Leaf two\n\nnone\n\n### Leaf three\n\nnone\n";
    assert_eq!(by_rules_alone(page, &[]), [alone("zebra"), alone("leaf-one")]);
    let title_only = page.replace("\n\nzebra\n", "\n\nnone\n");
    assert_eq!(by_rules_alone(&title_only, &[]), [alone("zebra")]);
}

#[test]
fn rule_2_a_parent_that_matches_replaces_its_matching_children() {
    let page = "# Top\n\nx\n\n## Zebra things\n\ny\n\n### A\n\nzebra\n\n### B\n\nb\n\n### C\n\nc\n\n## Rest\n\nw\n";
    assert_eq!(by_rules_alone(page, &[]), [merged("zebra-things+")]);
}

#[test]
fn rule_3_a_merged_score_is_the_sum_capped_at_twice_the_best_child() {
    let leaves: String = (0..4).map(|n| format!("### L{n}\n\nzebra\n\n")).collect();
    let page = format!("# Top\n\nx\n\n## Animals\n\ny\n\n{leaves}## Rest\n\nw\n");
    let folder = folder(&[("docs/a.md", &page)]);
    index(folder.path());
    for (order, times) in [("sum", 2.0), ("best", 1.0)] {
        let option = format!("search.merging.order={order}");
        let answer = search(folder.path(), &["zebra", "--set", &option]);
        let result = &answer["results"][0];
        let best = result["merged_from"][0]["score"].as_f64().unwrap();
        assert_eq!(result["combined_score"].as_f64().unwrap(), 2.0 * best);
        assert_eq!(result["score"].as_f64().unwrap(), times * best);
    }
}

#[test]
fn rule_4_a_document_is_a_result_only_if_all_its_top_headings_match() {
    let page = "## One\n\nzebra\n\n## Two\n\nzebra\n\n## Three\n\nx\n";
    let results = by_rules_alone(page, &[]);
    assert!(results.contains(&alone("one")) && results.contains(&alone("two")), "{results:?}");
    let all = page.replace("\nx\n", "\nzebra\n");
    assert_eq!(by_rules_alone(&all, &[]), [merged("docs:a.md+")]);
}

#[test]
fn rule_5_returns_a_leaf_alone_whatever_its_size() {
    let filler = "Nothing of interest is said in this paragraph about anything.\n\n".repeat(400);
    let page = format!("# Top\n\nx\n\n# Leaf\n\n{filler}The zebra is here.\n");
    assert_eq!(by_rules_alone(&page, &[]), [alone("leaf")]);
}

#[test]
fn a_field_with_weight_zero_finds_nothing() {
    let page = "# Zebra chapter\n\nx\n\n## Plain\n\ny\n\n## Else\n\nw\n";
    let flags = ["--no-merge", "--set", "search.ranking.weights.breadcrumb=0"];
    assert_eq!(by_rules_alone(page, &flags), [alone("zebra-chapter")]);
}

#[test]
fn ranks_the_page_named_like_the_query_first() {
    let pods = "# Pods\n\nThe smallest unit of work is described here at some length.\n";
    let other = "# Static Pods\n\n## Pods\n\nPods, pods and more pods.\n";
    let policy = "# Isolation\n\nWho may talk to whom.\n";
    let pages = [
        ("docs/pods/_index.md", pods),
        ("docs/static.md", other),
        ("docs/network-policies.md", policy),
    ];
    let folder = folder(&pages);
    index(folder.path());
    for (query, path) in [
        ("pods", "pods/_index.md"),
        ("pod", "pods/_index.md"),
        ("static pods", "static.md"),
        ("networkpolicy", "network-policies.md"),
        ("network policies", "network-policies.md"),
    ] {
        let answer = search(folder.path(), &[query]);
        assert_eq!(answer["results"][0]["path"], path, "{query}");
    }
}

#[test]
fn returns_part_of_a_large_section_and_get_returns_all_of_it() {
    let filler = "Nothing of interest is said in this paragraph about anything.\n\n".repeat(400);
    let page = format!("# Small\n\nx\n\n# Large\n\n{filler}The zebra is here.\n\n{filler}");
    let folder = folder(&[("docs/a.md", &page)]);
    index(folder.path());
    let answer = search(folder.path(), &["zebra"]);
    let result = &answer["results"][0];
    let id = result["id"].as_str().unwrap();
    assert!(id.starts_with("docs:a.md#large@"), "{id}");
    assert!(result["text"].as_str().unwrap().contains("The zebra is here."));
    assert!(result["tokens"].as_u64().unwrap() < 2500);
    assert!(result["whole_tokens"].as_u64().unwrap() > 5000);
    let get = |id: &str| run(folder.path(), &["get", id, "--index", "ix", "--raw"]).stdout;
    assert_eq!(get(id), format!("{}\n", result["text"].as_str().unwrap()).into_bytes());
    assert!(get("docs:a.md#large").len() > 40_000);
}

#[test]
fn marks_results_of_changed_files_as_stale() {
    let folder = kitchen();
    fs::write(folder.path().join("docs/kettle.md"), KETTLE.replace("vinegar", "lemon")).unwrap();
    let stale = search(folder.path(), &["limescale"]);
    assert_eq!(stale["results"][0]["stale"], true);
    assert!(stale["results"][0]["text"].as_str().unwrap().contains("vinegar"));
    let fresh = search(folder.path(), &["limescale", "--fresh"]);
    assert_eq!(fresh["results"][0]["stale"], false);
    assert!(fresh["results"][0]["text"].as_str().unwrap().contains("lemon"));
}

#[test]
fn indexes_only_changed_files_again() {
    let folder = kitchen();
    let again = |expected: [u64; 4]| {
        let output = run(folder.path(), &["index", "docs", "--index", "ix", "--json"]);
        let done: Value = serde_json::from_slice(&output.stdout).unwrap();
        let names = ["added", "changed", "removed", "unchanged"];
        assert_eq!(names.map(|name| done[name].as_u64().unwrap()), expected);
    };
    let commit = || fs::read(folder.path().join("ix/index/meta.json")).unwrap();
    let before = commit();
    again([0, 0, 0, 2]);
    assert_eq!(commit(), before, "nothing changed, but there was a commit");
    fs::write(folder.path().join("docs/kettle.md"), KETTLE).unwrap();
    again([0, 0, 0, 2]);
    assert_eq!(commit(), before, "the text is the same, but there was a commit");
    fs::write(folder.path().join("docs/kettle.md"), "# New\n\ntext\n").unwrap();
    fs::write(folder.path().join("docs/third.md"), "# Third\n\ntext\n").unwrap();
    fs::remove_file(folder.path().join("docs/more/pot.md")).unwrap();
    again([1, 1, 1, 0]);
    let output = run(folder.path(), &["ls", "--recursive", "--index", "ix"]);
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 2);
}

#[test]
fn a_small_tree_ranks_first_beside_a_large_one() {
    let mut files: Vec<(String, String)> = (0..300)
        .map(|nth| (format!("large/{nth}.md"), format!("# Kettle {nth}\n\nA kettle, a kettle.\n")))
        .collect();
    files.push(("small/a.md".to_owned(), "# Notes\n\nOur kettle is blue.\n".to_owned()));
    let config = "[trees.large]\npath = \"large\"\n\n[trees.little]\npath = \"small\"\n";
    files.push(("chunkwright.toml".to_owned(), config.to_owned()));
    let files: Vec<(&str, &str)> = files.iter().map(|(p, t)| (p.as_str(), t.as_str())).collect();
    let folder = folder(&files);
    let output = run(folder.path(), &["index"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let output = run(folder.path(), &["search", "blue kettle", "--json"]);
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(ids(&answer)[0], "little:a.md#notes");
    let output =
        run(&folder.path().join("small"), &["search", "kettle", "--tree", "little", "--json"]);
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(ids(&answer), ["little:a.md#notes"]);
}

#[test]
fn finds_the_index_in_parent_and_child_directories() {
    let folder = folder(&[("docs/kettle.md", KETTLE), ("other/x.md", "# X\n\nx\n")]);
    assert!(run(folder.path(), &["index", "docs"]).status.success());
    for from in [folder.path().to_owned(), folder.path().join("docs")] {
        assert_eq!(run(&from, &["search", "limescale"]).status.code(), Some(0));
    }
    let output = run(&folder.path().join("other"), &["search", "limescale"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("create one with `chunkwright index PATH`"));
}

#[test]
fn warns_if_the_index_does_not_match_the_configuration() {
    let folder = folder(&[
        ("docs/kettle.md", KETTLE),
        ("chunkwright.toml", "[trees.docs]\npath = \"docs\"\n"),
    ]);
    assert!(run(folder.path(), &["index"]).status.success());
    let config = "[trees.docs]\npath = \"docs\"\n[index]\nlanguage = \"german\"\n";
    fs::write(folder.path().join("chunkwright.toml"), config).unwrap();
    let output = run(folder.path(), &["search", "limescale"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(said(&output).starts_with("warning: the index was built with"), "{}", said(&output));
    let output = run(folder.path(), &["index"]);
    assert!(said(&output).starts_with("note: rebuilt "), "{}", said(&output));
    assert_eq!(said(&run(folder.path(), &["search", "limescale"])), "");
}

#[test]
fn rejects_a_second_directory_with_the_same_tree_name() {
    let folder = folder(&[("a/docs/x.md", "# X\n\nx\n"), ("b/docs/y.md", "# Y\n\ny\n")]);
    assert!(run(folder.path(), &["index", "a/docs", "--index", "ix"]).status.success());
    let output = run(folder.path(), &["index", "b/docs", "--index", "ix"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("--tree"), "{}", said(&output));
    let output = run(folder.path(), &["index", "b/docs", "--tree", "other", "--index", "ix"]);
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(ids(&search(folder.path(), &["x OR y"])).len(), 2);
}

#[test]
fn reports_an_unreadable_file_and_keeps_its_old_text() {
    let folder = kitchen();
    fs::write(folder.path().join("docs/kettle.md"), b"caf\xe9").unwrap();
    let output = run(folder.path(), &["index", "docs", "--index", "ix"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("kettle.md: invalid UTF-8 at byte 3"), "{}", said(&output));
    let answer = search(folder.path(), &["limescale"]);
    assert_eq!(answer["results"][0]["stale"], true);
}

#[test]
fn rebuilds_the_index_if_its_options_change() {
    let folder = kitchen();
    let output = run(folder.path(), &["index", "docs", "--index", "ix", "--language", "none"]);
    assert!(said(&output).starts_with("note: rebuilt ix: "), "{}", said(&output));
    assert!(ids(&search(folder.path(), &["title:handles"])).is_empty());
    let output = run(folder.path(), &["index", "docs", "--index", "ix"]);
    assert_eq!(said(&output), "", "the index lost its options");
}

#[test]
fn answers_many_queries_in_one_run() {
    let folder = kitchen();
    let lines = "{\"qid\": 1, \"query\": \"limescale\"}\n\n{\"qid\": 2, \"query\": \"hinge\"}\n";
    fs::write(folder.path().join("queries.jsonl"), lines).unwrap();
    let output = run(folder.path(), &["search", "--index", "ix", "--queries", "queries.jsonl"]);
    let answers: Vec<Value> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(answers.iter().map(|a| a["qid"].as_u64().unwrap()).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(ids(&answers[1])[0], "docs:kettle.md#lid");
}

#[test]
fn watch_updates_the_index() {
    let folder = kitchen();
    let mut watch = command(folder.path(), &["index", "docs", "--index", "ix", "--watch", "-q"]);
    let mut child = watch.stdout(Stdio::null()).spawn().unwrap();
    fs::write(folder.path().join("docs/new.md"), "# New\n\nA samovar.\n").unwrap();
    let until = Instant::now() + Duration::from_secs(30);
    let mut found = false;
    while !found && Instant::now() < until {
        found = !ids(&search(folder.path(), &["samovar"])).is_empty();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(found, "the new page was not found");
}

#[test]
fn finds_chinese_words_without_spaces() {
    let folder = folder(&[("docs/a.md", "# 水壶\n\n水壶可以烧开水。\n")]);
    index(folder.path());
    assert!(!ids(&search(folder.path(), &["烧开"])).is_empty());
    assert!(!ids(&search(folder.path(), &["水壶怎么用"])).is_empty());
    assert!(!ids(&search(folder.path(), &["水"])).is_empty());
}
