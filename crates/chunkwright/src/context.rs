//! Context lines: the heading path that precedes a chunk's text in `embed_text`.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use unicode_segmentation::UnicodeSegmentation;

use crate::document::{Document, Heading};
use crate::elide;
use crate::ids::SectionId;
use crate::ruler::{ContextLine, Ruler};

/// The context line of `embed_text`, which precedes a chunk's text.
///
/// Every kind ends with the headings that lead to the chunk, joined by ` › `. Headings at the start
/// of the text are left out.
///
/// ```
/// use chunkwright::{Chunker, Config, Context, Hierarchical, Words};
///
/// let mut config = Config::from(Hierarchical::default().max(12));
/// config.context = Some(Context::Breadcrumb);
/// let chunker = Chunker::new(config, Words::with_factor(1.0)?)?;
/// let text = "# Tea\n\nBoil water first.\n\n## Green\n\nLet it cool to 80 degrees.\n";
/// assert_eq!(chunker.chunk("tea.md", text).chunks[1].context(), "tea.md › Tea");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Context {
    /// The document's title, then the headings: `Auth guide › Tokens`.
    Title,
    /// The record's breadcrumb, which starts with the file name: `auth.md › Tokens`.
    Breadcrumb,
    /// The path without its extension, then the headings: `guide/auth › Tokens`.
    Path,
    /// No context line.
    None,
}

const BETWEEN: &str = " › ";
const LEFT_OUT: &str = "…";
const BLANK_LINE: &str = "\n\n";

/// The divisor of the maximum that gives the limit for a context line.
const SHARE: usize = 4;

/// The maximum number of elements in a breadcrumb: the first one, and a heading of each level.
const MOST_LEVELS: usize = 7;

/// The rules for breadcrumbs: their first element, and the headings that they leave out.
#[derive(Debug)]
pub(crate) struct Crumbs {
    /// The first element; may be empty.
    root: Arc<str>,
    /// Whether that is the document's title, which is left out if the text starts with it.
    is_title: bool,
    /// The top-level sections whose heading repeats the first element, in order.
    repeated: Vec<SectionId>,
}

impl Crumbs {
    pub(crate) fn new(root: &str) -> Self {
        Self { root: root.into(), is_title: false, repeated: Vec::new() }
    }

    /// Creates breadcrumbs that start with the document's title. They leave out top-level headings
    /// that repeat the title, if `is_left_out` returns true for their section.
    pub(crate) fn of_title(
        root: &str,
        document: &Document<'_>,
        is_left_out: impl Fn(SectionId) -> bool,
    ) -> Self {
        let repeats = |&section: &SectionId| {
            let is_top = document.parent(section) == Some(SectionId::ROOT);
            let title = document.heading_of(section).map(|heading| &*heading.title);
            is_top && title == Some(root) && is_left_out(section)
        };
        let repeated = document.section_ids().filter(repeats).collect();
        Self { root: root.into(), is_title: true, repeated }
    }

    /// Returns the breadcrumb of a section, without empty headings.
    pub(crate) fn path(&self, document: &Document<'_>, section: SectionId) -> Vec<Arc<str>> {
        let mut path: Vec<Arc<str>> = Vec::with_capacity(MOST_LEVELS);
        let above = |&section: &SectionId| document.parent(section);
        for section in std::iter::successors(Some(section), above) {
            if let Some(title) = self.title(document, section) {
                path.push(Arc::clone(title));
            }
        }
        path.extend(Some(Arc::clone(&self.root)).filter(|root| !root.is_empty()));
        path.reverse();
        path
    }

    /// Returns the element that a section adds to the breadcrumb of its parent, if any.
    fn title<'d>(&self, document: &'d Document<'_>, section: SectionId) -> Option<&'d Arc<str>> {
        let title = document.heading_of(section).map(|heading| &heading.title);
        title.filter(|title| !title.is_empty() && !self.repeats(section))
    }

    /// Returns whether a section's heading repeats the first element.
    fn repeats(&self, section: SectionId) -> bool {
        self.repeated.binary_search(&section).is_ok()
    }
}

