//! Chunks: plans come in; text with identity and measures goes out.

use std::borrow::Cow;
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::context::{Context, Crumbs};
use crate::document::Document;
use crate::elide;
use crate::metadata::Metadata;
use crate::note::{Note, NoteKind};
use crate::plan::{Piece, Plan};
use crate::render;
use crate::span::{Lines, Span};
use crate::split::Cut;
use crate::strategy::StrategyName;

/// Bytes of front matter that is told with each chunk, at most.
const MOST_REPEATED: usize = 4096;

/// A stretch of a document, ready to be embedded, with its place in the structure.
///
/// With serde it goes to another process and comes back as it is. The record that files show is
/// made of it in `chunkwright-io`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Chunk<'s> {
    /// Its place: `{tree}:{path}#{slug}` of its naming section; `~2`, `~3`, … for further chunks
    /// that the same section names. Never made of text, order or sizes.
    pub id: String,
    /// The document: `{tree}:{path}`.
    pub doc_id: Arc<str>,
    /// The id of the naming section's parent; none at depth 0.
    pub parent_id: Option<String>,
    /// The document's path.
    pub path: Arc<str>,
    /// Where the document is published.
    pub url: Option<String>,
    /// The slug of its naming section; none at depth 0.
    pub anchor: Option<Arc<str>>,
    /// How the document was cut.
    pub strategy: StrategyName,
    /// Its order in the document, from 0; with nodes, its place among all of them.
    pub position: usize,
    /// The level of its naming section, 0 for the document.
    pub depth: u8,
    /// The heading of its naming section, or the document's title.
    pub title: Arc<str>,
    /// The title in front matter, else the first heading of level 1, else a name from the path.
    pub document_title: Arc<str>,
    /// The file's name (with nodes the document's title), then the headings that lead here.
    pub breadcrumb: Vec<Arc<str>>,
    /// What its pieces show, without leading blank lines and trailing white space.
    pub text: Cow<'s, str>,
    /// The tokens of its [`embed_text`](Self::embed_text).
    pub tokens: usize,
    /// From its first to its last own byte.
    pub span: Span,
    /// The lines from the first to the last that is not blank, counted from 1.
    pub lines: RangeInclusive<usize>,
    /// Its blocks in the document.
    pub blocks: Range<usize>,
    /// What front matter says.
    pub metadata: Option<Arc<Metadata>>,
    /// What is worth telling about it, or (on the first chunk) about the document.
    pub notes: Vec<Note>,
    /// What it is made of.
    pub pieces: Vec<Piece>,
    context: String,
    /// The text without what nobody should see, where that differs.
    visible: Option<String>,
}

impl Chunk<'_> {
    /// The line that stands before the text in [`embed_text`](Self::embed_text); may be empty.
    pub fn context(&self) -> &str {
        &self.context
    }

    /// The first 16 bytes of the BLAKE3 hash of its text, in hexadecimal.
    pub fn content_hash(&self) -> String {
        hash(&self.text)
    }

    /// What an embedding model should see: the breadcrumb, a blank line, and the text without data
    /// URIs, comments and invisible characters.
    pub fn embed_text(&self) -> Cow<'_, str> {
        let text = self.visible.as_deref().unwrap_or(&self.text);
        if self.context.is_empty() {
            return Cow::Borrowed(text);
        }
        Cow::Owned(format!("{}\n\n{text}", self.context))
    }

    /// The same chunk with a text of its own, so that it may outlive the source.
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

/// What all chunks of a document share.
pub(crate) struct Identity<'d> {
    pub(crate) tree: &'d str,
    pub(crate) path: &'d str,
    pub(crate) url: Option<String>,
    pub(crate) document_title: Arc<str>,
    pub(crate) metadata: Option<Arc<Metadata>>,
    pub(crate) strategy: StrategyName,
}

impl Identity<'_> {
    /// Returns how breadcrumbs begin: with the file's name, or for nodes with the document's title,
    /// which the first heading does not repeat.
    pub(crate) fn crumbs(&self, document: &Document<'_>) -> Crumbs {
        if self.strategy.has_nodes() {
            let is_first = |section: usize| document.sections[section].heading == Some(0);
            return Crumbs::of_title(&self.document_title, document, is_first);
        }
        Crumbs::new(self.path.rsplit('/').next().unwrap_or(self.path))
    }

    /// Returns how context lines begin; nothing if there are none.
    pub(crate) fn context(&self, document: &Document<'_>, context: Context) -> Option<Crumbs> {
        match context {
            Context::Title if !self.strategy.has_nodes() => {
                Some(Crumbs::of_title(&self.document_title, document, |_| true))
            }
            Context::Title | Context::Breadcrumb => Some(self.crumbs(document)),
            Context::Path => Some(Crumbs::new(without_extension(self.path))),
            Context::None => None,
        }
    }

    fn doc_id(&self) -> String {
        [self.tree, ":", self.path].concat()
    }

    pub(crate) fn section_id(&self, document: &Document<'_>, section: usize) -> String {
        match document.heading(section) {
            Some(heading) => [self.tree, ":", self.path, "#", &heading.slug].concat(),
            None => self.doc_id(),
        }
    }
}

