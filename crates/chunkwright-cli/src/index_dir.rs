//! Locates the index directory.

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use chunkwright_config::Settings;
use chunkwright_io::shown;
use chunkwright_search::{Error, Snapshot, Tree};

use crate::options::found_settings;

/// Name of the index directory.
const INDEX: &str = ".chunkwright";

/// Returns what to do about an index error, if its message does not say so.
pub(crate) fn advice(fault: &Error) -> Option<&'static str> {
    match fault {
        Error::Missing { .. } => {
            Some("create one with `chunkwright index PATH`, or pass its directory with --index")
        }
        Error::Damaged { .. } => Some("rebuild the index with `chunkwright index --rebuild`"),
        Error::Foreign { .. } => Some("choose another directory with --index"),
        Error::OtherVersion { .. } => Some("rebuild it with `chunkwright index`"),
        Error::TreeClash { .. } => Some("set one with --tree"),
        _ => None,
    }
}

/// The flag that sets the index directory.
#[derive(clap::Args)]
pub(crate) struct IndexFlag {
    /// Index directory [default: .chunkwright next to chunkwright.toml, or in the indexed directory]
    #[arg(long, value_name = "DIR")]
    pub(crate) index: Option<PathBuf>,
}

impl IndexFlag {
    /// Returns the directory of an existing index: next to the configuration file, in the working
    /// directory or one above it, or in the only subdirectory that has one.
    pub(crate) fn existing(&self, settings: &Settings) -> Result<PathBuf> {
        if let Some(dir) = &self.index {
            return Ok(dir.clone());
        }
        if let Some(folder) = settings.folder() {
            return Ok(folder.join(INDEX));
        }
        let here = std::env::current_dir().context("cannot determine the working directory")?;
        let found = here.ancestors().map(|dir| dir.join(INDEX)).find(|dir| dir.is_dir());
        if let Some(found) = found {
            return Ok(found);
        }
        match below().as_slice() {
            [] => Ok(INDEX.into()),
            [only] => Ok(only.clone()),
            several => {
                let names: Vec<_> = several.iter().map(|dir| shown(dir).to_string()).collect();
                bail!("found several indexes: {}; choose one with --index", names.join(", "))
            }
        }
    }

    /// Returns the directory to write an index of `trees` to.
    pub(crate) fn of(&self, trees: &[Tree], settings: &Settings) -> PathBuf {
        if let Some(dir) = &self.index {
            return dir.clone();
        }
        let root = match (settings.folder(), trees) {
            (Some(folder), _) => folder.to_owned(),
            (None, [only]) if only.path.is_dir() => only.path.clone(),
            _ => PathBuf::new(),
        };
        root.join(INDEX)
    }

    /// Opens the index.
    pub(crate) fn open(&self) -> Result<Snapshot> {
        Ok(Snapshot::open(&self.existing(&found_settings()?)?)?)
    }
}

/// Returns the indexes in subdirectories of the working directory.
fn below() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(".").into_iter().flatten().flatten();
    let indexes = entries.map(|entry| PathBuf::from(entry.file_name()).join(INDEX));
    let mut found: Vec<_> = indexes.filter(|index| index.is_dir()).collect();
    found.sort();
    found
}
