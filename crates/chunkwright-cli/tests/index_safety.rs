//! Indexing that is killed, runs out of space, or meets a lock or damage leaves the old index or the
//! new one, or reports the damage.

#![allow(clippy::unwrap_used, reason = "a failed test should panic")]
// Signals and limits are those of Unix.
#![cfg(unix)]

#[path = "common/pages.rs"]
mod pages;

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

use chunkwright_search::{Error, Request, Snapshot};
use pages::{Pages, said, version};

#[test]
fn a_killed_run_leaves_the_old_state_or_the_new_one() {
    let pages = Pages::new();
    let whole = Instant::now();
    pages.run();
    let whole = whole.elapsed();
    let mut last = 0;
    // Kills at points spread over the run, in no particular order.
    for round in 1..=15_u32 {
        pages.write(round as usize);
        let mut child = pages.command().spawn().unwrap();
        let until = Instant::now() + whole * ((round * 7) % 15) / 13;
        while Instant::now() < until && child.try_wait().unwrap().is_none() {
            thread::yield_now();
        }
        let _finished = child.kill();
        child.wait().unwrap();
        let found = pages.version().expect("the index still exists");
        assert!(found == last || found == round as usize, "{found} in round {round}");
        last = found;
    }
    pages.write(99);
    pages.run();
    assert_eq!(pages.version(), Some(99));
}

#[test]
fn files_of_a_killed_run_do_not_disturb_the_next() {
    let pages = Pages::new();
    pages.run();
    let deletions = || {
        let files = fs::read_dir(pages.index().join("index")).unwrap().flatten();
        let names = files.map(|file| file.path());
        names.filter(|name| name.extension().is_some_and(|kind| kind == "del")).collect()
    };
    for round in 1..=8 {
        pages.write(round);
        let before: BTreeSet<PathBuf> = deletions();
        let mut child = pages.command().spawn().unwrap();
        while child.try_wait().unwrap().is_none() && deletions().is_subset(&before) {}
        let _finished = child.kill();
        child.wait().unwrap();
        pages.run();
        assert_eq!(pages.version(), Some(round));
    }
}

#[test]
fn a_killed_first_run_leaves_no_index_or_a_complete_one() {
    for round in 0..6_u32 {
        let pages = Pages::new();
        let mut child = pages.command().spawn().unwrap();
        let until = Instant::now() + Duration::from_millis(u64::from(round) * 15);
        while Instant::now() < until && child.try_wait().unwrap().is_none() {
            thread::yield_now();
        }
        let _finished = child.kill();
        child.wait().unwrap();
        assert!(matches!(pages.version(), None | Some(0)));
        pages.run();
        assert_eq!(pages.version(), Some(0));
    }
}

#[test]
fn reports_a_full_disk_and_keeps_the_index() {
    let pages = Pages::new();
    pages.update().unwrap();
    let (mut version, mut told) = (1, 0);
    pages.write(version);
    for blocks in [0, 1, 4, 16, 64] {
        let program = env!("CARGO_BIN_EXE_chunkwright");
        let script =
            format!("trap '' XFSZ; ulimit -f {blocks}; exec {program} index docs --index index");
        let output = Command::new("sh")
            .args(["-c", &script])
            .current_dir(pages.folder.path())
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        if output.status.success() {
            assert_eq!(pages.version(), Some(version));
            version += 1;
            pages.write(version);
            continue;
        }
        told += 1;
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert!(said(&output).contains("index"), "{}", said(&output));
        assert_eq!(pages.version(), Some(version - 1));
    }
    assert!(told > 0, "the disk was never full");
    pages.update().unwrap();
    assert_eq!(pages.version(), Some(version));
}

#[test]
fn names_an_index_directory_that_cannot_be_written() {
    let pages = Pages::new();
    fs::write(pages.folder.path().join("file"), "").unwrap();
    for dir in ["file/index", "/proc/chunkwright-test"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_chunkwright"));
        command.args(["index", "docs", "--index", dir]).current_dir(pages.folder.path());
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(said(&output).contains(dir), "{}", said(&output));
    }
}

