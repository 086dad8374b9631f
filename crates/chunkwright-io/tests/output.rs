//! Checks that output files are written completely or not at all, and that errors are reported.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

mod common;

use std::fs::{self, Permissions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::Path;
use std::thread;

use chunkwright_io::{Output, OutputError};
use common::Ground;

fn write(path: &Path, text: &str) -> Result<(), OutputError> {
    let mut output = Output::create(path)?;
    output.write_all(text.as_bytes()).unwrap();
    output.finish()
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn a_finished_file_is_complete_and_leaves_no_temporary_files() {
    let ground = Ground::new();
    let path = ground.at("out.jsonl");
    write(&path, "one").unwrap();
    write(&path, &"two".repeat(100_000)).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "two".repeat(100_000));
    assert_eq!(names(&ground.at("")), ["out.jsonl"]);
}

#[test]
fn an_unfinished_file_replaces_nothing() {
    let ground = Ground::with(&["old"]);
    for name in ["old", "new"] {
        let mut output = Output::create(&ground.at(name)).unwrap();
        output.write_all(&[b'x'; 100_000]).unwrap();
        output.flush().unwrap();
        assert_eq!(fs::read_to_string(ground.at("old")).unwrap(), "old");
        drop(output);
    }
    assert_eq!(names(&ground.at("")), ["old"]);
    assert_eq!(fs::read_to_string(ground.at("old")).unwrap(), "old");
}

#[test]
fn a_new_file_has_default_permissions() {
    let ground = Ground::with(&["any"]);
    write(&ground.at("new"), "").unwrap();
    assert_eq!(mode(&ground.at("new")), mode(&ground.at("any")));
}

#[test]
fn a_replaced_file_keeps_its_permissions_and_owner() {
    let ground = Ground::with(&["old"]);
    let old = ground.at("old");
    fs::set_permissions(&old, Permissions::from_mode(0o640)).unwrap();
    // Only root can change the owner. For other users, this checks the permissions only.
    let _ = std::os::unix::fs::chown(&old, Some(1234), Some(1234));
    let before = fs::metadata(&old).unwrap();
    write(&old, "new").unwrap();
    let after = fs::metadata(&old).unwrap();
    assert_ne!(before.ino(), after.ino());
    assert_eq!(mode(&old), 0o640);
    assert_eq!((before.uid(), before.gid()), (after.uid(), after.gid()));
}

#[test]
fn writes_to_the_target_of_a_link() {
    let ground = Ground::with(&["far/old"]);
    ground.link("near/one", "../two");
    ground.link("two", "far/old");
    ground.link("dangling", "far/new");
    write(&ground.at("near/one"), "1").unwrap();
    write(&ground.at("dangling"), "2").unwrap();
    assert_eq!(fs::read_to_string(ground.at("far/old")).unwrap(), "1");
    assert_eq!(fs::read_to_string(ground.at("far/new")).unwrap(), "2");
    for link in ["near/one", "two", "dangling"] {
        assert!(ground.at(link).is_symlink());
    }
    assert_eq!(names(&ground.at("far")).len(), 2);
}

#[test]
fn writes_to_a_device() {
    let ground = Ground::new();
    ground.link("null", "/dev/null");
    write(&ground.at("null"), "text").unwrap();
    assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    assert_eq!(names(&ground.at("")), ["null"]);
}

#[test]
fn writes_to_a_fifo() {
    let ground = Ground::new();
    ground.fifo("fifo");
    let path = ground.at("fifo");
    let reader = thread::spawn(move || fs::read_to_string(path).unwrap());
    write(&ground.at("fifo"), "text").unwrap();
    assert_eq!(reader.join().unwrap(), "text");
    assert!(fs::metadata(ground.at("fifo")).unwrap().file_type().is_fifo());
}

#[test]
fn reports_a_full_disk_with_a_remedy() {
    let full = Path::new("/dev/full");
    if !full.exists() {
        return;
    }
    let mut output = Output::create(full).unwrap();
    let fault = output.write_all(&[b'x'; 100_000]).unwrap_err();
    assert_eq!(fault.kind(), ErrorKind::StorageFull);
    let message = "cannot write /dev/full: no space left on device; \
                   free some space or name another file";
    assert_eq!(fault.to_string(), message);
    assert_eq!(write(full, "short").unwrap_err().to_string(), message);
}

#[test]
fn rejects_an_unwritable_path_when_it_is_opened() {
    let ground = Ground::with(&["file"]);
    ground.link("loop", "loop");
    let message = |path: &str| {
        let error = Output::create(&ground.at(path)).unwrap_err().to_string();
        error.replace(ground.at("").to_str().unwrap(), "")
    };
    let directory = "path names a directory; name a file in it";
    assert_eq!(message(""), format!("cannot write : {directory}"));
    assert_eq!(message("gone/"), format!("cannot write gone/: {directory}"));
    let missing = "cannot create gone/x: no such file or directory; \
                   check that its directory exists and is writable";
    assert_eq!(message("gone/x"), missing);
    let below_file = "cannot open file/x for writing: not a directory; name another file";
    assert_eq!(message("file/x"), below_file);
    assert!(message("loop").contains("too many levels of symbolic links"));
    assert_eq!(names(&ground.at("")).len(), 2);
    assert!(Output::create(Path::new("")).is_err());
}
