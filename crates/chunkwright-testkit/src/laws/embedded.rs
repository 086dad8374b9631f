//! Builds the `embed_text` of a chunk again, from its pieces, its record and the rules for context
//! lines and elisions.

use std::ops::Range;

use chunkwright::{Chunk, Context, Piece, Span, Strategy, TextKind};

use super::Case;

/// The context line of a chunk, and its text in parts of one kind each.
pub(crate) struct Embedded {
    context: String,
    shown: Vec<ShownPart>,
}

/// A part of a text that is either from the source or added.
struct ShownPart {
    text: String,
    kind: TextKind,
    /// Where the text begins in the source.
    at: Option<usize>,
}

impl Embedded {
    pub(crate) fn of(case: &Case<'_>, chunk: &Chunk<'_>) -> Self {
        let mut shown: Vec<ShownPart> =
            chunk.pieces.iter().flat_map(|piece| of_piece(case, piece)).collect();
        trim(&mut shown);
        let context = case.context_line(chunk, first_byte(&shown));
        Self { context, shown }
    }

    pub(crate) fn text(&self) -> String {
        let text = self.shown.iter().map(|shown| shown.text.as_str()).collect::<String>();
        self.before() + &text
    }

    /// Returns the context line with its blank line.
    fn before(&self) -> String {
        if self.context.is_empty() { String::new() } else { format!("{}\n\n", self.context) }
    }

    /// Counts the tokens, as a whole or, for counters that distinguish prose and code, in parts.
    pub(crate) fn tokens(&self, case: &Case<'_>) -> usize {
        let count = |text: &str, kind| case.counter.count(text, kind);
        let units = match case.counter.sums_pieces() {
            true => {
                let parts = self.shown.iter().map(|shown| count(&shown.text, shown.kind));
                count(&self.before(), TextKind::Prose) + parts.sum::<usize>()
            }
            false => count(&self.text(), TextKind::Prose),
        };
        case.counter.scale().tokens(units)
    }
}

/// Returns what a piece shows, with elisions applied.
fn of_piece(case: &Case<'_>, piece: &Piece) -> Vec<ShownPart> {
    match piece {
        Piece::Own(span) | Piece::Echo(span) => case
            .by_block(*span)
            .into_iter()
            .flat_map(|(span, kind)| of_span(case, span, kind))
            .collect(),
        Piece::Glue(glue) => {
            vec![ShownPart { text: glue.to_string(), kind: TextKind::Code, at: None }]
        }
        _ => Vec::new(),
    }
}

/// An elision is replaced where it starts; the parts after a cut inside it show nothing of it.
fn of_span(case: &Case<'_>, span: Span, kind: TextKind) -> Vec<ShownPart> {
    let source = case.document.source();
    let part = |start: usize, end: usize| ShownPart {
        text: source[start..end].to_owned(),
        kind,
        at: Some(start),
    };
    let mut shown = Vec::new();
    let mut at = span.start;
    let first = case.elisions.partition_point(|(run, _)| run.end <= span.start);
    for (run, by) in case.elisions[first..].iter().take_while(|(run, _)| run.start < span.end) {
        if run.start >= at {
            shown.push(part(at, run.start));
            shown.push(ShownPart { text: by.clone(), kind, at: None });
        }
        at = run.end.min(span.end);
    }
    shown.push(part(at, span.end));
    shown
}

/// Removes blank lines at the start, and white space at the end.
fn trim(shown: &mut Vec<ShownPart>) {
    while let Some(last) = shown.last_mut() {
        last.text.truncate(last.text.trim_end().len());
        if !last.text.is_empty() {
            break;
        }
        shown.pop();
    }
    let all: String = shown.iter().map(|shown| shown.text.as_str()).collect();
    let lines = all.split_inclusive(['\n', '\r']);
    let mut blank: usize = lines.take_while(|line| line.trim().is_empty()).map(str::len).sum();
    for shown in shown {
        let cut = blank.min(shown.text.len());
        shown.text.drain(..cut);
        shown.at = shown.at.map(|at| at + cut);
        blank -= cut;
    }
}

