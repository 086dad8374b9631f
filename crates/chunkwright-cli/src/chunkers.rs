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
    /// The general one, then the others.
    chunkers: Vec<Chunker>,
    /// Which chunker follows which overrides.
    special: BTreeMap<Vec<usize>, usize>,
}

impl<'s> Chunkers<'s> {
    /// The general chunker.
    pub(crate) fn new(settings: &'s Settings) -> Result<Self> {
        let general = chunker(settings, &[], settings.cutting()?)?;
        Ok(Self { settings, chunkers: vec![general], special: BTreeMap::new() })
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
                self.chunkers.push(chunker(self.settings, &overrides, config)?);
                self.special.insert(overrides, self.chunkers.len() - 1);
            }
        }
        Ok(())
    }

    /// The general one, then the others.
    pub(crate) fn all(&self) -> &[Chunker] {
        &self.chunkers
    }

    /// Which one of all is for a path in its tree.
    pub(crate) fn nth(&self, path: &str) -> usize {
        if self.special.is_empty() {
            return 0;
        }
        self.special.get(&self.settings.overrides_of(path)).copied().unwrap_or(0)
    }

    /// The chunker for a path in its tree.
    pub(crate) fn of(&self, path: &str) -> &Chunker {
        &self.chunkers[self.nth(path)]
    }

    /// A hash of all options that take effect, overrides included.
    pub(crate) fn config_hash(&self) -> String {
        let general = self.chunkers[0].config_hash();
        match self.settings.overrides_text() {
            None => general.to_owned(),
            Some(text) => {
                let hash = blake3::hash(format!("{general} {text}").as_bytes());
                hash.to_hex()[..general.len()].to_owned()
            }
        }
    }
}

/// The chunker of a configuration that follows these overrides.
pub(crate) fn chunker(settings: &Settings, overrides: &[usize], config: Config) -> Result<Chunker> {
    let counter = chunkwright_tokens::counter(config.counter_name(), config.bias)
        .map_err(|fault| settings.blame(overrides, "tokenizer", fault.to_string()))?;
    Ok(Chunker::new(config, counter)?)
}
