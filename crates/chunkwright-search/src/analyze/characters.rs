//! Classifies characters, and finds the ends of words.

use unicode_segmentation::UnicodeSegmentation;

/// Returns the end of a run of letters, digits, underscores and combining marks.
pub(super) fn end_of_word(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let mut end = start;
    while bytes.get(end).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_') {
        end += 1;
    }
    match bytes.get(end) {
        Some(byte) if !byte.is_ascii() => end_of(text, end, |c| {
            c == '_' || is_letter(c) || (!c.is_ascii() && !is_paired(c) && is_mark(c))
        }),
        _ => end,
    }
}

pub(super) fn end_of(text: &str, start: usize, belongs: impl Fn(char) -> bool) -> usize {
    let rest = &text[start..];
    start + rest.find(|c| !belongs(c)).unwrap_or(rest.len())
}

pub(super) fn starts_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// Returns whether a character is a letter or digit of a script that separates words.
pub(super) fn is_letter(c: char) -> bool {
    c.is_alphanumeric() && !is_paired(c)
}

pub(super) fn is_hyphen(c: char) -> bool {
    matches!(c, '-' | '\u{2010}' | '\u{2011}')
}

pub(super) fn is_sign(c: char) -> bool {
    is_hyphen(c) || matches!(c, '.' | '\'' | '’')
}

/// Returns whether a character combines with the letter before it, as accents do.
fn is_mark(c: char) -> bool {
    // A fast path: most non-ASCII characters that are not letters are punctuation.
    if matches!(c, '\u{2000}'..='\u{200b}' | '\u{2010}'..='\u{206f}' | '\u{3000}'..='\u{303f}') {
        return false;
    }
    let mut buffer = [b'a', 0, 0, 0, 0];
    let length = 1 + c.encode_utf8(&mut buffer[1..]).len();
    std::str::from_utf8(&buffer[..length]).is_ok_and(|pair| pair.graphemes(true).count() == 1)
}

/// Returns whether a character is Chinese, Japanese or Korean, which are indexed as bigrams.
pub(crate) fn is_paired(c: char) -> bool {
    matches!(c,
        '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{ac00}'..='\u{d7af}'
        | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{323af}')
        && c.is_alphanumeric()
}
