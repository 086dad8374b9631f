//! Layers of assignments: who said what comes in, in order; what takes effect goes out.

use std::collections::BTreeMap;

use chunkwright::{ConfigTable, StrategyName};
use serde::de::DeserializeOwned;
use toml::{Table, Value};

use crate::keys::{Key, Part, has, nested};
use crate::origin::Origin;

/// One option, as somebody set it.
#[derive(Clone, Debug)]
pub(crate) struct Assignment {
    pub(crate) key: Key,
    pub(crate) value: Value,
    pub(crate) origin: Origin,
}

impl Assignment {
    /// Whether it says something about how documents are cut.
    pub(crate) fn is_cutting(&self) -> bool {
        match &self.key {
            Key::OfStrategy(_) => true,
            Key::Full(key) => Part::of(key) == Some(Part::Cutting),
        }
    }
}

/// What takes effect: the last one that was said about each option.
pub(crate) struct Effect<'a> {
    pub(crate) strategy: StrategyName,
    said: BTreeMap<String, &'a Assignment>,
}

impl<'a> Effect<'a> {
    /// The effect of assignments; later ones win. A strategy may be asked for instead of theirs.
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

    /// Who set an option.
    pub(crate) fn origin(&self, key: &str) -> Option<&Origin> {
        self.said.get(key).map(|one| &one.origin)
    }

    /// Whether anything was said about a part.
    pub(crate) fn says(&self, part: Part) -> bool {
        self.said.keys().any(|key| Part::of(key) == Some(part))
    }

    /// How documents are cut.
    pub(crate) fn cutting(&self) -> ConfigTable {
        let mut config: ConfigTable = self.read(Part::Cutting);
        config.strategy = self.strategy;
        config
    }

    /// The options of a part.
    pub(crate) fn read<T: DeserializeOwned>(&self, part: Part) -> T {
        let mut table = Table::new();
        for (key, one) in self.said.iter().filter(|(key, _)| Part::of(key) == Some(part)) {
            merge(&mut table, nested(part.inside(key).unwrap_or(key), one.value.clone()));
        }
        table.try_into().expect("every value was checked when it was set")
    }
}

/// Puts all options of a table into another.
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
