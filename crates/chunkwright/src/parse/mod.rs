//! Parses a source into a [`Document`]: blocks, headings, metadata and elisions. Parsing never
//! fails.

mod adapt;
mod flat;
mod frontmatter;
mod markdown;
pub(crate) mod overlay;
mod segments;

pub(crate) use adapt::for_parser;
pub(crate) use markdown::{DIALECT, is_closed, one_line};

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use overlay::Dialect;
use serde::{Deserialize, Serialize};

use crate::document::{Block, BlockKind, Document, Heading, sections};
use crate::elide;
use crate::note::{Note, NoteKind};
use crate::shortcodes::Shortcodes;
use crate::slug::{self, Slugs, Unnamed};
use crate::span::{Span, lines_of};

/// The format of a source.
///
/// ```
/// use chunkwright::{Format, Source};
///
/// assert_eq!(Format::of_path("guide/tea.mdx"), Format::Mdx);
/// let mut source = Source::new("notes", "Boil water first.");
/// source.format = Format::Text;
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Format {
    /// CommonMark with GitHub's extensions, math, heading attributes and front matter.
    #[default]
    Markdown,
    /// Markdown with imports and exports, JSX and expressions.
    Mdx,
    /// Plain text, in paragraphs.
    Text,
}

impl Format {
    /// Returns the format for a path: text for `.txt`, MDX for `.mdx`, Markdown for anything else.
    pub fn of_path(path: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or_default();
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        match extension {
            _ if extension.eq_ignore_ascii_case("txt") => Self::Text,
            _ if extension.eq_ignore_ascii_case("mdx") => Self::Mdx,
            _ => Self::Markdown,
        }
    }
}

impl From<Format> for Dialect {
    fn from(format: Format) -> Self {
        if format == Format::Mdx { Self::Mdx } else { Self::Markdown }
    }
}

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The blocks and headings after the front matter.
#[derive(Debug, Default, PartialEq, Eq)]
struct Tiles {
    blocks: Vec<Start>,
    headings: Vec<Untiled>,
    notes: Vec<Note>,
}

/// A block that starts at `at` and ends where the next block starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Start {
    at: usize,
    kind: BlockKind,
    /// The indentation of its lines, in columns, that belongs to an enclosing element.
    indent: usize,
}

impl Start {
    fn new(at: usize, kind: BlockKind) -> Self {
        Self { at, kind, indent: 0 }
    }
}

/// A heading without a slug.
#[derive(Debug, PartialEq, Eq)]
struct Untiled {
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
) -> Document<'s> {
    let mut blocks = Vec::new();
    let mut content = 0;
    if source.starts_with(BYTE_ORDER_MARK) {
        blocks.push(Start::new(0, BlockKind::ByteOrderMark));
        content = BYTE_ORDER_MARK.len();
    }
    let lead = match format {
        Format::Markdown | Format::Mdx => frontmatter::read(&source[content..]),
        Format::Text => frontmatter::Lead::default(),
    };
    if lead.end > 0 {
        blocks.push(Start::new(content, BlockKind::FrontMatter));
        content += lead.end;
    }
    let tiles = match format {
        Format::Markdown => {
            markdown(source, content, |source, content| tiles(source, content, Dialect::Markdown))
        }
        Format::Mdx => {
            markdown(source, content, |source, content| tiles(source, content, Dialect::Mdx))
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
    let mut notes: Vec<Note> = lead.note.into_iter().chain(tiles.notes).collect();
    let elisions = elide::find(source, format, &blocks, &mut notes);
    let sections = sections(&blocks, &headings);
    Document {
        path: "",
        tree: "",
        source,
        format,
        blocks,
        headings,
        sections,
        metadata: lead.metadata.map(Arc::new),
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
fn tiles(source: &str, content: usize, dialect: Dialect) -> Tiles {
    let (view, notes) = overlay::of_document(source, content, dialect);
    let mut tiles = markdown::tiles(&view.text, content, &view.marks);
    tiles.notes.extend(notes);
    overlay::in_source(source, &view, tiles)
}

/// Runs the Markdown parser. If it panics, the document is treated as plain paragraphs.
fn markdown(source: &str, content: usize, parser: fn(&str, usize) -> Tiles) -> Tiles {
    guarded(|| parser(source, content)).unwrap_or_else(|| Tiles {
        blocks: paragraphs(source, Span::new(content, source.len())),
        headings: Vec::new(),
        notes: vec![Note::new(
            NoteKind::Parser,
            "the Markdown parser failed; the document is treated as plain paragraphs",
        )],
    })
}

/// Splits text into paragraphs at blank lines.
fn paragraphs(source: &str, stretch: Span) -> Vec<Start> {
    let mut after_blank = true;
    let mut starts = Vec::new();
    for line in lines_of(source, stretch) {
        let blank = line.of(source).trim().is_empty();
        if after_blank && !blank {
            starts.push(Start::new(line.start, BlockKind::Paragraph));
        }
        after_blank = blank;
    }
    starts
}

/// Gives each block its span, which ends where the next block starts. Blank lines before the first
/// block of content belong to the front matter, or to that block if there is none.
fn tile(starts: &[Start], first: usize, content: usize, end: usize) -> Vec<Block> {
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
    mut untiled: Vec<Untiled>,
    first: usize,
    slugs: Slugs,
    shortcodes: &Shortcodes,
) -> Vec<Heading> {
    for heading in &mut untiled {
        if let Cow::Owned(title) = shortcodes.replace_in(&heading.title) {
            heading.title = one_line(&title);
        }
    }
    let unnamed: Vec<_> = untiled
        .iter()
        .map(|heading| Unnamed { title: &heading.title, id: heading.id.as_deref() })
        .collect();
    let slugs = slug::assign(&unnamed, slugs);
    let headings = untiled.into_iter().zip(slugs);
    headings
        .map(|(Untiled { block, level, title, .. }, slug)| Heading {
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
        let document = read(&page, Format::Markdown, Slugs::Ascii, &Shortcodes::default());
        let headings = document.headings;
        assert!(headings[0].title.ends_with(" a…") && headings[0].title.chars().count() == 1001);
        assert_eq!(headings.iter().map(|h| h.slug.len()).collect::<Vec<_>>(), [1000, 1000]);
    }

    #[test]
    fn falls_back_to_paragraphs_if_the_parser_panics() {
        let tiles = markdown("# a\n\nb", 0, |_, _| std::panic::panic_any("a bug"));
        let kinds: Vec<_> = tiles.blocks.iter().map(|block| block.kind).collect();
        assert_eq!(kinds, [BlockKind::Paragraph, BlockKind::Paragraph]);
        assert_eq!(tiles.notes[0].kind, NoteKind::Parser);
    }

    #[test]
    fn derives_the_format_from_the_extension() {
        assert_eq!(Format::of_path("a/b.TXT"), Format::Text);
        assert_eq!(Format::of_path("txt"), Format::Markdown);
        assert_eq!(Format::of_path("a.txt/readme"), Format::Markdown);
        assert_eq!(Format::of_path("a.md"), Format::Markdown);
        assert_eq!(Format::of_path("a/b.Mdx"), Format::Mdx);
    }
}
