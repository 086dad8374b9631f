//! The JSON Schema of `chunkwright.toml`, for editors.

use chunkwright::StrategyName;
use serde_json::{Map, Value as Json, json};

use crate::declared::{DeclaringStruct, sentence};
use crate::keys::MERGING;

/// Returns the [JSON Schema](https://json-schema.org/draft/2020-12) of `chunkwright.toml`.
///
/// It lists every name that the file accepts, aliases included. Contradictions between options, and
/// files that do not exist, are only found when the file is read.
///
/// ```
/// let schema = chunkwright_config::schema();
/// assert_eq!(schema["properties"]["window"]["properties"]["max"]["default"], 750);
/// ```
pub fn schema() -> Json {
    let mut properties = Map::new();
    properties.extend(chunking());
    let mut of_override = referred(&properties);
    of_override.insert("paths".to_owned(), paths());
    properties.extend(options_of(DeclaringStruct::Processing));
    for declaring in [DeclaringStruct::Index, DeclaringStruct::Search] {
        let table = declaring.table().expect("these structs have a table");
        properties.insert(table.to_owned(), declaring.schema().clone());
    }
    for name in MERGING {
        properties.insert(name.to_owned(), same_as(&format!("search.merging.{name}")));
    }
    properties.insert("trees".to_owned(), trees());
    properties.insert("override".to_owned(), overrides(of_override));
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "chunkwright.toml",
        "description": "Options of chunkwright, which splits Markdown into chunks for retrieval.",
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    })
}

fn options_of(declaring: DeclaringStruct) -> Map<String, Json> {
    declaring.schema()["properties"].as_object().cloned().unwrap_or_default()
}

/// Returns the chunking options, and those of all strategies without their table.
fn chunking() -> Map<String, Json> {
    let mut properties = options_of(DeclaringStruct::Chunking);
    for strategy in StrategyName::ALL {
        let options = properties[strategy.as_str()]["properties"].as_object().cloned();
        for (name, mut option) in options.into_iter().flatten() {
            match option["$ref"].as_str().and_then(|field| field.rsplit('/').next()) {
                Some(field) => option = same_as(field),
                None => without_default(&mut option),
            }
            properties.entry(name).or_insert(option);
        }
    }
    properties
}

/// Removes the default of an option, which depends on the strategy.
fn without_default(option: &mut Json) {
    let summary = option["description"].as_str().map_or("", sentence);
    option["description"] = format!("{summary}. An option of the chosen strategy.").into();
    option.as_object_mut().and_then(|option| option.remove("default"));
}

/// Returns properties that refer to those of the same name at the top level.
fn referred(properties: &Map<String, Json>) -> Map<String, Json> {
    let reference = |name: &String| (name.clone(), json!({ "$ref": pointer(name) }));
    properties.keys().map(reference).collect()
}

fn same_as(name: &str) -> Json {
    json!({ "description": format!("Same as `{name}`."), "$ref": pointer(name) })
}

fn pointer(name: &str) -> String {
    format!("#/properties/{}", name.replace('.', "/properties/"))
}

fn paths() -> Json {
    json!({
        "description": "Globs of the paths that the override applies to.",
        "type": "array",
        "items": { "type": "string" },
        "minItems": 1,
    })
}

fn overrides(properties: Map<String, Json>) -> Json {
    json!({
        "description": "Options for some paths; later overrides win.",
        "type": "array",
        "items": {
            "type": "object",
            "properties": properties,
            "required": ["paths"],
            "additionalProperties": false,
        },
    })
}

fn trees() -> Json {
    json!({
        "description": "Named directories of documents.",
        "type": "object",
        "propertyNames": { "pattern": "^[^:]+$" },
        "additionalProperties": {
            "type": "object",
            "properties": {
                "path": {
                    "description": "Directory of the tree, relative to this file.",
                    "type": "string",
                },
            },
            "required": ["path"],
            "additionalProperties": false,
        },
    })
}
