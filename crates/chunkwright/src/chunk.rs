//! Chunks, and their creation from plans.

use std::borrow::Cow;
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::context::Crumbs;
use crate::document::Document;
use crate::elide;
use crate::hash::hash;
use crate::identity::Identity;
use crate::ids::SectionId;
use crate::metadata::Metadata;
use crate::note::{Note, NoteKind};
use crate::piece::Piece;
use crate::plan::Plan;
use crate::render;
use crate::seam::CutBlock;
use crate::span::{Lines, Span};
use crate::strategy::StrategyName;

/// The maximum bytes of front matter that every chunk repeats.
const MOST_REPEATED: usize = 4096;

/// A chunk of a document, with its location, heading path and token count.
///
/// ```
/// use chunkwright::{Chunker, Hierarchical, Words};
///
/// let chunker = Chunker::new(Hierarchical::default().max(512), Words::default())?;
/// let text = "# Tea\n\nBoil water first.\n";
/// let chunk = &chunker.chunk("tea.md", text).chunks[0];
/// assert_eq!(&*chunk.title, "Tea");
/// assert_eq!(chunk.lines, 1..=3);
/// assert_eq!(chunk.span.of(text), text);
/// # Ok::<(), chunkwright::ConfigError>(())
/// ```
///
/// Serializing a chunk with serde and deserializing it yields the same chunk. The JSON records in
/// files have a different layout; the crate `chunkwright-records` writes them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Chunk<'s> {
    /// The id: `{tree}:{path}#{slug}` of the section that names the chunk. Ids of further chunks of
    /// that section end with `~2`, `~3`, and so on. An id doesn't depend on the section's text.
    pub id: String,
    /// The document: `{tree}:{path}`.
    pub doc_id: Arc<str>,
    /// The id of the naming section's parent, or `None` at depth 0.
    pub parent_id: Option<String>,
    /// The document's path.
    pub path: Arc<str>,
    /// The URL of the document.
    pub url: Option<String>,
    /// The slug of its naming section, or `None` at depth 0.
    pub anchor: Option<Arc<str>>,
    /// The strategy that split the document.
    pub strategy: StrategyName,
    /// The index of the chunk in the document, from 0. With the strategy `tree`, the index of its
    /// node in the [`Outline`](crate::Outline).
    pub position: usize,
    /// The level of its naming section, or 0 for the document.
    pub depth: u8,
    /// The heading of its naming section, or the document's title.
    pub title: Arc<str>,
    /// The title from front matter, or else the first heading of level 1, or else a name derived
    /// from the path.
    pub document_title: Arc<str>,
    /// The file name (with the strategy `tree`, the document's title), then the heading path.
    pub breadcrumb: Vec<Arc<str>>,
    /// The text of its pieces that are not hidden, without leading blank lines and trailing
    /// whitespace.
    pub text: Cow<'s, str>,
    /// The number of tokens in [`embed_text`](Self::embed_text).
    pub tokens: usize,
    /// The range from its first to its last own byte in the source.
    pub span: Span,
    /// The range from the first to the last line that is not blank, counted from 1.
    pub lines: RangeInclusive<usize>,
    /// The range of its blocks in [`Document::blocks`].
    pub blocks: Range<usize>,
    /// The front matter of the document.
    pub metadata: Option<Arc<Metadata>>,
    /// Notes on the chunk; on the first chunk, also those on the document.
    pub notes: Vec<Note>,
    /// The parts of the source, and the text added to them, that make up the chunk.
    pub pieces: Vec<Piece>,
    context: String,
    /// The text without elided parts, if it differs.
    visible: Option<String>,
}

impl Chunk<'_> {
    /// Returns the line that precedes the text in [`embed_text`](Self::embed_text); may be empty.
    pub fn context(&self) -> &str {
        &self.context
    }

    /// Returns the first 16 bytes of the BLAKE3 hash of its text, in hexadecimal.
    pub fn content_hash(&self) -> String {
        hash(&self.text)
    }

    /// Returns the text to embed: the context line, a blank line, and the chunk's text without data
    /// URIs, comments and invisible characters.
    pub fn embed_text(&self) -> Cow<'_, str> {
        let text = self.visible.as_deref().unwrap_or(&self.text);
        if self.context.is_empty() {
            return Cow::Borrowed(text);
        }
        Cow::Owned(format!("{}\n\n{text}", self.context))
    }

    /// Copies the text, so that the chunk can outlive the source.
    pub fn into_owned(self) -> Chunk<'static> {
        Chunk {
            id: self.id,
            doc_id: self.doc_id,
            parent_id: self.parent_id,
            path: self.path,
            url: self.url,
            anchor: self.anchor,
            strategy: self.strategy,
            position: self.position,
            depth: self.depth,
            title: self.title,
            document_title: self.document_title,
            breadcrumb: self.breadcrumb,
            text: Cow::Owned(self.text.into_owned()),
            tokens: self.tokens,
            span: self.span,
            lines: self.lines,
            blocks: self.blocks,
            metadata: self.metadata,
            notes: self.notes,
            pieces: self.pieces,
            context: self.context,
            visible: self.visible,
        }
    }
}

