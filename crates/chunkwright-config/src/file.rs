//! Parses `chunkwright.toml` into assignments, each with its location.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use chunkwright_io::read_file;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use toml::Value;
use toml::de::{DeTable, DeValue};

use crate::error::Error;
use crate::keys::{self, Rejection};
use crate::kind::WrongValue;
use crate::layers::Assignment;
use crate::origin::{Origin, Spot};

/// Name of the configuration file.
pub const FILE_NAME: &str = "chunkwright.toml";

/// Maximum size of the file in bytes.
const MAX_BYTES: u64 = 1_000_000;

/// A parsed configuration file.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConfigFile {
    /// The name for messages.
    pub(crate) shown: String,
    pub(crate) folder: PathBuf,
    pub(crate) assignments: Vec<Assignment>,
    pub(crate) overrides: Vec<Override>,
    pub(crate) trees: Vec<(String, PathBuf)>,
}

/// Options for some paths.
#[derive(Clone, Debug)]
pub(crate) struct Override {
    /// The patterns as written.
    pub(crate) patterns: Vec<String>,
    pub(crate) paths: GlobSet,
    pub(crate) assignments: Vec<Assignment>,
}

impl ConfigFile {
    /// Finds and parses the file in a directory or its nearest parent that has one.
    pub(crate) fn find(from: &Path) -> Result<Option<Self>, Error> {
        for (above, folder) in from.ancestors().enumerate() {
            let path = folder.join(FILE_NAME);
            if fs::symlink_metadata(&path).is_ok() {
                let shown = format!("{}{FILE_NAME}", "../".repeat(above));
                let text = read_file(&path, MAX_BYTES)
                    .map_err(|reason| Error::new(None, format!("cannot read {shown}: {reason}")))?;
                return Self::parse(&shown, folder, &text).map(Some);
            }
        }
        Ok(None)
    }

    pub(crate) fn parse(shown: &str, folder: &Path, text: &str) -> Result<Self, Error> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let file = Self { shown: shown.to_owned(), folder: folder.to_owned(), ..Self::default() };
        let mut reader = TableReader { text, file };
        let table = DeTable::parse(text).map_err(|error| {
            let message = format!("invalid TOML: {}", error.message().trim_end());
            reader.error(error.span().unwrap_or_default(), message)
        })?;
        reader.top(table.get_ref())?;
        Ok(reader.file)
    }
}

struct TableReader<'t> {
    text: &'t str,
    file: ConfigFile,
}

