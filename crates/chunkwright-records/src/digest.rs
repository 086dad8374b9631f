//! Hashes values so that a chunk and its record in JSON have the same hash.
//!
//! The order of the keys of a map has no effect, because formats and stores change it.

use chunkwright::{Metadata, Note, Value as MetadataValue};
use serde_json::{Number, Value};

use crate::field::{FieldValue, KindName};

/// The first 16 bytes of a BLAKE3 hash.
pub(crate) type Hash = [u8; 16];

/// Returns the hash of a text.
pub(crate) fn hash(text: &str) -> Hash {
    first_bytes(blake3::hash(text.as_bytes()))
}

/// Returns the hash of a map.
pub(crate) fn hash_entries<T: Hashable>(entries: Vec<(&str, T)>) -> Hash {
    let mut hasher = ValueHasher::default();
    hasher.map(entries);
    first_bytes(hasher.0.finalize())
}

fn first_bytes(whole: blake3::Hash) -> Hash {
    let mut first = Hash::default();
    first.copy_from_slice(&whole.as_bytes()[..16]);
    first
}

/// A value that can be hashed.
pub(crate) trait Hashable {
    fn add_to(&self, hasher: &mut ValueHasher);
}

/// A hash of the values added so far. Each starts with its type and length, so that different
/// values never yield the same bytes.
#[derive(Default)]
pub(crate) struct ValueHasher(blake3::Hasher);

impl ValueHasher {
    fn null(&mut self) {
        self.start(b'0', 0);
    }

    fn boolean(&mut self, value: bool) {
        self.start(b'b', value.into());
    }

    fn integer(&mut self, value: i128) {
        self.0.update(b"i").update(&value.to_le_bytes());
    }

    fn float(&mut self, value: f64) {
        self.0.update(b"f").update(&value.to_bits().to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.start(b't', text.len());
        self.0.update(text.as_bytes());
    }

    fn list<T: Hashable>(&mut self, values: impl ExactSizeIterator<Item = T>) {
        self.start(b'l', values.len());
        values.for_each(|value| value.add_to(self));
    }

    fn map<T: Hashable>(&mut self, mut entries: Vec<(&str, T)>) {
        entries.sort_unstable_by_key(|(name, _)| *name);
        self.start(b'm', entries.len());
        for (name, value) in entries {
            self.text(name);
            value.add_to(self);
        }
    }

    fn start(&mut self, kind: u8, length: usize) {
        self.0.update(&[kind]).update(&(length as u64).to_le_bytes());
    }
}

impl<T: Hashable + ?Sized> Hashable for &T {
    fn add_to(&self, hasher: &mut ValueHasher) {
        (**self).add_to(hasher);
    }
}

impl Hashable for str {
    fn add_to(&self, hasher: &mut ValueHasher) {
        hasher.text(self);
    }
}

impl Hashable for Value {
    fn add_to(&self, hasher: &mut ValueHasher) {
        match self {
            Self::Null => hasher.null(),
            Self::Bool(value) => hasher.boolean(*value),
            Self::Number(number) => number.add_to(hasher),
            Self::String(text) => hasher.text(text),
            Self::Array(values) => hasher.list(values.iter()),
            Self::Object(map) => {
                hasher.map(map.iter().map(|(name, value)| (&**name, value)).collect());
            }
        }
    }
}

impl Hashable for Number {
    fn add_to(&self, hasher: &mut ValueHasher) {
        match (self.as_i128(), self.as_f64()) {
            (Some(integer), _) => hasher.integer(integer),
            (None, float) => hasher.float(float.unwrap_or_default()),
        }
    }
}

impl Hashable for FieldValue<'_> {
    fn add_to(&self, hasher: &mut ValueHasher) {
        match self {
            Self::Text(text) => hasher.text(text),
            Self::Number(number) => hasher.integer(*number as i128),
            Self::Texts(texts) => hasher.list(texts.iter().map(|text| &**text)),
            Self::Metadata(metadata) => metadata.add_to(hasher),
            Self::Notes(notes) => hasher.list(notes.iter()),
            Self::Pieces(_) => unreachable!("optional fields are not compared"),
        }
    }
}

impl Hashable for Metadata {
    fn add_to(&self, hasher: &mut ValueHasher) {
        hasher.map(self.iter().collect());
    }
}

impl Hashable for MetadataValue {
    fn add_to(&self, hasher: &mut ValueHasher) {
        match self {
            Self::Bool(value) => hasher.boolean(*value),
            Self::Integer(value) => hasher.integer((*value).into()),
            Self::Float(value) => hasher.float(*value),
            Self::Text(text) => hasher.text(text),
            Self::List(values) => hasher.list(values.iter()),
            Self::Map(map) => map.add_to(hasher),
            _ => hasher.null(),
        }
    }
}

impl Hashable for Note {
    fn add_to(&self, hasher: &mut ValueHasher) {
        let mut entries = vec![
            ("kind", FieldValue::Text(KindName(self.kind).to_string().into())),
            ("message", FieldValue::Text((&*self.message).into())),
        ];
        entries
            .extend(self.block.as_deref().map(|block| ("block", FieldValue::Text(block.into()))));
        entries.extend(self.line.map(|line| ("line", FieldValue::Number(line))));
        hasher.map(entries);
    }
}
