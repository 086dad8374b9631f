//! Resolves option names, including aliases and short names, and checks values.

use std::sync::LazyLock;

use chunkwright::{ConfigTable, StrategyName};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use toml::{Table, Value};

use crate::error::Error;
use crate::origin::Origin;
use crate::running::Running;
use crate::search::{Indexing, Tuning};

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
pub(crate) enum Misfit {
    /// The name is unknown.
    Unknown,
    /// The name is that of a table.
    Table,
    /// The value is invalid, with a message.
    Value(String),
}

impl Misfit {
    /// Returns whether the option takes one of a few names, and the value is a different name.
    pub(crate) fn is_about_choice(&self) -> bool {
        matches!(self, Self::Value(message) if message.starts_with("unknown value"))
    }

    /// Returns the error, located where the option was set.
    pub(crate) fn error(self, name: &str, origin: Origin) -> Error {
        match self {
            Self::Value(message) => {
                let near = nearest_choice(&message).map(meant);
                Error::new(Some(origin), message).with_hint(near)
            }
            Self::Table => {
                let inside = format!("{name}.");
                let example = KNOWN.iter().find(|(_, key)| key.starts_with(&inside));
                let hint = example.map(|(_, key)| format!("set one of them, such as `{key}`"));
                Error::new(Some(origin), format!("`{name}` is a table of options")).with_hint(hint)
            }
            Self::Unknown => {
                let all = || "`chunkwright config` lists all options".to_owned();
                let hint = nearest(name).map_or_else(all, meant);
                Error::new(Some(origin), format!("unknown option `{name}`")).with_hint(Some(hint))
            }
        }
    }
}

fn meant(name: &str) -> String {
    format!("did you mean `{name}`?")
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
const MERGING: [&str; 3] =
    ["aggregation_threshold", "min_aggregation_matches", "score_cap_multiplier"];

/// The table whose keys are the names of shortcodes and of their arguments.
const SHORTCODES: &str = "shortcodes";

/// Returns whether an option sets the title for a shortcode: `shortcodes.NAME.ARGUMENT`.
fn is_shortcode(name: &str) -> bool {
    let argument = name.strip_prefix(SHORTCODES).and_then(|rest| rest.strip_prefix('.'));
    argument.is_some_and(|rest| rest.contains('.'))
}

/// The struct that declares an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Cutting,
    Running,
    Index,
    Search,
}

impl Part {
    const ALL: [Self; 4] = [Self::Cutting, Self::Running, Self::Index, Self::Search];

    /// Returns the part that has this option.
    pub(crate) fn of(name: &str) -> Option<Self> {
        if is_shortcode(name) {
            return Some(Self::Cutting);
        }
        KNOWN.iter().find(|(_, key)| key == name).map(|(part, _)| *part)
    }

    /// Returns the table that contains the options of the part.
    const fn table(self) -> Option<&'static str> {
        match self {
            Self::Cutting | Self::Running => None,
            Self::Index => Some("index"),
            Self::Search => Some("search"),
        }
    }

    fn defaults(self) -> Json {
        match self {
            Self::Cutting => json(&ConfigTable::default()),
            Self::Running => json(&Running::default()),
            Self::Index => json(&Indexing::default()),
            Self::Search => json(&Tuning::default()),
        }
    }

    fn check(self, table: Table) -> Result<Json, String> {
        match self {
            Self::Cutting => reread::<ConfigTable>(table),
            Self::Running => reread::<Running>(table),
            Self::Index => reread::<Indexing>(table),
            Self::Search => reread::<Tuning>(table),
        }
    }

    /// Returns the name of an option inside the part's table, if its name starts with the table.
    pub(crate) fn inside(self, key: &str) -> Option<&str> {
        match self.table() {
            Some(table) => key.strip_prefix(table)?.strip_prefix('.'),
            None => Some(key),
        }
    }

    fn outside(self, key: &str) -> String {
        self.table().map_or_else(|| key.to_owned(), |table| format!("{table}.{key}"))
    }

    /// Returns all options with their values in `options`, in the order of declaration. Parsing
    /// options, which the index shares with the chunkers, are listed only for the chunkers.
    pub(crate) fn leaves(self, options: &Json) -> Vec<(String, Json)> {
        let mut leaves = Vec::new();
        flatten("", options, &mut leaves);
        if self == Self::Index {
            let cutting = json(&ConfigTable::default());
            leaves.retain(|(key, _)| cutting.get(key).is_none());
        }
        leaves.into_iter().map(|(key, value)| (self.outside(&key), value)).collect()
    }
}

