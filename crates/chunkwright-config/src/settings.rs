//! Merges the configuration file with flags, and returns the options that take effect.

use std::path::{Path, PathBuf};

use chunkwright::{ConfigError, ConfigTable, StrategyName};
use serde_json::Value as Json;
use toml::Value;

use crate::declared::{DeclaringStruct, plain};
use crate::error::Error;
use crate::file::{ConfigFile, Override};
use crate::keys::{self, Key, Rejection, has, struct_of};
use crate::layers::{Assignment, Effect};
use crate::origin::Origin;
use crate::processing::Processing;
use crate::search::{Indexing, Tuning};

/// The settings of the configuration file and of flags.
///
/// Flags win over overrides, overrides over the rest of the file, and the file over defaults.
///
/// ```
/// use std::path::Path;
///
/// use chunkwright_config::Settings;
///
/// let mut settings = Settings::parse("chunkwright.toml", Path::new("."), "max = 300\n")?;
/// settings.set("min", "20", "--min 20")?;
/// let config = settings.chunking()?;
/// assert_eq!((config.hierarchical.max, config.hierarchical.min), (Some(300), Some(20)));
/// let error = settings.set("maxx", "400", "--maxx 400").unwrap_err();
/// assert_eq!(error.to_string(), "--maxx 400: unknown option `maxx`; did you mean `max`?");
/// # Ok::<(), chunkwright_config::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Settings {
    file: Option<ConfigFile>,
    flags: Vec<Assignment>,
}

/// An option that takes effect.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct EffectiveOption {
    /// Name of the option, with the tables that contain it.
    pub key: String,
    /// Value of the option; null if there is none.
    pub value: Json,
    /// Place where the option was set; `None` for a default.
    pub origin: Option<Origin>,
}

impl Settings {
    /// Reads `chunkwright.toml` in a directory or its nearest parent that has one.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or contains an unknown option or an invalid value.
    pub fn find(from: &Path) -> Result<Self, Error> {
        Ok(Self { file: ConfigFile::find(from)?, flags: Vec::new() })
    }

    /// Parses a configuration file. Paths in it are relative to `folder`.
    ///
    /// # Errors
    /// Fails if it contains an unknown option or an invalid value.
    pub fn parse(name: &str, folder: &Path, text: &str) -> Result<Self, Error> {
        Ok(Self { file: Some(ConfigFile::parse(name, folder, text)?), flags: Vec::new() })
    }

    /// Sets an option, which takes precedence over the file.
    ///
    /// The value is written as in the file, but strings need no quotes, and lists no brackets.
    /// Errors quote the flag as `said`.
    ///
    /// # Errors
    /// Fails if the option is unknown or the value is invalid.
    pub fn set(&mut self, key: &str, value: &str, said: &str) -> Result<(), Error> {
        let origin = Origin::Flag(said.to_owned());
        let (resolved, kind) = match keys::resolve(key) {
            Ok(found) => found,
            Err(rejection) => return Err(rejection.error(key, origin)),
        };
        let text = Value::from(value);
        let parsed = value.parse().unwrap_or_else(|_| text.clone());
        let list = value.split(',').map(|one| Value::from(one.trim())).collect();
        let mut values = vec![parsed, text, Value::Array(list)];
        match values.iter().position(|value| kind.accepts(value)) {
            Some(nth) => {
                let value = values.swap_remove(nth);
                self.flags.push(Assignment { key: resolved, value, origin });
                Ok(())
            }
            None => {
                let mut refusals: Vec<_> = values.iter().map(|value| kind.refusal(value)).collect();
                let told = refusals.iter().position(|one| one.is_unknown).unwrap_or(0);
                Err(Error::of_value(origin, refusals.swap_remove(told)))
            }
        }
    }

    /// Sets an option, or several in a table, which take precedence over the file. Null sets
    /// nothing. Errors quote the argument as `said`.
    ///
    /// # Errors
    /// Fails if the option is unknown or the value is invalid.
    pub fn set_value(&mut self, key: &str, value: &Json, said: &str) -> Result<(), Error> {
        let origin = || Origin::Flag(said.to_owned());
        match value {
            Json::Null => Ok(()),
            Json::Object(_) if !keys::is_table(key) => {
                Err(keys::no_table(key).error(key, origin()))
            }
            Json::Object(table) => {
                let mut entries = table.iter();
                entries.try_for_each(|(name, value)| {
                    self.set_value(&format!("{key}.{name}"), value, said)
                })
            }
            value => {
                let wrong = |rejection: Rejection| rejection.error(key, origin());
                let (resolved, kind) = keys::resolve(key).map_err(wrong)?;
                // A list may contain null, which TOML does not have.
                let value = Value::try_from(value)
                    .map_err(|_| wrong(Rejection::Value(kind.refused(&value.to_string()))))?;
                if !kind.accepts(&value) {
                    return Err(wrong(Rejection::Value(kind.refusal(&value))));
                }
                self.flags.push(Assignment { key: resolved, value, origin: origin() });
                Ok(())
            }
        }
    }