/// The context line of a section.
#[derive(Clone, Debug, Default)]
struct Known {
    line: Rc<ContextLine>,
    /// Its units without the blank line, as the start of a longer line.
    units_alone: OnceCell<usize>,
    is_shortened: bool,
}

impl Known {
    fn of(line: ContextLine, is_shortened: bool) -> Self {
        Self { line: Rc::new(line), units_alone: OnceCell::new(), is_shortened }
    }

    fn units_alone(&self, ruler: &Ruler<'_>) -> usize {
        *self.units_alone.get_or_init(|| ruler.text(&self.line.text))
    }
}

/// The context lines of a document's chunks, each counted once.
pub(crate) struct Contexts<'d> {
    document: &'d Document<'d>,
    /// The rules for breadcrumbs, or `None` without context lines.
    crumbs: Option<Crumbs>,
    /// Whether chunks are nodes, which don't show headings. Their context lines are block quotes.
    are_nodes: bool,
    /// The maximum units per line.
    limit: Option<usize>,
    /// The line of each section that adds an element to its parent's breadcrumb.
    lines: Vec<OnceCell<Known>>,
    /// The first byte of the document that is not blank. Blank lines before it may be cut off.
    first: usize,
    none: Known,
}

impl<'d> Contexts<'d> {
    /// Creates the lines of chunks of at most `max` units.
    pub(crate) fn new(
        document: &'d Document<'d>,
        crumbs: Option<Crumbs>,
        are_nodes: bool,
        max: Option<usize>,
    ) -> Self {
        let limit = max.map(|max| max / SHARE);
        let lines = vec![OnceCell::new(); document.sections.len()];
        let is_blank = |c: char| c.is_whitespace() || c == '\u{feff}';
        let first = document.source.len() - document.source.trim_start_matches(is_blank).len();
        Self { document, crumbs, are_nodes, limit, lines, first, none: Known::default() }
    }

    /// Returns the context line of a chunk with this breadcrumb, which may be empty. The line
    /// leaves out the headings with which the text starts at byte `at`.
    pub(crate) fn line(&self, ruler: &Ruler<'_>, trail: SectionId, at: usize) -> &Rc<ContextLine> {
        let Some(crumbs) = &self.crumbs else { return &self.none.line };
        let is_start = at <= self.first && self.first < self.document.source.len();
        let at = if is_start {
            self.document[self.document.block_at(self.first)].span.start
        } else {
            at
        };
        let leading = self.leading(trail, at);
        if (leading.is_some() || trail == SectionId::ROOT) && self.begins_with_title(crumbs, at) {
            return &self.none.line;
        }
        let parent = |section: SectionId| self.document.parent(section).unwrap_or(SectionId::ROOT);
        let above = leading.map(parent);
        &self.whole(crumbs, ruler, above.unwrap_or(trail)).line
    }

    /// Returns the context line of a chunk that starts inside a block of a section.
    pub(crate) fn line_inside(&self, ruler: &Ruler<'_>, section: SectionId) -> &ContextLine {
        let whole = |crumbs: &Crumbs| self.whole(crumbs, ruler, section);
        &self.crumbs.as_ref().map_or(&self.none, whole).line
    }

    fn allows(&self, units: usize) -> bool {
        self.limit.is_none_or(|limit| units <= limit)
    }

    /// Returns whether the text from byte `at` on starts with the document's title.
    fn begins_with_title(&self, crumbs: &Crumbs, at: usize) -> bool {
        let headings = &self.document.headings;
        let start = |heading: &Heading| self.document.heading_span(heading).start;
        let heading = headings.get(headings.partition_point(|heading| start(heading) < at));
        let is_shown = crumbs.is_title && !self.are_nodes;
        heading
            .filter(|_| is_shown)
            .is_some_and(|heading| start(heading) == at && *heading.title == *crumbs.root)
    }

    /// Returns the section of a breadcrumb with whose heading the text starts, if any. Only bare
    /// headings may lie between that heading and the end of the breadcrumb. Empty headings before
    /// it don't matter.
    fn leading(&self, trail: SectionId, at: usize) -> Option<SectionId> {
        let document = self.document;
        let starts = |&section: &SectionId| {
            document.heading_of(section).is_some_and(|heading| {
                document.heading_span(heading).start == at
                    || document.start_of(document.own_blocks(section).start) == at
            })
        };
        let bare_above = |&section: &SectionId| {
            let above = document.parent(section)?;
            (document[above].is_bare && above.next() == section).then_some(above)
        };
        let is_shown = !self.are_nodes;
        std::iter::successors(Some(trail).filter(|_| is_shown), bare_above).find(starts)
    }

