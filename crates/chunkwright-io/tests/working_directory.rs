//! Checks arguments relative to the working directory. The test is alone in its file because it
//! changes the working directory of the process.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]
#![cfg(unix)]

mod common;

use std::env;

use chunkwright_io::{Location, MAX_FILE_BYTES, Naming, read, walk};
use common::{Ground, first, names};

#[test]
fn a_relative_path_is_named_after_the_directory_it_resolves_to() {
    let ground = Ground::with(&["docs/guide/a.md", "docs/-"]);
    env::set_current_dir(ground.at("docs/guide")).unwrap();
    let find = |argument: &str| {
        let found = walk(&[argument.into()], &Naming::default()).unwrap();
        assert_eq!(found.errors.len(), 0);
        names(&found.entries)
    };
    assert_eq!(find("."), ["guide:a.md"]);
    assert_eq!(find("./"), ["guide:a.md"]);
    assert_eq!(find("a.md"), ["guide:a.md"]);
    assert_eq!(find("./a.md"), ["guide:a.md"]);
    assert_eq!(find(".."), ["docs:guide/a.md"]);
    assert_eq!(find("../guide/.."), ["docs:guide/a.md"]);
    assert_eq!(find("../guide/../-"), ["docs:-"]);
    let named = walk(&["../-".into()], &Naming::default()).unwrap();
    assert_eq!(first(&named).location, Location::File("../-".into()));
    assert_eq!(read(&first(&named), MAX_FILE_BYTES).unwrap(), "docs/-");
}