    /// Returns the name of the file for messages.
    pub fn file_name(&self) -> Option<&str> {
        self.file.as_ref().map(|file| file.shown.as_str())
    }

    /// Returns the directory of the file.
    pub fn folder(&self) -> Option<&Path> {
        self.file.as_ref().map(|file| file.folder.as_path())
    }

    /// Returns the names and directories of the trees in the file.
    pub fn trees(&self) -> &[(String, PathBuf)] {
        self.file.as_ref().map_or(&[], |file| &file.trees)
    }

    /// Returns the chunking options of documents without overrides.
    ///
    /// # Errors
    /// Fails if options contradict each other, in an override as well, or if no strategy uses a
    /// flag.
    pub fn chunking(&self) -> Result<ConfigTable, Error> {
        let general = self.effect(&[], None);
        let special = (0..self.overrides()).map(|nth| self.effect(&[nth], None).strategy);
        let strategies: Vec<_> = [general.strategy].into_iter().chain(special).collect();
        self.check_use(&strategies)?;
        for nth in 0..self.overrides() {
            self.chunking_with(&[nth])?;
        }
        self.checked(&general)
    }

    /// Returns the chunking options of documents with these overrides.
    pub(crate) fn chunking_with(&self, overrides: &[usize]) -> Result<ConfigTable, Error> {
        self.checked(&self.effect(overrides, None))
    }

    /// Returns the chunking options of each of these strategies.
    pub(crate) fn chunking_by(
        &self,
        strategies: &[StrategyName],
    ) -> Result<Vec<ConfigTable>, Error> {
        self.check_use(strategies)?;
        let by = |strategy: &StrategyName| self.checked(&self.effect(&[], Some(*strategy)));
        strategies.iter().map(by).collect()
    }

    /// Returns the indices of the overrides for a path in its tree.
    pub(crate) fn overrides_of(&self, path: &str) -> Vec<usize> {
        let overrides = self.file.iter().flat_map(|file| &file.overrides).enumerate();
        overrides.filter(|(_, one)| one.paths.is_match(path)).map(|(nth, _)| nth).collect()
    }

    /// Returns the patterns of an override, as written.
    pub(crate) fn patterns_of(&self, nth: usize) -> &[String] {
        let overrides = self.file.as_ref().map_or(&[][..], |file| &file.overrides);
        overrides.get(nth).map_or(&[], |one| &one.patterns)
    }

    /// Returns the number of overrides.
    pub fn overrides(&self) -> usize {
        self.file.as_ref().map_or(0, |file| file.overrides.len())
    }

    /// Returns the options for reading files and writing records.
    pub fn processing(&self) -> Processing {
        self.effect(&[], None).read(DeclaringStruct::Processing)
    }

    /// Returns the indexing options, or `None` if none of them is set. The index parses documents
    /// with the same options as the chunkers.
    pub fn indexing(&self) -> Option<Indexing> {
        let effect = self.effect(&[], None);
        let ConfigTable { mdx, slugs, shortcodes, url_base, .. } =
            effect.read(DeclaringStruct::Chunking);
        let Processing { input_format, .. } = effect.read(DeclaringStruct::Processing);
        let mut indexing: Indexing = effect.read(DeclaringStruct::Index);
        (indexing.input_format, indexing.mdx, indexing.slugs) = (input_format, mdx, slugs);
        (indexing.shortcodes, indexing.url_base) = (shortcodes, url_base);
        (effect.says(DeclaringStruct::Index) || indexing != Indexing::default()).then_some(indexing)
    }

    /// Returns the search options.
    pub fn tuning(&self) -> Tuning {
        self.effect(&[], None).read(DeclaringStruct::Search)
    }

    /// Returns every option that takes effect for a path, in the order of declaration.
    ///
    /// # Errors
    /// Fails if options contradict each other.
    pub fn list(&self, path: Option<&str>) -> Result<Vec<EffectiveOption>, Error> {
        let overrides = path.map(|path| self.overrides_of(path)).unwrap_or_default();
        let effect = self.effect(&overrides, None);
        let values = [
            (DeclaringStruct::Chunking, plain(&self.filled(&effect)?)),
            (
                DeclaringStruct::Processing,
                plain(&effect.read::<Processing>(DeclaringStruct::Processing)),
            ),
            (DeclaringStruct::Index, plain(&effect.read::<Indexing>(DeclaringStruct::Index))),
            (DeclaringStruct::Search, plain(&effect.read::<Tuning>(DeclaringStruct::Search))),
        ];
        let mut listed = Vec::new();
        for (declaring, values) in values {
            flatten(declaring.table().unwrap_or_default(), values, &mut listed);
        }
        // The index shares options with the chunkers, which are listed once.
        listed.retain(|one| struct_of(&one.key).is_some());
        for one in &mut listed {
            one.origin = effect.origin(&one.key).cloned();
        }
        Ok(listed)
    }

