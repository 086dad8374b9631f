//! Asks a type's `Deserialize` which names it accepts, so that aliases are declared only in serde's
//! attributes. [schemars leaves aliases out](https://github.com/GREsau/schemars/issues/391) (1.2).
//!
//! serde passes the names to the error of the deserializer. [`Probe`] is a deserializer that
//! provokes such an error, and [`Reported`] is that error.

use std::fmt;

use serde::de::value::MapDeserializer;
use serde::de::{self, Deserialize, Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

/// A name that no option and no value has.
const UNKNOWN: &str = "";

/// Returns the names that the table at a path accepts, with aliases.
pub(crate) fn keys<T: Deserialize<'static>>(table: &[&str]) -> &'static [&'static str] {
    report::<T>(&[table, &[UNKNOWN]].concat(), false).names()
}

/// Returns the values that the option at a path accepts, with aliases; empty if it also accepts
/// values of another type.
pub(crate) fn values<T: Deserialize<'static>>(option: &[&str]) -> &'static [&'static str] {
    report::<T>(option, true).names()
}

/// Returns the name of the optional field that an alias refers to: setting the alias twice is an
/// error about the field.
pub(crate) fn field<T: Deserialize<'static>>(alias: &[&str]) -> Option<&'static str> {
    match report::<T>(alias, false) {
        Reported::Duplicate(field) => Some(field),
        _ => None,
    }
}

fn report<T: Deserialize<'static>>(path: &[&str], is_set: bool) -> Reported {
    T::deserialize(Probe { path, is_set }).err().unwrap_or(Reported::Other)
}

/// What a type reports about a name.
#[derive(Debug)]
enum Reported {
    /// The name is none of these.
    Unknown(&'static [&'static str]),
    /// The name was set before as this field.
    Duplicate(&'static str),
    Other,
}

impl Reported {
    fn names(self) -> &'static [&'static str] {
        match self {
            Self::Unknown(names) => names,
            _ => &[],
        }
    }
}

impl de::Error for Reported {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self::Other
    }

    fn unknown_field(_: &str, expected: &'static [&'static str]) -> Self {
        Self::Unknown(expected)
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        Self::Unknown(expected)
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::Duplicate(field)
    }
}

impl fmt::Display for Reported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

impl std::error::Error for Reported {}

/// Nested tables with one name each, which occurs twice. The innermost value is an unknown name, or
/// none if `is_set` is false.
#[derive(Clone, Copy)]
struct Probe<'p> {
    path: &'p [&'p str],
    is_set: bool,
}

impl<'de> Deserializer<'de> for Probe<'_> {
    type Error = Reported;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Reported> {
        let Some((name, path)) = self.path.split_first() else { return visitor.visit_str(UNKNOWN) };
        let twice = [(*name, Probe { path, ..self }); 2];
        visitor.visit_map(MapDeserializer::new(twice.into_iter()))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Reported> {
        match self.path.is_empty() && !self.is_set {
            true => visitor.visit_none(),
            false => visitor.visit_some(self),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Reported> {
        UNKNOWN.into_deserializer().deserialize_enum(name, variants, visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Reported> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

impl<'de> IntoDeserializer<'de, Reported> for Probe<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

#[cfg(test)]
mod tests {
    use chunkwright::ConfigTable;

    use super::*;

    #[test]
    fn types_report_their_names_with_aliases() {
        assert!(keys::<ConfigTable>(&[]).contains(&"strategy"));
        assert!(keys::<ConfigTable>(&["hierarchical"]).contains(&"hardCap"));
        assert_eq!(field::<ConfigTable>(&["hierarchical", "hardCap"]), Some("max"));
        assert_eq!(values::<ConfigTable>(&["window", "tail"]), ["keep", "merge", "drop"]);
        assert!(values::<ConfigTable>(&["blocks", "mode"]).contains(&"heading-aware"));
        assert!(values::<ConfigTable>(&["blocks", "overlap"]).is_empty());
    }
}