    /// Returns the line for a section's full path.
    fn whole(&self, crumbs: &Crumbs, ruler: &Ruler<'_>, section: SectionId) -> &Known {
        match (self.document.parent(section), crumbs.title(self.document, section)) {
            (Some(above), None) => self.whole(crumbs, ruler, above),
            (Some(above), Some(title)) => self.lines[section.index()].get_or_init(|| {
                let above = self.whole(crumbs, ruler, above);
                self.longer(crumbs, ruler, section, above, title)
            }),
            (None, _) => self.lines[section.index()]
                .get_or_init(|| self.shorten(ruler, &[elide::visible(&crumbs.root)])),
        }
    }

    /// Returns the line that adds the title of a section to its parent's line.
    fn longer(
        &self,
        crumbs: &Crumbs,
        ruler: &Ruler<'_>,
        section: SectionId,
        above: &Known,
        title: &str,
    ) -> Known {
        let start = &above.line.text;
        if !above.is_shortened && !start.is_empty() {
            let title = elide::visible(title);
            let mut text = [start, BETWEEN, &title, BLANK_LINE].concat();
            let units = if ruler.adds_at(&text, start.len()) {
                above.units_alone(ruler) + ruler.text(&text[start.len()..])
            } else {
                ruler.text(&text)
            };
            text.truncate(text.len() - BLANK_LINE.len());
            if self.allows(units) {
                return Known::of(ContextLine { text, units }, false);
            }
        }
        let path = crumbs.path(self.document, section);
        let elements: Vec<_> = path.iter().map(|element| elide::visible(element)).collect();
        self.shorten(ruler, &elements)
    }

    /// Returns the line of these elements, shortened to the limit. Leaves out elements in the
    /// middle first, then truncates the rest. The line is empty if the limit is too small for
    /// anything.
    fn shorten(&self, ruler: &Ruler<'_>, elements: &[Cow<'_, str>]) -> Known {
        let fitting = |text: String| {
            let mark = if text.is_empty() || !self.are_nodes { "" } else { "> " };
            let text = [mark, &text].concat();
            let units = if text.is_empty() { 0 } else { ruler.text(&(text.clone() + BLANK_LINE)) };
            self.allows(units).then_some(ContextLine { text, units })
        };
        if let Some(whole) = fitting(elements.join(BETWEEN)) {
            return Known::of(whole, false);
        }
        let without_middle = |kept: usize| {
            let last = &elements[elements.len() - kept..];
            fitting([&*elements[0], LEFT_OUT].join(BETWEEN) + BETWEEN + &last.join(BETWEEN))
        };
        let short = (1..elements.len().saturating_sub(1)).rev().find_map(without_middle);
        Known::of(short.or_else(|| cut_to_fit(elements, fitting)).unwrap_or_default(), true)
    }
}

/// Truncates the first and the last element to as many characters as fit.
fn cut_to_fit(
    elements: &[Cow<'_, str>],
    fitting: impl Fn(String) -> Option<ContextLine>,
) -> Option<ContextLine> {
    let mut ends: Vec<&str> = Vec::new();
    ends.extend(elements.first().map(|first| &**first));
    if elements.len() > 2 {
        ends.push(LEFT_OUT);
    }
    ends.extend(elements[1..].last().map(|last| &**last));
    let mut room = ends.iter().map(|element| element.graphemes(true).count()).max().unwrap_or(0);
    while room > 1 {
        room = room * 3 / 4;
        let cut: Vec<String> = ends.iter().map(|element| cut(element, room)).collect();
        if let Some(short) = fitting(cut.join(BETWEEN)) {
            return Some(short);
        }
    }
    None
}

fn cut(element: &str, room: usize) -> String {
    match element.grapheme_indices(true).nth(room) {
        Some((end, _)) => format!("{}{LEFT_OUT}", element[..end].trim_end()),
        None => element.to_owned(),
    }
}
