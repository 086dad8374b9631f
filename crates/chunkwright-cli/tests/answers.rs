//! Answers of `search`, `get`, `ls` and `status`: budgets, formats, handles, suggestions.

#![allow(clippy::unwrap_used, reason = "a failed test should panic")]

#[path = "common/kitchen.rs"]
mod kitchen;

use std::fs::{self, OpenOptions};
use std::path::Path;

use chunkwright::{O200k, TextKind, TokenCounter};
use kitchen::{KETTLE, POT, folder, ids, index, kitchen, run, said, search};
use serde_json::{Value, json};

fn tokens(text: &[u8]) -> usize {
    O200k.count(std::str::from_utf8(text).unwrap(), TextKind::Prose)
}

/// Returns the output of a command that must succeed.
fn printed(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, &[arguments, &["--index", "ix"]].concat());
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", said(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the message of a command that must fail, without its prefix.
fn complaint(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, &[arguments, &["--index", "ix"]].concat());
    assert_ne!(output.status.code(), Some(0), "{arguments:?}");
    said(&output).trim_end().trim_start_matches("error: ").to_owned()
}

#[test]
fn never_prints_more_than_the_budget() {
    let folder = kitchen();
    let query = ["search", "lid handle water limescale", "--index", "ix"];
    for format in [&["--format", "text"][..], &["--format", "markdown"], &["--json"]] {
        for budget in [0, 1, 5, 30, 60, 90, 150, 400, 4000] {
            for more in [&[][..], &["--explain"], &["--color", "always"]] {
                let most = budget.to_string();
                let arguments = [&query[..], format, &["--max-tokens", &most], more].concat();
                let output = run(folder.path(), &arguments);
                let used = tokens(&output.stdout);
                assert!(used <= budget, "{used} of {budget}: {arguments:?}");
                if output.status.code() == Some(2) {
                    let smallest = said(&output);
                    let smallest = smallest.trim_end().rsplit(' ').next().unwrap();
                    let arguments =
                        [&query[..], format, &["--max-tokens", smallest], more].concat();
                    assert_eq!(run(folder.path(), &arguments).status.code(), Some(0));
                }
            }
        }
    }
}

#[test]
fn uses_the_budget_while_hits_remain() {
    let pages: Vec<(String, String)> = (0..80)
        .map(|nth| (format!("docs/{nth}.md"), format!("# Tea {nth}\n\nTea in pot {nth}.\n")))
        .collect();
    let pages: Vec<(&str, &str)> = pages.iter().map(|(p, t)| (p.as_str(), t.as_str())).collect();
    let folder = folder(&pages);
    index(folder.path());
    for (format, most) in
        [("text", 300), ("text", 1000), ("markdown", 300), ("markdown", 1000), ("json", 3000)]
    {
        let budget = most.to_string();
        let arguments = ["search", "tea", "--format", format, "--max-tokens", &budget];
        let used = tokens(printed(folder.path(), &arguments).as_bytes());
        assert!(used * 10 >= most * 8 && used <= most, "{format}: {used} of {most}");
    }
}

#[test]
fn a_budget_replaces_the_default_limit_on_results() {
    let pages: Vec<(String, String)> =
        (0..30).map(|nth| (format!("docs/{nth}.md"), format!("# Tea {nth}\n\nTea.\n"))).collect();
    let pages: Vec<(&str, &str)> = pages.iter().map(|(p, t)| (p.as_str(), t.as_str())).collect();
    let folder = folder(&pages);
    index(folder.path());
    assert_eq!(ids(&search(folder.path(), &["tea"])).len(), 10);
    assert_eq!(ids(&search(folder.path(), &["tea", "--max-tokens", "100000"])).len(), 30);
    let both = ["tea", "--max-tokens", "100000", "--limit", "3"];
    assert_eq!(ids(&search(folder.path(), &both)).len(), 3);
}

#[test]
fn lists_results_that_do_not_fit_with_their_tokens() {
    let large = format!("# Zebra\n\n{}", "The zebra has stripes everywhere. ".repeat(60));
    let folder = folder(&[("docs/a.md", &large), ("docs/b.md", "# Other\n\nA zebra.\n")]);
    index(folder.path());
    let markdown =
        printed(folder.path(), &["search", "zebra", "--format", "markdown", "--max-tokens", "90"]);
    assert!(markdown.contains("A zebra."), "{markdown}");
    let last = markdown.lines().last().unwrap();
    assert!(last.starts_with("Not shown: docs:a.md#zebra ("), "{markdown}");
    let answer = search(folder.path(), &["zebra", "--max-tokens", "300", "--fields", "id"]);
    for handle in answer["handles"].as_array().unwrap() {
        let id = handle["id"].as_str().unwrap();
        let node: Value =
            serde_json::from_str(&printed(folder.path(), &["get", id, "--json"])).unwrap();
        assert_eq!(node["tokens"], handle["tokens"], "{id}");
    }
}

