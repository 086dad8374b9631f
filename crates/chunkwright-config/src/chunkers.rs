//! Builds the chunkers for settings with overrides, and selects the one for a path.

use std::collections::BTreeMap;
use std::sync::Arc;

use chunkwright::{Chunker, ConfigTable, StrategyName, TokenCounter};
use chunkwright_records::Provenance;

use crate::error::Error;
use crate::settings::Settings;

/// The default chunker, and one for each combination of overrides.
///
/// ```
/// use std::path::Path;
///
/// use chunkwright_config::{Chunkers, Settings};
///
/// let file = "max = 900\n[[override]]\npaths = ['blog/**']\nmax = 300\n";
/// let settings = Settings::parse("chunkwright.toml", Path::new("."), file)?;
/// let mut chunkers = Chunkers::new(&settings)?;
/// chunkers.add(["guide.md", "blog/tea.md"].iter())?;
/// assert_eq!(chunkers.of("guide.md").max_tokens(), Some(900));
/// assert_eq!(chunkers.of("blog/tea.md").max_tokens(), Some(300));
/// # Ok::<(), chunkwright_config::Error>(())
/// ```
#[derive(Clone)]
pub struct Chunkers {
    settings: Settings,
    counter: Option<Arc<dyn TokenCounter>>,
    /// The default chunker, then those with overrides.
    chunkers: Vec<Arc<Chunker>>,
    /// The configuration of each chunker.
    tables: Vec<ConfigTable>,
    /// The index of the chunker for each combination of overrides.
    special: BTreeMap<Vec<usize>, usize>,
}

impl Chunkers {
    /// Creates the default chunker.
    ///
    /// # Errors
    /// Fails if options contradict each other, or if the tokenizer is unknown.
    pub fn new(settings: &Settings) -> Result<Self, Error> {
        Self::make(settings, None)
    }

    /// Creates the default chunker with the caller's counter, which also applies to overrides.
    ///
    /// # Errors
    /// Fails if options contradict each other.
    pub fn with_counter(
        settings: &Settings,
        counter: Arc<dyn TokenCounter>,
    ) -> Result<Self, Error> {
        Self::make(settings, Some(counter))
    }

    /// Creates one chunker per strategy, without overrides. If the settings have no `tokenizer`,
    /// all count with this one, so that their chunks can be compared.
    ///
    /// # Errors
    /// Fails if options contradict each other, if no strategy uses a flag, or if the tokenizer is
    /// unknown.
    pub fn compared(
        settings: &Settings,
        strategies: &[StrategyName],
        tokenizer: &str,
    ) -> Result<Vec<Chunker>, Error> {
        let make = |mut table: ConfigTable| {
            table.tokenizer.get_or_insert_with(|| tokenizer.to_owned());
            chunker(settings, &[], &table)
        };
        settings.chunking_by(strategies)?.into_iter().map(make).collect()
    }

    fn make(settings: &Settings, counter: Option<Arc<dyn TokenCounter>>) -> Result<Self, Error> {
        let mut made = Self {
            settings: settings.clone(),
            counter,
            chunkers: Vec::new(),
            tables: Vec::new(),
            special: BTreeMap::new(),
        };
        let general = settings.chunking()?;
        made.push(&[], general)?;
        Ok(made)
    }

    /// Creates the chunkers that overrides require for these paths, so that errors are reported
    /// before any file is read.
    ///
    /// # Errors
    /// Fails if options contradict each other, or if the tokenizer is unknown.
    pub fn add(&mut self, paths: impl Iterator<Item: AsRef<str>>) -> Result<(), Error> {
        if self.settings.overrides() == 0 {
            return Ok(());
        }
        for path in paths {
            let overrides = self.settings.overrides_of(path.as_ref());
            if !overrides.is_empty() && !self.special.contains_key(&overrides) {
                self.push(&overrides, self.settings.chunking_with(&overrides)?)?;
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

    /// Returns the default chunker, followed by those with overrides.
    pub fn all(&self) -> &[Arc<Chunker>] {
        &self.chunkers
    }

    /// Returns the index in [`all`](Self::all) of the chunker for a path in its tree.
    pub fn nth(&self, path: &str) -> usize {
        if self.special.is_empty() {
            return 0;
        }
        self.special.get(&self.settings.overrides_of(path)).copied().unwrap_or(0)
    }

    /// Returns the chunker for a path in its tree.
    pub fn of(&self, path: &str) -> &Chunker {
        &self.chunkers[self.nth(path)]
    }

    /// Returns a warning for each override that changes the tokenizer only because its strategy has
    /// a different default.
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

    /// Returns the provenance of the chunks, with a hash of all options that take effect, including
    /// overrides and the input format.
    pub fn provenance(&self) -> Provenance {
        let strategies = self.tables.iter().map(|table| table.strategy);
        Provenance::new(self.config_hash(), strategies)
    }

    fn config_hash(&self) -> String {
        let general = self.chunkers[0].config_hash();
        let format = self.settings.processing().input_format;
        let format = format.map(|format| format!("input_format {format:?}"));
        let more: Vec<_> = self.settings.overrides_text().into_iter().chain(format).collect();
        if more.is_empty() {
            return general.to_owned();
        }
        let hash = blake3::hash(format!("{general} {}", more.join(" ")).as_bytes());
        hash.to_hex()[..general.len()].to_owned()
    }
}

/// Creates the chunker of a configuration. `overrides` locate the option in an error.
fn chunker(
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
