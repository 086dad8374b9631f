//! A server keeps answering while its index is replaced, deleted and damaged, and never mixes two
//! states of the index.

#![cfg(feature = "server")]
#![allow(clippy::unwrap_used, reason = "a failed test should panic")]

#[path = "common/agent.rs"]
mod agent;
#[path = "common/pages.rs"]
mod pages;

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::thread;
use std::time::Instant;

use agent::{PATIENCE, Server, call, text};
use chunkwright_search::{Tree, Update, update};
use pages::Pages;
use serde_json::{Value, json};

const READERS: usize = 32;

/// The messages of errors that concern the index.
const ERRORS: [&str; 3] = ["there is no index yet", "the index cannot be read", "another version"];

/// Returns the versions of all pages in an answer.
fn versions(text: &str) -> BTreeSet<usize> {
    let lower = text.to_lowercase();
    let numbers = lower.split("version").skip(1).map(|rest| {
        rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())].parse().ok()
    });
    numbers.flatten().collect()
}

/// Asks a server. Returns the version of its index, or the error.
fn ask(server: &Server, request: &Value) -> Result<usize, String> {
    let reply = server.post(request);
    assert_eq!(reply.status, 200, "{}", reply.body);
    let answer: Value = serde_json::from_str(&reply.body).unwrap();
    let text = text(&answer);
    if answer["result"]["isError"] == true {
        assert!(ERRORS.iter().any(|known| text.contains(known)), "{text}");
        return Err(text.to_owned());
    }
    let versions = versions(text);
    assert_eq!(versions.len(), 1, "{text}");
    Ok(versions.into_iter().next().unwrap())
}

fn requests() -> [Value; 2] {
    let search = json!({ "query": "version of a page", "max_tokens": 10_000 });
    [call("search_docs", &search), call("read_section", &json!({ "id": "3.md" }))]
}

/// Waits until a server answers from a version of the pages.
fn wait_for(server: &Server, version: usize) {
    let begun = Instant::now();
    while requests().iter().any(|request| ask(server, request) != Ok(version)) {
        assert!(begun.elapsed() < PATIENCE, "the server does not answer from version {version}");
        thread::yield_now();
    }
}

/// The files of the index, with their content.
fn files(pages: &Pages) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = fs::read_dir(pages.index().join("index")).unwrap().flatten();
    let files = entries.map(|entry| entry.path());
    let files = files.filter(|file| !file.to_str().unwrap().ends_with(".lock"));
    files.map(|file| (file.clone(), fs::read(file).unwrap())).collect()
}

/// Writes a new version of the pages, and the index from scratch.
fn rebuild(pages: &Pages, version: usize) {
    pages.write(version);
    let mut wanted = Update::of(vec![Tree::at(pages.root())]);
    wanted.rebuild = true;
    update(&pages.index(), &wanted).unwrap();
}

#[test]
fn readers_get_correct_answers_or_clear_errors_whatever_happens_to_the_index() {
    let pages = Pages::new();
    pages.update().unwrap();
    let folder = pages.folder.path();
    let mut server = Server::start(folder, &["--index", "index"]);
    wait_for(&server, 0);
    let is_done = AtomicBool::new(false);
    let answers = AtomicUsize::new(0);
    thread::scope(|scope| {
        for nth in 0..READERS {
            let request = &requests()[nth % 2];
            let request = request.clone();
            let (server, is_done, answers) = (&server, &is_done, &answers);
            scope.spawn(move || {
                let mut last = 0;
                while !is_done.load(SeqCst) {
                    // Once there was an index, no request fails.
                    let version = ask(server, &request).unwrap();
                    assert!(version >= last, "version {version} after {last}");
                    last = version;
                    answers.fetch_add(1, SeqCst);
                }
            });
        }
        let done = thread::Builder::new().spawn_scoped(scope, || {
            replace(&pages, &server);
            delete(&pages, &server);
            damage(&pages, &server);
        });
        let done = done.unwrap().join();
        is_done.store(true, SeqCst);
        done.unwrap();
    });
    assert!(answers.load(SeqCst) > READERS);
    assert!(server.is_running());
}

fn replace(pages: &Pages, server: &Server) {
    for version in 1..=5 {
        pages.write(version);
        pages.update().unwrap();
    }
    wait_for(server, 5);
    rebuild(pages, 6);
    wait_for(server, 6);
}

fn delete(pages: &Pages, server: &Server) {
    fs::remove_dir_all(pages.index()).unwrap();
    // The last good state answers.
    wait_for(server, 6);
    pages.write(7);
    pages.update().unwrap();
    wait_for(server, 7);
}

fn damage(pages: &Pages, server: &Server) {
    for (round, damage) in [truncate, flip, empty, remove].into_iter().enumerate() {
        for (file, content) in files(pages) {
            damage(&file, &content);
        }
        wait_for(server, 7 + round);
        rebuild(pages, 8 + round);
        wait_for(server, 8 + round);
    }
}

fn truncate(file: &PathBuf, content: &[u8]) {
    File::options().write(true).open(file).unwrap().set_len(content.len() as u64 / 2).unwrap();
}

fn flip(file: &PathBuf, content: &[u8]) {
    let mut content = content.to_vec();
    let middle = content.len() / 2;
    content[middle] ^= 4;
    fs::write(file, content).unwrap();
}

fn empty(file: &PathBuf, _: &[u8]) {
    fs::write(file, "").unwrap();
}

fn remove(file: &PathBuf, _: &[u8]) {
    fs::remove_file(file).unwrap();
}

#[test]
fn a_server_of_a_damaged_index_reports_it_and_recovers() {
    let pages = Pages::new();
    pages.update().unwrap();
    let kinds = [truncate, flip, empty, remove].into_iter().cycle();
    let mut reported = 0;
    for ((file, content), damage) in files(&pages).into_iter().zip(kinds) {
        damage(&file, &content);
        let server = Server::start(pages.folder.path(), &["--index", "index"]);
        // A change of the commit may be harmless.
        if let Err(message) = ask(&server, &requests()[0]) {
            assert!(message.contains("`chunkwright index"), "{message}");
            assert_eq!(server.get("/readyz").status, 503, "{}", file.display());
            reported += 1;
        }
        fs::write(&file, &content).unwrap();
        wait_for(&server, 0);
    }
    assert!(reported > 3, "only {reported} servers reported the damage");
}
