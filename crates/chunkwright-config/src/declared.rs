//! The declared options: names, types, defaults and descriptions, all derived from the structs that
//! contain the values.

use std::sync::LazyLock;

use chunkwright::ConfigTable;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};

use crate::kind::OptionType;
use crate::names;
use crate::processing::Processing;
use crate::search::{Indexing, Tuning};

/// A declared option.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Declared {
    /// Name of the option, with the tables that contain it.
    pub name: String,
    /// Other names in the same table.
    pub aliases: Vec<&'static str>,
    /// Documentation of the field: a sentence, then details, then the default.
    pub description: String,
    /// Default value; null if there is none.
    pub default: Json,
    pub(crate) declaring: DeclaringStruct,
    pub(crate) kind: OptionType,
}

impl Declared {
    /// Returns the first sentence of the description, without its period.
    pub fn summary(&self) -> &str {
        sentence(&self.description)
    }

    /// Returns the default as documented, which is a value or explains how it is found; empty if
    /// there is none.
    pub fn default_text(&self) -> &str {
        self.description.split_once("Default: ").map_or("", |(_, default)| sentence(default))
    }

    /// Returns the names that the option accepts as values. It may accept other values as well.
    pub fn choices(&self) -> Vec<&str> {
        self.kind.names()
    }

    /// Returns the table of the option and its name there.
    pub(crate) fn table_and_name(&self) -> (&str, &str) {
        self.name.rsplit_once('.').unwrap_or(("", &self.name))
    }
}

/// Returns the first sentence of a text, without its period.
pub(crate) fn sentence(text: &str) -> &str {
    let end = text.find(". ").or_else(|| text.find(".\n"));
    end.map_or_else(|| text.trim_end_matches('.'), |end| &text[..end])
}

/// Returns all options, in the order of declaration.
pub fn declared() -> &'static [Declared] {
    &DECLARED.options
}

/// Returns the option with this full name or alias.
pub(crate) fn find(name: &str) -> Option<&'static Declared> {
    let (table, bare) = name.rsplit_once('.').unwrap_or(("", name));
    let is_alias = |one: &Declared| one.table_and_name().0 == table && one.aliases.contains(&bare);
    declared().iter().find(|one| one.name == name || is_alias(one))
}

/// The struct that declares an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeclaringStruct {
    Chunking,
    Processing,
    Index,
    Search,
}

impl DeclaringStruct {
    /// Returns the table that contains the options of the struct.
    pub(crate) const fn table(self) -> Option<&'static str> {
        match self {
            Self::Chunking | Self::Processing => None,
            Self::Index => Some("index"),
            Self::Search => Some("search"),
        }
    }

    /// Returns the name of an option inside the struct's table, if its name starts with the table.
    pub(crate) fn inside(self, key: &str) -> Option<&str> {
        match self.table() {
            Some(table) => key.strip_prefix(table)?.strip_prefix('.'),
            None => Some(key),
        }
    }

    /// Returns the JSON Schema of the struct, with defaults and aliases.
    pub(crate) fn schema(self) -> &'static Json {
        &DECLARED.schemas[self as usize]
    }
}

pub(crate) fn plain(options: &impl Serialize) -> Json {
    serde_json::to_value(options).expect("options are plain values")
}

static DECLARED: LazyLock<Declarations> = LazyLock::new(|| {
    let chunking = ConfigTable::default().filled().expect("defaults are valid");
    let mut all = Declarations::default();
    all.add_struct(DeclaringStruct::Chunking, &chunking);
    all.add_struct(DeclaringStruct::Processing, &Processing::default());
    all.add_struct(DeclaringStruct::Index, &Indexing::default());
    all.add_struct(DeclaringStruct::Search, &Tuning::default());
    all
});

/// A struct that declares options.
trait Declares: Serialize + DeserializeOwned + JsonSchema {}

impl<T: Serialize + DeserializeOwned + JsonSchema> Declares for T {}

#[derive(Default)]
struct Declarations {
    options: Vec<Declared>,
    /// One for each struct.
    schemas: Vec<Json>,
}

impl Declarations {
    /// Adds the options of a struct, in the order of [`DeclaringStruct`].
    fn add_struct<T: Declares>(&mut self, declaring: DeclaringStruct, defaults: &T) {
        let mut schema = schema::<T>();
        self.add::<T>(declaring, &[], &mut schema, &plain(defaults));
        self.schemas.push(schema);
    }

