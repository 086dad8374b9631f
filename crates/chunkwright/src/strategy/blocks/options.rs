//! The options of `blocks`, and their validation.

use std::fmt;

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::BlocksRules;
use crate::context::Context;
use crate::strategy::{
    About, ConfigError, Rules, Size, Strategy, StrategyOptions, limit, target_within, within,
};

/// The strategy `blocks`, which packs blocks up to a target size, section by section, with optional
/// overlap.
///
/// ```
/// use chunkwright::{Blocks, Chunker, Estimate};
///
/// let chunker = Chunker::new(Blocks::default().target(400).max(600), Estimate::default())?;
/// assert_eq!(chunker.target_tokens(), Some(400));
/// # Ok::<(), chunkwright::ConfigError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Blocks {
    /// Preset for the token limits: `small`, `medium` or `large`. Explicit limits override it.
    /// Default: `medium`.
    pub size: Option<Size>,
    /// Preferred tokens per chunk. With the tokenizer `chars`, a maximum that is set is also the
    /// target. Default: 512.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = crate::strategy::MOST_TOKENS)))]
    #[serde(alias = "target_tokens", alias = "targetTokens")]
    pub target: Option<usize>,
    /// Maximum tokens per chunk. Default: 768.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = crate::strategy::MOST_TOKENS)))]
    #[serde(alias = "max_tokens", alias = "maxTokens")]
    pub max: Option<usize>,
    /// Minimum tokens per chunk; smaller chunks merge with a neighbor. 0 turns this off. Default:
    /// 128.
    #[serde(alias = "min_tokens", alias = "minTokens")]
    pub min: Option<usize>,
    /// Tokens to repeat from the previous chunk: a number, `none`, `low`, `medium` or `high`. Only
    /// whole blocks are repeated. Default: `none`.
    #[serde(alias = "overlap_tokens", alias = "overlapTokens")]
    pub overlap: Option<Overlap>,
    /// Scope of overlap in `heading` mode: `section` or `document`. Default: `section`.
    pub overlap_scope: OverlapScope,
    /// Boundaries of chunks: `heading`, `paragraph` or `hybrid`. Default: `heading`.
    pub mode: Mode,
    /// Deepest level of headings that start a section, 1 to 6. Default: 6.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 6)))]
    pub heading_depth: Option<usize>,
}

impl Blocks {
    /// Sets the preset for all limits.
    #[must_use]
    pub fn size(mut self, size: Size) -> Self {
        self.size = Some(size);
        self
    }

    /// Sets the preferred tokens per chunk.
    #[must_use]
    pub fn target(mut self, tokens: usize) -> Self {
        self.target = Some(tokens);
        self
    }

    /// Sets the maximum tokens per chunk.
    #[must_use]
    pub fn max(mut self, tokens: usize) -> Self {
        self.max = Some(tokens);
        self
    }

    /// Sets the minimum tokens per chunk. Smaller chunks merge with a neighbor.
    #[must_use]
    pub fn min(mut self, tokens: usize) -> Self {
        self.min = Some(tokens);
        self
    }

    /// Sets the maximum tokens that a chunk repeats from the previous one.
    #[must_use]
    pub fn overlap(mut self, overlap: Overlap) -> Self {
        self.overlap = Some(overlap);
        self
    }

    /// Sets the scope of overlap.
    #[must_use]
    pub fn overlap_scope(mut self, scope: OverlapScope) -> Self {
        self.overlap_scope = scope;
        self
    }

    /// Sets the rule that starts a chunk.
    #[must_use]
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    /// Sets the deepest level of headings that start sections, 1 to 6.
    #[must_use]
    pub fn heading_depth(mut self, level: usize) -> Self {
        self.heading_depth = Some(level);
        self
    }
}

/// The rule that starts a chunk in [`Blocks`].
///
/// ```
/// use chunkwright::{Blocks, Chunker, Mode, Words};
///
/// let text = "# Tea\n\nBoil water first.\n\n# Coffee\n\nGrind the beans.\n";
/// for (mode, chunks) in [(Mode::Heading, 2), (Mode::Paragraph, 1)] {
///     let chunker = Chunker::new(Blocks::default().min(0).mode(mode), Words::default())?;
///     assert_eq!(chunker.chunk("drinks.md", text).chunks.len(), chunks);
/// }
/// # Ok::<(), chunkwright::ConfigError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Mode {
    /// Every section starts a chunk.
    #[default]
    #[serde(alias = "heading-aware")]
    Heading,
    /// Only the size matters.
    Paragraph,
    /// A section starts a chunk if it doesn't fit the target together with the previous ones.
    Hybrid,
}

