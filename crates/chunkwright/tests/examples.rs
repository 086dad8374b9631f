//! Runs the programs in `examples/rust`, and compares what they print with the comment at their end.
//!
//! `cargo test` builds the programs, but `cargo test --test examples` does not: build them with
//! `cargo build -p chunkwright --examples` first. `UPDATE_DOCS=1` updates the comments.

#![allow(clippy::unwrap_used, reason = "a failed test should panic")]
#![allow(clippy::disallowed_methods, reason = "only the library must not read files")]

use std::env::{self, consts::EXE_SUFFIX};
use std::fs;
use std::path::Path;
use std::process::Command;

const MARK: &str = "// Output:\n";

#[test]
fn examples_print_the_output_shown() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    // The test is in `target/PROFILE/deps`, the examples are in `target/PROFILE/examples`.
    let built = env::current_exe().unwrap().ancestors().nth(2).unwrap().join("examples");
    let mut tried = 0;
    for entry in fs::read_dir(root.join("examples/rust")).unwrap() {
        let file = entry.unwrap().path();
        let program = built.join(format!("{}{EXE_SUFFIX}", file.file_stem().unwrap().display()));
        let output = Command::new(&program).current_dir(root).output().unwrap_or_else(|error| {
            panic!("{}: {error}; run `cargo build -p chunkwright --examples`", program.display())
        });
        assert!(output.status.success(), "{}: {output:?}", program.display());
        let printed = String::from_utf8(output.stdout).unwrap();
        let comment: String = printed.lines().map(|line| format!("// {line}\n")).collect();

        let source = fs::read_to_string(&file).unwrap();
        let (code, shown) = source.split_once(MARK).unwrap();
        if env::var_os("UPDATE_DOCS").is_some() {
            fs::write(&file, format!("{code}{MARK}{comment}")).unwrap();
        } else {
            assert_eq!(shown, comment, "{}", file.display());
        }
        tried += 1;
    }
    assert_eq!(tried, 2);
}
