//! Finds the top-level blocks and the headings of Markdown.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use memchr::{memchr2, memmem};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag};

use super::line::{CODE_INDENT, Fence, columns, is_margin};
use super::overlay::Mark;
use super::segments::{Segment, SegmentKind, segments};
use super::{
    BlockStart, ParsedHeading, Shortcuts, Tiles, for_parser, guarded, nests_too_deep, paragraphs,
};
use crate::document::BlockKind;
use crate::note::{Note, NoteKind};
use crate::span::{Span, line_start, next_line};

/// The parser options, the same for documents and single blocks.
///
/// Metadata blocks are off because the parser would find them anywhere in a document. Definition
/// lists are off because together with heading attributes they make the parser panic.
/// `tests/parser_quirks.rs` has examples of these and all other quirks of the parser.
pub(crate) const DIALECT: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_GFM)
    .union(Options::ENABLE_MATH)
    .union(Options::ENABLE_HEADING_ATTRIBUTES);

/// The maximum length of a title in characters. The limit matters because every chunk under the
/// heading repeats the title.
const MOST_TITLE: usize = 1000;

/// The typical length of a block, to reserve memory.
const BLOCK_BYTES: usize = 150;

/// Finds the blocks of `source` from byte `content` on. In `source`, each mark is an empty ATX
/// heading.
pub(super) fn tiles(source: &str, content: usize, marks: &[Mark], shortcuts: Shortcuts) -> Tiles {
    let text = for_parser(&source[content..]);
    let tiler = || Tiler::new(source, &text, content, marks);
    let by_segments = tiler().by_segments(shortcuts);
    by_segments.unwrap_or_else(|| tiler().at_once())
}

struct Tiler<'s> {
    source: &'s str,
    /// The source from `content` on, adapted for the parser.
    text: &'s str,
    content: usize,
    marks: &'s [Mark],
    tiles: Tiles,
    /// The end of the last block's last line.
    end: usize,
}

impl<'s> Tiler<'s> {
    fn new(source: &'s str, text: &'s str, content: usize, marks: &'s [Mark]) -> Self {
        let mut tiles = Tiles::default();
        tiles.blocks.reserve(text.len() / BLOCK_BYTES);
        Self { source, text, content, marks, tiles, end: content }
    }

    /// Finds all blocks by parsing the whole text.
    fn at_once(mut self) -> Tiles {
        self.parse(0..self.text.len());
        self.finish()
    }

    /// Finds all blocks with as little parsing as possible. Returns `None` if the title of a
    /// heading may depend on a link reference definition in another segment, or the parser may find
    /// other blocks than the segments.
    fn by_segments(mut self, shortcuts: Shortcuts) -> Option<Tiles> {
        // The parser takes form feeds and vertical tabs for whitespace; the scanner doesn't.
        if memchr2(b'\x0b', b'\x0c', self.text.as_bytes()).is_some() {
            return None;
        }
        let has_definitions = memmem::find(self.text.as_bytes(), b"]:").is_some();
        let mut unknown: Option<Range<usize>> = None;
        for Segment { kind, span } in segments(self.text, shortcuts) {
            if kind == SegmentKind::Unknown {
                unknown.get_or_insert(span.range()).end = span.end;
                continue;
            }
            if let Some(range) = unknown.take() {
                self.parse(range);
            }
            self.known(kind, span, shortcuts);
        }
        if let Some(range) = unknown {
            self.parse(range);
        }
        let blocks = &self.tiles.blocks;
        let refers = |heading: &ParsedHeading| {
            let end = blocks.get(heading.block + 1).map_or(self.source.len(), |next| next.at);
            self.source[blocks[heading.block].at..end].contains('[')
        };
        if has_definitions && self.tiles.headings.iter().any(refers) {
            return None;
        }
        Some(self.finish())
    }

    fn finish(mut self) -> Tiles {
        self.fill_gap(self.source.len());
        mark_math(self.source, &mut self.tiles.blocks);
        self.tiles
    }

    /// Adds the block of a segment whose kind is known.
    fn known(&mut self, kind: SegmentKind, span: Span, shortcuts: Shortcuts) {
        let range = span.start + self.content..span.end + self.content;
        match kind {
            SegmentKind::Paragraph => self.lines(BlockKind::Paragraph, range),
            SegmentKind::List => self.lines(BlockKind::List, range),
            SegmentKind::Fence => {
                self.lines(BlockKind::Code, range.clone());
                self.note_unclosed(range);
            }
            SegmentKind::Heading(level) => {
                match shortcuts.titles.then(|| simple_heading(span.of(self.text))).flatten() {
                    Some((title, id)) => self.heading(level, title, id, range),
                    None => self.parse(span.range()),
                }
            }
            SegmentKind::Unknown => self.parse(span.range()),
        }
    }

