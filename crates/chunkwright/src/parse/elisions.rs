//! Finds the parts of the source that `embed_text` elides.
//!
//! Long runs of base64 or hexadecimal digits become `[N characters]`, even in code. Outside code,
//! data URIs become `[image: alt]`, and HTML comments and invisible characters are removed. To save
//! time, only blocks that contain a suspicious byte are parsed again.

use std::ops::Range;

use memchr::memmem;
use pulldown_cmark::{BrokenLink, CowStr, Event, Parser, Tag, TagEnd};

use super::{DIALECT, for_parser, guarded, nests_too_deep};
use crate::counter::TextKind;
use crate::document::{Block, BlockKind};
use crate::elide::{Elision, ElisionKind, invisible_runs, invisible_starts, payload, touches};
use crate::format::Format;
use crate::note::{Note, NoteKind};
use crate::runs::pairs;
use crate::span::Span;

/// Finds the elisions in all blocks, in order, and adds a note for each kind that loses
/// information.
pub(crate) fn find(
    source: &str,
    format: Format,
    blocks: &[Block],
    notes: &mut Vec<Note>,
) -> Vec<Elision> {
    let mut elisions = Vec::new();
    let mut end = 0;
    for at in suspects(source) {
        if at < end {
            continue;
        }
        let block = &blocks[blocks.partition_point(|block| block.span.end <= at)];
        end = block.span.end;
        let is_code = block.kind.text_kind() == TextKind::Code;
        if !is_code && block.kind != BlockKind::ByteOrderMark {
            elisions.extend(in_block(source, format, block));
        }
    }
    add_payloads(source, &mut elisions);
    add_notes(source, &elisions, notes);
    elisions
}

/// Adds payloads that don't overlap other elisions.
fn add_payloads(source: &str, elisions: &mut Vec<Elision>) {
    let known = elisions.len();
    for run in payload::runs(source.as_bytes()) {
        let span = Span::new(run.start, run.end);
        if !touches(&elisions[..known], span) {
            let text = payload::replacement(&run);
            elisions.push(Elision { span, kind: ElisionKind::Payload, text });
        }
    }
    if elisions.len() > known {
        elisions.sort_by_key(|elision| elision.span.start);
    }
}

fn add_notes(source: &str, elisions: &[Elision], notes: &mut Vec<Note>) {
    let of = |kind: ElisionKind| elisions.iter().filter(move |elision| elision.kind == kind);
    let characters = |elision: &Elision| elision.span.of(source).chars().count();
    let kinds = [
        (NoteKind::DataUri, of(ElisionKind::DataUri).count(), "data URI"),
        (NoteKind::Payload, of(ElisionKind::Payload).count(), "payload"),
        (
            NoteKind::Invisible,
            of(ElisionKind::Invisible).map(characters).sum(),
            "invisible character",
        ),
    ];
    for (kind, count, what) in kinds.into_iter().filter(|&(_, count, _)| count > 0) {
        let (plural, verb) = if count == 1 { ("", "is") } else { ("s", "are") };
        let message = format!("{count} {what}{plural} {verb} left out of embed_text");
        notes.push(Note::new(kind, message));
    }
}

/// Returns the offsets of bytes that may belong to an elision, in order.
fn suspects(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let mut suspects: Vec<usize> = invisible_starts(text).collect();
    let is_pair = |a: u8, b: u8| ((a == b'<') & (b == b'!')) | ((a == b'a') & (b == b':'));
    suspects.extend(pairs(bytes, is_pair).filter_map(|at| match bytes[at] {
        b'<' => bytes[at..].starts_with(b"<!--").then_some(at),
        _ => bytes[..at].ends_with(b"dat").then(|| at - 3),
    }));
    suspects.sort_unstable();
    suspects
}

/// Returns the elisions in a block that is not code, in order.
fn in_block(source: &str, format: Format, block: &Block) -> impl Iterator<Item = Elision> {
    let text = block.span.of(source);
    let mut found = match (format, block.kind) {
        (Format::Text, _) | (_, BlockKind::FrontMatter) => Inline::default(),
        _ if nests_too_deep(text) => Inline::default(),
        _ => guarded(|| Inline::of(text)).unwrap_or_default(),
    };
    found.drop_overlaps();
    let mut covered = found.covered().into_iter().peekable();
    for range in invisible_runs(text) {
        while covered.next_if(|cover| cover.end <= range.start).is_some() {}
        if covered.peek().is_none_or(|cover| range.end <= cover.start) {
            found.replacements.push(Replacement {
                range,
                kind: ElisionKind::Invisible,
                text: String::new(),
            });
        }
    }
    found.replacements.sort_by_key(|replacement| replacement.range.start);
    let start = block.span.start;
    found.replacements.into_iter().map(move |Replacement { range, kind, text }| Elision {
        span: Span::new(start + range.start, start + range.end),
        kind,
        text,
    })
}

