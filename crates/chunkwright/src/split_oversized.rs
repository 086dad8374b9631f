//! The option `split_oversized`: the kinds of blocks that may be split if they exceed the maximum.

use std::fmt;

use serde::de::{Error, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::block::BlockKind;

/// The blocks that are split if they exceed the maximum: all, none, or certain kinds.
///
/// A block that must not be split becomes one chunk with an `oversize` note. In configuration files
/// the value is `true`, `false`, or a list such as `["code", "table"]`.
///
/// ```
/// use chunkwright::{Chunker, Config, Hierarchical, NoteKind, SplitOversized, Words};
///
/// let mut config = Config::from(Hierarchical::default().max(3));
/// config.split_oversized = SplitOversized::None;
/// let chunker = Chunker::new(config, Words::with_factor(1.0)?)?;
/// let chunks = chunker.chunk("tea.md", "Boil the water first.\n").chunks;
/// assert_eq!(chunks[0].notes[0].kind, NoteKind::Oversize);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SplitOversized {
    /// Split blocks of every kind.
    #[default]
    All,
    /// Split no block.
    None,
    /// Split blocks of these kinds only.
    Only(Vec<BlockKind>),
}

/// The kinds of blocks that a list may contain.
const KINDS: [BlockKind; 14] = [
    BlockKind::Paragraph,
    BlockKind::List,
    BlockKind::Code,
    BlockKind::Table,
    BlockKind::Quote,
    BlockKind::Html,
    BlockKind::Definitions,
    BlockKind::Math,
    BlockKind::Esm,
    BlockKind::Jsx,
    BlockKind::Expression,
    BlockKind::Directive,
    BlockKind::Shortcode,
    BlockKind::FrontMatter,
];

impl SplitOversized {
    /// Returns whether a block of this kind may be split. Headings may always be split, except with
    /// [`None`](Self::None).
    pub fn allows(&self, kind: BlockKind) -> bool {
        match self {
            Self::All => true,
            Self::None => false,
            Self::Only(kinds) => kind.is_heading() || kinds.contains(&kind),
        }
    }
}

/// Returns the name of a kind in configuration files.
fn name(kind: BlockKind) -> String {
    kind.name().replace(' ', "_")
}

impl Serialize for SplitOversized {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::All => serializer.serialize_bool(true),
            Self::None => serializer.serialize_bool(false),
            Self::Only(kinds) => serializer.collect_seq(kinds.iter().map(|kind| name(*kind))),
        }
    }
}

impl<'de> Deserialize<'de> for SplitOversized {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SplitOversizedVisitor)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for SplitOversized {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "SplitOversized".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "anyOf": [
            { "type": "boolean" },
            { "type": "array", "items": { "type": "string", "enum": KINDS.map(name) } },
        ] })
    }
}

struct SplitOversizedVisitor;

impl<'de> Visitor<'de> for SplitOversizedVisitor {
    type Value = SplitOversized;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = KINDS.map(|kind| format!("`{}`", name(kind))).into();
        write!(f, "true, false, or a list of {}", names.join(", "))
    }

    fn visit_bool<E: Error>(self, all: bool) -> Result<SplitOversized, E> {
        Ok(if all { SplitOversized::All } else { SplitOversized::None })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut names: A) -> Result<SplitOversized, A::Error> {
        let mut kinds = Vec::new();
        while let Some(given) = names.next_element::<String>()? {
            let kind = KINDS.into_iter().find(|kind| name(*kind) == given);
            let unknown = || A::Error::invalid_value(Unexpected::Str(&given), &self);
            kinds.push(kind.ok_or_else(unknown)?);
        }
        Ok(SplitOversized::Only(kinds))
    }
}
