//! Token counters, and the exact arithmetic behind them.
//!
//! Counters return **units**, integers that add up exactly; [`Scale`] converts units to tokens. An
//! exact tokenizer counts tokens themselves. `words:1.3` counts words, and ten words are thirteen
//! tokens. `estimate` counts characters, weighted so that prose and code share one unit.
//!
//! Limits are compared in units. Rounding happens once, when a chunk's tokens are reported.

#[cfg(feature = "huggingface")]
mod huggingface;
mod named;
#[cfg(feature = "openai")]
mod openai;
mod plain;

use std::sync::Arc;

#[cfg(feature = "huggingface")]
pub use huggingface::HuggingFace;
pub(crate) use named::canonical;
#[cfg(feature = "schema")]
pub(crate) use named::names;
pub use named::{COUNTER_ALIASES, COUNTERS, CounterError, counter_by_name};
#[cfg(feature = "openai")]
pub use openai::{Cl100k, O200k};
pub use plain::{Bias, Chars, Estimate, Words};

/// The kind of a text: prose or code. Of the built-in counters, only `estimate` uses it.
///
/// ```
/// use chunkwright::{Estimate, TextKind, TokenCounter};
///
/// let estimate = Estimate::default();
/// let tokens = |kind| estimate.scale().tokens(estimate.count("let pot = 12;", kind));
/// assert_eq!((tokens(TextKind::Prose), tokens(TextKind::Code)), (4, 5));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextKind {
    /// Natural language, Markdown markup included.
    Prose,
    /// Code blocks, raw shortcodes, MDX, and the glue between pieces.
    Code,
}

/// A token counter: an exact tokenizer, or an estimate.
///
/// Any function from `&str` to `usize` is a counter:
///
/// ```
/// use chunkwright::{Chunker, Config};
///
/// let bytes_by_four = |text: &str| text.len().div_ceil(4);
/// let chunker = Chunker::new(Config::default(), bytes_by_four)?;
/// # Ok::<(), chunkwright::ConfigError>(())
/// ```
///
/// Implement the trait if a counter needs its own name, or knows where counts are additive.
pub trait TokenCounter: Send + Sync {
    /// Returns the name of this counter. It is part of the configuration's hash, so counters that
    /// count differently need different names.
    fn name(&self) -> &str;

    /// Returns the number of units in `text`.
    fn count(&self, text: &str, kind: TextKind) -> usize;

    /// Returns the number of units in `text`, or `None` if it exceeds `limit`. Override this method
    /// if the counter can stop early.
    fn count_within(&self, text: &str, kind: TextKind, limit: usize) -> Option<usize> {
        Some(self.count(text, kind)).filter(|&units| units <= limit)
    }

    /// Returns the number of tokens per unit.
    fn scale(&self) -> Scale {
        Scale::ONE
    }

    /// Returns whether counts are additive at `at`: the counts of `text[..at]` and `text[at..]` add
    /// up to the count of `text`. This must hold for any text before `text`, and also if whitespace
    /// is trimmed off its end.
    ///
    /// Where this returns `false`, the whole text is counted again.
    fn adds_at(&self, text: &str, at: usize) -> bool {
        let _ = (text, at);
        false
    }

    /// Returns whether a chunk's count is defined as the sum of its pieces' counts, each with the
    /// kind of its block, instead of the count of its text.
    fn sums_pieces(&self) -> bool {
        false
    }
}

/// All functions have the name `custom`, so they can't be distinguished by the configuration's
/// hash.
impl<F: Fn(&str) -> usize + Send + Sync> TokenCounter for F {
    fn name(&self) -> &str {
        "custom"
    }

    fn count(&self, text: &str, _: TextKind) -> usize {
        self(text)
    }
}

impl<T: TokenCounter + ?Sized> TokenCounter for Arc<T> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn count(&self, text: &str, kind: TextKind) -> usize {
        (**self).count(text, kind)
    }

    fn count_within(&self, text: &str, kind: TextKind, limit: usize) -> Option<usize> {
        (**self).count_within(text, kind, limit)
    }

    fn scale(&self) -> Scale {
        (**self).scale()
    }

    fn adds_at(&self, text: &str, at: usize) -> bool {
        (**self).adds_at(text, at)
    }

    fn sums_pieces(&self) -> bool {
        (**self).sums_pieces()
    }
}

/// The number of tokens per unit of a counter, as an exact fraction.
///
/// ```
/// use chunkwright::{TokenCounter, Words};
///
/// let scale = Words::with_factor(1.3)?.scale();
/// assert_eq!(scale.tokens(10), 13);
/// # Ok::<(), chunkwright::CounterError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    tokens: u64,
    units: u64,
}

impl Scale {
    /// One token per unit.
    pub(crate) const ONE: Self = Self { tokens: 1, units: 1 };

    /// Returns the tokens in `units`, rounded up.
    pub fn tokens(self, units: usize) -> usize {
        let scaled = (units as u128 * u128::from(self.tokens)).div_ceil(u128::from(self.units));
        usize::try_from(scaled).unwrap_or(usize::MAX)
    }

    /// Returns the largest number of units that does not exceed `tokens`.
    pub(crate) fn units_within(self, tokens: usize) -> usize {
        let scaled = tokens as u128 * u128::from(self.units) / u128::from(self.tokens);
        usize::try_from(scaled).unwrap_or(usize::MAX)
    }

    /// Returns the smallest number of units that reaches `tokens`: 250 tokens take 193 words at 1.3
    /// tokens per word, since 192 words are only 249.6.
    pub(crate) fn units_reaching(self, tokens: usize) -> usize {
        let scaled = (tokens as u128 * u128::from(self.units)).div_ceil(u128::from(self.tokens));
        usize::try_from(scaled).unwrap_or(usize::MAX)
    }

    /// Parses a positive decimal such as `1`, `1.3` or `0.75`.
    fn parse(decimal: &str) -> Option<Self> {
        let (whole, fraction) = decimal.split_once('.').unwrap_or((decimal, ""));
        let digits = format!("{whole}{fraction}");
        let plain = !whole.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if !plain || whole.len() > 6 || fraction.len() > 9 || decimal.ends_with('.') {
            return None;
        }
        let tokens = digits.parse().ok().filter(|&tokens| tokens > 0)?;
        let units = 10u64.pow(u32::try_from(fraction.len()).ok()?);
        Some(Self { tokens, units })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compares_limits_without_rounding() {
        let scale = Scale::parse("1.3").unwrap();
        assert_eq!(scale.units_within(512), 393);
        assert!(scale.tokens(393) <= 512 && scale.tokens(394) > 512);
        // 192 words are 249.6 tokens: reported as 250, but below a minimum of 250.
        assert_eq!((scale.tokens(192), scale.units_reaching(250)), (250, 193));
    }

    #[test]
    fn functions_are_counters() {
        let counter = |text: &str| text.len();
        assert_eq!(counter.count("tea", TextKind::Prose), 3);
        let shared: Arc<dyn TokenCounter> = Arc::new(counter);
        assert_eq!((shared.name(), shared.count("pot", TextKind::Code)), ("custom", 3));
    }
}