/// A range of a block's text with its replacement.
struct Replacement {
    range: Range<usize>,
    kind: ElisionKind,
    text: String,
}

/// The result of parsing a single block.
#[derive(Default)]
struct Inline {
    code: Vec<Range<usize>>,
    replacements: Vec<Replacement>,
}

impl Inline {
    fn of(text: &str) -> Self {
        let mut found = Self::default();
        let mut html: Vec<Range<usize>> = Vec::new();
        let mut image: Option<(Range<usize>, String)> = None;
        let any_link = |_: BrokenLink<'_>| Some((CowStr::Borrowed(""), CowStr::Borrowed("")));
        let parsed = for_parser(text);
        let events = Parser::new_with_broken_link_callback(&parsed, DIALECT, Some(any_link));
        for (event, range) in events.into_offset_iter() {
            match event {
                Event::Code(part) => {
                    found.code.push(range);
                    push_alt(&mut image, &part);
                }
                Event::Start(Tag::CodeBlock(_)) => found.code.push(range),
                Event::Start(Tag::HtmlBlock) | Event::InlineHtml(_) => html.push(range),
                Event::Start(Tag::Image { dest_url, .. }) if is_data(&dest_url) => {
                    image.get_or_insert((range, String::new()));
                }
                Event::Text(part) => push_alt(&mut image, &part),
                Event::End(TagEnd::Image) => found.image(&mut image, &range),
                _ => {}
            }
        }
        html.into_iter().for_each(|range| found.html(text, range));
        found.bare_uris(text);
        found
    }

    /// Records an image with a data URI at the end of the outermost such image.
    fn image(&mut self, image: &mut Option<(Range<usize>, String)>, closed: &Range<usize>) {
        if let Some((range, alt)) = image.take_if(|(range, _)| range == closed) {
            self.data_uri(range, image_text(&alt));
        }
    }

    /// Finds comments, and `<img>` tags with data URIs, in a range of HTML.
    fn html(&mut self, text: &str, range: Range<usize>) {
        let mut at = range.start;
        while let Some(tag) = memchr::memchr(b'<', &text.as_bytes()[at..range.end]) {
            let html = &text[at + tag..range.end];
            let close = match () {
                () if html.starts_with("<!--") => "-->",
                () if starts_with_img(html) => ">",
                () => {
                    at += tag + 1;
                    continue;
                }
            };
            let Some(length) = html.find(close).map(|end| end + close.len()) else { return };
            let range = at + tag..at + tag + length;
            if close == "-->" {
                self.replacements.push(Replacement {
                    range,
                    kind: ElisionKind::Comment,
                    text: String::new(),
                });
            } else if html[..length].contains("data:") {
                self.data_uri(range, image_text(alt_attribute(&html[..length])));
            }
            at += tag + length;
        }
    }

    fn data_uri(&mut self, range: Range<usize>, text: String) {
        self.replacements.push(Replacement { range, kind: ElisionKind::DataUri, text });
    }

    /// Returns the ranges of replacements and code, in order.
    fn covered(&self) -> Vec<Range<usize>> {
        let replacements = self.replacements.iter().map(|replacement| replacement.range.clone());
        let mut covered: Vec<_> = replacements.chain(self.code.iter().cloned()).collect();
        covered.sort_by_key(|range| range.start);
        covered
    }

    /// Keeps only the first of overlapping replacements.
    fn drop_overlaps(&mut self) {
        self.replacements.sort_by_key(|replacement| replacement.range.start);
        let mut end = 0;
        self.replacements.retain(|replacement| {
            let apart = replacement.range.start >= end;
            end = if apart { replacement.range.end } else { end };
            apart
        });
    }

    /// Finds data URIs in other places: link reference definitions, links and attributes.
    fn bare_uris(&mut self, text: &str) {
        let known = self.covered();
        let (mut word_end, mut cut_end) = (0, 0);
        for start in memmem::find_iter(text.as_bytes(), b"data:") {
            let after = known.partition_point(|range| range.start <= start);
            let inside = known[..after].last().is_some_and(|range| start < range.end);
            if start >= word_end {
                word_end = text[start..].find(ends_uri).map_or(text.len(), |end| start + end);
            }
            if !inside && start >= cut_end && is_encoded(&text[start..word_end]) {
                self.data_uri(start..word_end, "[image]".to_owned());
                cut_end = word_end;
            }
        }
    }
}

fn ends_uri(c: char) -> bool {
    c.is_whitespace() || matches!(c, ')' | '"' | '\'' | '>' | '<' | '`')
}

fn push_alt(image: &mut Option<(Range<usize>, String)>, part: &str) {
    if let Some((_, alt)) = image {
        alt.push_str(part);
    }
}

fn image_text(alt: &str) -> String {
    format!("[image: {}]", alt.trim())
}

fn is_data(url: &str) -> bool {
    url.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:"))
}