pub(crate) fn json(options: &impl Serialize) -> Json {
    serde_json::to_value(options).expect("options are plain values")
}

fn reread<T: DeserializeOwned + Serialize>(table: Table) -> Result<Json, String> {
    let read: Result<T, _> = table.try_into();
    read.map(|options| json(&options)).map_err(|error| error.message().trim_end().to_owned())
}

fn flatten(prefix: &str, value: &Json, leaves: &mut Vec<(String, Json)>) {
    let Json::Object(map) = value else {
        leaves.push((prefix.to_owned(), value.clone()));
        return;
    };
    for (name, value) in map {
        let key = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
        flatten(&key, value, leaves);
    }
}

/// All options, in the order of declaration.
static KNOWN: LazyLock<Vec<(Part, String)>> = LazyLock::new(|| {
    let leaves = |part: Part| part.leaves(&part.defaults());
    let keys = |part| leaves(part).into_iter().map(move |(key, _)| (part, key));
    Part::ALL.into_iter().flat_map(keys).collect()
});

/// Returns whether an option has this full name.
pub(crate) fn is_known(name: &str) -> bool {
    Part::of(name).is_some()
}

/// Resolves the name of an option, and checks its value.
pub(crate) fn key(name: &str, value: &Value) -> Result<Key, Misfit> {
    if let Some(part) = Part::of(name) {
        return fits(part, name, value).map(|_| Key::Full(name.to_owned()));
    }
    if is_table(name) {
        return Err(Misfit::Table);
    }
    if MERGING.contains(&name) {
        return key(&format!("search.merging.{name}"), value);
    }
    if let Some(key) = alias(name, value)? {
        return Ok(Key::Full(key));
    }
    let strategies = StrategyName::ALL.iter();
    let read: Vec<_> = strategies.map(|own| alias(&format!("{own}.{name}"), value)).collect();
    if let Some(key) = read.iter().flatten().flatten().next() {
        let bare = key.split_once('.').map_or(key.as_str(), |(_, bare)| bare);
        return Ok(Key::OfStrategy(bare.to_owned()));
    }
    read.into_iter().collect::<Result<Vec<_>, _>>()?;
    Err(Misfit::Unknown)
}

/// Checks the value of an option, and returns the part's options with it.
fn fits(part: Part, name: &str, value: &Value) -> Result<Json, Misfit> {
    let inside = part.inside(name).unwrap_or(name);
    let check = |value: Value| part.check(nested(inside, value));
    match check(value.clone()) {
        Ok(_) if value.as_integer() == Some(0) && !takes_zero(part, inside) => {
            Err(Misfit::Value(invalid(value, POSITIVE)))
        }
        Ok(options) => Ok(options),
        Err(message) => {
            // The parser lists the accepted names only in the error for a wrong name.
            let takes_names = message.contains("unit variant");
            let listed =
                takes_names.then(|| check(Value::String(json(value).to_string())).err()).flatten();
            let message = listed.unwrap_or(message);
            Err(Misfit::Value(reworded(&message, value, || takes_zero(part, inside))))
        }
    }
}

/// Returns whether an option of a part accepts 0, by trying it.
fn takes_zero(part: Part, inside: &str) -> bool {
    let table = nested(inside, Value::Integer(0));
    if part != Part::Cutting {
        return part.check(table).is_ok();
    }
    let config: Result<ConfigTable, _> = table.try_into();
    config.is_ok_and(|mut config| {
        let strategy = inside.split_once('.').and_then(|(table, _)| table.parse().ok());
        config.strategy = strategy.unwrap_or_default();
        config.filled().is_ok()
    })
}

const POSITIVE: &str = "a positive integer";
const NON_NEGATIVE: &str = "a non-negative integer";

