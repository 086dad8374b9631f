//! Where the index is.

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use chunkwright_config::Settings;
use chunkwright_io::shown;
use chunkwright_search::{Error, Snapshot, Tree};

use crate::options::found_settings;

/// The name of the index's directory.
const INDEX: &str = ".chunkwright";

/// What to do about a fault of the index, if the fault does not say it.
pub(crate) fn advice(fault: &Error) -> Option<&'static str> {
    match fault {
        Error::Missing { .. } => {
            Some("`chunkwright index PATH` makes one, --index names one elsewhere")
        }
        Error::Damaged { .. } => Some("`chunkwright index --rebuild` makes the index anew"),
        Error::Foreign { .. } => Some("name another directory with --index"),
        Error::OtherVersion { .. } => Some("`chunkwright index` makes it anew"),
        Error::TreeClash { .. } => Some("--tree gives it one"),
        _ => None,
    }
}

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
    pub(crate) fn existing(&self, settings: &Settings) -> Result<PathBuf> {
        if let Some(dir) = &self.index {
            return Ok(dir.clone());
        }
        if let Some(folder) = settings.folder() {
            return Ok(folder.join(INDEX));
        }
        let here = std::env::current_dir().context("the working directory")?;
        let found = here.ancestors().map(|dir| dir.join(INDEX)).find(|dir| dir.is_dir());
        if let Some(found) = found {
            return Ok(found);
        }
        match below().as_slice() {
            [] => Ok(INDEX.into()),
            [only] => Ok(only.clone()),
            several => {
                let names: Vec<_> = several.iter().map(|dir| shown(dir).to_string()).collect();
                bail!("there are several: choose one with --index: {}", names.join(", "))
            }
        }
    }

    /// The directory of an index of these trees.
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

    /// The index as it is now.
    pub(crate) fn open(&self) -> Result<Snapshot> {
        Ok(Snapshot::open(&self.existing(&found_settings()?)?)?)
    }
}

/// The indexes of directories here that have one.
fn below() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(".").into_iter().flatten().flatten();
    let indexes = entries.map(|entry| PathBuf::from(entry.file_name()).join(INDEX));
    let mut found: Vec<_> = indexes.filter(|index| index.is_dir()).collect();
    found.sort();
    found
}
