//! Converts record batches back to JSON records.

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, Field};
use serde::ser::{Error, SerializeMap};
use serde::{Serialize, Serializer};

use crate::field::{FIELDS, FieldKind, Presence};

/// Returns the rows of a batch as lines of JSON.
///
/// # Errors
/// Fails if a column has a type that no field of a record has.
pub fn records(batch: &RecordBatch) -> serde_json::Result<Vec<String>> {
    (0..batch.num_rows()).map(|nth| record(batch, nth)).collect()
}

fn record(batch: &RecordBatch, nth: usize) -> serde_json::Result<String> {
    let mut json = String::from("{");
    for (column, values) in batch.schema_ref().fields().iter().zip(batch.columns()) {
        let value = ColumnValue { values, nth };
        let field = FIELDS.iter().find(|field| field.name == column.name());
        let is_or_null = field.is_some_and(|field| matches!(field.presence, Presence::OrNull));
        if value.is_null() && !is_or_null {
            continue;
        }
        if json.len() > 1 {
            json.push(',');
        }
        json.push_str(&serde_json::to_string(column.name())?);
        json.push(':');
        match values.as_string_opt::<i32>() {
            Some(texts) if field.is_some_and(|field| field.kind() == FieldKind::Metadata) => {
                json.push_str(texts.value(nth));
            }
            _ => json.push_str(&serde_json::to_string(&value)?),
        }
    }
    json.push('}');
    Ok(json)
}

/// One value of a column.
struct ColumnValue<'b> {
    values: &'b dyn Array,
    nth: usize,
}

impl ColumnValue<'_> {
    fn is_null(&self) -> bool {
        self.values.is_null(self.nth)
    }

    /// Adds the value to a map, unless it is null.
    fn entry<M: SerializeMap>(&self, field: &Field, map: &mut M) -> Result<(), M::Error> {
        if self.is_null() { Ok(()) } else { map.serialize_entry(field.name(), self) }
    }
}

impl Serialize for ColumnValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { values, nth } = *self;
        match values.data_type() {
            _ if self.is_null() => serializer.serialize_unit(),
            DataType::Utf8 => serializer.serialize_str(values.as_string::<i32>().value(nth)),
            DataType::Int64 => {
                serializer.serialize_i64(values.as_primitive::<Int64Type>().value(nth))
            }
            DataType::List(_) => {
                let list = values.as_list::<i32>().value(nth);
                serializer
                    .collect_seq((0..list.len()).map(|nth| ColumnValue { values: &list, nth }))
            }
            DataType::Struct(fields) => {
                let mut map = serializer.serialize_map(None)?;
                for (field, values) in fields.iter().zip(values.as_struct().columns()) {
                    ColumnValue { values, nth }.entry(field, &mut map)?;
                }
                map.end()
            }
            other => Err(S::Error::custom(format!("unexpected column type {other}"))),
        }
    }
}
