//! Where the index is, which trees belong to it and how it is searched: flags and
//! `chunkwright.toml` come in.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use chunkwright_search::{Indexing, Snapshot, Tree, Tuning};
use serde::de::DeserializeOwned;
use toml::{Table, Value};

use crate::options::{merge, nested, parse};

/// The name of the configuration file.
const CONFIG_FILE: &str = "chunkwright.toml";

/// The name of the index's directory.
const INDEX: &str = ".chunkwright";

/// Where the index is.
#[derive(clap::Args)]
pub(crate) struct Place {
    /// The directory of the index [default: .chunkwright beside chunkwright.toml, or in the
    /// directory that was indexed]
    #[arg(long, value_name = "DIR")]
    index: Option<PathBuf>,
}

impl Place {
    /// The directory of an index that should exist: beside the configuration, in this directory or
    /// one above it, or in the only directory here that has one.
    pub(crate) fn existing(&self) -> Result<PathBuf> {
        if let Some(dir) = &self.index {
            return Ok(dir.clone());
        }
        if let Some(config) = TreeConfig::find()? {
            return Ok(config.folder.join(INDEX));
        }
        let here = std::env::current_dir().context("the working directory")?;
        let found = here.ancestors().map(|dir| dir.join(INDEX)).find(|dir| dir.is_dir());
        Ok(found.or_else(only_below).unwrap_or_else(|| INDEX.into()))
    }

    /// The directory of an index of these trees.
    pub(crate) fn of(&self, trees: &[Tree], config: Option<&TreeConfig>) -> PathBuf {
        if let Some(dir) = &self.index {
            return dir.clone();
        }
        let root = match (config, trees) {
            (Some(config), _) => config.folder.clone(),
            (None, [only]) if only.path.is_dir() => only.path.clone(),
            _ => PathBuf::new(),
        };
        root.join(INDEX)
    }

    /// The index as it is now.
    pub(crate) fn open(&self) -> Result<Snapshot> {
        Ok(Snapshot::open(&self.existing()?)?)
    }
}

/// The index of the only directory here that has one.
fn only_below() -> Option<PathBuf> {
    let entries = std::fs::read_dir(".").ok()?.flatten();
    let mut found = entries
        .map(|entry| PathBuf::from(entry.file_name()).join(INDEX))
        .filter(|index| index.is_dir());
    found.next().filter(|_| found.next().is_none())
}

/// What a configuration file says about the index.
pub(crate) struct TreeConfig {
    /// Where the file is.
    pub(crate) folder: PathBuf,
    /// The trees that it names.
    pub(crate) trees: Vec<Tree>,
    index: Table,
    search: Table,
}

impl TreeConfig {
    /// Finds the file in the working directory or above it.
    pub(crate) fn find() -> Result<Option<Self>> {
        let here = std::env::current_dir().context("the working directory")?;
        let file = here.ancestors().map(|dir| dir.join(CONFIG_FILE)).find(|file| file.is_file());
        file.map(|file| Self::read(&file)).transpose()
    }

    fn read(file: &Path) -> Result<Self> {
        let shown = file.display();
        let text = std::fs::read_to_string(file).with_context(|| shown.to_string())?;
        let table: Table =
            text.parse().map_err(|error: toml::de::Error| anyhow::anyhow!("{shown}: {error}"))?;
        let folder = file.parent().unwrap_or(Path::new("")).to_owned();
        let mut trees = Vec::new();
        for (name, tree) in table.get("trees").and_then(Value::as_table).into_iter().flatten() {
            let Some(path) = tree.get("path").and_then(Value::as_str) else {
                bail!("{shown}: trees.{name} has no path");
            };
            if name.is_empty() || name.contains(':') {
                bail!("{shown}: trees.{name}: the name of a tree has no colon");
            }
            trees.push(Tree { name: Some(name.clone()), path: folder.join(path) });
        }
        let section =
            |name: &str| table.get(name).and_then(Value::as_table).cloned().unwrap_or_default();
        Ok(Self { folder, trees, index: section("index"), search: section("search") })
    }
}

/// How to index: the section `[index]` of the configuration, and what was set over it. Nothing, if
/// nobody said anything.
pub(crate) fn indexing(config: Option<&TreeConfig>, set: &[String]) -> Result<Option<Indexing>> {
    let file = config.map(|config| config.index.clone()).unwrap_or_default();
    if file.is_empty() && set.is_empty() {
        return Ok(None);
    }
    read_options(file, set, "index").map(Some)
}

/// How to search: the section `[search]` of the configuration, and what was set over it.
pub(crate) fn tuning(set: &[String]) -> Result<Tuning> {
    let file = TreeConfig::find()?.map(|config| config.search).unwrap_or_default();
    read_options(file, set, "search")
}

fn read_options<T: DeserializeOwned>(file: Table, set: &[String], section: &str) -> Result<T> {
    let read = |table: Table| Table::try_into::<T>(table);
    let mut table = file;
    if let Err(error) = read(table.clone()) {
        bail!("{CONFIG_FILE}: [{section}]: {}", error.message());
    }
    for assignment in set {
        let (key, value) = assignment
            .split_once('=')
            .with_context(|| format!("--set {assignment}: it takes KEY=VALUE"))?;
        merge(&mut table, nested(key.trim(), parse(value)));
        if let Err(error) = read(table.clone()) {
            bail!("--set {assignment}: {}", error.message());
        }
    }
    Ok(read(table)?)
}
