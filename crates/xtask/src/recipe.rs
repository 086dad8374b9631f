//! Follows the recipes in CONTRIBUTING.md in a copy of the project, and runs the golden tests and
//! the tests of fields there.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::steps::{Steps, root, target};

/// The contents of files by path.
type Sources = BTreeMap<PathBuf, String>;

/// The strategy that a recipe adds.
const STRATEGY: &str = "sections";

/// The files that must list the field that a recipe adds, and the expected text.
const FIELD: [(&str, &str); 2] = [
    ("docs/reference/record.md", "| `characters` | integer |"),
    ("crates/chunkwright-py/python/chunkwright/_native.pyi", "def characters(self) -> int:"),
];

pub(crate) fn run(steps: &mut Steps) -> Result<()> {
    let copy = target().join("recipe");
    let mut wanted = sources(&root())?;
    wanted.extend(added()?);
    wanted.insert("Cargo.toml".into(), as_another_version(&wanted[Path::new("Cargo.toml")])?);
    for stale in sources(&copy)?.into_keys().filter(|path| !wanted.contains_key(path)) {
        let stale = copy.join(stale);
        fs::remove_file(&stale)?;
        // Cargo would take the empty directories of a removed crate for a crate.
        stale
            .ancestors()
            .skip(1)
            .take_while(|folder| fs::remove_dir(folder).is_ok())
            .for_each(drop);
    }
    for (path, text) in &wanted {
        write_if_changed(&copy.join(path), text)?;
    }
    let mut test = Command::new(env!("CARGO"));
    // The whole workspace, so that the features of dependencies, and with them their builds, match.
    test.args(["test", "--quiet", "--workspace", "--test", "golden", "--test", "fields"]);
    test.current_dir(&copy).env("CARGO_TARGET_DIR", target()).env("UPDATE_DOCS", "1");
    steps.run_as("recipes for a strategy and a field", "cargo xtask recipe", test)?;
    for (file, field) in FIELD {
        let text = fs::read_to_string(copy.join(file))?;
        ensure!(text.contains(field), "{file} of the copy does not contain `{field}`");
    }
    Ok(())
}

/// Returns the files that the recipe adds or changes.
fn added() -> Result<Sources> {
    let page = fs::read_to_string(root().join("CONTRIBUTING.md"))?;
    let recipe = |title: &str| {
        let start = page.find(&format!("\n## {title}\n"));
        start
            .map(|start| &page[start..])
            .with_context(|| format!("CONTRIBUTING.md has no section `{title}`"))
    };
    let strategy = recipe("Add a strategy")?;
    let golden = format!("crates/chunkwright/tests/golden/{STRATEGY}/{STRATEGY}.md");
    let mut added = patched(&fence(strategy, "```diff")?)?;
    added.insert(
        format!("crates/chunkwright/src/strategy/{STRATEGY}.rs").into(),
        fence(strategy, "```rust")?,
    );
    added.insert(golden.into(), fence(strategy, "`````markdown")?);
    added.extend(patched(&fence(recipe("Add a field")?, "```diff")?)?);
    Ok(added)
}

/// Returns the content of the first fence with this opening line.
fn fence(page: &str, opening: &str) -> Result<String> {
    let marks: String = opening.chars().take_while(|&c| c == '`').collect();
    let after = page.split_once(&format!("\n{opening}\n")).map(|(_, after)| after);
    let text = after.and_then(|after| after.split(&format!("\n{marks}\n")).next());
    text.map(|text| format!("{text}\n"))
        .with_context(|| format!("CONTRIBUTING.md has no fence {opening}"))
}

/// Applies a diff and returns the changed files. Hunks are found by their text, so they need no
/// line numbers.
fn patched(diff: &str) -> Result<Sources> {
    let mut files = Sources::new();
    for file in diff.split("+++ ").skip(1) {
        let (name, hunks) = file.split_once('\n').context("a file without changes")?;
        let mut text = fs::read_to_string(root().join(name)).with_context(|| name.to_owned())?;
        let mut at = 0;
        for hunk in hunks.split("@@\n").skip(1) {
            let lines = |signs: [char; 2]| -> String {
                let lines = hunk.split_inclusive('\n').filter(|line| line.starts_with(signs));
                lines.map(|line| &line[1..]).collect()
            };
            let (old, new) = (lines([' ', '-']), lines([' ', '+']));
            let found =
                text[at..].find(&old).with_context(|| format!("{name} does not contain\n{old}"))?;
            text.replace_range(at + found..at + found + old.len(), &new);
            at += found + new.len();
        }
        files.insert(name.into(), text);
    }
    Ok(files)
}

/// Changes the version of the workspace. The copy shares the target directory with the original, so
/// that dependencies are built once; with equal versions, cargo would confuse the two.
fn as_another_version(manifest: &str) -> Result<String> {
    let version = concat!("version = \"", env!("CARGO_PKG_VERSION"), "\"");
    ensure!(manifest.contains(version), "Cargo.toml does not contain {version}");
    Ok(manifest.replacen(version, "version = \"0.1.999\"", 1))
}

/// Returns all text files below a directory that cargo or the tests need.
fn sources(folder: &Path) -> Result<Sources> {
    let mut found = Sources::new();
    let tops =
        ["Cargo.toml", "Cargo.lock", "clippy.toml", "README.md", "bench", "crates", "docs", "fuzz"];
    for top in tops {
        collect(folder, Path::new(top), &mut found)?;
    }
    Ok(found)
}

fn collect(folder: &Path, path: &Path, found: &mut Sources) -> Result<()> {
    let full = folder.join(path);
    if full.is_dir() {
        for entry in fs::read_dir(full)? {
            collect(folder, &path.join(entry?.file_name()), found)?;
        }
    } else if let Ok(text) = fs::read_to_string(full) {
        found.insert(path.to_owned(), text);
    }
    Ok(())
}

/// Writes a file only if its content changes, so that cargo does not rebuild it.
fn write_if_changed(path: &Path, text: &str) -> Result<()> {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    fs::create_dir_all(path.parent().context("no parent directory")?)?;
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
