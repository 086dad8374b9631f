//! Errors in options, and the range of token limits.

use super::StrategyName;

/// The largest number of tokens that an option accepts.
pub(crate) const MOST_TOKENS: usize = 1_000_000_000;

/// An error in a configuration.
///
/// [`Chunker::new`](crate::Chunker::new) checks all options before any document is split.
///
/// ```
/// use chunkwright::{Chars, Chunker, Hierarchical};
///
/// let error = Chunker::new(Hierarchical::default().target(800).max(512), Chars).unwrap_err();
/// assert_eq!(error.option(), "target");
/// assert_eq!(error.to_string(), "target (800) is above the maximum (512)");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// A number of tokens is out of range.
    #[error("{option} ({value}) is out of range: expected 1 to {MOST_TOKENS} tokens")]
    OutOfRange {
        /// The option.
        option: &'static str,
        /// Its value.
        value: usize,
    },
    /// A number of tokens is above the maximum.
    #[error("{option} ({value}) is above the maximum ({max})")]
    AboveMaximum {
        /// The option.
        option: &'static str,
        /// Its value.
        value: usize,
        /// The maximum.
        max: usize,
    },
    /// A number of tokens is not below the maximum.
    #[error("{option} ({value}) is not below the maximum ({max})")]
    NotBelowMaximum {
        /// The option.
        option: &'static str,
        /// Its value.
        value: usize,
        /// The maximum.
        max: usize,
    },
    /// A heading level is out of range.
    #[error("{option} ({value}) is out of range: expected 1 to 6")]
    NotALevel {
        /// The option.
        option: &'static str,
        /// Its value.
        value: usize,
    },
    /// No strategy has this name.
    #[error("unknown strategy `{0}`: use {names}", names = strategy_names())]
    UnknownStrategy(String),
}

impl ConfigError {
    /// Returns the name of the invalid option: one of the chosen strategy's, or `strategy` itself.
    pub const fn option(&self) -> &'static str {
        match self {
            Self::OutOfRange { option, .. }
            | Self::AboveMaximum { option, .. }
            | Self::NotBelowMaximum { option, .. }
            | Self::NotALevel { option, .. } => option,
            Self::UnknownStrategy(_) => "strategy",
        }
    }
}

fn strategy_names() -> String {
    let names: Vec<_> = StrategyName::ALL.iter().map(|name| name.as_str()).collect();
    names.join(", ")
}

/// Returns the value of an option, after checking that it is at most the maximum.
pub(super) fn within(option: &'static str, value: usize, max: usize) -> Result<usize, ConfigError> {
    if value <= max { Ok(value) } else { Err(ConfigError::AboveMaximum { option, value, max }) }
}

/// Returns the option's value or its default, after checking that it is in range.
pub(super) fn limit(
    option: &'static str,
    set: Option<usize>,
    default: usize,
) -> Result<usize, ConfigError> {
    match set.unwrap_or(default) {
        value @ 1..=MOST_TOKENS => Ok(value),
        value => Err(ConfigError::OutOfRange { option, value }),
    }
}
