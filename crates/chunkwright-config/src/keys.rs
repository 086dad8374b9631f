//! Resolves option names, including aliases and short names, and suggests similar ones.

use chunkwright::StrategyName;
use toml::{Table, Value};

use crate::declared::{Declared, DeclaringStruct, declared, find};
use crate::error::{Error, meant};
use crate::kind::{OptionType, WrongValue, most_like};
use crate::origin::Origin;

/// The resolved name of an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    /// A name with all its tables: `window.max`, `search.ranking.k1`.
    Full(String),
    /// An option of the chosen strategy, without its table: `max`.
    OfStrategy(String),
}

/// The reason why an option cannot be set.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Rejection {
    /// The name is unknown.
    Unknown,
    /// The name is that of a table.
    Table,
    /// The name is that of an option, and the value is a table.
    NotTable,
    /// The option does not accept the value.
    Value(WrongValue),
}

impl Rejection {
    /// Returns the error, located where the option was set.
    pub(crate) fn error(self, name: &str, origin: Origin) -> Error {
        let (message, hint) = match self {
            Self::Value(wrong) => return Error::of_value(origin, wrong),
            Self::NotTable => ("expected a value, not a table".to_owned(), None),
            Self::Table => {
                let inside = format!("{name}.");
                let example = declared().iter().find(|one| one.name.starts_with(&inside));
                let hint = example.map(|one| format!("set one of them, such as `{}`", one.name));
                (format!("`{name}` is a table of options"), hint)
            }
            Self::Unknown => {
                let all = || "`chunkwright config` lists all options".to_owned();
                let hint = nearest(name).map_or_else(all, meant);
                (format!("unknown option `{name}`"), Some(hint))
            }
        };
        Error::new(Some(origin), message).with_hint(hint)
    }
}

/// Names of options in other tools, and ours.
const ELSEWHERE: [(&str, &str); 5] = [
    ("chunk_size", "max"),
    ("chunk_overlap", "overlap"),
    ("max_tokens", "max"),
    ("length_function", "tokenizer"),
    ("encoding_name", "tokenizer"),
];

/// Merging options that can be set without their table.
pub(crate) const MERGING: [&str; 3] =
    ["aggregation_threshold", "min_aggregation_matches", "score_cap_multiplier"];

/// The table whose keys are the names of shortcodes and of their arguments.
const SHORTCODES: &str = "shortcodes";

/// Returns whether an option sets the title for a shortcode: `shortcodes.NAME.ARGUMENT`.
fn is_shortcode(name: &str) -> bool {
    let argument = name.strip_prefix(SHORTCODES).and_then(|rest| rest.strip_prefix('.'));
    argument.is_some_and(|rest| rest.contains('.'))
}

/// Returns the struct that declares the option with this full name.
pub(crate) fn struct_of(name: &str) -> Option<DeclaringStruct> {
    match is_shortcode(name) {
        true => Some(DeclaringStruct::Chunking),
        false => find(name).map(|option| option.declaring),
    }
}

/// Resolves the name of an option, and returns its type.
pub(crate) fn resolve(name: &str) -> Result<(Key, &'static OptionType), Rejection> {
    if let Some(option) = find(name) {
        return Ok((Key::Full(option.name.clone()), &option.kind));
    }
    if is_shortcode(name) {
        return Ok((Key::Full(name.to_owned()), &OptionType::Text));
    }
    if is_table(name) {
        return Err(Rejection::Table);
    }
    if MERGING.contains(&name) {
        return resolve(&format!("search.merging.{name}"));
    }
    let option = of_strategy(name).ok_or(Rejection::Unknown)?;
    Ok((Key::OfStrategy(option.table_and_name().1.to_owned()), &option.kind))
}

/// Returns the option that a name without table stands for in the first strategy that has it.
fn of_strategy(name: &str) -> Option<&'static Declared> {
    StrategyName::ALL.iter().find_map(|strategy| find(&format!("{strategy}.{name}")))
}

/// Resolves the name of an option, and checks its value.
pub(crate) fn key(name: &str, value: &Value) -> Result<Key, Rejection> {
    let (key, kind) = resolve(name)?;
    match kind.accepts(value) {
        true => Ok(key),
        false => Err(Rejection::Value(kind.refusal(value))),
    }
}

/// Returns the names that an option accepts as values, for shell completion. It may accept other
/// values as well.
pub fn choices(option: &str) -> Vec<&'static str> {
    resolve(option).map_or_else(|_| Vec::new(), |(_, kind)| kind.names())
}