    /// Returns the options that are set for a path but have no effect, because its strategy does not
    /// have them.
    pub fn unused(&self, path: Option<&str>) -> Vec<(String, Origin)> {
        let overrides = path.map(|path| self.overrides_of(path)).unwrap_or_default();
        let strategy = self.effect(&overrides, None).strategy;
        let unused = |one: &Assignment| match &one.key {
            Key::OfStrategy(option) if !has(strategy, option) => {
                Some((option.clone(), one.origin.clone()))
            }
            _ => None,
        };
        self.assignments(&overrides).filter_map(unused).collect()
    }

    /// Returns an error about an option, located where the option was set.
    pub(crate) fn blame(
        &self,
        overrides: &[usize],
        key: &str,
        message: impl Into<String>,
    ) -> Error {
        Error::new(self.effect(overrides, None).origin(key).cloned(), message)
    }

    /// Returns a text of all overrides, for a hash that changes if the chunks may change.
    pub(crate) fn overrides_text(&self) -> Option<String> {
        let overrides = self.file.as_ref().map(|file| &file.overrides)?;
        let text = |(nth, one): (usize, &Override)| {
            format!("{:?} {}", one.patterns, plain(&self.effect(&[nth], None).chunking()))
        };
        let texts: Vec<_> = overrides.iter().enumerate().map(text).collect();
        (!texts.is_empty()).then(|| texts.join(" "))
    }

    fn effect(&self, overrides: &[usize], strategy: Option<StrategyName>) -> Effect<'_> {
        Effect::of(self.assignments(overrides), strategy)
    }

    /// Returns all assignments that apply; later ones win.
    fn assignments(&self, overrides: &[usize]) -> impl Iterator<Item = &Assignment> + Clone {
        let (general, special) = match &self.file {
            Some(file) => (file.assignments.as_slice(), file.overrides.as_slice()),
            None => (&[][..], &[][..]),
        };
        let special = overrides.iter().filter_map(|nth| special.get(*nth));
        let special = special.flat_map(|one| &one.assignments);
        general.iter().chain(special).chain(&self.flags)
    }

    fn checked(&self, effect: &Effect<'_>) -> Result<ConfigTable, Error> {
        self.filled(effect).map(|_| effect.chunking())
    }

    fn filled(&self, effect: &Effect<'_>) -> Result<ConfigTable, Error> {
        let wrong = |fault: ConfigError| {
            let key = format!("{}.{}", effect.strategy, fault.option());
            Error::new(effect.origin(&key).cloned(), fault.to_string())
        };
        effect.chunking().filled().map_err(wrong)
    }

    /// Rejects a flag that none of the strategies uses.
    fn check_use(&self, strategies: &[StrategyName]) -> Result<(), Error> {
        for flag in &self.flags {
            let Key::OfStrategy(option) = &flag.key else { continue };
            if strategies.iter().any(|strategy| has(*strategy, option)) {
                continue;
            }
            let users = StrategyName::ALL.iter().filter(|strategy| has(**strategy, option));
            let verb = if strategies.len() == 1 { "has" } else { "have" };
            let message = format!(
                "{} {verb} no option `{option}`; use it with {}",
                listed(strategies.iter(), "and"),
                listed(users, "or"),
            );
            return Err(Error::new(Some(flag.origin.clone()), message));
        }
        Ok(())
    }
}

/// Adds the options in a table, with their full names.
fn flatten(table: &str, value: Json, listed: &mut Vec<EffectiveOption>) {
    match value {
        Json::Object(map) => {
            for (name, value) in map {
                let key = if table.is_empty() { name } else { format!("{table}.{name}") };
                flatten(&key, value, listed);
            }
        }
        value => listed.push(EffectiveOption { key: table.to_owned(), value, origin: None }),
    }
}

/// Returns the names of strategies in a sentence: `window, blocks or tree`.
fn listed<'s>(strategies: impl Iterator<Item = &'s StrategyName>, conjunction: &str) -> String {
    let names: Vec<_> = strategies.map(|strategy| format!("`{strategy}`")).collect();
    match names.as_slice() {
        [others @ .., last] if !others.is_empty() => {
            format!("{} {conjunction} {last}", others.join(", "))
        }
        _ => names.concat(),
    }
}
