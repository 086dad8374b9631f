//! Checks the body of an MCP request before the SDK parses it.
//!
//! The SDK accepts duplicate keys, of which different parsers choose different ones, and answers
//! invalid JSON with 415 (seen in rmcp 3.8.0).

use std::fmt;

use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use super::problem::Problem;

/// Headers that describe the body, of which there must be no second value for others to read.
const SINGLE: [&str; 4] = ["content-type", "mcp-protocol-version", "mcp-method", "mcp-name"];

/// Checks the headers that describe the body.
pub(super) fn check_headers(headers: &HeaderMap) -> Result<(), Problem> {
    if SINGLE.iter().any(|name| headers.get_all(*name).iter().count() > 1) {
        let detail = "a header that describes the body is given more than once";
        return Err(Problem::new(StatusCode::BAD_REQUEST, detail));
    }
    let unsupported = |detail| Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, detail);
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/json") {
        return Err(unsupported("the Content-Type must be application/json"));
    }
    match headers.contains_key(CONTENT_ENCODING) {
        true => Err(unsupported("compressed bodies are not supported")),
        false => Ok(()),
    }
}

/// What a body contains, if it is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BodyShape {
    /// One JSON object.
    Message,
    /// Anything else, such as an array of messages.
    Other,
}

/// Checks that a body is valid JSON without duplicate keys, nested at most 128 deep.
pub(super) fn check_body(body: &[u8]) -> Result<BodyShape, Problem> {
    let mut parser = serde_json::Deserializer::from_slice(body);
    let checked = UniqueKeys.deserialize(&mut parser).and_then(|()| parser.end());
    match checked {
        Err(_) => Err(Problem::new(
            StatusCode::BAD_REQUEST,
            "the body is not valid JSON, is nested too deep, or has duplicate keys",
        )),
        Ok(()) => Ok(match body.iter().find(|byte| !byte.is_ascii_whitespace()) {
            Some(b'{') => BodyShape::Message,
            _ => BodyShape::Other,
        }),
    }
}

/// Reads any JSON value, and fails on duplicate keys.
struct UniqueKeys;

impl<'de> DeserializeSeed<'de> for UniqueKeys {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for UniqueKeys {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut keys = std::collections::HashSet::new();
        while let Some(key) = map.next_key::<String>()? {
            if !keys.insert(key) {
                return Err(de::Error::custom("duplicate key"));
            }
            map.next_value_seed(Self)?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(Self)?.is_some() {}
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_one_message() {
        let body = br#" {"a": [1, -2, 1.5, "x", true, null, {"a": {"a": 1}}], "b": 1} "#;
        assert_eq!(check_body(body), Ok(BodyShape::Message));
        assert_eq!(check_body(b"[{}]"), Ok(BodyShape::Other));
    }

    #[test]
    fn rejects_invalid_bodies() {
        let deep = "[".repeat(10_000) + &"]".repeat(10_000);
        for body in ["", "{", "{}{}", r#"{"a":1,"a":2}"#, r#"[{"b":{"a":1,"\u0061":2}}]"#, &deep] {
            assert!(check_body(body.as_bytes()).is_err(), "{body:.40}");
        }
    }
}
