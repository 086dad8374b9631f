//! Checks the errors for files that cannot be read.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]
#![cfg(unix)]

mod common;

use std::fs;

use chunkwright_io::{FileError, read};
use common::{Ground, first};

#[test]
fn rejects_a_file_over_the_size_limit() {
    let ground = Ground::new();
    ground.write("d/a.md", "12345");
    let entry = &first(&ground.walk(&["d"]));
    assert_eq!(read(entry, 5).unwrap(), "12345");
    let message = read(entry, 4).unwrap_err().to_string();
    assert!(message.ends_with("d/a.md: 5 bytes, over the limit of 4 bytes"), "{message}");
}

#[test]
fn applies_the_size_limit_to_a_file_without_a_length() {
    let ground = Ground::new();
    let endless = ground.walk(&["/proc/self/status"]);
    let Some(entry) = endless.entries.iter().next() else { return };
    assert_eq!(fs::metadata("/proc/self/status").unwrap().len(), 0);
    let message = read(&entry, 4).unwrap_err().to_string();
    assert_eq!(message, "cannot read /proc/self/status: over the limit of 4 bytes");
}

#[test]
fn reports_a_file_that_was_removed_or_replaced_after_the_walk() {
    let ground = Ground::with(&["d/gone.md", "d/pipe.md", "d/dir.md"]);
    let found = ground.walk(&["d"]);
    for name in ["gone", "pipe", "dir"] {
        fs::remove_file(ground.at(format!("d/{name}.md"))).unwrap();
    }
    ground.fifo("d/pipe.md");
    fs::create_dir(ground.at("d/dir.md")).unwrap();
    let reasons = ["not a regular file", "no such file or directory", "not a regular file"];
    for (entry, reason) in found.entries.iter().zip(reasons) {
        let FileError { reason: said, .. } = read(&entry, 100).unwrap_err();
        assert_eq!(said.to_string(), reason);
    }
}

#[test]
fn reports_the_offset_of_invalid_utf8() {
    let ground = Ground::new();
    ground.write("d/a.md", b"0123456789ab\xe9");
    let found = ground.walk(&["d"]);
    let message = read(&first(&found), 100).unwrap_err().to_string();
    assert!(message.ends_with("d/a.md: invalid UTF-8 at byte 12"), "{message}");
}