/// Rewords the parser's message about a value for people who write configurations.
fn reworded(message: &str, value: &Value, takes_zero: impl Fn() -> bool) -> String {
    match message.rsplit_once(", expected ") {
        Some((wrong, expected)) if wrong.starts_with("unknown variant ") => {
            format!("unknown value {}: expected {expected}", &wrong["unknown variant ".len()..])
        }
        Some((wrong, expected)) if wrong.starts_with("invalid ") => match expected {
            "usize" | "u64" if takes_zero() => invalid(value, NON_NEGATIVE),
            "usize" | "u64" | "a nonzero usize" => invalid(value, POSITIVE),
            "f32" => invalid(value, "a number"),
            "a boolean" => invalid(value, "true or false"),
            "a sequence" => invalid(value, "a list"),
            "string or table" => invalid(value, "a name"),
            expected => invalid(value, expected),
        },
        _ => message.to_owned(),
    }
}

/// Maximum characters of a value in a message.
const SHOWN: usize = 60;

/// Returns a message about an invalid value. A string is quoted only if it looks like a number.
fn invalid(value: &Value, expected: &str) -> String {
    let shown = match value {
        Value::String(text) if !text.is_empty() && text.parse::<f64>().is_err() => text.clone(),
        Value::String(text) if text.len() > 9 && text.bytes().all(|c| c.is_ascii_digit()) => {
            return format!("invalid value `{}`: too large", fit(text));
        }
        value => json(value).to_string(),
    };
    format!("invalid value `{}`: expected {expected}", fit(&shown))
}

/// Shortens a text, and escapes its control characters.
fn fit(text: &str) -> String {
    let rest = if text.chars().count() > SHOWN { "…" } else { "" };
    let visible = |c: char| match c.is_control() {
        true => c.escape_default().to_string(),
        false => c.to_string(),
    };
    text.chars().take(SHOWN).map(visible).collect::<String>() + rest
}

/// Returns the names that an option accepts as values, for shell completion. It may accept other
/// values as well.
pub fn choices(option: &str) -> Vec<String> {
    let wrong = Value::from("?");
    let names = |value: Value| match key(option, &value) {
        Err(Misfit::Value(message)) => {
            message.split('`').skip(3).step_by(2).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    };
    let of_list = names(Value::Array(vec![wrong.clone()]));
    if of_list.is_empty() { names(wrong) } else { of_list }
}

/// Returns the full name of the chunking option that a name, possibly an alias, refers to. It is
/// the one whose value differs from the default after setting it.
fn alias(name: &str, value: &Value) -> Result<Option<String>, Misfit> {
    let read = fits(Part::Cutting, name, value);
    let is_unknown = |misfit: &Misfit| matches!(misfit, Misfit::Value(message) if message.starts_with("unknown field"));
    match read {
        Err(misfit) if is_unknown(&misfit) => Ok(None),
        Err(misfit) => Err(misfit),
        Ok(options) => {
            let before = Part::Cutting.leaves(&Part::Cutting.defaults());
            let after = Part::Cutting.leaves(&options);
            let changed = before.into_iter().zip(after).find(|(before, after)| before != after);
            let as_before = || is_known(name).then(|| name.to_owned());
            Ok(changed.map(|(_, (key, _))| key).or_else(as_before))
        }
    }
}

/// Returns whether a name is that of a table of options.
pub(crate) fn is_table(name: &str) -> bool {
    // A strategy without options may have an empty table.
    let is_strategy = name.parse::<StrategyName>().is_ok();
    let is_shortcodes = name == SHORTCODES
        || name.strip_prefix("shortcodes.").is_some_and(|name| !name.contains('.'));
    is_strategy
        || is_shortcodes
        || KNOWN.iter().any(|(_, key)| key.starts_with(&format!("{name}.")))
}

/// Returns the reason why a name is not that of a table.
pub(crate) fn no_table(name: &str) -> Misfit {
    match is_known(name) || StrategyName::ALL.iter().any(|strategy| has(*strategy, name)) {
        true => Misfit::Value("expected a value, not a table".to_owned()),
        false => Misfit::Unknown,
    }
}

/// Returns whether a strategy has an option.
pub(crate) fn has(strategy: StrategyName, option: &str) -> bool {
    is_known(&format!("{strategy}.{option}"))
}

/// Returns the option with the most similar name.
fn nearest(name: &str) -> Option<&'static str> {
    let elsewhere = ELSEWHERE.iter().find(|(elsewhere, _)| *elsewhere == name);
    if let Some((_, here)) = elsewhere {
        return Some(here);
    }
    let bare = |key: &'static str| key.split_once('.').map(|(_, bare)| bare);
    let keys = KNOWN.iter().map(|(_, key)| key.as_str());
    let names = keys.flat_map(|key| bare(key).into_iter().chain([key]));
    let names = names.chain(["trees", "override", SHORTCODES]);
    let last = name.rsplit('.').next().filter(|last| *last != name);
    names.clone().find(|known| Some(*known) == last).or_else(|| most_like(name, names))
}

