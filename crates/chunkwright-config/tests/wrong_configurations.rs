//! Error messages: reads each configuration of wrong-configurations.txt, and compares its error with
//! the file.
//!
//! An entry starts with `=== file`, `=== flags` or `=== keywords`. A configuration file, flags of the
//! command or keyword arguments of Python follow, one per line. The error follows `---`.
//!
//! To add a case, add its entry to the file, and run `UPDATE_GOLDEN=1 cargo test -p
//! chunkwright-config --test wrong_configurations` to add its error.

#![allow(clippy::unwrap_used, reason = "a failed test should panic")]

use std::fs;
use std::path::Path;

use chunkwright_config::{Chunkers, Error, Settings};

#[test]
fn wrong_configurations_give_the_listed_errors() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wrong-configurations.txt");
    let listed = fs::read_to_string(&file).unwrap();
    let given: String = listed.split_inclusive("\n\n").map(with_error).collect();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(file, given).unwrap();
        return;
    }
    let pairs = listed.lines().zip(given.lines());
    let different = pairs.enumerate().find(|(_, (listed, given))| listed != given);
    assert!(
        listed == given,
        "first difference (line, listed, given): {different:?}\nif this error is right, run again with \
         UPDATE_GOLDEN=1"
    );
}

/// Returns an entry with the current error. Everything else is kept.
fn with_error(entry: &str) -> String {
    let Some((door, rest)) = entry.strip_prefix("=== ").and_then(|rest| rest.split_once('\n'))
    else {
        return entry.to_owned();
    };
    let input = rest.split_once("---\n").map_or(rest.trim_end(), |(input, _)| input.trim_end());
    let error = error(door, input).map_or_else(|| "none".to_owned(), |error| error.to_string());
    format!("=== {door}\n{input}\n---\n{error}\n\n")
}

fn error(door: &str, input: &str) -> Option<Error> {
    let read = match door {
        "file" => Settings::parse("chunkwright.toml", Path::new("/site"), input),
        "flags" => with(input, flag),
        "keywords" => with(input, keyword),
        other => panic!("unknown entry {other}"),
    };
    let effect = |settings: Settings| {
        let mut chunkers = Chunkers::new(&settings)?;
        chunkers.add(["blog/page.md"].iter())
    };
    read.and_then(effect).err()
}

fn with(input: &str, set: fn(&mut Settings, &str) -> Result<(), Error>) -> Result<Settings, Error> {
    let mut settings = Settings::default();
    input.lines().try_for_each(|line| set(&mut settings, line)).map(|()| settings)
}

/// Sets an option as the command does.
fn flag(settings: &mut Settings, line: &str) -> Result<(), Error> {
    let (flag, value) = line.split_once(' ').unwrap();
    match flag {
        "--set" => {
            let (key, value) = value.split_once('=').unwrap();
            settings.set(key, value, line)
        }
        "--language" => settings.set("index.language", value, line),
        _ => settings.set(&flag.trim_start_matches('-').replace('-', "_"), value, line),
    }
}

/// Sets an option as the Python package does. Values are written in JSON.
fn keyword(settings: &mut Settings, line: &str) -> Result<(), Error> {
    let (key, value) = line.split_once('=').unwrap();
    settings.set_value(key, &serde_json::from_str(value).unwrap(), line)
}
