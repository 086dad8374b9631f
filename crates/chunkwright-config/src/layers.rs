//! Merges layers of assignments into the options that take effect.

use std::collections::BTreeMap;

use chunkwright::{ConfigTable, StrategyName};
use serde::de::DeserializeOwned;
use toml::{Table, Value};

use crate::declared::DeclaringStruct;
use crate::keys::{Key, has, nested, struct_of};
use crate::origin::Origin;

/// One option with its value, and where it was set.
#[derive(Clone, Debug)]
pub(crate) struct Assignment {
    pub(crate) key: Key,
    pub(crate) value: Value,
    pub(crate) origin: Origin,
}

impl Assignment {
    /// Returns whether this is a chunking option.
    pub(crate) fn is_chunking(&self) -> bool {
        match &self.key {
            Key::OfStrategy(_) => true,
            Key::Full(key) => struct_of(key) == Some(DeclaringStruct::Chunking),
        }
    }
}

/// The options that take effect: the last assignment of each.
pub(crate) struct Effect<'a> {
    pub(crate) strategy: StrategyName,
    said: BTreeMap<String, &'a Assignment>,
}

impl<'a> Effect<'a> {
    /// Merges assignments; later ones win. `strategy` overrides the one that they choose.
    pub(crate) fn of(
        assignments: impl Iterator<Item = &'a Assignment> + Clone,
        strategy: Option<StrategyName>,
    ) -> Self {
        let chosen = || {
            let full = |one: &&Assignment| one.key == Key::Full("strategy".to_owned());
            let name = assignments.clone().filter(full).last()?.value.as_str()?;
            name.parse().ok()
        };
        let strategy = strategy.or_else(chosen).unwrap_or_default();
        let mut said = BTreeMap::new();
        for one in assignments {
            let key = match &one.key {
                Key::Full(key) => key.clone(),
                Key::OfStrategy(option) if has(strategy, option) => format!("{strategy}.{option}"),
                Key::OfStrategy(_) => continue,
            };
            said.insert(key, one);
        }
        Self { strategy, said }
    }

    /// Returns where an option was set.
    pub(crate) fn origin(&self, key: &str) -> Option<&Origin> {
        self.said.get(key).map(|one| &one.origin)
    }

    /// Returns whether any option of a struct was set.
    pub(crate) fn says(&self, declaring: DeclaringStruct) -> bool {
        self.said.keys().any(|key| struct_of(key) == Some(declaring))
    }

    /// Returns the chunking options.
    pub(crate) fn chunking(&self) -> ConfigTable {
        let mut config: ConfigTable = self.read(DeclaringStruct::Chunking);
        config.strategy = self.strategy;
        config
    }

    /// Returns the options of a struct.
    pub(crate) fn read<T: DeserializeOwned>(&self, declaring: DeclaringStruct) -> T {
        let mut table = Table::new();
        for (key, one) in self.said.iter().filter(|(key, _)| struct_of(key) == Some(declaring)) {
            merge(&mut table, nested(declaring.inside(key).unwrap_or(key), one.value.clone()));
        }
        table.try_into().expect("every value was checked when it was set")
    }
}

/// Merges a table into another; its values win.
fn merge(table: &mut Table, other: Table) {
    for (key, value) in other {
        match (table.get_mut(&key), value) {
            (Some(Value::Table(inner)), Value::Table(other)) => merge(inner, other),
            (_, value) => {
                table.insert(key, value);
            }
        }
    }
}