/// The scope of overlap in `heading` mode.
///
/// ```
/// use chunkwright::{Blocks, Chunker, Overlap, OverlapScope, Words};
///
/// let blocks = Blocks::default().min(0).overlap(Overlap::Tokens(40));
/// let chunker = Chunker::new(blocks.overlap_scope(OverlapScope::Document), Words::default())?;
/// let text = "# Tea\n\nBoil water first.\n\n# Coffee\n\nGrind the beans.\n";
/// assert!(chunker.chunk("drinks.md", text).chunks[1].text.contains("Boil water first."));
/// # Ok::<(), chunkwright::ConfigError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum OverlapScope {
    /// Repeats blocks of the same section only.
    #[default]
    Section,
    /// Repeats blocks of the previous section, too.
    Document,
}

impl Size {
    const fn max(self) -> usize {
        self.target() / 2 * 3
    }

    const fn min(self) -> usize {
        quarter(self.target())
    }
}

/// Returns the default minimum for a target.
const fn quarter(target: usize) -> usize {
    target / 4
}

/// The amount of a chunk that the next one repeats.
///
/// ```
/// use chunkwright::{Blocks, Chunker, Mode, Overlap, Words};
///
/// let blocks = Blocks::default().target(4).max(8).min(0).overlap(Overlap::Tokens(4));
/// let chunker = Chunker::new(blocks.mode(Mode::Paragraph), Words::with_factor(1.0)?)?;
/// let text = "Boil the water first.\n\nPour it.\n\nNow wait three long minutes.\n";
/// assert_eq!(chunker.chunk("tea.md", text).chunks[1].text, "Boil the water first.\n\nPour it.");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(untagged))]
#[non_exhaustive]
pub enum Overlap {
    /// At most this many tokens.
    Tokens(usize),
    /// At most a share of the target.
    Share(Share),
}

/// A share of the target, for [`Overlap`].
///
/// ```
/// use chunkwright::{Blocks, Chunker, Overlap, Piece, Share, Words};
///
/// let blocks = Blocks::default().target(20).max(30).overlap(Overlap::Share(Share::High));
/// let chunker = Chunker::new(blocks, Words::with_factor(1.0)?)?;
/// let text = "Boil the water first.\n\n".repeat(9);
/// let second = &chunker.chunk("tea.md", &text).chunks[1];
/// assert!(matches!(second.pieces[0], Piece::Echo(repeated) if repeated.len() == 23));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Share {
    /// Nothing.
    None,
    /// A twentieth.
    Low,
    /// A tenth.
    Medium,
    /// A fifth.
    High,
}

impl Share {
    const fn of(self, target: usize) -> usize {
        match self {
            Self::None => 0,
            Self::Low => target / 20,
            Self::Medium => target / 10,
            Self::High => target / 5,
        }
    }
}

impl Overlap {
    const fn tokens(self, target: usize) -> usize {
        match self {
            Self::Tokens(tokens) => tokens,
            Self::Share(share) => share.of(target),
        }
    }
}

impl Serialize for Overlap {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Tokens(tokens) => tokens.serialize(serializer),
            Self::Share(share) => share.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Overlap {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OverlapVisitor)
    }
}

/// Accepts a number or a name. Unlike a derived untagged enum, its errors list the allowed values.
struct OverlapVisitor;

