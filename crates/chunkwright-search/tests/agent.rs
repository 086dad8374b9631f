//! Tests the limits of answers for language models.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::fs;

use chunkwright::{O200k, TextKind, TokenCounter};
use chunkwright_search::agent::{
    LIST_TOKENS, ListSections, ReadSection, SearchDocs, list_sections, read_section, search_docs,
};
use chunkwright_search::{Error, Snapshot, Tree, Update, update};
use tempfile::TempDir;

/// Returns an index of a page.
fn index(page: &str) -> (TempDir, Snapshot) {
    let folder = TempDir::new().unwrap();
    let root = folder.path().join("docs");
    fs::create_dir(&root).unwrap();
    fs::write(root.join("page.md"), page).unwrap();
    let dir = folder.path().join("index");
    update(&dir, &Update::of(vec![Tree::at(root)])).unwrap();
    let snapshot = Snapshot::open(&dir).unwrap();
    (folder, snapshot)
}

fn tokens(text: &str) -> usize {
    O200k.count(text, TextKind::Prose)
}

fn search(snapshot: &Snapshot, query: &str, max_tokens: usize) -> Result<String, Error> {
    let mut call = SearchDocs::default();
    (call.query, call.max_tokens) = (query.to_owned(), Some(max_tokens));
    search_docs(snapshot, &call)
}

#[test]
fn a_search_shows_or_lists_a_result_or_names_the_smallest_budget() {
    let (_folder, snapshot) = index("# Tea\n\nBoil water first.\n\n## Pot\n\nMore water.\n");
    for max_tokens in 1..60 {
        match search(&snapshot, "water", max_tokens) {
            Ok(answer) => {
                assert!(tokens(&answer) <= max_tokens);
                assert!(answer.contains("docs:page.md#"), "{max_tokens}: {answer}");
            }
            Err(Error::Budget { given, smallest }) => {
                assert!(given == max_tokens && smallest > max_tokens);
                assert!(search(&snapshot, "water", smallest).is_ok());
                assert!(search(&snapshot, "water", smallest - 1).is_err());
            }
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn a_part_of_a_page_fits_its_budget_with_the_line_that_reads_on() {
    let (_folder, snapshot) = index(&format!("# Tea\n\n{}", "Boil water first.\n".repeat(4000)));
    let mut call = ReadSection::default();
    call.id = "page.md".to_owned();
    for max_tokens in 40..120 {
        call.max_tokens = Some(max_tokens);
        if let Ok(answer) = read_section(&snapshot, &call) {
            assert!(tokens(&answer) <= max_tokens, "{max_tokens}: {answer}");
        }
    }
}

#[test]
fn a_list_makes_progress_whatever_the_length_of_ids() {
    let id = "ꙮ".repeat(990);
    let headings: String =
        (0..3).map(|nth| format!("## Sub {{#{id}-{nth}}}\n\nText.\n\n")).collect();
    let (_folder, snapshot) = index(&format!("# Top {{#{id}}}\n\n{headings}"));
    let mut call = ListSections::default();
    for wanted in ["docs:page.md".to_owned(), format!("docs:page.md#{id}")] {
        call.id = Some(wanted);
        call.after = 0;
        let mut answer = list_sections(&snapshot, &call).unwrap();
        while let Some((_, more)) = answer.rsplit_once("after=") {
            assert!(tokens(&answer) <= LIST_TOKENS);
            let next = more.split(')').next().unwrap().parse().unwrap();
            assert!(next > call.after);
            call.after = next;
            answer = list_sections(&snapshot, &call).unwrap();
        }
        assert!(tokens(&answer) <= LIST_TOKENS);
    }
}

#[test]
fn long_arguments_are_errors() {
    let (_folder, snapshot) = index("# Tea\n\nBoil water first.\n");
    let long = "#".repeat(2001);
    let is_limit = |answer: Result<String, Error>| matches!(answer, Err(Error::Limit { .. }));
    let mut call = SearchDocs::default();
    call.query = "water".to_owned();
    call.filter.paths.push(long.clone());
    assert!(is_limit(search_docs(&snapshot, &call)));
    assert!(is_limit(search(&snapshot, &long, 100)));
    let mut call = ReadSection::default();
    call.id.clone_from(&long);
    assert!(is_limit(read_section(&snapshot, &call)));
    let mut call = ListSections::default();
    call.id = Some(long);
    assert!(is_limit(list_sections(&snapshot, &call)));
}