/// The section that named the last chunk, and the number of consecutive chunks that it has named.
#[derive(Clone, Copy)]
struct Named {
    section: SectionId,
    chunks: usize,
}

/// Creates chunks from plans, in order.
pub(crate) struct Maker<'d, 's> {
    pub(crate) document: &'d Document<'s>,
    pub(crate) identity: &'d Identity<'d>,
    doc_id: Arc<str>,
    path: Arc<str>,
    crumbs: Crumbs,
    lines: Lines<'s>,
    made: usize,
    /// Whether front matter is short enough for every chunk to repeat it.
    repeats_metadata: bool,
    last: Option<Named>,
    /// The block that was split last, and its line.
    cut: Option<(CutBlock, usize)>,
}

impl<'d, 's> Maker<'d, 's> {
    pub(crate) fn new(document: &'d Document<'s>, identity: &'d Identity<'d>) -> Self {
        let is_short = |metadata: &Arc<Metadata>| metadata.bytes() <= MOST_REPEATED;
        Self {
            repeats_metadata: identity.metadata.as_ref().is_none_or(is_short),
            document,
            identity,
            doc_id: identity.doc_id().into(),
            path: identity.path.into(),
            crumbs: identity.crumbs(document),
            lines: Lines::of(document.source),
            made: 0,
            last: None,
            cut: None,
        }
    }

    /// Creates the chunk of a plan with this many tokens.
    pub(crate) fn chunk(&mut self, mut plan: Plan, tokens: usize) -> Chunk<'s> {
        let document = self.document;
        let span = plan.own();
        let shown = self.without_blank_ends(span);
        let blocks = document.blocks_of(Span::new(shown.start, span.end));
        let section = plan.section;
        let heading = document.heading_of(section);
        let parent = document.parent(section);
        let text = render::text(document.source, &plan.pieces);
        let elides = |piece: &Piece| match piece {
            Piece::Own(span) | Piece::Echo(span) => elide::touches(&document.elisions, *span),
            Piece::Hidden(_) | Piece::Glue(_) => false,
        };
        let visible = plan.pieces.iter().any(elides);
        let position = if self.identity.strategy.has_nodes() { section.index() } else { self.made };
        let is_first = self.made == 0;
        let metadata = self.identity.metadata.clone();
        let metadata = metadata.filter(|_| is_first || self.repeats_metadata);
        if is_first && !self.repeats_metadata {
            let message = "front matter exceeds 4096 bytes; only the first chunk carries it";
            plan.notes.push(Note::new(NoteKind::FrontMatter, message));
        }
        self.made += 1;
        let first_line = self.lines.number(shown.start);
        plan.notes.extend(plan.cuts.iter().map(|cut| self.cut_note(*cut)));
        let last_line = self.lines.number(shown.end - 1);
        Chunk {
            id: self.id(section),
            doc_id: Arc::clone(&self.doc_id),
            parent_id: parent.map(|parent| self.identity.section_id(document, parent)),
            path: Arc::clone(&self.path),
            url: self.identity.url.clone(),
            anchor: heading.map(|heading| heading.slug.clone()),
            strategy: self.identity.strategy,
            position,
            depth: document[section].level,
            title: heading.map_or(&self.identity.document_title, |heading| &heading.title).clone(),
            document_title: Arc::clone(&self.identity.document_title),
            breadcrumb: self.crumbs.path(document, plan.trail),
            tokens,
            span,
            lines: first_line..=last_line,
            blocks: blocks.indices(),
            text,
            metadata,
            notes: plan.notes,
            visible: visible.then(|| render::embed_text(document, "", &plan.pieces)),
            pieces: plan.pieces,
            context: plan.context.text.clone(),
        }
    }

    fn id(&mut self, section: SectionId) -> String {
        let before = self.last.filter(|last| last.section == section);
        let chunks = before.map_or(0, |last| last.chunks) + 1;
        self.last = Some(Named { section, chunks });
        let id = self.identity.section_id(self.document, section);
        if chunks == 1 { id } else { format!("{id}~{chunks}") }
    }

    /// Returns a span without whitespace at its ends, but with at least one byte.
    fn without_blank_ends(&self, span: Span) -> Span {
        let text = span.of(self.document.source);
        let start = (span.end - text.trim_start().len()).min(span.end - 1);
        Span::new(start, (span.start + text.trim_end().len()).max(start + 1))
    }

    fn cut_note(&mut self, cut: CutBlock) -> Note {
        // Many consecutive chunks may contain part of the same block.
        let line = match self.cut {
            Some((last, line)) if last == cut => line,
            _ => self.lines.number(cut.start),
        };
        self.cut = Some((cut, line));
        Note::cut(cut.kind, line)
    }
}