    /// Adds the blocks of a part of the text. If the parser panics, or container blocks are nested
    /// too deeply, the part becomes plain paragraphs.
    fn parse(&mut self, part: Range<usize>) {
        let Tiles { blocks, headings, notes } = &self.tiles;
        let lengths = (blocks.len(), headings.len(), notes.len());
        let (end, marks) = (self.end, self.marks);
        let too_deep = nests_too_deep(&self.text[part.clone()]);
        if !too_deep && guarded(|| self.find_blocks(part.clone())).is_some() {
            return;
        }
        (self.end, self.marks) = (end, marks);
        self.tiles.blocks.truncate(lengths.0);
        self.tiles.headings.truncate(lengths.1);
        self.tiles.notes.truncate(lengths.2);
        let part = Span::new(part.start + self.content, part.end + self.content);
        self.fill_gap(part.start);
        self.tiles.blocks.extend(paragraphs(self.source, part));
        self.end = part.end;
        let message = match too_deep {
            true => {
                "lists or block quotes are nested too deeply; this part is treated as plain paragraphs"
            }
            false => "the Markdown parser failed; this part is treated as plain paragraphs",
        };
        self.tiles.notes.push(Note::new(NoteKind::Parser, message));
    }

    fn find_blocks(&mut self, part: Range<usize>) {
        let start = part.start + self.content;
        let mut events = Parser::new_ext(&self.text[part], DIALECT).into_offset_iter();
        let mut depth = 0usize;
        while let Some((event, range)) = events.next() {
            let range = range.start + start..range.end + start;
            match event {
                Event::Start(Tag::Heading { level, id, .. }) if depth == 0 => {
                    let title = plain_text(&mut events);
                    self.heading(level as u8, title, id.as_deref(), range);
                }
                Event::Start(tag) => {
                    if depth == 0 {
                        self.block(kind_of(&tag), range.clone());
                        if matches!(tag, Tag::CodeBlock(CodeBlockKind::Fenced(_))) {
                            self.note_unclosed(range);
                        }
                    }
                    depth += 1;
                }
                Event::End(_) => depth -= 1,
                Event::Rule if depth == 0 => self.block(BlockKind::Rule, range),
                _ => {}
            }
        }
    }

    /// Adds the block that the parser found at `range`, extended to whole lines.
    fn block(&mut self, kind: BlockKind, range: Range<usize>) {
        // Several blocks may share a line. The line belongs to the first of them.
        if range.end <= self.end {
            return;
        }
        let at = line_start(self.source, range.start).max(self.end);
        let end = self.line_end(range.end);
        self.lines(kind, at..end);
    }

    /// Adds a block that consists of these lines.
    fn lines(&mut self, kind: BlockKind, Range { start: at, end }: Range<usize>) {
        self.fill_gap(at);
        // A line of Unicode whitespace such as a no-break space is a paragraph in CommonMark. Here
        // it belongs to the previous block, like a blank line.
        if at < end && !is_blank(&self.source[at..end]) {
            self.tiles.blocks.push(BlockStart::new(at, kind));
            self.end = end;
        }
    }

    /// Adds a heading, or the element of the mark that the parser sees as a heading.
    fn heading(&mut self, level: u8, title: Arc<str>, id: Option<&str>, range: Range<usize>) {
        let passed = self.marks.iter().take_while(|mark| mark.span.end <= range.start).count();
        self.marks = &self.marks[passed..];
        if let Some(mark) = self.marks.first().filter(|mark| mark.span.start <= range.start) {
            return self.block(mark.kind, mark.span.range());
        }
        self.block(BlockKind::Heading(level), range);
        let block = self.tiles.blocks.len() - 1;
        self.tiles.headings.push(ParsedHeading { block, level, title, id: id.map(str::to_owned) });
    }

    /// Adds a block for the text up to `until` that no block covers. It consists of link reference
    /// definitions, for which the parser emits no events.
    fn fill_gap(&mut self, until: usize) {
        let gap = &self.source[self.end..until];
        if !is_blank(gap) {
            let content = gap.len() - gap.trim_start().len();
            let at = line_start(self.source, self.end + content).max(self.end);
            self.tiles.blocks.push(BlockStart::new(at, BlockKind::Definitions));
        }
        self.end = self.end.max(until);
    }

    /// Returns the end of the line on which a range ends. The parser's range may include the
    /// indentation of the next block.
    fn line_end(&self, end: usize) -> usize {
        let start = line_start(self.source, end);
        if is_blank(&self.source[start..end]) { start } else { next_line(self.source, end) }
    }

    /// Adds a note if a fenced code block has no closing fence and thus ends with the document.
    fn note_unclosed(&mut self, range: Range<usize>) {
        let is_last = range.end == self.source.len();
        if is_last && !is_closed(self.source[range].trim_start(), Some(0)) {
            let message = "unclosed code fence; the code block runs to the end of the document";
            self.tiles.notes.push(Note::new(NoteKind::UnclosedFence, message));
        }
    }
}

