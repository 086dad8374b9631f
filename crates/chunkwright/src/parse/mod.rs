//! Parses a source into a [`Document`]: blocks, headings, metadata and elisions. Parsing never
//! fails.

mod adapt;
mod elisions;
mod flat;
mod frontmatter;
pub(crate) mod line;
mod markdown;
pub(crate) mod overlay;
mod segments;

pub(crate) use adapt::for_parser;
pub(crate) use markdown::{DIALECT, is_closed, one_line};

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use frontmatter::ParsedFrontMatter;
use overlay::Dialect;

use crate::document::{Block, BlockKind, Document, Heading, sections};
use crate::format::Format;
use crate::note::{Note, NoteKind};
use crate::shortcodes::Shortcodes;
use crate::slug::{self, SlugRequest, Slugs};
use crate::span::{Span, lines_of};

impl From<Format> for Dialect {
    fn from(format: Format) -> Self {
        if format == Format::Mdx { Self::Mdx } else { Self::Markdown }
    }
}

/// Text that is read without the full parsers, because each of these saves at least 3 % of the time
/// to split real pages. Tests compare the results with and without them, and `cargo xtask
/// instructions` counts what they save.
#[derive(Clone, Copy, Debug)]
pub struct Shortcuts {
    /// Paragraphs.
    pub paragraphs: bool,
    /// Lists.
    pub lists: bool,
    /// Fenced code blocks.
    pub fences: bool,
    /// ATX headings.
    pub headings: bool,
    /// Titles of ATX headings.
    pub titles: bool,
    /// Front matter.
    pub front_matter: bool,
}

impl Shortcuts {
    /// All shortcuts.
    pub const ALL: Self = Self {
        paragraphs: true,
        lists: true,
        fences: true,
        headings: true,
        titles: true,
        front_matter: true,
    };

    /// No shortcuts: the parser reads the whole document at once.
    pub const NONE: Self = Self {
        paragraphs: false,
        lists: false,
        fences: false,
        headings: false,
        titles: false,
        front_matter: false,
    };
}

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The blocks and headings after the front matter.
#[derive(Debug, Default, PartialEq, Eq)]
struct Tiles {
    blocks: Vec<BlockStart>,
    headings: Vec<ParsedHeading>,
    notes: Vec<Note>,
}

/// A block that starts at `at` and ends where the next block starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct BlockStart {
    at: usize,
    kind: BlockKind,
    /// The indentation of its lines, in columns, that belongs to an enclosing element.
    indent: usize,
}

impl BlockStart {
    fn new(at: usize, kind: BlockKind) -> Self {
        Self { at, kind, indent: 0 }
    }
}

/// A heading that the parser found. It has no slug yet.
#[derive(Debug, PartialEq, Eq)]
struct ParsedHeading {
    block: usize,
    level: u8,
    title: Arc<str>,
    id: Option<String>,
}

pub(crate) fn read<'s>(
    source: &'s str,
    format: Format,
    slugs: Slugs,
    shortcodes: &Shortcodes,
    shortcuts: Shortcuts,
) -> Document<'s> {
    let mut blocks = Vec::new();
    let mut content = 0;
    if source.starts_with(BYTE_ORDER_MARK) {
        blocks.push(BlockStart::new(0, BlockKind::ByteOrderMark));
        content = BYTE_ORDER_MARK.len();
    }
    let front_matter = match format {
        Format::Markdown | Format::Mdx => frontmatter::read(&source[content..], shortcuts),
        Format::Text => ParsedFrontMatter::default(),
    };
    if front_matter.end > 0 {
        blocks.push(BlockStart::new(content, BlockKind::FrontMatter));
        content += front_matter.end;
    }
    let tiles = match format {
        Format::Markdown | Format::Mdx => {
            markdown(source, content, || tiles(source, content, format.into(), shortcuts))
        }
        Format::Text => Tiles {
            blocks: paragraphs(source, Span::new(content, source.len())),
            ..Tiles::default()
        },
    };
    let first = blocks.len();
    blocks.extend(tiles.blocks);
    let blocks = tile(&blocks, first, content, source.len());
    let headings = name(tiles.headings, first, slugs, shortcodes);
    let mut notes: Vec<Note> = front_matter.note.into_iter().chain(tiles.notes).collect();
    let elisions = elisions::find(source, format, &blocks, &mut notes);
    let sections = sections(&blocks, &headings);
    Document {
        path: "",
        tree: "",
        source,
        format,
        blocks,
        headings,
        sections,
        metadata: front_matter.metadata.map(Arc::new),
        notes,
        elisions,
    }
}