/// A path without the extension of its last name; a name such as `.md` has none.
pub(crate) fn without_extension(path: &str) -> &str {
    let name = path.rfind('/').map_or(0, |slash| slash + 1);
    match path[name..].rfind('.') {
        Some(dot) if dot > 0 => &path[..name + dot],
        _ => path,
    }
}

/// Turns plans into chunks, in order.
pub(crate) struct Maker<'d, 's> {
    pub(crate) document: &'d Document<'s>,
    pub(crate) identity: &'d Identity<'d>,
    doc_id: Arc<str>,
    path: Arc<str>,
    crumbs: Crumbs,
    lines: Lines<'s>,
    made: usize,
    /// Whether front matter is short enough to be told with each chunk.
    repeats_metadata: bool,
    /// The section that named the last chunk, and how many it has named.
    begun: (usize, usize),
    /// The block that was cut last, and its line.
    cut: Option<(Cut, usize)>,
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
            begun: (0, 0),
            cut: None,
        }
    }

    /// The chunk of a plan, with its context line and tokens.
    pub(crate) fn chunk(&mut self, mut plan: Plan, context: String, tokens: usize) -> Chunk<'s> {
        let document = self.document;
        let span = plan.own();
        let shown = self.without_blank_ends(span);
        let blocks = document.block_at(shown.start)..document.block_at(span.end - 1) + 1;
        let section = plan.section;
        let heading = document.heading(section);
        let parent = document.sections[section].parent;
        let text = render::text(document.source, &plan.pieces);
        let elides = |piece: &Piece| match piece {
            Piece::Own(span) | Piece::Echo(span) => elide::touches(&document.elisions, *span),
            Piece::Hidden(_) | Piece::Glue(_) => false,
        };
        let visible = plan.pieces.iter().any(elides);
        let position = if self.identity.strategy.has_nodes() { section } else { self.made };
        let is_first = self.made == 0;
        let metadata = self.identity.metadata.clone();
        let metadata = metadata.filter(|_| is_first || self.repeats_metadata);
        if is_first && !self.repeats_metadata {
            let message = "front matter is long, and told with this chunk only";
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
            depth: document.sections[section].level,
            title: heading.map_or(&self.identity.document_title, |heading| &heading.title).clone(),
            document_title: Arc::clone(&self.identity.document_title),
            breadcrumb: self.crumbs.path(document, plan.trail),
            tokens,
            span,
            lines: first_line..=last_line,
            blocks,
            text,
            metadata,
            notes: plan.notes,
            visible: visible.then(|| render::embed_text(document, "", &plan.pieces)),
            pieces: plan.pieces,
            context,
        }
    }

    fn id(&mut self, section: usize) -> String {
        let count = if self.begun.0 == section { self.begun.1 + 1 } else { 1 };
        self.begun = (section, count);
        let id = self.identity.section_id(self.document, section);
        if count == 1 { id } else { format!("{id}~{count}") }
    }

    /// The bytes of a chunk that are not white space at its ends; the first one if all are.
    fn without_blank_ends(&self, span: Span) -> Span {
        let text = span.of(self.document.source);
        let start = (span.end - text.trim_start().len()).min(span.end - 1);
        Span::new(start, (span.start + text.trim_end().len()).max(start + 1))
    }

    fn cut_note(&mut self, cut: Cut) -> Note {
        // Many chunks may hold a part of one block.
        let line = match self.cut {
            Some((last, line)) if last == cut => line,
            _ => self.lines.number(cut.start),
        };
        self.cut = Some((cut, line));
        Note::cut(cut.kind, line)
    }
}

/// The first 16 bytes of the BLAKE3 hash of `text`, in hexadecimal.
pub(crate) fn hash(text: &str) -> String {
    let hash = blake3::hash(text.as_bytes());
    hash.to_hex()[..32].to_owned()
}