/// Returns where the text begins in the source, unless it begins with added text.
fn first_byte(shown: &[ShownPart]) -> Option<usize> {
    let first = shown.iter().find(|shown| !shown.text.trim().is_empty())?;
    first.at.map(|at| at + first.text.len() - first.text.trim_start().len())
}

const BETWEEN: &str = " › ";
const LEFT_OUT: &str = "…";

impl Case<'_> {
    /// Returns the context line of a chunk whose text begins at byte `at` of the source.
    fn context_line(&self, chunk: &Chunk<'_>, at: Option<usize>) -> String {
        let Some(elements) = self.context_elements(chunk, at) else { return String::new() };
        let elements: Vec<String> =
            elements.iter().map(|element| super::elisions::title(element)).collect();
        let mark = if self.has_nodes() { "> " } else { "" };
        if elements.concat().is_empty() {
            return String::new();
        }
        let line = |elements: &[String]| format!("{mark}{}", elements.join(BETWEEN));
        let whole = line(&elements);
        let last = elements.len().saturating_sub(1);
        let shorter = (1..last).map(|left_out| {
            let left = [elements[0].clone(), LEFT_OUT.to_owned()];
            line(&[&left, &elements[left_out + 1..]].concat())
        });
        let mut lines = std::iter::once(whole).chain(shorter);
        lines.find(|line| self.fits_context(line)).unwrap_or_else(|| {
            // Which part of an element fits is not fixed, only that it is its start.
            let given = chunk.context();
            let is_cut =
                given.is_empty() || (self.fits_context(given) && is_cut(given, mark, &elements));
            if is_cut { given.to_owned() } else { format!("a start of {elements:?}") }
        })
    }

    /// Returns whether a context line takes at most a quarter of the maximum.
    fn fits_context(&self, line: &str) -> bool {
        let Some(max) = self.chunker.max_tokens() else { return true };
        let units = self.counter.count(&format!("{line}\n\n"), TextKind::Prose);
        self.counter.scale().tokens(4 * units) <= max
    }

    /// Returns the elements of a context line that is long enough, or `None` without one.
    fn context_elements(&self, chunk: &Chunk<'_>, at: Option<usize>) -> Option<Vec<String>> {
        let default = match self.chunker.config().strategy {
            Strategy::Window(_) => Context::None,
            _ => Context::Title,
        };
        let kind = self.chunker.config().context.unwrap_or(default);
        let is_title = kind == Context::Title;
        let title = &*chunk.document_title;
        let root = match kind {
            Context::None => return None,
            Context::Title => title.to_owned(),
            Context::Path => stem(&chunk.path),
            _ => chunk.breadcrumb.first().map(ToString::to_string).unwrap_or_default(),
        };
        let trail = self.trail(chunk);
        let leading = at.map_or(0..0, |at| self.leading(at));
        let first = self.first_of(trail, &leading);
        let mut headings = self.document.headings().iter();
        let begins = headings.find(|heading| Some(heading.block) == leading.clone().next());
        let begins_with_title = begins.is_some_and(|heading| &*heading.title == title);
        if is_title && begins_with_title && (first.is_some() || trail == 0) {
            return None;
        }
        let last = first.map_or(trail, |first| self.document.sections()[first].parent.unwrap_or(0));
        let repeats = |section: usize| match kind {
            Context::Path => false,
            _ if self.has_nodes() => self.document.sections()[section].heading == Some(0),
            _ => is_title,
        };
        let headings = self.lineage(last).into_iter().rev().filter_map(|section| {
            let heading = self.document.heading(section)?.title.to_string();
            let is_top = self.document.sections()[section].parent == Some(0);
            (!(is_top && heading == title && repeats(section))).then_some(heading)
        });
        Some([root].into_iter().chain(headings).filter(|title| !title.is_empty()).collect())
    }

    /// Returns the outermost section of a trail with whose heading a text begins, given the blocks
    /// of the headings there, if they lead to the end of the trail.
    fn first_of(&self, trail: usize, leading: &Range<usize>) -> Option<usize> {
        self.document.heading(trail).filter(|heading| leading.contains(&heading.block))?;
        let begins = |&section: &usize| {
            self.document.sections()[section].blocks.start == leading.start
                || self.document.heading(section).is_some_and(|h| h.block == leading.start)
        };
        self.lineage(trail).into_iter().rfind(begins)
    }

    fn has_nodes(&self) -> bool {
        matches!(self.chunker.config().strategy, Strategy::Tree(_))
    }

    /// Returns a section, its parent, and so on, without the preamble.
    fn lineage(&self, section: usize) -> Vec<usize> {
        let parent = |&section: &usize| self.document.sections()[section].parent;
        std::iter::successors(Some(section), parent).filter(|&section| section > 0).collect()
    }

    /// Returns the section of a chunk's breadcrumb: the one that names it if it has these headings,
    /// or else the first one with them from the chunk's start on, or the last one before it.
    fn trail(&self, chunk: &Chunk<'_>) -> usize {
        if self.has_nodes() {
            return chunk.position;
        }
        let is_trail = |&section: &usize| {
            let path = self.lineage(section).into_iter().rev();
            let path = path.filter_map(|section| self.document.heading(section));
            let path = path.map(|heading| &heading.title).filter(|title| !title.is_empty());
            path.eq(chunk.breadcrumb.iter().skip(1))
        };
        let sections = self.document.sections();
        let inside = sections.partition_point(|section| section.blocks.end <= chunk.blocks.start);
        let is_named = |&section: &usize| {
            self.document.heading(section).map(|heading| &heading.slug) == chunk.anchor.as_ref()
        };
        let named = (0..sections.len()).find(is_named);
        let mut nearest =
            named.into_iter().chain([0]).chain(inside..sections.len()).chain((0..inside).rev());
        nearest.find(is_trail).unwrap_or(0)
    }

    /// Returns the blocks of the headings that follow each other from byte `at` on, if a block
    /// starts there.
    fn leading(&self, at: usize) -> Range<usize> {
        let blocks = self.document.blocks();
        let first = blocks.partition_point(|block| block.span.end <= at);
        let start = blocks.get(first).map_or(at, |block| block.span.start);
        if self.has_nodes() || !self.document.source()[start..at].trim().is_empty() {
            return 0..0;
        }
        let count = blocks[first..].iter().take_while(|block| block.kind.is_heading()).count();
        first..first + count
    }
}

/// Returns a path without the extension of its last name.
fn stem(path: &str) -> String {
    let name = path.rfind('/').map_or(0, |slash| slash + 1);
    match path[name..].rfind('.') {
        Some(dot) if dot > 0 => path[..name + dot].to_owned(),
        _ => path.to_owned(),
    }
}

/// Returns whether a context line consists of the start of the first and the last element.
fn is_cut(line: &str, mark: &str, elements: &[String]) -> bool {
    let Some(line) = line.strip_prefix(mark) else { return false };
    let ends = elements.first().into_iter().chain(elements.last());
    let ends: Vec<&String> = ends.take(elements.len()).collect();
    let between =
        if elements.len() > 2 { [BETWEEN, LEFT_OUT, BETWEEN].concat() } else { BETWEEN.into() };
    let parts: Vec<&str> = match ends.len() {
        1 => vec![line],
        _ => match line.split_once(&between) {
            Some((first, last)) => vec![first, last],
            None => return false,
        },
    };
    let is_start = |(part, element): (&&str, &&String)| {
        *part == element.as_str()
            || part.strip_suffix(LEFT_OUT).is_some_and(|start| element.starts_with(start))
    };
    parts.iter().zip(&ends).all(is_start)
}
