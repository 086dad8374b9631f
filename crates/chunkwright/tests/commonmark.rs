//! Checks that chunkwright and comrak find the same top-level blocks in every example of CommonMark
//! 0.31.2.
//!
//! The license of the specification (CC BY-SA 4.0) does not permit a copy in this repository. The
//! published package of pulldown-cmark contains the examples as generated tests, and Cargo downloads
//! it to build chunkwright, so the test reads them from there.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]
#![allow(clippy::disallowed_methods, reason = "only the library must not read files")]

#[path = "common/outlines.rs"]
mod outlines;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use outlines::{ours, theirs};
use serde_json::Value;

/// Number of examples in CommonMark 0.31.2.
const EXAMPLES: usize = 652;

/// Numbers of examples that chunkwright parses differently, with the reason.
const EXCEPTIONS: &[(usize, &str)] =
    &[(98, "two lines of dashes at the start of a page are empty front matter")];

#[test]
fn comrak_finds_the_same_blocks_in_the_commonmark_examples() {
    let examples = examples();
    assert_eq!(examples.len(), EXAMPLES, "number of examples in the package of pulldown-cmark");
    let mut faults = Vec::new();
    for (nth, example) in examples.iter().enumerate() {
        let (number, ours, theirs) = (nth + 1, ours(example), theirs(example));
        let exception = EXCEPTIONS.iter().find(|(example, _)| *example == number);
        match exception {
            None if ours != theirs => faults.push(format!(
                "example {number}: {example:?}\n  ours   {ours:?}\n  theirs {theirs:?}"
            )),
            Some((_, reason)) if ours == theirs => {
                faults.push(format!("example {number} is no longer an exception: {reason}"));
            }
            _ => {}
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Returns the Markdown of every example, in order.
fn examples() -> Vec<String> {
    let tests = package("pulldown-cmark").join("tests/suite/spec.rs");
    let tests = fs::read_to_string(&tests).unwrap_or_else(|error| panic!("{tests:?}: {error}"));
    let literals = tests.split("let original = r##\"").skip(1);
    literals.map(|rest| rest.split_once("\"##;").unwrap().0.to_owned()).collect()
}

/// Returns the directory of a dependency.
fn package(name: &str) -> PathBuf {
    let mut metadata = Command::new(env!("CARGO"));
    metadata.args(["metadata", "--format-version", "1", "--offline"]);
    // Packages for other platforms may not be downloaded.
    metadata.args(["--filter-platform", "host-tuple", "--manifest-path"]);
    metadata.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"));
    let output = metadata.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut packages = metadata["packages"].as_array().unwrap().iter();
    let package = packages.find(|package| package["name"] == name).unwrap();
    Path::new(package["manifest_path"].as_str().unwrap()).parent().unwrap().to_owned()
}
