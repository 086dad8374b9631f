//! Finds what `embed_text` leaves out, without the library: the rules of
//! `docs/reference/record.md`, on top of a plain run of the Markdown parser.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use chunkwright::{Block, BlockKind, Document, Format, TextKind};
use pulldown_cmark::{Event, Options, Parser, Tag};

/// A range of the source, and the text that replaces it.
pub(crate) type ExpectedElision = (Range<usize>, String);

/// Returns the elisions of a document, in order and without overlap.
pub(crate) fn of(document: &Document<'_>) -> Vec<ExpectedElision> {
    let source = document.source();
    let mut found = Vec::new();
    for block in document.blocks() {
        let is_code = block.kind.text_kind() == TextKind::Code;
        if !is_code && block.kind != BlockKind::ByteOrderMark {
            let inside = in_block(document, block);
            found.extend(inside.into_iter().map(|(run, by)| (moved(run, block.span.start), by)));
        }
    }
    let known = found.clone();
    let is_apart = |run: &Range<usize>| known.iter().all(|(other, _)| !meet(run, other));
    let payloads = payloads(source).into_iter().filter(is_apart);
    found.extend(payloads.map(|run| (run.clone(), format!("[{} characters]", run.len()))));
    found.sort_by_key(|(run, _)| run.start);
    found
}

/// Returns a title as context lines show it.
pub(crate) fn title(title: &str) -> String {
    let mut shown = title.to_owned();
    for run in payloads(title).into_iter().rev() {
        shown.replace_range(run.clone(), &format!("[{} characters]", run.len()));
    }
    for run in invisible(&shown).into_iter().rev() {
        shown.replace_range(run, "");
    }
    shown
}

/// Returns the elisions in a block that is not code.
fn in_block(document: &Document<'_>, block: &Block) -> Vec<ExpectedElision> {
    let text = block.span.of(document.source());
    let is_markdown = document.format() != Format::Text && block.kind != BlockKind::FrontMatter;
    let (code, html, images) = match is_markdown {
        true => catch_unwind(AssertUnwindSafe(|| parse(text))).unwrap_or_default(),
        false => Parsed::default(),
    };
    let mut found = images;
    for run in html {
        found.extend(in_html(&text[run.clone()]).map(|(cut, by)| (moved(cut, run.start), by)));
    }
    without_overlaps(&mut found);
    let mut known: Vec<Range<usize>> = found.iter().map(|(run, _)| run.clone()).collect();
    known.extend(code.iter().cloned());
    if is_markdown {
        found.extend(bare_uris(text, &known));
    }
    let mut known: Vec<Range<usize>> = found.iter().map(|(run, _)| run.clone()).collect();
    known.extend(code);
    let is_apart = |run: &Range<usize>| known.iter().all(|other| !meet(run, other));
    found.extend(invisible(text).into_iter().filter(is_apart).map(|run| (run, String::new())));
    found.sort_by_key(|(run, _)| run.start);
    found
}

/// The ranges of code, of HTML, and of images with a data URI.
type Parsed = (Vec<Range<usize>>, Vec<Range<usize>>, Vec<ExpectedElision>);

fn parse(text: &str) -> Parsed {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_GFM
        | Options::ENABLE_MATH;
    let text = adapted(text);
    let mut found = Parsed::default();
    let mut image: Option<(Range<usize>, String)> = None;
    for (event, run) in Parser::new_ext(&text, options).into_offset_iter() {
        if image.as_ref().is_some_and(|(image, _)| run.start >= image.end) {
            found.2.extend(image.take().map(|(run, alt)| (run, shown_image(&alt))));
        }
        match event {
            Event::Start(Tag::CodeBlock(_)) => found.0.push(run),
            Event::Code(code) => {
                image.iter_mut().for_each(|(_, alt)| alt.push_str(&code));
                found.0.push(run);
            }
            Event::Start(Tag::HtmlBlock) | Event::InlineHtml(_) => found.1.push(run),
            Event::Text(part) => image.iter_mut().for_each(|(_, alt)| alt.push_str(&part)),
            Event::Start(Tag::Image { dest_url, .. }) if image.is_none() => {
                let is_data = dest_url.to_ascii_lowercase().starts_with("data:");
                image = is_data.then(|| (run, String::new()));
            }
            _ => {}
        }
    }
    found.2.extend(image.map(|(run, alt)| (run, shown_image(&alt))));
    found
}

/// Replaces what the parser reads differently from CommonMark: a lone carriage return ends a line,
/// and a closing fence may be followed by tabs.
fn adapted(text: &str) -> String {
    let mut adapted = String::with_capacity(text.len());
    for lines in text.split_inclusive("\r\n") {
        let (lines, end) = lines.strip_suffix("\r\n").map_or((lines, ""), |lines| (lines, "\r\n"));
        for line in lines.replace('\r', "\n").split_inclusive('\n') {
            let fence = line.trim_start_matches([' ', '\t', '>', '\n']).trim_end();
            let is_fence = fence.len() > 2
                && ["`", "~"].iter().any(|&mark| fence.replace(mark, "").is_empty());
            let length = line.trim_end().len();
            adapted += &line[..length];
            adapted += &if is_fence {
                line[length..].replace('\t', " ")
            } else {
                line[length..].to_owned()
            };
        }
        adapted += end;
    }
    adapted
}

