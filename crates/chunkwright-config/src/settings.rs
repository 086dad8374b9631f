//! All that was said: a file and flags come in, options that are sound go out.

use std::path::{Path, PathBuf};

use chunkwright::{ConfigError, ConfigTable, StrategyName};
use chunkwright_search::{Indexing, Tuning};
use serde_json::Value as Json;
use toml::Value;

use crate::error::Error;
use crate::file::{File, Override};
use crate::keys::{self, Key, Misfit, Part, has, json};
use crate::layers::{Assignment, Effect};
use crate::origin::Origin;
use crate::running::Running;

/// What a file and flags say. Flags win over overrides, overrides over the rest of the file, and
/// the file over defaults.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    file: Option<File>,
    flags: Vec<Assignment>,
}

/// An option that takes effect.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// Its name, with the tables it is in.
    pub key: String,
    /// Its value; null if there is none.
    pub value: Json,
    /// Who said so; nobody, if it is the default.
    pub origin: Option<Origin>,
}

impl Settings {
    /// What `chunkwright.toml` says, in a directory or the nearest one above it that has one.
    ///
    /// # Errors
    /// When the file cannot be read, or says what no option takes.
    pub fn find(from: &Path) -> Result<Self, Error> {
        Ok(Self { file: File::find(from)?, flags: Vec::new() })
    }

    /// What a configuration in a folder says.
    ///
    /// # Errors
    /// When it says what no option takes.
    pub fn parse(name: &str, folder: &Path, text: &str) -> Result<Self, Error> {
        Ok(Self { file: Some(File::parse(name, folder, text)?), flags: Vec::new() })
    }

    /// Sets an option over what the file says. The value is written as in the file, but text needs
    /// no quotes, and a list no brackets; `said` is how the user put it.
    ///
    /// # Errors
    /// When there is no such option, or it does not take the value.
    pub fn set(&mut self, key: &str, value: &str, said: &str) -> Result<(), Error> {
        let origin = Origin::Flag(said.to_owned());
        let text = Value::from(value);
        let parsed = value.parse().unwrap_or_else(|_| text.clone());
        let list = value.split(',').map(|one| Value::from(one.trim())).collect();
        let mut misfits = Vec::new();
        for value in [parsed, text, Value::Array(list)] {
            match keys::key(key, &value) {
                Ok(key) => {
                    self.flags.push(Assignment { key, value, origin });
                    return Ok(());
                }
                Err(misfit) => misfits.push(misfit),
            }
        }
        let told = misfits.iter().position(Misfit::is_about_choice).unwrap_or(0);
        Err(misfits.swap_remove(told).error(key, origin))
    }