#[test]
fn markdown_contains_the_full_text_of_each_result() {
    let folder = kitchen();
    assert_eq!(
        printed(folder.path(), &["search", "limescale", "--format", "markdown"]),
        "> Kettle › Clean\ndocs:kettle.md#clean · kettle.md:11-13\n\n\
         ## Clean\n\nUse vinegar against limescale.\n"
    );
}

#[test]
fn wraps_text_to_the_terminal() {
    let title = "A heading that goes on for much longer than any terminal is wide, as some do";
    let page =
        format!("# {title}\n\n## {title}\n\nThe kettle boils. {}\n", "And so on. ".repeat(40));
    let folder = folder(&[("docs/long-name-of-a-page-about-kettles.md", &page)]);
    index(folder.path());
    for (arguments, columns) in [
        (&["search", "kettle", "--explain", "--no-merge"][..], "60"),
        (&["search", "kettle", "--explain", "--no-merge"], "80"),
        (&["ls", "--recursive", "long-name-of-a-page-about-kettles.md"], "80"),
        (&["ls"], "60"),
    ] {
        let mut command = kitchen::command(folder.path(), arguments);
        let output = command.args(["--index", "ix"]).env("COLUMNS", columns).output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
        let printed = String::from_utf8(output.stdout).unwrap();
        let most: usize = columns.parse().unwrap();
        for line in printed.lines() {
            // Slugs, ids and paths are not wrapped.
            let is_wide = line.chars().count() > most && !line.contains("a-heading-that");
            assert!(!is_wide, "{line}");
        }
    }
}

#[test]
fn json_contains_only_the_requested_fields() {
    let folder = kitchen();
    let answer = search(folder.path(), &["limescale", "--fields", "id,tokens"]);
    assert_eq!(answer["results"][0], json!({ "id": "docs:kettle.md#clean", "tokens": 10 }));
    let wrong = complaint(folder.path(), &["search", "limescale", "--json", "--fields", "txt"]);
    assert!(wrong.starts_with("unknown field `txt`: expected one of `id`, "), "{wrong}");
    assert!(wrong.ends_with("; did you mean `text`?"), "{wrong}");
}

#[test]
fn get_prints_what_search_returned() {
    let filler = "Nothing of interest is said in this paragraph about anything.\n\n".repeat(400);
    let large = format!("# Small\n\nx\n\n# Large\n\n{filler}The zebra is here.\n\n{filler}");
    let folder = folder(&[("docs/kettle.md", KETTLE), ("docs/large.md", &large)]);
    index(folder.path());
    let mut kinds = [false; 3];
    for query in ["limescale", "lid handle cable", "zebra", "kettle"] {
        for result in search(folder.path(), &[query])["results"].as_array().unwrap() {
            let id = result["id"].as_str().unwrap();
            let text = result["text"].as_str().unwrap();
            assert_eq!(printed(folder.path(), &["get", id, "--raw"]), format!("{text}\n"), "{id}");
            let titles: Vec<&str> = result["breadcrumb"]
                .as_array()
                .unwrap()
                .iter()
                .map(|t| t.as_str().unwrap())
                .collect();
            let with_breadcrumb = format!("> {}\n\n{text}\n", titles.join(" › "));
            assert_eq!(printed(folder.path(), &["get", id]), with_breadcrumb, "{id}");
            kinds[0] |= id.ends_with('+');
            kinds[1] |= id.contains('@');
            kinds[2] |= id == result["node_id"];
        }
    }
    assert_eq!(kinds, [true; 3], "whole subtrees, parts and sections were all returned");
}

#[test]
fn get_accepts_paths_lines_and_anchors() {
    let folder = kitchen();
    let raw = |id: &str| printed(folder.path(), &["get", id, "--raw"]);
    let body = KETTLE.split("---\n").last().unwrap();
    assert_eq!(raw("kettle.md"), body);
    assert_eq!(raw("./kettle.md"), body);
    assert_eq!(raw("docs:kettle.md+"), body);
    assert_eq!(raw("kettle.md:13"), "## Clean\n\nUse vinegar against limescale.\n");
    assert_eq!(raw("docs:kettle.md:12"), raw("kettle.md:13"));
    assert_eq!(raw("kettle.md#clean"), raw("kettle.md:13"));
    assert_eq!(raw("kettle.md#repair"), "## Repair\n");
    let whole = printed(folder.path(), &["get", "kettle.md#repair", "--raw", "--whole"]);
    assert_eq!(raw("kettle.md#repair+"), whole);
    assert_eq!(raw("kettle.md:1"), raw("docs:kettle.md"), "front matter belongs to the page");
}