impl TableReader<'_> {
    fn top(&mut self, table: &DeTable<'_>) -> Result<(), Error> {
        for (name, value) in table {
            match (name.get_ref().as_ref(), value.get_ref()) {
                ("trees", DeValue::Table(trees)) => self.trees(trees)?,
                ("override", DeValue::Array(overrides)) => {
                    for one in overrides {
                        let made = self.one_override(one.get_ref(), one.span())?;
                        self.file.overrides.push(made);
                    }
                }
                ("trees" | "override", _) => {
                    let message = "expected a table: `[trees.NAME]` with a path, or \
                                   `[[override]]` with paths and options";
                    return Err(self.error(name.span(), message));
                }
                (key, value) => {
                    let at = (name.span(), table[key].span());
                    let made = self.assignments(key, value, at)?;
                    self.file.assignments.extend(made);
                }
            }
        }
        Ok(())
    }

    /// Returns the options below a key; `at` are the byte ranges of the key and of the value.
    fn assignments(
        &self,
        key: &str,
        value: &DeValue<'_>,
        at: (Range<usize>, Range<usize>),
    ) -> Result<Vec<Assignment>, Error> {
        if let DeValue::Table(table) = value {
            if !keys::is_table(key) {
                return Err(keys::no_table(key).error(key, self.origin(at.0)));
            }
            let mut made = Vec::new();
            for (name, value) in table {
                let key = format!("{key}.{}", name.get_ref());
                made.extend(self.assignments(
                    &key,
                    value.get_ref(),
                    (name.span(), value.span()),
                )?);
            }
            return Ok(made);
        }
        let value = self.value(key, at.1.clone());
        match value.and_then(|value| Ok((keys::key(key, &value)?, value))) {
            Ok((key, value)) => Ok(vec![Assignment { key, value, origin: self.origin(at.1) }]),
            Err(rejection @ Rejection::Value(_)) => Err(rejection.error(key, self.origin(at.1))),
            Err(rejection) => Err(rejection.error(key, self.origin(at.0))),
        }
    }

    fn value(&self, key: &str, at: Range<usize>) -> Result<Value, Rejection> {
        let text = &self.text[at];
        // The syntax is valid, but a number may not fit 64 bits.
        let value: Value =
            text.parse().map_err(|_| Rejection::Value(WrongValue::too_large(text)))?;
        // Paths in a file are relative to it.
        Ok(match value.as_str().and_then(|name| name.strip_prefix("hf:")) {
            Some(path) if key == "tokenizer" => {
                Value::from(format!("hf:{}", self.file.folder.join(path).display()))
            }
            _ => value,
        })
    }

    fn one_override(&self, value: &DeValue<'_>, at: Range<usize>) -> Result<Override, Error> {
        let DeValue::Table(table) = value else {
            return Err(self.error(at, "expected a table: `[[override]]`"));
        };
        let Some((_, patterns)) = table.iter().find(|(name, _)| name.get_ref() == "paths") else {
            return Err(self.error(at, "missing `paths`: an override lists the files that it applies to, such as paths = [\"blog/**\"]"));
        };
        let (patterns, paths) = self.globs(patterns.get_ref(), patterns.span())?;
        let mut assignments = Vec::new();
        for (name, value) in table.iter().filter(|(name, _)| name.get_ref() != "paths") {
            let at = (name.span(), value.span());
            let made = self.assignments(name.get_ref(), value.get_ref(), at)?;
            if let Some(other) = made.iter().find(|one| !one.is_chunking()) {
                let message = "not allowed in an override, because this option applies to all files; move it to the top level";
                return Err(Error::new(Some(other.origin.clone()), message));
            }
            assignments.extend(made);
        }
        Ok(Override { patterns, paths, assignments })
    }

    fn globs(
        &self,
        patterns: &DeValue<'_>,
        at: Range<usize>,
    ) -> Result<(Vec<String>, GlobSet), Error> {
        let wrong = || self.error(at.clone(), "expected a list of patterns, such as [\"blog/**\"]");
        let mut set = GlobSetBuilder::new();
        let mut texts = Vec::new();
        for pattern in patterns.as_array().ok_or_else(wrong)? {
            let text = pattern.get_ref().as_str().ok_or_else(wrong)?;
            let glob = GlobBuilder::new(text).literal_separator(true).build();
            let glob = glob.map_err(|error| {
                self.error(pattern.span(), format!("invalid pattern: {}", error.kind()))
            })?;
            set.add(glob);
            texts.push(text.to_owned());
        }
        if texts.is_empty() {
            return Err(wrong());
        }
        let set = set.build().map_err(|error| self.error(at.clone(), error.to_string()))?;
        Ok((texts, set))
    }

    fn trees(&mut self, trees: &DeTable<'_>) -> Result<(), Error> {
        for (name, tree) in trees {
            let at = name.span();
            let name = name.get_ref().as_ref();
            if name.is_empty() || name.contains(':') {
                return Err(self.error(at, "a tree name cannot be empty or contain a colon"));
            }
            let table = tree.get_ref().as_table();
            let other = table.and_then(|table| table.keys().find(|key| key.get_ref() != "path"));
            if let Some(other) = other {
                let message = format!("unknown option `{}`", other.get_ref());
                return Err(self
                    .error(other.span(), message)
                    .with_hint(Some("`path` is the only option of a tree".to_owned())));
            }
            let path =
                table.and_then(|table| table.get("path")).and_then(|path| path.get_ref().as_str());
            let Some(path) = path else {
                return Err(self.error(
                    at,
                    "missing `path`: the directory of the tree, such as path = \"docs\"",
                ));
            };
            self.file.trees.push((name.to_owned(), self.file.folder.join(path)));
        }
        Ok(())
    }

    fn origin(&self, at: Range<usize>) -> Origin {
        Origin::File(Spot::of(&self.file.shown, self.text, at))
    }

    fn error(&self, at: Range<usize>, message: impl Into<String>) -> Error {
        Error::new(Some(self.origin(at)), message)
    }
}