    /// Adds the options in the table at a path. Adds defaults and aliases to its schema.
    fn add<T: Declares>(
        &mut self,
        declaring: DeclaringStruct,
        path: &[&str],
        schema: &mut Json,
        defaults: &Json,
    ) {
        let Some(Json::Object(properties)) = schema.get_mut("properties") else { return };
        let alias = |name: &&'static str| {
            let field = names::field::<T>(&[path, &[*name]].concat())?;
            (field != *name && properties.contains_key(field)).then_some((field, *name))
        };
        let aliases: Vec<_> = names::keys::<T>(path).iter().filter_map(alias).collect();
        for (name, property) in properties.iter_mut() {
            let path = [path, &[name.as_str()]].concat();
            if property["type"] == "object" {
                self.add::<T>(declaring, &path, property, &defaults[name]);
                continue;
            }
            let kind = completed(property, names::values::<T>(&path), &defaults[name]);
            let of_option = aliases.iter().filter(|(field, _)| *field == name.as_str());
            self.options.push(Declared {
                name: declaring.table().into_iter().chain(path).collect::<Vec<_>>().join("."),
                aliases: of_option.map(|(_, alias)| *alias).collect(),
                description: property["description"].as_str().unwrap_or_default().to_owned(),
                default: defaults[name].clone(),
                declaring,
                kind,
            });
        }
        for (field, alias) in aliases {
            let tables = declaring.table().into_iter().chain(path.iter().copied());
            let pointer: String = tables.map(|table| format!("properties/{table}/")).collect();
            properties.insert(
                alias.to_owned(),
                json!({
                    "description": format!("Same as `{field}`."),
                    "$ref": format!("#/{pointer}properties/{field}"),
                }),
            );
        }
    }
}

/// Adds the default and the aliases of names to the schema of an option, and returns its type.
fn completed(schema: &mut Json, values: &[&str], default: &Json) -> OptionType {
    if !default.is_null() {
        schema["default"] = default.clone();
    }
    let kind = OptionType::of(schema);
    let known = kind.names();
    let aliases: Vec<_> = values.iter().filter(|name| !known.contains(name)).collect();
    match schema.get_mut("oneOf") {
        Some(Json::Array(all)) if !aliases.is_empty() => all.push(json!({ "enum": aliases })),
        _ => {}
    }
    match kind {
        OptionType::Names(_) => {
            OptionType::Names(values.iter().map(|name| (*name).to_owned()).collect())
        }
        kind => kind,
    }
}

fn schema<T: JsonSchema>() -> Json {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    let settings = settings.with_transform(RecursiveTransform(tidy));
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.remove("title");
    schema.to_value()
}

/// Simplifies a schema for editors: TOML has no null, and number formats of Rust mean nothing there.
fn tidy(schema: &mut Schema) {
    schema.remove("format");
    schema.remove("default");
    // Taplo knows draft 4, which has no `const`.
    if let Some(only) = schema.remove("const") {
        schema.insert("enum".to_owned(), json!([only]));
    }
    let is_null = |one: &Json| one == "null" || one == &json!({ "type": "null" });
    for key in ["type", "anyOf", "enum"] {
        if let Some(Json::Array(all)) = schema.get_mut(key) {
            all.retain(|one| !is_null(one) && !one.is_null());
        }
    }
    if let Some([only]) = schema.get("type").and_then(Json::as_array).map(Vec::as_slice) {
        let only = only.clone();
        schema.insert("type".to_owned(), only);
    }
    if let Some([Json::Object(only)]) =
        schema.get("anyOf").and_then(Json::as_array).map(Vec::as_slice)
    {
        let only = only.clone();
        schema.remove("anyOf");
        for (key, value) in only {
            schema.ensure_object().entry(key).or_insert(value);
        }
    }
    if let Some(Json::String(description)) = schema.get_mut("description") {
        let text = description.split("\n\n```").next().unwrap_or_default();
        *description =
            text.split("\n\n").map(|one| one.replace('\n', " ")).collect::<Vec<_>>().join("\n\n");
    }
}

#[cfg(test)]
mod tests {
    use chunkwright::StrategyName;

    use super::*;
    use crate::keys::is_table;

    #[test]
    fn every_name_that_serde_accepts_is_declared() {
        let tables = StrategyName::ALL.iter().map(|strategy| strategy.as_str());
        for table in tables.map(|table| vec![table]).chain([Vec::new()]) {
            for name in names::keys::<ConfigTable>(&table) {
                let name = [table.as_slice(), &[*name]].concat().join(".");
                assert!(find(&name).is_some() || is_table(&name), "{name}");
            }
        }
    }

    #[test]
    fn options_of_the_same_name_have_the_same_type_in_all_strategies() {
        let of_strategy = |one: &&Declared| one.table_and_name().0.parse::<StrategyName>().is_ok();
        let options: Vec<_> = declared().iter().filter(of_strategy).collect();
        for one in &options {
            let same =
                options.iter().filter(|other| other.table_and_name().1 == one.table_and_name().1);
            assert!(same.clone().all(|other| other.kind == one.kind), "{}", one.name);
        }
        assert!(options.len() > 15);
    }

    #[test]
    fn options_accept_their_defaults() {
        for option in declared().iter().filter(|option| !option.default.is_null()) {
            let default = toml::Value::try_from(&option.default).unwrap();
            assert!(option.kind.accepts(&default), "{option:?}");
        }
    }
}
