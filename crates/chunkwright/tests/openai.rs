//! Compares the counters `cl100k` and `o200k` with tiktoken-rs, an independent implementation.

#![cfg(feature = "openai")]
#![allow(clippy::unwrap_used, reason = "a panic fails the test")]
#![allow(clippy::disallowed_methods, reason = "only the library must not read the clock")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use chunkwright::{Cl100k, O200k, TextKind, TokenCounter};
use proptest::prelude::*;
use tiktoken_rs::CoreBPE;

/// Strings that are hard to split into words when they are combined.
#[rustfmt::skip]
const NASTY: &[&str] = &[
    "a", "s", "T", "re", "LL", "word", "Word", "HTMLElement", "'", "’", "'s", "'LL", "'ſ", "1", "23",
    "4567", "²", "½", "٣", ".", "/", "//", "=", "-", "(", "\"", "#", "```", "<|endoftext|>", " ",
    "  ", "    ", "\t", "\n", "\n\n", "\r\n", "\r", "\u{b}", "\u{c}", "\u{85}", "\u{a0}",
    "\u{2028}", "\u{202f}", "\u{3000}", "\u{200b}", "\u{feff}", "中", "国语", "の", "ー", "한",
    "ا", "é", "É", "ß", "ǅ", "ʰ", "\u{301}", "\u{20dd}", "क्ष", "ไทย", "０", "Ａ", "、", "。", "😀",
    "👨‍👩‍👧", "🇩🇪", "\0", "\u{7f}", "\u{10ffff}", "𠀀",
];

/// Returns each counter with its reference implementation.
fn pairs() -> [(Arc<dyn TokenCounter>, &'static CoreBPE); 2] {
    [
        (Arc::new(Cl100k), tiktoken_rs::cl100k_base_singleton()),
        (Arc::new(O200k), tiktoken_rs::o200k_base_singleton()),
    ]
}

fn count(counter: &dyn TokenCounter, text: &str) -> usize {
    counter.count(text, TextKind::Prose)
}

fn nasty(pieces: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(NASTY), pieces).prop_map(|pieces| pieces.concat())
}

/// Checks that counts add up at `at` in a longer text, with and without its trailing whitespace.
fn check_sum(counter: &dyn TokenCounter, before: &str, text: &str, at: usize, after: &str) {
    let head = format!("{before}{}", &text[..at]);
    let tail = format!("{}{after}", &text[at..]);
    for tail in [tail.as_str(), tail.trim_end()] {
        let sum = count(counter, &head) + count(counter, tail);
        assert_eq!(count(counter, &format!("{head}{tail}")), sum, "{head:?} and {tail:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn counts_are_exact(text in nasty(0..40)) {
        for (ours, theirs) in pairs() {
            prop_assert_eq!(count(&*ours, &text), theirs.encode_ordinary(&text).len());
        }
    }

    #[test]
    fn counts_of_long_texts_are_exact(text in nasty(1000..3000)) {
        for (ours, theirs) in pairs() {
            prop_assert_eq!(count(&*ours, &text), theirs.encode_ordinary(&text).len());
        }
    }

    #[test]
    fn counts_add_up_where_the_counter_reports_it(
        before in nasty(0..4), text in nasty(0..12), after in nasty(0..4),
    ) {
        for (ours, _) in pairs() {
            let sure = |&at: &usize| text.is_char_boundary(at) && ours.adds_at(&text, at);
            for at in (0..=text.len()).filter(sure) {
                // At the start of a text, a counter may assume that a line ending precedes it.
                let before = if at == 0 { format!("{before}\n") } else { before.clone() };
                check_sum(&*ours, &before, &text, at, &after);
                check_sum(&*ours, &before, &text, at, "");
            }
        }
    }

    #[test]
    fn a_count_within_the_limit_is_exact(text in nasty(0..1500), part in 0..=200_usize) {
        for (ours, _) in pairs() {
            let whole = count(&*ours, &text);
            for limit in [whole * part / 100, whole, whole.saturating_sub(1)] {
                let within = ours.count_within(&text, TextKind::Prose, limit);
                prop_assert_eq!(within, Some(whole).filter(|&whole| whole <= limit));
            }
        }
    }
}

#[test]
fn counts_of_unusual_texts_are_exact() {
    for text in [
        "",
        "hello world",
        "I'm, you'LL, we've; DON'T I'ſ",
        "trailing white space \n\n  ",
        "a\r\n\r\n  b\r c",
        "https://example.org/a/b?c=d#e",
        ".\n/usr/bin",
        "10\u{a0}000\u{202f}€ ; « non »",
        "| a | b |\n|---|:-:|\n",
        "fn main() {\n\n\n\tlet x = 1;\n}\n",
        "吾輩は猫である。名前はまだ無い。",
    ] {
        for (ours, theirs) in pairs() {
            assert_eq!(count(&*ours, text), theirs.encode_ordinary(text).len(), "{text:?}");
        }
    }
}

#[test]
fn every_character_is_split_into_words_correctly() {
    for first in (0..0x11_0000).step_by(0x1000) {
        let characters = (first..first + 0x1000).filter_map(char::from_u32);
        let text: String = characters
            .flat_map(|c| {
                [format!("{c}x "), format!("{c}X'm"), format!("1{c}\n"), format!("X{c} /")]
            })
            .collect();
        for (ours, theirs) in pairs() {
            assert_eq!(count(&*ours, &text), theirs.encode_ordinary(&text).len(), "{first:#x}");
        }
    }
}

#[test]
fn special_tokens_count_as_plain_text() {
    for (ours, theirs) in pairs() {
        for text in ["<|endoftext|>", "a <|endofprompt|> b"] {
            assert_eq!(count(&*ours, text), theirs.encode_ordinary(text).len(), "{text}");
            assert!(count(&*ours, text) > theirs.encode_with_special_tokens(text).len(), "{text}");
        }
    }
}

#[test]
fn counts_add_up_between_lines_and_words() {
    for (ours, _) in pairs() {
        for (text, at) in
            [("a\nb", 2), ("a\r\n  b", 3), ("a\rb", 2), ("one two", 3), (". \u{a0}", 1)]
        {
            assert!(ours.adds_at(text, at), "{text:?} at {at}");
        }
        for (text, at) in [("a\n\nb", 2), ("a\n \n", 2), ("a\r\nb", 2), ("ab", 1), ("a  b", 2)] {
            assert!(!ours.adds_at(text, at), "{text:?} at {at}");
        }
    }
}

#[test]
fn hostile_texts_take_near_linear_time() {
    let start = Instant::now();
    for text in ["a", " ", "\n", "=", "中", "😀", "\u{a0}1", "\u{3000}\u{3000}中", "\n\u{a0}-"]
    {
        let text = text.repeat(500_000 / text.len());
        for (ours, _) in pairs() {
            assert!(count(&*ours, &text) > 0);
        }
    }
    // Linear time takes seconds; quadratic time would take many minutes.
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}
