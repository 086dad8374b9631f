//! Follows the recipe for a new strategy in CONTRIBUTING.md step by step, in a copy of the project
//! whose golden pages must then pass.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::steps::{Steps, root, target};

/// Paths and texts.
type Sources = BTreeMap<PathBuf, String>;

/// The strategy that the recipe adds.
const NAME: &str = "sections";

pub(crate) fn run(steps: &mut Steps) -> Result<()> {
    let copy = target().join("recipe");
    let mut wanted = sources(&root())?;
    wanted.extend(added()?);
    wanted.insert("Cargo.toml".into(), as_another_version(&wanted[Path::new("Cargo.toml")])?);
    for stale in sources(&copy)?.into_keys().filter(|path| !wanted.contains_key(path)) {
        fs::remove_file(copy.join(stale))?;
    }
    for (path, text) in &wanted {
        write_if_changed(&copy.join(path), text)?;
    }
    let mut test = Command::new(env!("CARGO"));
    // Of the whole workspace, so that features, and with them all dependencies, are the same.
    test.args(["test", "--quiet", "--workspace", "--test", "golden"]);
    test.current_dir(&copy).env("CARGO_TARGET_DIR", target());
    steps.run_as("recipe for a new strategy", "cargo xtask recipe", test)
}

/// What the recipe adds.
fn added() -> Result<Sources> {
    let page = fs::read_to_string(root().join("CONTRIBUTING.md"))?;
    let (_, recipe) = page.split_once("## Add a strategy\n").context("a recipe")?;
    let list = Path::new("crates/chunkwright/src/strategy/mod.rs");
    let fences = [fence(recipe, "```rust", 0)?, fence(recipe, "```rust", 1)?];
    let golden = format!("crates/chunkwright/tests/golden/{NAME}/{NAME}.md");
    Ok(Sources::from([
        (list.with_file_name(format!("{NAME}.rs")), fences[0].clone()),
        (list.to_owned(), listed(&fs::read_to_string(root().join(list))?, &fences[1])?),
        (golden.into(), fence(recipe, "`````markdown", 0)?),
    ]))
}

/// The text of the nth fence that opens like this.
fn fence(page: &str, opening: &str, nth: usize) -> Result<String> {
    let marks: String = opening.chars().take_while(|&c| c == '`').collect();
    let after = page.split(&format!("\n{opening}\n")).nth(nth + 1);
    let text = after.and_then(|after| after.split(&format!("\n{marks}\n")).next());
    text.map(|text| format!("{text}\n")).with_context(|| format!("fence {nth} of {opening}"))
}

/// The list of strategies with one line and its module more.
fn listed(list: &str, line: &str) -> Result<String> {
    let (module, last) = ("mod pack;\n", "            tree Tree,\n");
    ensure!(list.contains(module) && list.contains(last), "strategy/mod.rs has no such lines");
    let list = list.replace(module, &format!("{module}pub(crate) mod {NAME};\n"));
    Ok(list.replace(last, &format!("{last}{line}")))
}

/// The workspace as another version of itself: cargo would take the copy for the original, since they
/// share a folder for what is built (so that dependencies are built once).
fn as_another_version(manifest: &str) -> Result<String> {
    let version = concat!("version = \"", env!("CARGO_PKG_VERSION"), "\"");
    ensure!(manifest.contains(version), "Cargo.toml has no {version}");
    Ok(manifest.replacen(version, "version = \"0.1.999\"", 1))
}

/// All files that cargo reads below a folder.
fn sources(folder: &Path) -> Result<Sources> {
    let mut found = Sources::new();
    for top in ["Cargo.toml", "Cargo.lock", "clippy.toml", "README.md", "bench", "crates", "fuzz"] {
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

/// Leaves a file that is as it should be alone, so that cargo does not build it again.
fn write_if_changed(path: &Path, text: &str) -> Result<()> {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    fs::create_dir_all(path.parent().context("a folder")?)?;
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
