//! Chunkers for all files: settings and paths come in; the files, and a chunker for each, go out.

use std::collections::BTreeMap;
use std::panic;
use std::path::PathBuf;
use std::thread;

use anyhow::Result;
use chunkwright::{Chunker, Config};
use chunkwright_config::Settings;
use chunkwright_io::{Entries, Found};

use crate::options::Reading;

/// The general chunker, and those for files that an override is about.
pub(crate) struct Chunkers<'s> {
    settings: &'s Settings,
    general: Chunker,
    /// By the overrides that they follow.
    special: BTreeMap<Vec<usize>, Chunker>,
}

impl<'s> Chunkers<'s> {
    /// The general chunker.
    pub(crate) fn new(settings: &'s Settings) -> Result<Self> {
        let general = chunker(settings, settings.cutting()?)?;
        Ok(Self { settings, general, special: BTreeMap::new() })
    }

    /// Chunkers for these files. They are found while a vocabulary is loaded.
    pub(crate) fn prepare(
        settings: &'s Settings,
        reading: &Reading,
        paths: &[PathBuf],
    ) -> Result<(Self, Found)> {
        thread::scope(|scope| {
            let finding = scope.spawn(|| reading.find(paths));
            let mut chunkers = Self::new(settings)?;
            let found = finding.join().unwrap_or_else(|panic| panic::resume_unwind(panic))?;
            chunkers.add(&found.entries)?;
            Ok((chunkers, found))
        })
    }

    /// Makes those that overrides ask for, so that faults are told before any work.
    pub(crate) fn add(&mut self, entries: &Entries) -> Result<()> {
        if self.settings.overrides() == 0 {
            return Ok(());
        }
        for entry in entries.iter() {
            let overrides = self.settings.overrides_of(&entry.path);
            if !overrides.is_empty() && !self.special.contains_key(&overrides) {
                let config = self.settings.cutting_with(&overrides)?;
                self.special.insert(overrides, chunker(self.settings, config)?);
            }
        }
        Ok(())
    }

    /// The chunker for a path in its tree.
    pub(crate) fn of(&self, path: &str) -> &Chunker {
        if self.special.is_empty() {
            return &self.general;
        }
        self.special.get(&self.settings.overrides_of(path)).unwrap_or(&self.general)
    }

    /// The chunker for files that no override is about.
    pub(crate) fn general(&self) -> &Chunker {
        &self.general
    }
}

/// The chunker of a configuration.
pub(crate) fn chunker(settings: &Settings, config: Config) -> Result<Chunker> {
    let counter = chunkwright_tokens::counter(config.counter_name(), config.bias)
        .map_err(|fault| settings.blame("tokenizer", fault.to_string()))?;
    Ok(Chunker::new(config, counter)?)
}