    /// Sets an option, or several in a table, over what the file says; null sets nothing. `said` is
    /// how the user put it.
    ///
    /// # Errors
    /// When there is no such option, or it does not take the value.
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
                let value = Value::try_from(value)
                    .map_err(|fault| Error::new(Some(origin()), fault.to_string()))?;
                let key = keys::key(key, &value).map_err(|misfit| misfit.error(key, origin()))?;
                self.flags.push(Assignment { key, value, origin: origin() });
                Ok(())
            }
        }
    }

    /// The file's name, as users should see it.
    pub fn file_name(&self) -> Option<&str> {
        self.file.as_ref().map(|file| file.shown.as_str())
    }

    /// Where the file is.
    pub fn folder(&self) -> Option<&Path> {
        self.file.as_ref().map(|file| file.folder.as_path())
    }

    /// The trees that the file names, with their paths.
    pub fn trees(&self) -> &[(String, PathBuf)] {
        self.file.as_ref().map_or(&[], |file| &file.trees)
    }

    /// How documents are cut that no override is about.
    ///
    /// # Errors
    /// When options contradict each other, or a flag is of no use.
    pub fn cutting(&self) -> Result<ConfigTable, Error> {
        let general = self.effect(&[], None);
        let special = (0..self.overrides()).map(|nth| self.effect(&[nth], None).strategy);
        let strategies: Vec<_> = [general.strategy].into_iter().chain(special).collect();
        self.check_use(&strategies)?;
        for nth in 0..self.overrides() {
            self.cutting_with(&[nth])?;
        }
        self.checked(&general)
    }

    /// How documents are cut that these overrides are about.
    ///
    /// # Errors
    /// When options contradict each other.
    pub fn cutting_with(&self, overrides: &[usize]) -> Result<ConfigTable, Error> {
        self.checked(&self.effect(overrides, None))
    }

    /// How documents are cut by each of these strategies.
    ///
    /// # Errors
    /// When options contradict each other, or a flag is of no use.
    pub fn cutting_by(&self, strategies: &[StrategyName]) -> Result<Vec<ConfigTable>, Error> {
        self.check_use(strategies)?;
        let by = |strategy: &StrategyName| self.checked(&self.effect(&[], Some(*strategy)));
        strategies.iter().map(by).collect()
    }

    /// The overrides about a path in its tree, in order.
    pub fn overrides_of(&self, path: &str) -> Vec<usize> {
        let overrides = self.file.iter().flat_map(|file| &file.overrides).enumerate();
        overrides.filter(|(_, one)| one.paths.is_match(path)).map(|(nth, _)| nth).collect()
    }

    /// Returns the patterns of an override, as they are written.
    pub(crate) fn patterns_of(&self, nth: usize) -> &[String] {
        let overrides = self.file.as_ref().map_or(&[][..], |file| &file.overrides);
        overrides.get(nth).map_or(&[], |one| &one.patterns)
    }

    /// How many overrides there are.
    pub fn overrides(&self) -> usize {
        self.file.as_ref().map_or(0, |file| file.overrides.len())
    }

    /// How files are read and records are written.
    pub fn running(&self) -> Running {
        self.effect(&[], None).read(Part::Running)
    }

    /// How an index is made; nothing, if nobody said anything about it. Documents are read for it
    /// as they are for cutting.
    pub fn indexing(&self) -> Option<Indexing> {
        let effect = self.effect(&[], None);
        let ConfigTable { mdx, slugs, shortcodes, url_base, .. } = effect.read(Part::Cutting);
        let Running { input_format, .. } = effect.read(Part::Running);
        let mut indexing: Indexing = effect.read(Part::Index);
        (indexing.input_format, indexing.mdx, indexing.slugs) = (input_format, mdx, slugs);
        (indexing.shortcodes, indexing.url_base) = (shortcodes, url_base);
        (effect.says(Part::Index) || indexing != Indexing::default()).then_some(indexing)
    }

    /// How answers are made.
    pub fn tuning(&self) -> Tuning {
        self.effect(&[], None).read(Part::Search)
    }

    /// Every option as it takes effect for a path, in the order of their declaration.
    ///
    /// # Errors
    /// When options contradict each other.
    pub fn list(&self, path: Option<&str>) -> Result<Vec<Listed>, Error> {
        let overrides = path.map(|path| self.overrides_of(path)).unwrap_or_default();
        let effect = self.effect(&overrides, None);
        let leaves = [
            Part::Cutting.leaves(&json(&self.filled(&effect)?)),
            Part::Running.leaves(&json(&effect.read::<Running>(Part::Running))),
            Part::Index.leaves(&json(&effect.read::<Indexing>(Part::Index))),
            Part::Search.leaves(&json(&effect.read::<Tuning>(Part::Search))),
        ];
        let listed = |(key, value): (String, Json)| {
            let origin = effect.origin(&key).cloned();
            Listed { key, value, origin }
        };
        Ok(leaves.into_iter().flatten().map(listed).collect())
    }

    /// Options that were set for a path, but that its strategy does not have, and who set them.
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

    /// A fault in the value of an option, told with the place where it was set.
    pub fn blame(&self, overrides: &[usize], key: &str, message: impl Into<String>) -> Error {
        Error::new(self.effect(overrides, None).origin(key).cloned(), message)
    }

    /// All that overrides say, if there are any: another text means other chunks.
    pub fn overrides_text(&self) -> Option<String> {
        let overrides = self.file.as_ref().map(|file| &file.overrides)?;
        let text = |(nth, one): (usize, &Override)| {
            format!("{:?} {}", one.patterns, json(&self.effect(&[nth], None).cutting()))
        };
        let texts: Vec<_> = overrides.iter().enumerate().map(text).collect();
        (!texts.is_empty()).then(|| texts.join(" "))
    }

    fn effect(&self, overrides: &[usize], strategy: Option<StrategyName>) -> Effect<'_> {
        Effect::of(self.assignments(overrides), strategy)
    }

    /// All that was said, in order: later ones win.
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
        self.filled(effect).map(|_| effect.cutting())
    }

    fn filled(&self, effect: &Effect<'_>) -> Result<ConfigTable, Error> {
        let wrong = |fault: ConfigError| {
            let key = format!("{}.{}", effect.strategy, fault.option());
            Error::new(effect.origin(&key).cloned(), fault.to_string())
        };
        effect.cutting().filled().map_err(wrong)
    }

    /// Refuses a flag that none of the strategies has a use for.
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