/// Returns the accepted value most similar to the invalid one, if a message contains both.
fn nearest_choice(message: &str) -> Option<&str> {
    let (kind, rest) = message.split_once(" value `")?;
    let mut names = rest.split('`').step_by(2).filter(|_| matches!(kind, "unknown" | "invalid"));
    most_like(names.next()?, names)
}

fn most_like<'n>(wrong: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let others = names.filter(|name| *name != wrong);
    let near = others.map(|name| (strsim::damerau_levenshtein(wrong, name), name));
    let near = near.filter(|(distance, _)| *distance <= (wrong.len() / 3).clamp(1, 4));
    near.min_by_key(|(distance, _)| *distance).map(|(_, name)| name)
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

    fn found(name: &str, value: impl Into<Value>) -> Result<Key, Misfit> {
        key(name, &value.into())
    }

    #[test]
    fn every_option_is_known_by_its_own_name() {
        for name in ["strategy", "window.max", "search.ranking.k1", "index.language", "jobs"] {
            assert!(is_known(name), "{name}: {KNOWN:?}");
        }
        assert!(!is_known("index.url_base"));
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
            assert!(matches!(found(name, 1), Err(Misfit::Value(_))));
        }
        assert_eq!(found("shortcodes.heading", "A title"), Err(Misfit::Table));
    }

    #[test]
    fn suggests_the_most_similar_name() {
        let near = |name: &str| {
            assert_eq!(found(name, 1), Err(Misfit::Unknown));
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
    fn reports_wrong_values_in_plain_words() {
        assert_eq!(found("window", 1), Err(Misfit::Table));
        let wrong = |name: &str, value: Value| match key(name, &value) {
            Err(Misfit::Value(message)) => message,
            other => panic!("{name}: {other:?}"),
        };
        let message = wrong("context", "all".into());
        assert_eq!(
            message,
            "unknown value `all`: expected one of `title`, `breadcrumb`, `path`, `none`"
        );
        let message = wrong("blocks.overlap", "meduim".into());
        assert_eq!(nearest_choice(&message), Some("medium"), "{message}");
    }

    #[test]
    fn reports_which_integers_an_option_accepts() {
        let wrong = |name: &str, value: Value| match key(name, &value) {
            Err(Misfit::Value(message)) => message,
            other => panic!("{name}: {other:?}"),
        };
        let positive = |shown: &str| format!("invalid value `{shown}`: expected {POSITIVE}");
        for name in ["max", "target", "window.max", "blocks.heading_depth", "jobs", "hard_cap"] {
            assert_eq!(wrong(name, "many".into()), positive("many"), "{name}");
            assert_eq!(wrong(name, "5".into()), positive("\"5\""), "{name}");
            assert_eq!(wrong(name, 0.into()), positive("0"), "{name}");
            assert_eq!(wrong(name, (-5).into()), positive("-5"), "{name}");
            assert_eq!(wrong(name, 1.5.into()), positive("1.5"), "{name}");
        }
        for name in ["min", "window.min", "max_file_size", "search.max_result_tokens"] {
            let expected = format!("invalid value `-5`: expected {NON_NEGATIVE}");
            assert_eq!(wrong(name, (-5).into()), expected, "{name}");
            assert!(key(name, &0.into()).is_ok(), "{name}");
        }
        let digits = "99999999999999999999";
        assert_eq!(wrong("max", digits.into()), format!("invalid value `{digits}`: too large"));
    }

    #[test]
    fn lists_the_names_that_an_option_accepts() {
        assert_eq!(choices("size"), ["small", "medium", "large"]);
        assert_eq!(choices("overlap"), ["none", "low", "medium", "high"]);
        assert_eq!(choices("with"), ["embed_text", "pieces"]);
        assert_eq!(choices("input_format"), ["markdown", "mdx", "text"]);
        assert!(choices("index.language").contains(&"english".to_owned()));
        assert!(choices("max").is_empty() && choices("tokenizer").is_empty());
    }
}
