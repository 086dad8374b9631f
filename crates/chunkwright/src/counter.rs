//! Token counters, and the exact arithmetic behind them.
//!
//! Counters return **units**, integers that add up exactly; [`Scale`] converts units to tokens. An
//! exact tokenizer counts tokens themselves. `words:1.3` counts words, and ten words are thirteen
//! tokens. `estimate` counts characters, weighted so that prose and code share one unit.
//!
//! Limits are compared in units. Rounding happens once, when a chunk's tokens are reported.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Whether a text is prose or code. Only `estimate` looks at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextKind {
    /// Natural language, Markdown markup included.
    Prose,
    /// Code blocks, raw shortcodes, MDX, and the glue between pieces.
    Code,
}

/// Counts the tokens of a text, as one embedding model or one rule of thumb sees them.
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

/// Which way `estimate` errs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Bias {
    /// Careful with prose: 3.6 characters a token, 3.0 in code.
    #[serde(alias = "prose-heavy")]
    Prose,
    /// 4 characters a token, 2.7 in code.
    #[default]
    Balanced,
    /// Careful with code: 4.4 characters a token, 2.4 in code.
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
/// With `p` and `c` tenths of a character per token in prose and code, a character of prose is
/// `c` units, a character of code `p` units, and `p × c` units are ten tokens. So counts of both
/// kinds add up without rounding.
struct Estimate(Bias);

impl TokenCounter for Estimate {
    fn name(&self) -> &str {
        match self.0 {
            Bias::Prose => "estimate bias=prose",
            Bias::Balanced => "estimate",
            Bias::Code => "estimate bias=code",
        }
    }

    fn count(&self, text: &str, kind: TextKind) -> usize {
        let (prose, code) = self.0.tenths();
        let units = match kind {
            TextKind::Prose => code,
            TextKind::Code => prose,
        };
        text.chars().count() * usize::from(units)
    }

    fn scale(&self) -> Scale {
        let (prose, code) = self.0.tenths();
        Scale { tokens: 10, units: u64::from(prose) * u64::from(code) }
    }

    fn adds_at(&self, _: &str, _: usize) -> bool {
        true
    }

    fn sums_pieces(&self) -> bool {
        true
    }
}

/// `words`: words between white space, times a factor.
struct Words {
    name: String,
    scale: Scale,
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

/// `chars`: Unicode scalar values.
struct Chars;

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

/// A counter name that this crate does not know, or cannot read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownCounter(String);

impl fmt::Display for UnknownCounter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown token counter `{}`", self.0)
    }
}

impl std::error::Error for UnknownCounter {}

/// The counters that need no vocabulary: `estimate`, `words`, `words:FACTOR` and `chars`.
///
/// # Errors
/// When `name` is none of these, or the factor is not a positive decimal.
pub fn plain_counter(name: &str, bias: Bias) -> Result<Box<dyn TokenCounter>, UnknownCounter> {
    let unknown = || UnknownCounter(name.to_owned());
    let factor = match name {
        "estimate" => return Ok(Box::new(Estimate(bias))),
        "chars" => return Ok(Box::new(Chars)),
        "words" => "1.3",
        _ => name.strip_prefix("words:").ok_or_else(unknown)?,
    };
    let scale = Scale::parse(factor).ok_or_else(unknown)?;
    Ok(Box::new(Words { name: name.to_owned(), scale }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(name: &str, bias: Bias, text: &str, kind: TextKind) -> usize {
        let counter = plain_counter(name, bias).unwrap();
        counter.scale().tokens(counter.count(text, kind))
    }

    #[test]
    fn an_estimate_rounds_up_and_knows_code() {
        let text = "x".repeat(27);
        assert_eq!(tokens("estimate", Bias::Balanced, &text, TextKind::Prose), 7);
        assert_eq!(tokens("estimate", Bias::Balanced, &text, TextKind::Code), 10);
        assert_eq!(tokens("estimate", Bias::Prose, &text, TextKind::Prose), 8);
        assert_eq!(tokens("estimate", Bias::Code, &text, TextKind::Code), 12);
    }

    #[test]
    fn words_are_scaled_exactly_and_rounded_once() {
        let text = "a ".repeat(30);
        assert_eq!(tokens("words:1.1", Bias::Balanced, &text, TextKind::Prose), 33);
        assert_eq!(tokens("words", Bias::Balanced, "a b c", TextKind::Prose), 4);
        assert_eq!(tokens("words:1", Bias::Balanced, "a\u{a0}b\n", TextKind::Prose), 2);
    }

    #[test]
    fn limits_are_compared_unrounded() {
        let scale = Scale::parse("1.3").unwrap();
        assert_eq!(scale.units_within(512), 393);
        assert!(scale.tokens(393) <= 512 && scale.tokens(394) > 512);
        // 192 words are 249.6 tokens: reported as 250, but below a minimum of 250.
        assert_eq!((scale.tokens(192), scale.units_reaching(250)), (250, 193));
    }

    #[test]
    fn an_estimate_is_rounded_once_for_the_whole() {
        let counter = plain_counter("estimate", Bias::Balanced).unwrap();
        let word = counter.count("abcde", TextKind::Prose);
        let line = counter.count("a = b\n", TextKind::Code);
        assert_eq!(counter.scale().tokens(word), 2);
        assert_eq!(counter.scale().tokens(4 * word), 5, "20 characters of prose");
        assert_eq!(counter.scale().tokens(9 * line), 20, "54 characters of code");
        assert_eq!(counter.scale().tokens(4 * word + 9 * line), 25);
    }

    #[test]
    fn odd_factors_are_refused() {
        for name in ["words:", "words:0", "words:-1", "words:1.", "words:.5", "words:1e3", "wordy"]
        {
            assert!(plain_counter(name, Bias::Balanced).is_err(), "{name}");
        }
    }
}
