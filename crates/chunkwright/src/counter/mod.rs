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
pub use named::{COUNTERS, CounterError, counter_by_name};
#[cfg(feature = "openai")]
pub use openai::{Cl100k, O200k};
pub use plain::{Bias, Chars, Estimate, Words};

/// Whether a text is prose or code. Only `estimate` looks at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextKind {
    /// Natural language, Markdown markup included.
    Prose,
    /// Code blocks, raw shortcodes, MDX, and the glue between pieces.
    Code,
}

/// Counts the tokens of a text, as one embedding model or one rule of thumb sees them.
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
/// Implement the trait for a counter with a name of its own, or one that knows where counts add up.
pub trait TokenCounter: Send + Sync {
    /// The name by which users choose this counter. It goes into the configuration's hash, so two
    /// counters that count differently have different names.
    fn name(&self) -> &str;

    /// The units in `text`.
    fn count(&self, text: &str, kind: TextKind) -> usize;

    /// The units in `text` if they are no more than `limit`; a counter that can stop early does.
    fn count_within(&self, text: &str, kind: TextKind, limit: usize) -> Option<usize> {
        Some(self.count(text, kind)).filter(|&units| units <= limit)
    }

    /// How many tokens a unit is.
    fn scale(&self) -> Scale {
        Scale::ONE
    }

    /// Whether the counts of `text[..at]` and `text[at..]` are known to add up to that of `text`,
    /// whatever stands before `text`, and also when white space is trimmed off its end.
    ///
    /// Sums are trusted only where this says so; elsewhere the whole is counted again.
    fn adds_at(&self, text: &str, at: usize) -> bool {
        let _ = (text, at);
        false
    }

    /// Whether a chunk's count is the sum of its pieces' counts by definition, each with the kind
    /// of its block, rather than the count of its text.
    fn sums_pieces(&self) -> bool {
        false
    }
}

/// A function is called `custom`, so the configuration's hash does not tell two of them apart.
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

/// Tokens per unit, as an exact fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    tokens: u64,
    units: u64,
}

impl Scale {
    /// A unit is a token.
    pub const ONE: Self = Self { tokens: 1, units: 1 };

    /// Returns the tokens in `units`, rounded up.
    pub fn tokens(self, units: usize) -> usize {
        let scaled = (units as u128 * u128::from(self.tokens)).div_ceil(u128::from(self.units));
        usize::try_from(scaled).unwrap_or(usize::MAX)
    }

    /// Returns the most units that are at most `tokens`.
    pub fn units_within(self, tokens: usize) -> usize {
        let scaled = tokens as u128 * u128::from(self.units) / u128::from(self.tokens);
        usize::try_from(scaled).unwrap_or(usize::MAX)
    }

    /// Returns the fewest units that are at least `tokens`: 250 tokens take 193 words at 1.3
    /// tokens per word, since 192 words are only 249.6.
    pub fn units_reaching(self, tokens: usize) -> usize {
        let scaled = (tokens as u128 * u128::from(self.units)).div_ceil(u128::from(self.tokens));
        usize::try_from(scaled).unwrap_or(usize::MAX)
    }

    /// Reads a positive decimal such as `1`, `1.3` or `0.75`.
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
    fn limits_are_compared_unrounded() {
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