/// The maximum length of the media type and parameters before a URI's data, in bytes.
const MOST_HEAD: usize = 1000;

/// Returns whether a bare `data:` starts a URI, and is not just a word before a colon.
fn is_encoded(uri: &str) -> bool {
    let head = &uri.as_bytes()[5..];
    let comma = memchr::memchr(b',', &head[..head.len().min(MOST_HEAD)]);
    let head = comma.map(|comma| &head[..comma]);
    head.is_some_and(|head| head.ends_with(b";base64") || head.starts_with(b"image/"))
}

fn starts_with_img(html: &str) -> bool {
    let name = html.get(1..4).is_some_and(|name| name.eq_ignore_ascii_case("img"));
    name && html[4..].starts_with(|c: char| c.is_whitespace() || c == '/')
}

fn alt_attribute(tag: &str) -> &str {
    let Some(at) = tag.find("alt=") else { return "" };
    let value = &tag[at + 4..];
    match value.chars().next() {
        Some(quote @ ('"' | '\'')) => value[1..].split(quote).next().unwrap_or_default(),
        _ => value.split([' ', '>', '/']).next().unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elide::write;
    use crate::parse::{Shortcuts, read};
    use crate::shortcodes::Shortcodes;
    use crate::slug::Slugs;

    fn embedded(source: &str) -> (String, Vec<String>) {
        let document =
            read(source, Format::Markdown, Slugs::Ascii, &Shortcodes::default(), Shortcuts::ALL);
        let mut out = String::new();
        write(source, &document.elisions, Span::new(0, source.len()), &mut out);
        let notes = document.notes.iter().map(|note| note.message.to_string()).collect();
        (out, notes)
    }

    #[test]
    fn replaces_data_uris_with_their_alt_text() {
        let (text, notes) = embedded(
            "See ![the *logo*](data:image/png;base64,AAAA) and <img src=\"data:x,y\" alt='two' />.\n\n\
             [ref]: data:image/png;base64,BBBB \"t\"\n",
        );
        assert_eq!(text, "See [image: the logo] and [image: two].\n\n[ref]: [image] \"t\"\n");
        assert_eq!(notes, ["3 data URIs are left out of embed_text"]);
    }

    #[test]
    fn keeps_comments_and_data_uris_in_code() {
        let source = "`![a](data:image/png;base64,A)` `<!-- x -->` `\u{200b}`\n\n- ```\n  <!-- y -->\n  ```\n";
        assert_eq!(embedded(source), (source.to_owned(), vec![]));
    }

    #[test]
    fn replaces_payloads_even_in_code() {
        let run = "aGVsbG8gd29ybGQ".repeat(14);
        let source = format!("[a](x.md#{run}) `{run}`\n\n```\nkey: {run}==\n```\n");
        let text =
            "[a](x.md#[210 characters]) `[210 characters]`\n\n```\nkey: [212 characters]\n```\n";
        let notes = vec!["3 payloads are left out of embed_text".to_owned()];
        assert_eq!(embedded(&source), (text.to_owned(), notes));
    }

    #[test]
    fn a_payload_in_a_data_uri_or_comment_is_not_elided_separately() {
        let run = "0123456789abcdef".repeat(20);
        let source = format!("![a](data:image/png;base64,{run}) <!-- {run} -->\n");
        let notes = vec!["1 data URI is left out of embed_text".to_owned()];
        assert_eq!(embedded(&source), ("[image: a] \n".to_owned(), notes));
    }

    #[test]
    fn a_closing_fence_may_be_followed_by_a_tab() {
        let source = "- ```\n  <!-- a -->\n  ```\t\n  b <!-- c --> d\n";
        assert_eq!(embedded(source).0, "- ```\n  <!-- a -->\n  ```\t\n  b  d\n");
    }

    #[test]
    fn removes_comments_but_keeps_unclosed_and_escaped_ones() {
        assert_eq!(embedded("a <!-- b --> c\n\n<!-- d\n\ne -->\nf\n").0, "a  c\n\n\nf\n");
        assert_eq!(embedded("<!-- a\n\nb\n").0, "<!-- a\n\nb\n");
        assert_eq!(embedded("a \\<!-- b -->\n").0, "a \\<!-- b -->\n");
    }

    #[test]
    fn removes_invisible_characters_but_keeps_joiners_and_flags() {
        let flag = "\u{1f3f4}\u{e0067}\u{e0062}\u{e007f}";
        let source = format!(
            "a\u{200b}b\u{202e}\u{2066}c {flag} \u{e0041}x \u{645}\u{200c}\u{645} \u{200d}\n"
        );
        let (text, notes) = embedded(&source);
        assert_eq!(text, format!("abc {flag} x \u{645}\u{200c}\u{645} \u{200d}\n"));
        assert_eq!(notes, ["4 invisible characters are left out of embed_text"]);
    }
}