/// Returns the comments of some HTML, and its images with a data URI.
fn in_html(html: &str) -> impl Iterator<Item = ExpectedElision> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(start) = html[at..].find('<').map(|found| at + found) {
            let rest = &html[start..];
            let is_comment = rest.starts_with("<!--");
            let lower = rest.get(..5).unwrap_or_default().to_ascii_lowercase();
            let is_image =
                lower.starts_with("<img") && lower.ends_with([' ', '\n', '\r', '\t', '/']);
            at = start + 1;
            if is_comment || is_image {
                let close = if is_comment { "-->" } else { ">" };
                let end = start + rest.find(close)? + close.len();
                at = end;
                if is_comment || html[start..end].contains("data:") {
                    let by = if is_comment {
                        String::new()
                    } else {
                        shown_image(alt(&html[start..end]))
                    };
                    return Some((start..end, by));
                }
            }
        }
        None
    })
}

fn shown_image(alt: &str) -> String {
    format!("[image: {}]", alt.trim())
}

/// Returns the value of the attribute `alt`.
fn alt(tag: &str) -> &str {
    let value = tag.split_once("alt=").map_or("", |(_, value)| value);
    match value.chars().next() {
        Some(quote @ ('"' | '\'')) => value[1..].split(quote).next().unwrap_or_default(),
        _ => value.split([' ', '>', '/']).next().unwrap_or_default(),
    }
}

/// Returns the data URIs outside `known`: those of link definitions, links and attributes.
fn bare_uris(text: &str, known: &[Range<usize>]) -> Vec<ExpectedElision> {
    let mut found: Vec<ExpectedElision> = Vec::new();
    for (start, _) in text.match_indices("data:") {
        let ends = |c: char| c.is_whitespace() || ")\"'><`".contains(c);
        let end = text[start..].find(ends).map_or(text.len(), |length| start + length);
        let head = text[start + 5..end].split_once(',').map(|(head, _)| head);
        let is_uri = head.is_some_and(|head| {
            head.len() < 1000 && (head.ends_with(";base64") || head.starts_with("image/"))
        });
        let is_known = known.iter().any(|run| run.contains(&start));
        let is_inside = found.last().is_some_and(|(last, _)| start < last.end);
        if is_uri && !is_known && !is_inside {
            found.push((start..end, "[image]".to_owned()));
        }
    }
    found
}

/// Returns the runs of invisible characters.
fn invisible(text: &str) -> Vec<Range<usize>> {
    let is_tag = |c: char| ('\u{e0000}'..='\u{e007f}').contains(&c);
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut in_flag = false;
    for (at, c) in text.char_indices() {
        in_flag = c == '\u{1f3f4}' || (in_flag && is_tag(c));
        let is_bidi = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        let is_blank = matches!(c, '\u{200b}' | '\u{2060}' | '\u{feff}');
        if is_bidi || is_blank || (is_tag(c) && !in_flag) {
            match runs.last_mut().filter(|run| run.end == at) {
                Some(run) => run.end += c.len_utf8(),
                None => runs.push(at..at + c.len_utf8()),
            }
        }
    }
    runs
}

/// Returns the long runs of base64, base64url and hexadecimal digits.
fn payloads(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for signs in ["+/", "-_"] {
        let is_digit = |c: char| c.is_ascii_alphanumeric() || signs.contains(c);
        for run in text.split(|c| !is_digit(c)).filter(|run| run.len() >= 200) {
            let start = run.as_ptr().addr() - text.as_ptr().addr();
            let end = start + run.len();
            let padding = text[end..].bytes().take(2).take_while(|&byte| byte == b'=').count();
            let is_drawn = run.bytes().filter(u8::is_ascii_alphanumeric).count() * 4 < run.len();
            found.extend((!is_drawn).then_some(start..end + padding));
        }
    }
    found.sort_by_key(|run| run.start);
    let mut apart: Vec<Range<usize>> = Vec::new();
    for run in found {
        match apart.last_mut().filter(|last| run.start < last.end) {
            Some(last) => last.end = last.end.max(run.end),
            None => apart.push(run),
        }
    }
    apart
}

/// Keeps the first of overlapping elisions.
fn without_overlaps(found: &mut Vec<ExpectedElision>) {
    found.sort_by_key(|(run, _)| run.start);
    let mut end = 0;
    found.retain(|(run, _)| {
        let is_apart = run.start >= end;
        end = if is_apart { run.end } else { end };
        is_apart
    });
}

fn meet(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

fn moved(run: Range<usize>, by: usize) -> Range<usize> {
    run.start + by..run.end + by
}
