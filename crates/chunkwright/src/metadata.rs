//! Front matter as typed values, in source order.

use indexmap::IndexMap;
use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::cell::Cell;
use std::fmt;

/// A value in front matter.
///
/// ```
/// use chunkwright::{Chunker, Hierarchical, Source, Value, Words};
///
/// let chunker = Chunker::new(Hierarchical::default(), Words::default())?;
/// let source = Source::new("tea.md", "---\nminutes: 3\n---\n\nBoil water first.\n");
/// let document = chunker.read(&source);
/// let metadata = document.metadata().expect("the page has front matter");
/// assert_eq!(metadata.get("minutes"), Some(&Value::Integer(3)));
/// # Ok::<(), chunkwright::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// Null, or a key without a value.
    Null,
    /// True or false.
    Bool(bool),
    /// An integer.
    Integer(i64),
    /// A floating-point number.
    Float(f64),
    /// A string or a date.
    Text(String),
    /// A list.
    List(Vec<Value>),
    /// A map.
    Map(Metadata),
}

impl Value {
    /// Returns the text if the value is [`Text`](Self::Text).
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Null | Self::Bool(_) | Self::Integer(_) | Self::Float(_) => 4,
            Self::Text(text) => text.len(),
            Self::List(values) => values.iter().map(|value| value.bytes() + 2).sum(),
            Self::Map(map) => map.bytes(),
        }
    }
}

/// The front matter of a document: keys and values, in source order.
///
/// ```
/// use chunkwright::{Chunker, Hierarchical, Value, Words};
///
/// let chunker = Chunker::new(Hierarchical::default(), Words::default())?;
/// let text = "---\ntitle: Tea\ntags: [hot]\n---\n\nBoil water first.\n";
/// let chunk = chunker.chunk("tea.md", text).chunks.remove(0);
/// let metadata = chunk.metadata.expect("the page has front matter");
/// assert_eq!(metadata.get("title").and_then(Value::as_text), Some("Tea"));
/// # Ok::<(), chunkwright::ConfigError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metadata {
    entries: IndexMap<String, Value>,
}

impl Metadata {
    /// Returns the value of `key`.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.entries.get(key)
    }

    /// Returns whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns an iterator over keys and values, in source order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.entries.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Estimates the size of the serialized entries in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.entries.iter().map(|(name, value)| name.len() + 4 + value.bytes()).sum()
    }

    /// Sets the value of a key, replacing any previous value.
    pub(crate) fn set(&mut self, name: String, value: Value) {
        self.entries.insert(name, value);
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Integer(value) => serializer.serialize_i64(*value),
            Self::Float(value) => serializer.serialize_f64(*value),
            Self::Text(value) => serializer.serialize_str(value),
            Self::List(values) => serializer.collect_seq(values),
            Self::Map(map) => map.serialize(serializer),
        }
    }
}

impl Serialize for Metadata {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.entries.len()))?;
        for (name, value) in &self.entries {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Metadata {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let all = Bounded { depth: None, bytes: None };
        match all.deserialize(deserializer)? {
            Value::Map(map) => Ok(map),
            _ => Err(D::Error::custom("expected key-value pairs")),
        }
    }
}

/// Deserializes a [`Value`] from any self-describing format, within limits on depth and size.
///
/// The size counts expanded aliases, so a small source with nested aliases cannot exhaust memory.
#[derive(Clone, Copy)]
pub(crate) struct Bounded<'b> {
    pub(crate) depth: Option<usize>,
    pub(crate) bytes: Option<&'b Cell<usize>>,
}

/// The key of the single-entry map that the crate `toml` passes to visitors for a date. It is a
/// private constant, `FIELD` in toml_datetime 1.1.2.
const TOML_DATE: &str = "$__toml_private_datetime";

/// The cost of each value and key in addition to its text, so that empty ones count too.
const ENTRY_BYTES: usize = 1;

impl Bounded<'_> {
    fn spend<E: Error>(self, bytes: usize) -> Result<(), E> {
        let Some(left) = self.bytes else { return Ok(()) };
        let rest = left.get().checked_sub(bytes + ENTRY_BYTES);
        left.set(rest.ok_or_else(|| E::custom("aliases expand beyond the size limit"))?);
        Ok(())
    }

    fn deeper<E: Error>(self) -> Result<Self, E> {
        let Some(depth) = self.depth else { return Ok(self) };
        let depth = depth.checked_sub(1).ok_or_else(|| E::custom("nested too deeply"))?;
        Ok(Self { depth: Some(depth), ..self })
    }

    fn text<E: Error>(self, text: String) -> Result<Value, E> {
        self.spend(text.len())?;
        Ok(Value::Text(text))
    }
}

impl<'de> DeserializeSeed<'de> for Bounded<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Bounded<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        self.spend(0).map(|()| Value::Null)
    }

    fn visit_none<E: Error>(self) -> Result<Value, E> {
        self.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        self.deserialize(deserializer)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        self.spend(0).map(|()| Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        self.spend(0).map(|()| Value::Integer(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        match i64::try_from(value) {
            Ok(value) => self.visit_i64(value),
            Err(_) => self.text(value.to_string()),
        }
    }

    fn visit_i128<E: Error>(self, value: i128) -> Result<Value, E> {
        self.text(value.to_string())
    }

    fn visit_u128<E: Error>(self, value: u128) -> Result<Value, E> {
        self.text(value.to_string())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        // JSON has no infinity and no NaN, and NaN is not equal to itself.
        let value = if value.is_finite() { Value::Float(value) } else { Value::Null };
        self.spend(0).map(|()| value)
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        self.text(value.to_owned())
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Value, E> {
        self.text(value)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let inner = self.deeper()?;
        self.spend(0)?;
        let mut values = Vec::new();
        while let Some(value) = entries.next_element_seed(inner)? {
            values.push(value);
        }
        Ok(Value::List(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let inner = self.deeper()?;
        self.spend(0)?;
        let mut map = Metadata::default();
        while let Some(key) = entries.next_key_seed(inner)? {
            let value = entries.next_value_seed(inner)?;
            match key_name(key).ok_or_else(|| A::Error::custom("a list or map cannot be a key"))? {
                name if name == TOML_DATE => return Ok(value),
                name => map.set(name, value),
            }
        }
        Ok(Value::Map(map))
    }
}

/// Converts a scalar key to text: YAML keys may be numbers, booleans or null.
fn key_name(key: Value) -> Option<String> {
    match key {
        Value::Text(name) => Some(name),
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        Value::Null => Some("null".to_owned()),
        Value::List(_) | Value::Map(_) => None,
    }
}
