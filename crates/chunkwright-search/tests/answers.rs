//! Tests answers on random documents: they fit the budget and do not overlap, token counts are
//! correct, and every id can be retrieved.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::collections::BTreeMap;
use std::fs;

use chunkwright::{O200k, TextKind, TokenCounter};
use chunkwright_search::answer::SearchResult;
use chunkwright_search::render::{self, Fields};
use chunkwright_search::{Answer, Error, Request, Snapshot, Tree, Update, update};
use proptest::prelude::*;
use proptest::sample::select;
use tempfile::TempDir;

const WORDS: [&str; 8] = ["kettle", "water", "boil", "tea", "cup", "leaf", "steam", "the"];

fn words(most: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(select(&WORDS[..]), 1..most).prop_map(|words| words.join(" "))
}

/// Generates a page of headings, some without text, some with a lot.
fn page() -> impl Strategy<Value = String> {
    let section = (1..5_usize, words(4), prop::option::of(words(60)), 1..40_usize);
    let text = |(level, title, text, times): (usize, String, Option<String>, usize)| {
        let text = text.map_or(String::new(), |text| format!("{text}.\n\n").repeat(times));
        format!("{} {title}\n\n{text}", "#".repeat(level))
    };
    prop::collection::vec(section.prop_map(text), 0..12).prop_map(|sections| sections.concat())
}

fn index(pages: &[String]) -> (TempDir, Snapshot) {
    let folder = TempDir::new().unwrap();
    let root = folder.path().join("docs");
    fs::create_dir(&root).unwrap();
    for (nth, page) in pages.iter().enumerate() {
        fs::write(root.join(format!("{nth}.md")), page).unwrap();
    }
    let dir = folder.path().join("index");
    update(&dir, &Update::of(vec![Tree::at(root)])).unwrap();
    let snapshot = Snapshot::open(&dir).unwrap();
    (folder, snapshot)
}

fn tokens(text: &str) -> usize {
    O200k.count(text, TextKind::Prose)
}

type Render = Box<dyn Fn(&Answer) -> String>;

/// Returns all output formats.
fn formats() -> Vec<Render> {
    let few = Fields::named(["id", "snippet"]).unwrap();
    vec![
        Box::new(render::markdown),
        Box::new(|answer| render::json(answer, None).to_string()),
        Box::new(move |answer| render::json(answer, Some(&few)).to_string()),
    ]
}

/// Checks that an answer stays within the budget, and uses it unless no other result fits.
fn check_budget(
    snapshot: &Snapshot,
    query: &str,
    request: &Request,
    budget: usize,
    render: &dyn Fn(&Answer) -> String,
) -> Option<Answer> {
    let within = |budget| snapshot.search_within(query, request, budget, render);
    let answer = match within(budget) {
        Ok(answer) => answer,
        Err(Error::Budget { given, smallest }) => {
            assert!(given == budget && smallest > budget);
            assert!(within(smallest - 1).is_err());
            assert_eq!(tokens(&render(&within(smallest).unwrap())), smallest);
            return None;
        }
        Err(error) => panic!("{error}"),
    };
    let used = tokens(&render(&answer));
    assert!(used <= budget, "{used} of {budget}");
    if used * 10 < budget * 8 {
        let all = within(1_000_000).unwrap();
        let shown = |found: &SearchResult| {
            answer.results.iter().any(|shown| {
                shown.path == found.path
                    && shown.byte_start < found.byte_end
                    && found.byte_start < shown.byte_end
            })
        };
        for found in all.results.iter().filter(|found| !shown(found)) {
            let (mut alone, mut none) = (all.clone(), all.clone());
            (alone.results, none.results) = (vec![found.clone()], Vec::new());
            let cost = tokens(&render(&alone)) - tokens(&render(&none));
            assert!(
                cost + used + 8 > budget,
                "{} of {cost} would fit: {used} of {budget}",
                found.id
            );
        }
    }
    Some(answer)
}

