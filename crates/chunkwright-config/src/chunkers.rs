//! Chunkers: settings come in once, then paths, and the chunker for each goes out.

use std::collections::BTreeMap;
use std::sync::Arc;

use chunkwright::{Chunker, ConfigTable, TokenCounter};
use chunkwright_io::Provenance;

use crate::error::Error;
use crate::settings::Settings;

/// The general chunker, and those for files that an override is about.
#[derive(Clone)]
pub struct Chunkers {
    settings: Settings,
    counter: Option<Arc<dyn TokenCounter>>,
    /// The general one, then the others.
    chunkers: Vec<Arc<Chunker>>,
    /// What each was made of.
    tables: Vec<ConfigTable>,
    /// Which chunker follows which overrides.
    special: BTreeMap<Vec<usize>, usize>,
}

impl Chunkers {
    /// The general chunker.
    ///
    /// # Errors
    /// When options contradict each other, or there is no such counter.
    pub fn new(settings: &Settings) -> Result<Self, Error> {
        Self::make(settings, None)
    }

    /// The general chunker, with a counter of the caller's for all files.
    ///
    /// # Errors
    /// When options contradict each other.
    pub fn with_counter(
        settings: &Settings,
        counter: Arc<dyn TokenCounter>,
    ) -> Result<Self, Error> {
        Self::make(settings, Some(counter))
    }

    fn make(settings: &Settings, counter: Option<Arc<dyn TokenCounter>>) -> Result<Self, Error> {
        let mut made = Self {
            settings: settings.clone(),
            counter,
            chunkers: Vec::new(),
            tables: Vec::new(),
            special: BTreeMap::new(),
        };
        let general = settings.cutting()?;
        made.push(&[], general)?;
        Ok(made)
    }

    /// Makes those that overrides ask for, so that faults are told before any work.
    ///
    /// # Errors
    /// When options contradict each other, or there is no such counter.
    pub fn add(&mut self, paths: impl Iterator<Item: AsRef<str>>) -> Result<(), Error> {
        if self.settings.overrides() == 0 {
            return Ok(());
        }
        for path in paths {
            let overrides = self.settings.overrides_of(path.as_ref());
            if !overrides.is_empty() && !self.special.contains_key(&overrides) {
                self.push(&overrides, self.settings.cutting_with(&overrides)?)?;
                self.special.insert(overrides, self.chunkers.len() - 1);
            }
        }
        Ok(())
    }

    fn push(&mut self, overrides: &[usize], table: ConfigTable) -> Result<(), Error> {
        let made = match &self.counter {
            Some(counter) => with_counter(&self.settings, overrides, &table, Arc::clone(counter)),
            None => chunker(&self.settings, overrides, &table),
        };
        self.chunkers.push(Arc::new(made?));
        self.tables.push(table);
        Ok(())
    }

    /// The general one, then the others.
    pub fn all(&self) -> &[Arc<Chunker>] {
        &self.chunkers
    }

    /// Which one of all is for a path in its tree.
    pub fn nth(&self, path: &str) -> usize {
        if self.special.is_empty() {
            return 0;
        }
        self.special.get(&self.settings.overrides_of(path)).copied().unwrap_or(0)
    }

    /// The chunker for a path in its tree.
    pub fn of(&self, path: &str) -> &Chunker {
        &self.chunkers[self.nth(path)]
    }

    /// Returns a sentence for each override that changes the counter without naming one: another
    /// strategy counts with its own.
    pub fn counter_changes(&self) -> Vec<String> {
        let general = self.tables[0].counter_name();
        let change = |(overrides, &nth): (&Vec<usize>, &usize)| {
            let config = &self.tables[nth];
            let (strategy, counter) = (config.strategy, config.counter_name());
            let patterns = overrides.iter().flat_map(|&nth| self.settings.patterns_of(nth));
            let patterns: Vec<_> = patterns.map(String::as_str).collect();
            let is_silent = config.tokenizer.is_none() && counter != general;
            is_silent.then(|| {
                format!(
                    "the strategy `{strategy}` for {} uses the tokenizer `{counter}` instead of \
                     `{general}` (set `tokenizer` to use one for all files)",
                    patterns.join(", "),
                )
            })
        };
        let special = self.special.iter().filter(|_| self.counter.is_none());
        special.filter_map(change).collect()
    }

    /// How the chunks of these chunkers are made, for the files that hold them.
    pub fn provenance(&self) -> Provenance {
        let strategies = self.tables.iter().map(|table| table.strategy);
        Provenance::new(self.config_hash(), strategies)
    }

    /// A hash of all options that take effect, overrides and the input format included.
    pub fn config_hash(&self) -> String {
        let general = self.chunkers[0].config_hash();
        let format = self.settings.running().input_format;
        let format = format.map(|format| format!("input_format {format:?}"));
        let more: Vec<_> = self.settings.overrides_text().into_iter().chain(format).collect();
        if more.is_empty() {
            return general.to_owned();
        }
        let hash = blake3::hash(format!("{general} {}", more.join(" ")).as_bytes());
        hash.to_hex()[..general.len()].to_owned()
    }
}

/// The chunker of a configuration that follows these overrides.
///
/// # Errors
/// When options contradict each other, or there is no such counter.
pub fn chunker(
    settings: &Settings,
    overrides: &[usize],
    table: &ConfigTable,
) -> Result<Chunker, Error> {
    let counter = table
        .counter()
        .map_err(|fault| settings.blame(overrides, "tokenizer", fault.to_string()))?;
    with_counter(settings, overrides, table, counter)
}

fn with_counter(
    settings: &Settings,
    overrides: &[usize],
    table: &ConfigTable,
    counter: Arc<dyn TokenCounter>,
) -> Result<Chunker, Error> {
    let wrong = |fault: chunkwright::ConfigError| {
        settings.blame(overrides, fault.option(), fault.to_string())
    };
    Chunker::with_shared_counter(table.config(), counter).map_err(wrong)
}