/// The maximum nesting depth of lists and block quotes. The parser checks every open container
/// block on every line, so deep nesting would take quadratic time.
const MOST_NESTED: usize = 100;

/// Returns whether lists and block quotes are nested too deeply for the parser.
pub(crate) fn nests_too_deep(text: &str) -> bool {
    segments::nests_deeper(text, MOST_NESTED)
}

/// Runs a parser, and returns `None` if it panics.
pub(crate) fn guarded<T>(parse: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(parse)).ok()
}

/// Finds the blocks of a document: those of its Markdown, and those of the overlay's other syntax.
fn tiles(source: &str, content: usize, dialect: Dialect, shortcuts: Shortcuts) -> Tiles {
    let (view, notes) = overlay::of_document(source, content, dialect);
    let mut tiles = markdown::tiles(&view.text, content, &view.marks, shortcuts);
    tiles.notes.extend(notes);
    overlay::in_source(source, &view, tiles)
}

/// Runs the Markdown parser. If it panics, the document is treated as plain paragraphs.
fn markdown(source: &str, content: usize, parse: impl FnOnce() -> Tiles) -> Tiles {
    guarded(parse).unwrap_or_else(|| Tiles {
        blocks: paragraphs(source, Span::new(content, source.len())),
        headings: Vec::new(),
        notes: vec![Note::new(
            NoteKind::Parser,
            "the Markdown parser failed; the document is treated as plain paragraphs",
        )],
    })
}

/// Splits text into paragraphs at blank lines.
fn paragraphs(source: &str, stretch: Span) -> Vec<BlockStart> {
    let mut after_blank = true;
    let mut starts = Vec::new();
    for line in lines_of(source, stretch) {
        let blank = line.of(source).trim().is_empty();
        if after_blank && !blank {
            starts.push(BlockStart::new(line.start, BlockKind::Paragraph));
        }
        after_blank = blank;
    }
    starts
}

/// Gives each block its span, which ends where the next block starts. Blank lines before the first
/// block of content belong to the front matter, or to that block if there is none.
fn tile(starts: &[BlockStart], first: usize, content: usize, end: usize) -> Vec<Block> {
    let has_front_matter =
        starts[..first].last().is_some_and(|start| start.kind == BlockKind::FrontMatter);
    let start_of = |nth: usize| match starts.get(nth) {
        Some(_) if nth == first && !has_front_matter => content,
        Some(start) => start.at,
        None => end,
    };
    let blocks = (0..starts.len()).map(|nth| Block {
        kind: starts[nth].kind,
        span: Span::new(start_of(nth), start_of(nth + 1)),
        indent: starts[nth].indent,
    });
    blocks.collect()
}

fn name(
    mut headings: Vec<ParsedHeading>,
    first: usize,
    slugs: Slugs,
    shortcodes: &Shortcodes,
) -> Vec<Heading> {
    for heading in &mut headings {
        if let Cow::Owned(title) = shortcodes.replace_in(&heading.title) {
            heading.title = one_line(&title);
        }
    }
    let requests: Vec<_> = headings
        .iter()
        .map(|heading| SlugRequest { title: &heading.title, id: heading.id.as_deref() })
        .collect();
    let slugs = slug::assign(&requests, slugs);
    let headings = headings.into_iter().zip(slugs);
    headings
        .map(|(ParsedHeading { block, level, title, .. }, slug)| Heading {
            block: block + first,
            level,
            title,
            slug,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_titles_and_slugs_to_1000_characters() {
        let page = format!("# {}\n\n# x {{#{}}}\n", "ab ".repeat(1000), "y".repeat(2000));
        let document =
            read(&page, Format::Markdown, Slugs::Ascii, &Shortcodes::default(), Shortcuts::ALL);
        let headings = document.headings;
        assert!(headings[0].title.ends_with(" a…") && headings[0].title.chars().count() == 1001);
        assert_eq!(headings.iter().map(|h| h.slug.len()).collect::<Vec<_>>(), [1000, 1000]);
    }

    #[test]
    fn falls_back_to_paragraphs_if_the_parser_panics() {
        let tiles = markdown("# a\n\nb", 0, || std::panic::panic_any("a bug"));
        let kinds: Vec<_> = tiles.blocks.iter().map(|block| block.kind).collect();
        assert_eq!(kinds, [BlockKind::Paragraph, BlockKind::Paragraph]);
        assert_eq!(tiles.notes[0].kind, NoteKind::Parser);
    }
}