impl Visitor<'_> for OverlapVisitor {
    type Value = Overlap;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a non-negative integer, `none`, `low`, `medium` or `high`")
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Overlap, E> {
        let tokens = usize::try_from(number);
        let wrong = |_| E::invalid_value(Unexpected::Unsigned(number), &self);
        tokens.map(Overlap::Tokens).map_err(wrong)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Overlap, E> {
        let tokens = usize::try_from(number);
        let wrong = |_| E::invalid_value(Unexpected::Signed(number), &self);
        tokens.map(Overlap::Tokens).map_err(wrong)
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Overlap, E> {
        match name {
            "none" => Ok(Overlap::Share(Share::None)),
            "low" => Ok(Overlap::Share(Share::Low)),
            "medium" => Ok(Overlap::Share(Share::Medium)),
            "high" => Ok(Overlap::Share(Share::High)),
            _ => Err(E::invalid_value(Unexpected::Str(name), &self)),
        }
    }
}

impl Blocks {
    pub(in crate::strategy) const ABOUT: About =
        About { counter: "estimate", context: Context::Title, has_nodes: false, version: 3 };
}

impl StrategyOptions for Blocks {
    fn limit(&mut self, target: usize, max: usize) {
        (self.target, self.max) = (Some(target), Some(max));
    }

    fn rules(&self, counter: &str) -> Result<Box<dyn Rules>, ConfigError> {
        Ok(Box::new(self.limits(counter)?))
    }

    fn filled(&self, counter: &str) -> Result<Strategy, ConfigError> {
        let BlocksRules { target, max, min, overlap, overlap_scope, mode, heading_depth } =
            self.limits(counter)?;
        Ok(Strategy::from(Self {
            size: Some(self.size.unwrap_or_default()),
            target: Some(target),
            max: Some(max),
            min: Some(min),
            overlap: Some(Overlap::Tokens(overlap)),
            overlap_scope,
            mode,
            heading_depth: Some(heading_depth.into()),
        }))
    }
}

impl Blocks {
    fn limits(&self, counter: &str) -> Result<BlocksRules, ConfigError> {
        let size = self.size.unwrap_or_default();
        let max = limit("max", self.max, self.least_max().max(size.max()))?;
        let default = target_within(max, self.max, size.target(), counter);
        let target = within("target", limit("target", self.target, default)?, max)?;
        let min = within("min", self.min.unwrap_or(size.min().min(quarter(target))), max)?;
        let overlap = self.overlap.map_or(0, |overlap| overlap.tokens(target));
        if overlap >= max {
            return Err(ConfigError::NotBelowMaximum { option: "overlap", value: overlap, max });
        }
        let heading_depth = self.depth()?;
        let Self { overlap_scope, mode, .. } = *self;
        Ok(BlocksRules { target, max, min, overlap, overlap_scope, mode, heading_depth })
    }

    /// Returns the least default maximum that allows the options that are set.
    fn least_max(&self) -> usize {
        let overlap = match self.overlap {
            Some(Overlap::Tokens(tokens)) => tokens.saturating_add(1),
            _ => 0,
        };
        self.target.unwrap_or(0).max(self.min.unwrap_or(0)).max(overlap)
    }

    fn depth(&self) -> Result<u8, ConfigError> {
        match self.heading_depth.map(u8::try_from) {
            None => Ok(6),
            Some(Ok(depth @ 1..=6)) => Ok(depth),
            _ => Err(ConfigError::NotALevel {
                option: "heading_depth",
                value: self.heading_depth.unwrap_or(0),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(options: &str) -> Result<String, String> {
        let options: Blocks = serde_json::from_str(options).map_err(|error| error.to_string())?;
        options.rules("words").map(|rules| format!("{rules:?}")).map_err(|error| error.to_string())
    }

    fn limits(options: &str) -> String {
        let rules = rules(options).unwrap();
        rules
            .strip_prefix("BlocksRules { ")
            .unwrap()
            .split(", overlap_scope")
            .next()
            .unwrap()
            .to_owned()
    }

    #[test]
    fn sizes_are_presets() {
        let medium = "target: 512, max: 768, min: 128, overlap: 0";
        assert_eq!(limits("{}"), medium);
        assert_eq!(limits(r#"{"size": "medium"}"#), medium);
        let small = limits(r#"{"size": "small", "overlap": "low"}"#);
        assert_eq!(small, "target: 256, max: 384, min: 64, overlap: 12");
        let large = limits(r#"{"size": "large", "overlap": "high"}"#);
        assert_eq!(large, "target: 1024, max: 1536, min: 256, overlap: 204");
    }

    #[test]
    fn numbers_override_presets() {
        let set = limits(r#"{"size": "large", "target_tokens": 700, "overlap_tokens": 30}"#);
        assert_eq!(set, "target: 700, max: 1536, min: 175, overlap: 30");
        let set = limits(r#"{"size": "small", "min_tokens": 0, "overlap": "medium"}"#);
        assert_eq!(set, "target: 256, max: 384, min: 0, overlap: 25");
    }

    #[test]
    fn defaults_adapt_to_the_options_that_are_set() {
        let lowered = limits(r#"{"max_tokens": 100, "overlap": "high"}"#);
        assert_eq!(lowered, "target: 100, max: 100, min: 25, overlap: 20");
        let raised = limits(r#"{"target": 2000}"#);
        assert_eq!(raised, "target: 2000, max: 2000, min: 128, overlap: 0");
        assert_eq!(limits(r#"{"overlap": 768}"#), "target: 512, max: 769, min: 128, overlap: 768");
        assert_eq!(limits(r#"{"min": 900}"#), "target: 512, max: 900, min: 900, overlap: 0");
    }

    #[test]
    fn reports_contradictory_and_invalid_options() {
        let faults = [
            (r#"{"target": 900, "max": 800}"#, "target (900) is above the maximum (800)"),
            (r#"{"min": 900, "max": 800}"#, "min (900) is above the maximum (800)"),
            (r#"{"overlap": 800, "max": 800}"#, "overlap (800) is not below the maximum (800)"),
            (r#"{"heading_depth": 0}"#, "heading_depth (0) is out of range: expected 1 to 6"),
            (r#"{"heading_depth": 7}"#, "heading_depth (7) is out of range: expected 1 to 6"),
            (r#"{"max": 0}"#, "max (0) is out of range: expected 1 to 1000000000 tokens"),
        ];
        for (options, fault) in faults {
            assert_eq!(rules(options).unwrap_err(), fault);
        }
    }

    #[test]
    fn overlap_is_a_number_or_a_name() {
        for wrong in [r#"{"overlap": "lots"}"#, r#"{"overlap": -1}"#, r#"{"overlap": 1.5}"#] {
            let fault = rules(wrong).unwrap_err();
            assert!(fault.contains("`none`, `low`, `medium` or `high`"), "{fault}");
        }
        for written in [r#""none""#, r#""high""#, "40"] {
            let overlap: Overlap = serde_json::from_str(written).unwrap();
            assert_eq!(serde_json::to_string(&overlap).unwrap(), written);
        }
    }
}
