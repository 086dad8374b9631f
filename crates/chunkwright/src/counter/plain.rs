//! Counters that need no vocabulary.

use serde::{Deserialize, Serialize};

use super::{CounterError, Scale, TextKind, TokenCounter};

/// The bias of [`Estimate`]: the kind of text that it counts more cautiously.
///
/// ```
/// use chunkwright::{Bias, Chunker, Estimate, Hierarchical};
///
/// let chunker = Chunker::new(Hierarchical::default(), Estimate::with_bias(Bias::Code))?;
/// assert_eq!(chunker.counter_name(), "estimate bias=code");
/// # Ok::<(), chunkwright::ConfigError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Bias {
    /// Cautious with prose: 3.6 characters per token, 3.0 in code.
    #[serde(alias = "prose-heavy")]
    Prose,
    /// 4 characters per token, 2.7 in code.
    #[default]
    Balanced,
    /// Cautious with code: 4.4 characters per token, 2.4 in code.
    #[serde(alias = "code-heavy")]
    Code,
}

impl Bias {
    /// Returns tenths of a character per token, in prose and in code.
    const fn tenths(self) -> (u16, u16) {
        match self {
            Self::Prose => (36, 30),
            Self::Balanced => (40, 27),
            Self::Code => (44, 24),
        }
    }
}

/// `estimate`: characters divided by a constant that depends on the kind of text.
///
/// It needs no vocabulary and is the fastest counter.
///
/// ```
/// use chunkwright::{Bias, Estimate, TokenCounter};
///
/// assert_eq!(Estimate::default().name(), "estimate");
/// assert_eq!(Estimate::with_bias(Bias::Code).name(), "estimate bias=code");
/// ```
// With `p` and `c` tenths of a character per token in prose and code, a character of prose is
// `c` units, a character of code `p` units, and `p × c` units are ten tokens. So counts of both
// kinds add up without rounding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Estimate {
    bias: Bias,
}

impl Estimate {
    /// Creates an estimate with this bias.
    pub const fn with_bias(bias: Bias) -> Self {
        Self { bias }
    }
}

impl TokenCounter for Estimate {
    fn name(&self) -> &str {
        match self.bias {
            Bias::Prose => "estimate bias=prose",
            Bias::Balanced => "estimate",
            Bias::Code => "estimate bias=code",
        }
    }

    fn count(&self, text: &str, kind: TextKind) -> usize {
        let (prose, code) = self.bias.tenths();
        let units = match kind {
            TextKind::Prose => code,
            TextKind::Code => prose,
        };
        text.chars().count() * usize::from(units)
    }

    fn scale(&self) -> Scale {
        let (prose, code) = self.bias.tenths();
        Scale { tokens: 10, units: u64::from(prose) * u64::from(code) }
    }

    fn adds_at(&self, _: &str, _: usize) -> bool {
        true
    }

    fn sums_pieces(&self) -> bool {
        true
    }
}

/// `words`: the number of words separated by whitespace, times a factor.
///
/// ```
/// use chunkwright::{TokenCounter, Words};
///
/// assert_eq!(Words::default().name(), "words");
/// assert_eq!(Words::with_factor(1.5)?.name(), "words:1.5");
/// # Ok::<(), chunkwright::CounterError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    name: String,
    scale: Scale,
}

impl Words {
    /// The default number of tokens per word.
    const FACTOR: &str = "1.3";

    /// Creates a counter with this many tokens per word.
    ///
    /// # Errors
    /// If the factor is not positive, or has more than nine decimal places.
    pub fn with_factor(factor: f64) -> Result<Self, CounterError> {
        let name = format!("words:{factor}");
        Self::named(&name).ok_or(CounterError::Unknown { name })
    }

    /// Returns the counter with the name `words` or `words:FACTOR`.
    pub(super) fn named(name: &str) -> Option<Self> {
        let factor = if name == "words" { Self::FACTOR } else { name.strip_prefix("words:")? };
        Some(Self { name: name.to_owned(), scale: Scale::parse(factor)? })
    }
}

impl Default for Words {
    /// Creates a counter with 1.3 tokens per word, about the average for English.
    fn default() -> Self {
        Self::named("words").expect("the factor is a decimal")
    }
}

impl TokenCounter for Words {
    fn name(&self) -> &str {
        &self.name
    }

    fn count(&self, text: &str, _: TextKind) -> usize {
        text.split_whitespace().count()
    }

    fn scale(&self) -> Scale {
        self.scale
    }

    fn adds_at(&self, text: &str, at: usize) -> bool {
        text[at..].starts_with(char::is_whitespace) || text[..at].ends_with(char::is_whitespace)
    }
}

/// `chars`: the number of Unicode scalar values.
///
/// ```
/// use chunkwright::{Chars, TextKind, TokenCounter};
///
/// assert_eq!(Chars.count("thé", TextKind::Prose), 3);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Chars;

impl TokenCounter for Chars {
    fn name(&self) -> &str {
        "chars"
    }

    fn count(&self, text: &str, _: TextKind) -> usize {
        text.chars().count()
    }

    fn adds_at(&self, _: &str, _: usize) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(counter: &dyn TokenCounter, text: &str, kind: TextKind) -> usize {
        counter.scale().tokens(counter.count(text, kind))
    }

    #[test]
    fn estimate_rounds_up_and_distinguishes_code() {
        let text = "x".repeat(27);
        let estimate = |bias, kind| tokens(&Estimate::with_bias(bias), &text, kind);
        assert_eq!(estimate(Bias::Balanced, TextKind::Prose), 7);
        assert_eq!(estimate(Bias::Balanced, TextKind::Code), 10);
        assert_eq!(estimate(Bias::Prose, TextKind::Prose), 8);
        assert_eq!(estimate(Bias::Code, TextKind::Code), 12);
    }

    #[test]
    fn words_scale_exactly_and_round_once() {
        let words = |factor| Words::with_factor(factor).unwrap();
        assert_eq!(tokens(&words(1.1), &"a ".repeat(30), TextKind::Prose), 33);
        assert_eq!(tokens(&Words::default(), "a b c", TextKind::Prose), 4);
        assert_eq!(tokens(&words(1.0), "a\u{a0}b\n", TextKind::Prose), 2);
    }

    #[test]
    fn estimate_rounds_once_for_mixed_prose_and_code() {
        let counter = Estimate::default();
        let word = counter.count("abcde", TextKind::Prose);
        let line = counter.count("a = b\n", TextKind::Code);
        assert_eq!(counter.scale().tokens(word), 2);
        assert_eq!(counter.scale().tokens(4 * word), 5, "20 characters of prose");
        assert_eq!(counter.scale().tokens(9 * line), 20, "54 characters of code");
        assert_eq!(counter.scale().tokens(4 * word + 9 * line), 25);
    }

    #[test]
    fn rejects_invalid_factors() {
        for name in ["words:", "words:0", "words:-1", "words:1.", "words:.5", "words:1e3", "wordy"]
        {
            assert_eq!(Words::named(name), None, "{name}");
        }
        for factor in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-12] {
            assert!(Words::with_factor(factor).is_err(), "{factor}");
        }
    }
}