#[test]
fn searches_an_index_in_a_read_only_directory() {
    let pages = Pages::new();
    pages.run();
    let allow = |mode: u32| {
        let folders = [pages.folder.path().to_owned(), pages.index(), pages.index().join("index")];
        for folder in folders {
            fs::set_permissions(folder, fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    let lock = pages.index().join("index/.tantivy-meta.lock");
    fs::remove_file(&lock).unwrap();
    allow(0o555);
    let mut command = Command::new(env!("CARGO_BIN_EXE_chunkwright"));
    command.args(["search", "version0", "--index", "index"]).current_dir(pages.folder.path());
    // Root can write anywhere, so another user searches.
    if File::create(&lock).is_ok() {
        fs::remove_file(&lock).unwrap();
        command.uid(65534);
    }
    let output = command.output().unwrap();
    allow(0o755);
    assert!(output.status.success(), "{}", said(&output));
    assert!(!lock.exists());
}

#[test]
fn a_second_writer_reports_the_process_that_holds_the_lock() {
    let pages = Pages::new();
    pages.update().unwrap();
    let lock = File::options().read(true).write(true).open(pages.index().join("writer.lock"));
    let lock = lock.unwrap();
    lock.lock().unwrap();
    let output = pages.command().output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let holder = format!("process {}", std::process::id());
    assert!(said(&output).contains(&holder), "{}", said(&output));
    drop(lock);
    pages.run();
}

#[test]
fn concurrent_writers_leave_a_complete_index() {
    let pages = Pages::new();
    let children: Vec<_> = (0..4).map(|_| pages.command().spawn().unwrap()).collect();
    let codes: Vec<_> =
        children.into_iter().map(|child| child.wait_with_output().unwrap().status.code()).collect();
    assert!(codes.contains(&Some(0)), "{codes:?}");
    assert!(codes.iter().all(|code| matches!(code, Some(0 | 2))), "{codes:?}");
    assert_eq!(pages.version(), Some(0));
}

#[test]
fn readers_see_a_consistent_index_during_updates() {
    let pages = Pages::new();
    pages.update().unwrap();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..20 {
            scope.spawn(|| {
                let mut last = 0;
                while !done.load(SeqCst) {
                    let snapshot = Snapshot::open(&pages.index()).unwrap();
                    let now = version(&snapshot);
                    assert!(now >= last, "a reader saw an older version");
                    last = now;
                    let answer = snapshot.search("section of a page", &Request::default()).unwrap();
                    assert!(!answer.results.is_empty());
                }
            });
        }
        let rounds = (1..=5).try_for_each(|round| {
            pages.write(round);
            pages.update().map(drop)
        });
        done.store(true, SeqCst);
        rounds.unwrap();
    });
    assert_eq!(pages.version(), Some(5));
}

/// Returns the data files of the search engine.
fn data_files(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir.join("index")).unwrap();
    let files = entries.map(|entry| entry.unwrap().path());
    let is_data = |file: &PathBuf| {
        let name = file.file_name().unwrap().to_str().unwrap();
        !name.starts_with('.') && !name.ends_with(".lock") && name != "meta.json"
    };
    files.filter(is_data).collect()
}

#[test]
fn names_a_damaged_file_and_rebuilds_only_on_request() {
    let pages = Pages::new();
    pages.update().unwrap();
    let files = data_files(&pages.index());
    assert!(files.len() > 3);
    for file in &files {
        let good = fs::read(file).unwrap();
        let mut flipped = good.clone();
        let middle = flipped.len() / 2;
        flipped[middle] ^= 4;
        for bad in [&flipped, &good[..good.len() / 2].to_vec(), &Vec::new()] {
            fs::write(file, bad).unwrap();
            match Snapshot::open(&pages.index()) {
                Err(Error::Damaged { file: named, .. }) => {
                    let name = file.file_name().unwrap();
                    assert!(named.ends_with(name), "{} for {}", named.display(), file.display());
                }
                Err(error) => panic!("{}: {error}", file.display()),
                Ok(_) => panic!("{}: damage not detected", file.display()),
            }
        }
        let output = pages.command().output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert!(said(&output).contains("--rebuild"), "{}", said(&output));
        fs::write(file, &good).unwrap();
    }
    fs::remove_file(&files[0]).unwrap();
    assert!(matches!(Snapshot::open(&pages.index()), Err(Error::Damaged { .. })));
    let output = pages.command().arg("--rebuild").output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    assert!(said(&output).starts_with("note: rebuilt index: "), "{}", said(&output));
    assert_eq!(pages.version(), Some(0));
}

#[test]
fn a_damaged_commit_is_reported_or_harmless() {
    let pages = Pages::new();
    pages.update().unwrap();
    let meta = pages.index().join("index/meta.json");
    let good = fs::read(&meta).unwrap();
    for at in (0..good.len()).step_by(7) {
        let mut flipped = good.clone();
        flipped[at] ^= 1;
        fs::write(&meta, flipped).unwrap();
        if let Ok(snapshot) = Snapshot::open(&pages.index()) {
            assert_eq!(version(&snapshot), 0, "byte {at}");
        }
    }
    fs::write(&meta, &good[..good.len() / 2]).unwrap();
    assert!(Snapshot::open(&pages.index()).is_err());
}

#[test]
fn never_touches_a_directory_that_is_not_an_index() {
    let pages = Pages::new();
    fs::create_dir_all(pages.index()).unwrap();
    let mine = pages.index().join("thesis.md");
    fs::write(&mine, "years of work").unwrap();
    let output = pages.command().arg("--rebuild").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("is not a chunkwright index"), "{}", said(&output));
    assert_eq!(fs::read_to_string(&mine).unwrap(), "years of work");
}
