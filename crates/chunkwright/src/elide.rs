//! Elisions: the parts of the source that `embed_text` leaves out or replaces.

pub(crate) mod payload;

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr3_iter;

use crate::span::Span;

/// A part of the source with its replacement in `embed_text`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Elision {
    pub(crate) span: Span,
    pub(crate) kind: ElisionKind,
    /// The replacement; may be empty.
    pub(crate) text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ElisionKind {
    Comment,
    DataUri,
    Invisible,
    Payload,
}

/// Returns the offsets of invisible characters. The search for their possible first bytes skips
/// most of the text quickly.
pub(crate) fn invisible_starts(text: &str) -> impl Iterator<Item = usize> {
    memchr3_iter(0xe2, 0xef, 0xf3, text.as_bytes())
        .filter(|&at| text[at..].chars().next().is_some_and(is_invisible))
}

/// Returns the runs of invisible characters, except for tag characters that are part of a flag
/// emoji.
pub(crate) fn invisible_runs(text: &str) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut flag_end = 0;
    for at in invisible_starts(text) {
        if text[..at].ends_with('\u{1f3f4}') {
            flag_end = at + flag_tags(&text[at..]);
        }
        if at < flag_end {
            continue;
        }
        let end = at + text[at..].chars().next().map_or(0, char::len_utf8);
        match runs.last_mut() {
            Some(run) if run.end == at => run.end = end,
            _ => runs.push(at..end),
        }
    }
    runs
}

/// Returns the number of bytes at the start of a text that make a black flag the flag of a region:
/// up to six letters and digits as tags, and the end tag. Longer runs could hide a message.
fn flag_tags(text: &str) -> usize {
    let is_region = |c: &char| matches!(c, '\u{e0030}'..='\u{e0039}' | '\u{e0061}'..='\u{e007a}');
    let region: usize = text.chars().take(6).take_while(is_region).map(char::len_utf8).sum();
    match text[region..].chars().next() {
        Some(end @ '\u{e007f}') if region > 0 => region + end.len_utf8(),
        _ => 0,
    }
}

const fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}' | '\u{2060}' | '\u{feff}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        || is_tag(c)
}

const fn is_tag(c: char) -> bool {
    matches!(c, '\u{e0000}'..='\u{e007f}')
}

/// Removes invisible characters and characters that change the direction of text.
///
/// These are zero-width spaces, byte order marks, tag characters and the embeddings, overrides and
/// isolates of bidirectional text: the characters that [`embed_text`](crate::Chunk::embed_text)
/// leaves out. Joiners and flag emoji stay.
///
/// ```
/// assert_eq!(chunkwright::remove_invisible("pass\u{200b}word\u{202e}"), "password");
/// ```
pub fn remove_invisible(text: &str) -> Cow<'_, str> {
    replace(text, invisible_runs(text).into_iter().map(|run| (run, String::new())))
}

/// Returns a title for use in a context line: without invisible characters and payloads.
pub(crate) fn visible(title: &str) -> Cow<'_, str> {
    let invisible = invisible_runs(title).into_iter().map(|run| (run, String::new()));
    let payloads = payload::runs(title.as_bytes()).into_iter();
    let payloads = payloads.map(|run| (run.clone(), payload::replacement(&run)));
    replace(title, invisible.chain(payloads))
}

/// Replaces parts of a text, given in any order.
fn replace(text: &str, replacements: impl Iterator<Item = (Range<usize>, String)>) -> Cow<'_, str> {
    let mut replacements: Vec<_> = replacements.collect();
    if replacements.is_empty() {
        return Cow::Borrowed(text);
    }
    replacements.sort_by_key(|(run, _)| run.start);
    let mut replaced = String::with_capacity(text.len());
    let mut end = 0;
    for (run, replacement) in replacements {
        replaced.push_str(&text[end..run.start]);
        replaced.push_str(&replacement);
        end = run.end;
    }
    replaced.push_str(&text[end..]);
    Cow::Owned(replaced)
}

/// Appends part of the source to `out`, with elisions applied.
pub(crate) fn write(source: &str, elisions: &[Elision], span: Span, out: &mut String) {
    let mut at = span.start;
    let first = elisions.partition_point(|elision| elision.span.end <= span.start);
    for elision in elisions[first..].iter().take_while(|elision| elision.span.start < span.end) {
        if elision.span.start >= at {
            out.push_str(&source[at..elision.span.start]);
            out.push_str(&elision.text);
        }
        at = elision.span.end.min(span.end);
    }
    out.push_str(&source[at..span.end]);
}

/// Returns whether an elision overlaps `span`.
pub(crate) fn touches(elisions: &[Elision], span: Span) -> bool {
    let first = elisions.partition_point(|elision| elision.span.end <= span.start);
    elisions.get(first).is_some_and(|elision| elision.span.start < span.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removes_payloads_and_invisible_characters_from_titles() {
        let title = format!("Key\u{200b} {}", "0f".repeat(100));
        assert_eq!(visible(&title), "Key [200 characters]");
    }

    #[test]
    fn a_flag_cannot_hide_a_message() {
        let tags = |text: &str| -> String {
            text.bytes().map(|byte| char::from_u32(0xe0000 + u32::from(byte)).unwrap()).collect()
        };
        let end = "\u{e007f}";
        let wales = format!("\u{1f3f4}{}{end}", tags("gbwls"));
        assert_eq!(remove_invisible(&wales), wales);
        for hidden in
            [tags("gbwls"), tags("delete") + "e" + end, tags("delete all") + end, end.into()]
        {
            let text = remove_invisible(&format!("\u{1f3f4}{hidden}.")).into_owned();
            assert!(!text.contains(is_invisible), "{text:?}");
        }
        let after = format!("{wales}{}", tags("delete all"));
        assert_eq!(remove_invisible(&after), wales);
    }
}