#[test]
fn suggests_the_nearest_ids_for_an_unknown_one() {
    let folder = kitchen();
    for (id, nearest) in [
        ("docs:kettle.md#claen", "; did you mean `docs:kettle.md#clean`?"),
        ("docs:ketle.md", "; did you mean `docs:kettle.md`?"),
        ("pot.md", "; did you mean `docs:more/pot.md`?"),
        ("kettle.md#xyzzy", ""),
        ("docs:kettle.md#clean@7", "; did you mean `docs:kettle.md#clean`?"),
    ] {
        let expected = format!("unknown id or path `{id}`{nearest}");
        assert_eq!(complaint(folder.path(), &["get", id]), expected);
    }
}

#[test]
fn rejects_a_path_that_is_in_several_trees() {
    let folder = folder(&[("a/x.md", "# X\n\nx\n"), ("b/x.md", "# Y\n\ny\n")]);
    assert!(run(folder.path(), &["index", "a", "b", "--index", "ix"]).status.success());
    let expected = "`x.md` exists in several trees; use one of these ids: `a:x.md`, `b:x.md`";
    assert_eq!(complaint(folder.path(), &["get", "x.md"]), expected);
    assert!(printed(folder.path(), &["get", "b:x.md+"]).contains("# Y"));
}

#[test]
fn ls_lists_one_level_at_a_time() {
    let folder = kitchen();
    let names = |arguments: &[&str]| -> Vec<String> {
        let listed = printed(folder.path(), &[&["ls", "--json"], arguments].concat());
        let listed = listed.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        listed.map(|one| one["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&[]), ["more/", "kettle.md"]);
    assert_eq!(names(&["docs:"]), ["more/", "kettle.md"]);
    assert_eq!(names(&["docs:more/"]), ["pot.md"]);
    assert_eq!(names(&["more"]), ["pot.md"]);
    assert_eq!(names(&["kettle.md"]), ["#kettle"]);
    assert_eq!(names(&["kettle.md#kettle"]), ["#clean", "#repair"]);
    assert_eq!(names(&["docs:kettle.md#clean"]), [""; 0]);
    assert_eq!(names(&["--recursive"]), ["docs:kettle.md", "docs:more/pot.md"]);
    let sections = ["#kettle", "#clean", "#repair", "#lid", "#handle", "#cable"];
    assert_eq!(names(&["-r", "kettle.md"]), sections);
    assert_eq!(printed(folder.path(), &["ls"]), "      12  more/\n      48  kettle.md  Kettle\n");
    let listed = printed(folder.path(), &["ls", "--json", "kettle.md#kettle"]);
    let first: Value = serde_json::from_str(listed.lines().next().unwrap()).unwrap();
    let (start, end) = (first["byte_start"].as_u64().unwrap(), first["byte_end"].as_u64().unwrap());
    let text = &KETTLE[usize::try_from(start).unwrap()..usize::try_from(end).unwrap()];
    assert!(text.starts_with("## Clean") && text.trim_end().ends_with("limescale."), "{text}");
    assert_eq!((&first["depth"], &first["position"]), (&json!(2), &json!(2)));
}

#[test]
fn answers_report_matched_and_unmatched_terms() {
    let folder = kitchen();
    let answer = search(folder.path(), &["vinegar against limescale in submarines"]);
    assert_eq!(answer["matched"], json!(["vinegar", "against", "limescale"]));
    assert_eq!(answer["unmatched"], json!([{ "term": "submarines" }]));
    let coverage = answer["coverage"].as_f64().unwrap();
    assert!(coverage > 0.5 && coverage < 1.0, "{coverage}");
    assert_eq!(search(folder.path(), &["limescale"])["coverage"], 1.0);
}

#[test]
fn suggests_a_correction_for_a_typo() {
    let folder = kitchen();
    let answer = search(folder.path(), &["hinge vinagar"]);
    assert_eq!(answer["unmatched"], json!([{ "term": "vinagar", "suggestion": "vinegar" }]));
    assert_eq!(answer.get("corrected"), None, "something matched");
    let output = run(folder.path(), &["search", "hinge vinagar", "--index", "ix"]);
    let expected = "note: no match for `vinagar`; did you mean `vinegar`?\n";
    assert_eq!(said(&output), expected);
}

#[test]
fn corrects_a_query_without_any_match() {
    let folder = kitchen();
    let answer = search(folder.path(), &["Limscale"]);
    assert_eq!(answer["corrected"], "limescale");
    assert_eq!(ids(&answer), ["docs:kettle.md#clean"]);
    let output = run(folder.path(), &["search", "Limscale", "--index", "ix"]);
    let expected = "note: no match for `Limscale`; showing results for `limescale`\n";
    assert_eq!(said(&output), expected);
}

#[test]
fn explains_why_there_are_no_results() {
    let folder = kitchen();
    for (arguments, reason) in [
        (&["submarine"][..], "no document contains these words"),
        (&["lid", "--tree", "nope"], "no tree is named `nope`; the trees are `docs`"),
        (&["lid", "--path", "more"], "no path matches `more`; try `more/**`"),
        (
            &["lid", "--path", "guides/*"],
            "no path matches `guides/*`; paths look like `more/pot.md`",
        ),
        (
            &["lid", "--where", "owner=me"],
            "no document has `owner` in its front matter; the keys are `date`, `draft`, `tags`, \
             `title`, `weight`",
        ),
        (
            &["lid", "--where", "weight=8"],
            "no document meets `weight=8`; the values of `weight` are `12`, `7`",
        ),
        (
            &["limescale", "--where", "draft=true"],
            "no document that passes the filters contains these words",
        ),
    ] {
        assert_eq!(search(folder.path(), arguments)["reason"], reason);
        let output = run(folder.path(), &[&["search", "--index", "ix"], arguments].concat());
        assert_eq!(said(&output), format!("note: no results: {reason}\n"));
        assert_eq!(output.status.code(), Some(1));
    }
}

#[test]
fn rejects_a_query_without_words() {
    let folder = kitchen();
    for query in ["", "???", " - "] {
        let output = run(folder.path(), &["search", query, "--index", "ix"]);
        assert_eq!(output.status.code(), Some(2), "{query}");
        assert!(said(&output).contains("no letter or digit"), "{}", said(&output));
    }
}

#[test]
fn reports_bad_lines_of_queries_and_answers_the_rest() {
    let folder = kitchen();
    let lines = "{\"query\": \"limescale\"}\nwhat?\n{\"qid\": 3, \"query\": \"?\"}\n\
                 {\"qid\": 4}\n{\"query\": 5}\n{\"query\": \"hinge\"}\n";
    fs::write(folder.path().join("queries.jsonl"), lines).unwrap();
    let output = run(folder.path(), &["search", "--index", "ix", "--queries", "queries.jsonl"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        said(&output),
        "error: queries.jsonl: line 2: expected a JSON object, such as {\"query\": \"how to rotate a \
         key\"}\n\
         error: queries.jsonl: line 3: the query has no letter or digit to search for\n\
         error: queries.jsonl: line 4: missing key `query`\n\
         error: queries.jsonl: line 5: `query` is not a string\n\
         error: 4 lines could not be answered\n"
    );
    let answers: Vec<Value> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(answers.len(), 6);
    assert_eq!(ids(&answers[5])[0], "docs:kettle.md#lid");
    assert_eq!((&answers[2]["qid"], &answers[2]["query"]), (&json!(3), &json!("?")));
}

#[test]
fn fresh_warns_and_answers_while_another_process_is_indexing() {
    let folder = kitchen();
    let lock = OpenOptions::new().write(true).open(folder.path().join("ix/writer.lock")).unwrap();
    lock.lock().unwrap();
    let output = run(folder.path(), &["search", "limescale", "--fresh", "--index", "ix"]);
    lock.unlock().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(said(&output).contains("is indexing; results may be out of date"), "{}", said(&output));
}

#[test]
fn status_reports_changed_new_and_deleted_files() {
    let folder = kitchen();
    assert!(printed(folder.path(), &["status"]).contains("up to date"));
    fs::write(folder.path().join("docs/kettle.md"), POT).unwrap();
    fs::write(folder.path().join("docs/new.md"), "# New\n").unwrap();
    fs::remove_file(folder.path().join("docs/more/pot.md")).unwrap();
    assert!(printed(folder.path(), &["status"]).contains("1 changed, 1 new, 1 deleted"));
    let status: Value =
        serde_json::from_str(&printed(folder.path(), &["status", "--json"])).unwrap();
    let tree = &status["trees"][0];
    assert_eq!(
        (&tree["changed"], &tree["new"], &tree["deleted"]),
        (&json!(1), &json!(1), &json!(1))
    );
}
