//! Markdown: source text comes in, the starts of its top-level blocks and its headings go out.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag};

use super::overlay::Mark;
use super::{Start, Tiles, Untiled, with_line_feeds};
use crate::document::BlockKind;
use crate::note::{Note, NoteKind};
use crate::span::{line_start, next_line};

/// The dialect that is read everywhere. Metadata blocks would match anywhere in a document, and
/// definition lists together with heading attributes make the parser panic: both stay off.
pub(crate) const DIALECT: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_GFM)
    .union(Options::ENABLE_MATH)
    .union(Options::ENABLE_HEADING_ATTRIBUTES);

/// Finds the blocks of `source` from byte `content` on. The parser sees a mark as a heading without
/// text.
pub(super) fn tiles(source: &str, content: usize, marks: &[Mark]) -> Tiles {
    let mut tiler = Tiler { source, tiles: Tiles::default(), end: content };
    let mut marks = marks.iter().peekable();
    let text = with_line_feeds(&source[content..]);
    let mut events = Parser::new_ext(&text, DIALECT).into_offset_iter();
    let mut depth = 0usize;
    while let Some((event, range)) = events.next() {
        let range = range.start + content..range.end + content;
        match event {
            Event::Start(Tag::Heading { level, id, .. }) if depth == 0 => {
                let title = plain_text(&mut events);
                while marks.next_if(|mark| mark.span.end <= range.start).is_some() {}
                match marks.next_if(|mark| mark.span.start <= range.start) {
                    Some(mark) => tiler.block(mark.kind, mark.span.range()),
                    None => tiler.heading(level, title, id.as_deref(), range),
                }
            }
            Event::Start(tag) => {
                if depth == 0 {
                    tiler.block(kind_of(&tag), range.clone());
                    tiler.note_unclosed(&tag, range);
                }
                depth += 1;
            }
            Event::End(_) => depth -= 1,
            Event::Rule if depth == 0 => tiler.block(BlockKind::Rule, range),
            _ => {}
        }
    }
    tiler.fill_gap(source.len());
    mark_math(source, &mut tiler.tiles.blocks);
    tiler.tiles
}

struct Tiler<'s> {
    source: &'s str,
    tiles: Tiles,
    /// The end of the last block's last line.
    end: usize,
}

impl Tiler<'_> {
    /// Adds the block that the parser saw at `range`, at the start of its first line.
    fn block(&mut self, kind: BlockKind, range: Range<usize>) {
        let at = line_start(self.source, range.start).max(self.end);
        self.fill_gap(at);
        let end = self.line_end(range.end);
        // White space that CommonMark calls a paragraph (a no-break space) belongs to the block
        // before it, like any blank line.
        if at < end && !self.source[at..end].trim().is_empty() {
            self.tiles.blocks.push(Start::new(at, kind));
            self.end = end;
        }
    }

    fn heading(
        &mut self,
        level: HeadingLevel,
        title: String,
        id: Option<&str>,
        range: Range<usize>,
    ) {
        let level = level as u8;
        self.block(BlockKind::Heading(level), range);
        let block = self.tiles.blocks.len() - 1;
        self.tiles.headings.push(Untiled { block, level, title, id: id.map(str::to_owned) });
    }

    /// What the parser stays silent about before `until` is link reference definitions.
    fn fill_gap(&mut self, until: usize) {
        let gap = &self.source[self.end..until];
        let content = gap.len() - gap.trim_start().len();
        if content < gap.len() {
            let at = line_start(self.source, self.end + content).max(self.end);
            self.tiles.blocks.push(Start::new(at, BlockKind::Definitions));
        }
        self.end = self.end.max(until);
    }

    /// The end of the line on which a range ends.
    fn line_end(&self, end: usize) -> usize {
        if end > 0 && matches!(self.source.as_bytes()[end - 1], b'\n' | b'\r') {
            return end;
        }
        next_line(self.source, end)
    }

    /// A fence without a closing line runs to the end of the document.
    fn note_unclosed(&mut self, tag: &Tag<'_>, range: Range<usize>) {
        let fenced = matches!(tag, Tag::CodeBlock(CodeBlockKind::Fenced(_)));
        if fenced && range.end == self.source.len() && !is_closed(&self.source[range]) {
            let message = "a code fence is not closed: it runs to the end of the document";
            self.tiles.notes.push(Note::new(NoteKind::UnclosedFence, message));
        }
    }
}

/// Whether a fenced code block ends with a line that closes it.
pub(crate) fn is_closed(code: &str) -> bool {
    let code = code.trim_end();
    let Some((body, last)) = code.rsplit_once(['\n', '\r']) else { return false };
    let opening = body.trim_start();
    let Some(mark) = opening.chars().next() else { return false };
    let run = |line: &str| line.chars().take_while(|&c| c == mark).count();
    let closing = last.trim_start_matches([' ', '\t', '>']).trim_end();
    run(closing) >= run(opening) && closing.chars().all(|c| c == mark)
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

/// The text of the heading whose events come next, up to its end.
fn plain_text<'e>(events: &mut impl Iterator<Item = (Event<'e>, Range<usize>)>) -> String {
    let mut text = String::new();
    let mut depth = 1;
    for (event, _) in events {
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth -= 1,
            Event::Text(part) | Event::Code(part) => text.push_str(&part),
            Event::InlineMath(part) | Event::DisplayMath(part) => text.push_str(&part),
            Event::SoftBreak | Event::HardBreak => text.push(' '),
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

/// A paragraph that is nothing but display math is a block of math.
fn mark_math(source: &str, blocks: &mut [Start]) {
    let mut end = source.len();
    for block in blocks.iter_mut().rev() {
        let text = source[block.at..end].trim();
        if block.kind == BlockKind::Paragraph && is_math(text) {
            block.kind = BlockKind::Math;
        }
        end = block.at;
    }
}

fn is_math(text: &str) -> bool {
    let inner = text.strip_prefix("$$").and_then(|rest| rest.strip_suffix("$$"));
    inner.is_some_and(|inner| !inner.trim().is_empty() && !inner.contains("$$"))
}