/// Returns whether a name is that of a table of options.
pub(crate) fn is_table(name: &str) -> bool {
    // A strategy without options may have an empty table.
    let is_strategy = name.parse::<StrategyName>().is_ok();
    let is_shortcodes = name == SHORTCODES
        || name.strip_prefix("shortcodes.").is_some_and(|name| !name.contains('.'));
    is_strategy
        || is_shortcodes
        || declared().iter().any(|option| option.name.starts_with(&format!("{name}.")))
}

/// Returns the reason why a name is not that of a table.
pub(crate) fn no_table(name: &str) -> Rejection {
    match find(name).or_else(|| of_strategy(name)) {
        Some(_) => Rejection::NotTable,
        None => Rejection::Unknown,
    }
}

/// Returns whether a strategy has an option.
pub(crate) fn has(strategy: StrategyName, option: &str) -> bool {
    find(&format!("{strategy}.{option}")).is_some()
}

/// Returns the option with the most similar name.
fn nearest(name: &str) -> Option<&'static str> {
    let elsewhere = ELSEWHERE.iter().find(|(elsewhere, _)| *elsewhere == name);
    if let Some((_, here)) = elsewhere {
        return Some(here);
    }
    let bare = |key: &'static str| key.split_once('.').map(|(_, bare)| bare);
    let keys = declared().iter().map(|option| option.name.as_str());
    let names = keys.flat_map(|key| bare(key).into_iter().chain([key]));
    let names = names.chain(["trees", "override", SHORTCODES]);
    let last = name.rsplit('.').next().filter(|last| *last != name);
    names.clone().find(|known| Some(*known) == last).or_else(|| most_like(name, names))
}

/// Nests a value in the tables of its dotted name. The argument of a shortcode may contain dots.
pub(crate) fn nested(key: &str, value: Value) -> Table {
    let names: Vec<&str> = match is_shortcode(key) {
        true => key.splitn(3, '.').collect(),
        false => key.split('.').collect(),
    };
    let wrap = |value: Value, name: &&str| Table::from_iter([((*name).to_owned(), value)]).into();
    let outermost = names[1..].iter().rev().fold(value, wrap);
    Table::from_iter([(names[0].to_owned(), outermost)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str, value: impl Into<Value>) -> Result<Key, Rejection> {
        key(name, &value.into())
    }

    #[test]
    fn every_option_is_known_by_its_own_name() {
        for name in ["strategy", "window.max", "search.ranking.k1", "index.language", "jobs"] {
            assert!(find(name).is_some(), "{name}");
        }
        assert!(find("index.url_base").is_none());
    }

    #[test]
    fn options_of_the_chosen_strategy_need_no_table() {
        assert_eq!(found("max", 300), Ok(Key::OfStrategy("max".into())));
        assert_eq!(found("overlap", "high"), Ok(Key::OfStrategy("overlap".into())));
        assert_eq!(found("tail", "merge"), Ok(Key::OfStrategy("tail".into())));
    }

    #[test]
    fn accepts_older_names() {
        assert_eq!(found("window.max_tokens", 300), Ok(Key::Full("window.max".into())));
        assert_eq!(found("hard_cap", 300), Ok(Key::OfStrategy("max".into())));
    }

    #[test]
    fn merging_options_need_no_table() {
        let key = found("aggregation_threshold", 0.4);
        assert_eq!(key, Ok(Key::Full("search.merging.aggregation_threshold".into())));
    }

    #[test]
    fn accepts_any_shortcode_and_argument() {
        for name in ["shortcodes.heading.whatsnext", "shortcodes.heading.release 1.2"] {
            assert_eq!(found(name, "A title"), Ok(Key::Full(name.into())));
            assert!(matches!(found(name, 1), Err(Rejection::Value(_))));
        }
        assert_eq!(found("shortcodes.heading", "A title"), Err(Rejection::Table));
    }

    #[test]
    fn suggests_the_most_similar_name() {
        let near = |name: &str| {
            assert_eq!(found(name, 1), Err(Rejection::Unknown));
            nearest(name).unwrap_or_default()
        };
        assert_eq!(near("stratgy"), "strategy");
        assert_eq!(near("url-base"), "url_base");
        assert_eq!(near("index.url_base"), "url_base");
        assert_eq!(near("chunk.max"), "max");
        assert_eq!(near("serch.ranking.k1"), "search.ranking.k1");
        assert_eq!(near("tree_names"), "");
    }

    #[test]
    fn lists_the_names_that_an_option_accepts() {
        assert_eq!(choices("size"), ["small", "medium", "large"]);
        assert_eq!(choices("overlap"), ["none", "low", "medium", "high"]);
        assert_eq!(choices("with"), ["embed_text", "pieces"]);
        assert_eq!(choices("input_format"), ["markdown", "mdx", "text"]);
        assert!(choices("index.language").contains(&"english"));
        assert!(choices("max").is_empty() && choices("tokenizer").is_empty());
    }
}
