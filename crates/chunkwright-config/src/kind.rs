//! The values that an option accepts.

use serde_json::Value as Json;
use toml::Value;

/// The type of an option, read from its schema.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum OptionType {
    Bool,
    /// An integer from `min`, which is 0 or 1.
    Integer {
        min: i64,
    },
    Number,
    Text,
    /// One of a few names.
    Names(Vec<String>),
    List(Box<Self>),
    AnyOf(Vec<Self>),
}

/// A value that an option does not accept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WrongValue {
    /// Whether the option takes one of a few names, and the value is none of them.
    pub(crate) is_unknown: bool,
    pub(crate) shown: String,
    /// What the option accepts instead.
    pub(crate) reason: String,
    /// The most similar name that the option accepts.
    pub(crate) near: Option<String>,
}

impl OptionType {
    /// Reads the type from the schema of an option.
    pub(crate) fn of(schema: &Json) -> Self {
        let has_names = ["oneOf", "enum"].iter().any(|key| schema.get(key).is_some());
        match schema["type"].as_str() {
            Some("boolean") => Self::Bool,
            Some("integer") => Self::Integer { min: schema["minimum"].as_i64().unwrap_or(0) },
            Some("number") => Self::Number,
            Some("array") => Self::List(Box::new(Self::of(&schema["items"]))),
            Some("string") if !has_names => Self::Text,
            _ if has_names => Self::Names(names(schema)),
            _ => Self::AnyOf(
                schema["anyOf"].as_array().into_iter().flatten().map(Self::of).collect(),
            ),
        }
    }

    /// Returns the names that the option accepts, possibly in a list or besides other values.
    pub(crate) fn names(&self) -> Vec<&str> {
        match self {
            Self::Names(names) => names.iter().map(String::as_str).collect(),
            Self::List(kind) => kind.names(),
            Self::AnyOf(kinds) => kinds.iter().flat_map(Self::names).collect(),
            _ => Vec::new(),
        }
    }

    pub(crate) fn accepts(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Bool, Value::Boolean(_)) | (Self::Text, Value::String(_)) => true,
            (Self::Number, Value::Integer(_) | Value::Float(_)) => true,
            (Self::Integer { min }, Value::Integer(number)) => number >= min,
            (Self::Names(names), Value::String(name)) => names.contains(name),
            (Self::List(kind), Value::Array(values)) => values.iter().all(|one| kind.accepts(one)),
            (Self::AnyOf(kinds), value) => kinds.iter().any(|kind| kind.accepts(value)),
            _ => false,
        }
    }

    /// Returns the reason why a value is not accepted.
    pub(crate) fn refusal(&self, value: &Value) -> WrongValue {
        match (self, value) {
            (Self::List(kind), Value::Array(values)) => {
                let wrong = values.iter().find(|one| !kind.accepts(one)).unwrap_or(value);
                kind.refusal(wrong)
            }
            (Self::Integer { .. }, Value::String(text)) if is_long_number(text) => {
                WrongValue::too_large(text)
            }
            (Self::Names(_), Value::String(text)) if !text.is_empty() => self.refused(text),
            _ => self.refused(&shown(value)),
        }
    }

    /// Returns the error about a value, given as text.
    pub(crate) fn refused(&self, shown: &str) -> WrongValue {
        let near = most_like(shown.trim_matches(['[', ']', '"']), self.names().into_iter());
        WrongValue {
            is_unknown: matches!(self, Self::Names(_)),
            near: near.map(str::to_owned),
            shown: fit(shown),
            reason: format!("expected {}", self.description()),
        }
    }

    fn description(&self) -> String {
        match self {
            Self::Bool => "true or false".to_owned(),
            Self::Integer { min: 0 } => "a non-negative integer".to_owned(),
            Self::Integer { .. } => "a positive integer".to_owned(),
            Self::Number => "a number".to_owned(),
            Self::Text => "a string".to_owned(),
            Self::Names(names) => match names.as_slice() {
                [one, other] => format!("`{one}` or `{other}`"),
                names => format!("one of {}", quoted(names)),
            },
            Self::List(kind) => match &**kind {
                Self::Names(names) => format!("a list of {}", quoted(names)),
                _ => "a list".to_owned(),
            },
            Self::AnyOf(kinds) => alternatives(kinds),
        }
    }
}

impl WrongValue {
    /// Returns the error about a number that does not fit 64 bits.
    pub(crate) fn too_large(shown: &str) -> Self {
        let reason = "too large".to_owned();
        Self { is_unknown: false, shown: fit(shown), reason, near: None }
    }
}

/// Returns the names that a schema lists, in the order of declaration.
fn names(schema: &Json) -> Vec<String> {
    let listed = schema["enum"].as_array().into_iter().flatten().filter_map(Json::as_str);
    let listed = listed.map(str::to_owned);
    listed.chain(schema["oneOf"].as_array().into_iter().flatten().flat_map(names)).collect()
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Returns alternatives as in a sentence: `a number, true or false`.
fn alternatives(kinds: &[OptionType]) -> String {
    let parts = |kind: &OptionType| match kind {
        OptionType::Names(names) => names.iter().map(|name| format!("`{name}`")).collect(),
        OptionType::Bool => vec!["true".to_owned(), "false".to_owned()],
        kind => vec![kind.description()],
    };
    let parts: Vec<_> = kinds.iter().flat_map(parts).collect();
    match parts.as_slice() {
        [others @ .., last] if last.contains(", ") => format!("{}, or {last}", others.join(", ")),
        [others @ .., last] if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => parts.concat(),
    }
}

fn is_long_number(text: &str) -> bool {
    text.len() > 9 && text.bytes().all(|c| c.is_ascii_digit())
}

/// Formats a value for a message. A string is quoted only if it is empty or looks like a number.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) if !text.is_empty() && text.parse::<f64>().is_err() => text.clone(),
        Value::Datetime(time) => time.to_string(),
        value => serde_json::to_string(value).expect("values have string keys"),
    }
}

/// Maximum characters of a value in a message.
const SHOWN: usize = 60;

/// Shortens a text, and escapes its control characters.
fn fit(text: &str) -> String {
    let rest = if text.chars().count() > SHOWN { "…" } else { "" };
    let visible = |c: char| match c.is_control() {
        true => c.escape_default().to_string(),
        false => c.to_string(),
    };
    text.chars().take(SHOWN).map(visible).collect::<String>() + rest
}

/// Returns the name most similar to a wrong one, if any is similar.
pub(crate) fn most_like<'n>(wrong: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let others = names.filter(|name| *name != wrong);
    let near = others.map(|name| (strsim::damerau_levenshtein(wrong, name), name));
    let near = near.filter(|(distance, _)| *distance <= (wrong.len() / 3).clamp(1, 4));
    near.min_by_key(|(distance, _)| *distance).map(|(_, name)| name)
}