fn is_blank(text: &str) -> bool {
    // Fast path: most text starts with a printable byte.
    !text.as_bytes().first().is_some_and(u8::is_ascii_graphic) && text.trim_start().is_empty()
}

/// Returns whether a fenced code block has a closing fence. `code` starts with the opening fence.
///
/// With an `indent`, `code` is a top-level block whose lines are indented by that many columns, and
/// blank lines may follow it. Without, it is inside a list item or block quote and must end where
/// the parser ends it: right after the closing fence, or at the start of the line after the code.
pub(crate) fn is_closed(code: &str, indent: Option<usize>) -> bool {
    let start = line_start(code, code.trim_end().len());
    let last = code[start..].split(['\n', '\r']).next().unwrap_or_default();
    let closing = last.trim_start_matches(is_margin);
    let margin = &last[..last.len() - closing.len()];
    let may_close = match indent {
        Some(indent) => !margin.contains('>') && columns(margin) < indent + CODE_INDENT,
        None => !code.ends_with(['\n', '\r']),
    };
    let fence = Fence::opens(code.as_bytes()).filter(|_| start > 0 && may_close);
    fence.is_some_and(|fence| fence.is_closed_by(closing.as_bytes()))
}

fn kind_of(tag: &Tag<'_>) -> BlockKind {
    match tag {
        Tag::List(_) => BlockKind::List,
        Tag::CodeBlock(_) => BlockKind::Code,
        Tag::Table(_) => BlockKind::Table,
        Tag::BlockQuote(_) => BlockKind::Quote,
        Tag::HtmlBlock => BlockKind::Html,
        Tag::FootnoteDefinition(_) => BlockKind::Definitions,
        _ => BlockKind::Paragraph,
    }
}

/// Collects the plain text of a heading from its events, and consumes them.
fn plain_text<'e>(events: &mut impl Iterator<Item = (Event<'e>, Range<usize>)>) -> Arc<str> {
    let mut text = String::new();
    let mut depth = 1;
    for (event, _) in events {
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth -= 1,
            Event::Text(part) | Event::Code(part) => text.push_str(&part),
            Event::InlineMath(part) | Event::DisplayMath(part) => text.push_str(&part),
            Event::SoftBreak | Event::HardBreak => text.push(' '),
            // `{{<name "argument">}}` contains what looks like an HTML tag.
            Event::InlineHtml(part) if text.ends_with("{{") => text.push_str(&part),
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    one_line(&text)
}

/// Returns the title and the id of an ATX heading without the parser. Returns `None` if it may
/// contain markup other than code spans and a final `{#id}`.
fn simple_heading(line: &str) -> Option<(Arc<str>, Option<&str>)> {
    let text = line.trim_start_matches('#').trim_ascii();
    let (text, id) = match text.strip_suffix('}') {
        Some(rest) => rest.rsplit_once(" {#").map(|(text, id)| (text, Some(id)))?,
        None => (text, None),
    };
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if id.is_some_and(|id| id.is_empty() || !id.bytes().all(is_name)) {
        return None;
    }
    let is_plain = |byte: u8| {
        byte.is_ascii_alphanumeric() || byte >= 0x80 || b" \t.,;:?()/'\"-=+%@|".contains(&byte)
    };
    if text.contains("``") {
        return None;
    }
    // Split at backticks, parts alternate between plain text and code.
    let mut is_code = true;
    for part in text.split('`') {
        is_code = !is_code;
        let is_span = || !part.starts_with(' ') && !part.ends_with(' ');
        if if is_code { !is_span() } else { !part.bytes().all(is_plain) } {
            return None;
        }
    }
    (!is_code).then(|| (one_line(&without_backticks(text)), id))
}

fn without_backticks(text: &str) -> Cow<'_, str> {
    if text.contains('`') { text.replace('`', "").into() } else { text.into() }
}

/// Normalizes a title: collapses whitespace, and truncates it to [`MOST_TITLE`] characters.
pub(crate) fn one_line(text: &str) -> Arc<str> {
    let text = text.trim();
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_graphic());
    if text.len() <= MOST_TITLE && text.split(' ').all(is_word) {
        return text.into();
    }
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if let Some((end, _)) = line.char_indices().nth(MOST_TITLE) {
        line.truncate(end);
        line.push('…');
    }
    line.into()
}

/// Turns paragraphs that consist of display math into math blocks.
fn mark_math(source: &str, blocks: &mut [BlockStart]) {
    let mut end = source.len();
    for block in blocks.iter_mut().rev() {
        let text = &source[block.at..end];
        if block.kind == BlockKind::Paragraph && is_math(text) {
            block.kind = BlockKind::Math;
        }
        end = block.at;
    }
}

fn is_math(text: &str) -> bool {
    if text.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return false;
    }
    let inner = text.trim().strip_prefix("$$").and_then(|rest| rest.strip_suffix("$$"));
    inner.is_some_and(|inner| !inner.trim().is_empty() && !inner.contains("$$"))
}

#[cfg(test)]
mod tests;
