//! Presets for limits, and the default target.

use serde::{Deserialize, Serialize};

/// A preset for the limits of a strategy.
///
/// | size | `hierarchical`: target, max | `window`: min, min_deeper, max | `blocks`: target, max, min |
/// |---|---|---|---|
/// | `small` | 256, 512 | 125, 250, 375 | 256, 384, 64 |
/// | `medium` | 512, 1024 | 250, 500, 750 | 512, 768, 128 |
/// | `large` | 1024, 2048 | 500, 1000, 1500 | 1024, 1536, 256 |
///
/// ```
/// use chunkwright::{Chars, Chunker, Hierarchical, Size};
///
/// let chunker = Chunker::new(Hierarchical::default().size(Size::Small), Chars)?;
/// assert_eq!(chunker.max_tokens(), Some(512));
/// # Ok::<(), chunkwright::ConfigError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Size {
    /// Half of the default.
    Small,
    /// The default.
    #[default]
    Medium,
    /// Twice the default.
    Large,
}

impl Size {
    /// Returns the value for this size.
    pub(super) const fn of(self, small: usize, medium: usize, large: usize) -> usize {
        match self {
            Self::Small => small,
            Self::Medium => medium,
            Self::Large => large,
        }
    }

    pub(super) const fn target(self) -> usize {
        self.of(256, 512, 1024)
    }
}

/// Returns the default target within a maximum. Presets are sizes in tokens, so with the counter
/// `chars`, a maximum that is set is also the target: a user who sets 2,000 characters expects
/// chunks of about that size.
pub(super) fn target_within(
    max: usize,
    set_max: Option<usize>,
    preset: usize,
    counter: &str,
) -> usize {
    match set_max {
        Some(max) if counter == "chars" => max,
        _ => preset.min(max),
    }
}