fn check(snapshot: &Snapshot, pages: &[String], answer: &Answer) {
    let mut taken: BTreeMap<(&str, usize), usize> = BTreeMap::new();
    for found in &answer.results {
        let page = &pages[found.path.trim_end_matches(".md").parse::<usize>().unwrap()];
        assert_eq!(page[found.byte_start..found.byte_end], found.text);
        assert_eq!(found.tokens, tokens(&found.text), "{}", found.id);
        assert!(taken.insert((&found.path, found.byte_start), found.byte_end).is_none());
        let got = snapshot.get(&found.id, false).unwrap();
        assert_eq!((&got.id, &got.text), (&found.id, &found.text));
    }
    for (one, other) in taken.iter().zip(taken.iter().skip(1)) {
        assert!(one.0.0 != other.0.0 || *one.1 <= other.0.1, "{one:?} and {other:?}");
    }
    for handle in &answer.handles {
        snapshot.get(&handle.id, false).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 12, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn answers_fit_the_budget_and_do_not_overlap(
        pages in prop::collection::vec(page(), 1..6),
        queries in prop::collection::vec(words(6), 6),
        budgets in prop::collection::vec(prop_oneof![Just(0), Just(1), 0..3000_usize], 6),
        merge: bool,
    ) {
        let (_folder, snapshot) = index(&pages);
        for (query, budget) in queries.iter().zip(budgets) {
            let mut request = Request::default();
            (request.limit, request.merge) = (Some(50), merge);
            check(&snapshot, &pages, &snapshot.search(query, &request).unwrap());
            request.limit = None;
            for render in formats() {
                let answer = check_budget(&snapshot, query, &request, budget, &render);
                answer.iter().for_each(|answer| check(&snapshot, &pages, answer));
            }
        }
    }
}

#[test]
fn truncates_a_long_query_with_a_short_warning() {
    let (_folder, snapshot) = index(&["# Kettle\n\nBoil water.\n".to_owned()]);
    let ask = |query: &str| snapshot.search(query, &Request::default()).unwrap();
    let cut = "only the first 128 words of the query are used";
    let phrase = format!("kettle \"{}\"", "boil water ".repeat(5000));
    for query in ["kettle-boil-".repeat(5000), format!("x +{}", "kettle-".repeat(5000)), phrase] {
        let answer = ask(&query);
        assert_eq!(answer.warnings, [cut]);
        assert_eq!(answer.results.len(), 1);
    }
    let odd = ask(&"\"kettle ".repeat(5000)).warnings;
    let place = |nth: usize| format!("unclosed quote at byte {}", 8 * nth);
    assert_eq!(odd, [place(0), place(1), place(2), "and 4997 more like these".to_owned()]);
}

#[test]
fn excludes_a_forbidden_phrase() {
    let pages =
        ["tea", "tea leaf", "leaf tea tea", "tea tea", "leaf", "tea cup"].map(str::to_owned);
    let (_folder, snapshot) = index(&pages);
    let answer = snapshot.search("tea -\"tea tea\"", &Request::default()).unwrap();
    let mut found: Vec<_> = answer.results.iter().map(|found| found.path.as_str()).collect();
    found.sort_unstable();
    assert_eq!(found, ["0.md", "1.md", "5.md"]);
}

#[test]
fn suggests_a_word_for_every_kind_of_typo() {
    let (_folder, snapshot) = index(&["# Shapes\n\nA parallelogram.\n".to_owned()]);
    let corrected = |word| snapshot.search(word, &Request::default()).unwrap().corrected;
    for typo in
        ["parallelogarm", "prallelogarm", "paralelogram", "parrallelogramm", "barallelogran"]
    {
        assert_eq!(corrected(typo).as_deref(), Some("parallelogram"), "{typo}");
    }
    assert_eq!(corrected("barallelogrann"), None);
}
