//! Context lines: a section comes in, the breadcrumb that leads its chunk goes out.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use unicode_segmentation::UnicodeSegmentation;

use crate::document::Document;
use crate::elide;
use crate::ruler::Ruler;

/// What stands before a chunk's text in `embed_text`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Context {
    /// The breadcrumb, `A › B › C`.
    Breadcrumb,
    /// Nothing.
    None,
}

const BETWEEN: &str = " › ";
const LEFT_OUT: &str = "…";
const BLANK_LINE: &str = "\n\n";

/// Elements in the longest breadcrumb: the first one, and a heading of each level.
const MOST_LEVELS: usize = 7;

/// How breadcrumbs begin.
pub(crate) struct Crumbs {
    /// The first element.
    pub(crate) root: Arc<str>,
    /// A section whose heading only says the first element again.
    pub(crate) repeats: Option<usize>,
}

impl Crumbs {
    /// The breadcrumb of a section; headings without text are left out.
    pub(crate) fn path(&self, document: &Document<'_>, section: usize) -> Vec<Arc<str>> {
        let mut path: Vec<Arc<str>> = Vec::with_capacity(MOST_LEVELS);
        let above = |&section: &usize| document.sections[section].parent;
        for section in std::iter::successors(Some(section), above) {
            if let Some(title) = self.title(document, section) {
                path.push(Arc::clone(title));
            }
        }
        path.push(Arc::clone(&self.root));
        path.reverse();
        path
    }

    /// What a section adds to the breadcrumb of the one above it.
    fn title<'d>(&self, document: &'d Document<'_>, section: usize) -> Option<&'d Arc<str>> {
        let title = document.heading(section).map(|heading| &heading.title);
        title.filter(|title| !title.is_empty() && self.repeats != Some(section))
    }
}

/// A context line, measured.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line {
    pub(crate) text: String,
    /// Its units, with the blank line that follows it.
    pub(crate) units: usize,
    /// Its units alone, as the beginning of a longer line.
    units_alone: OnceCell<usize>,
    is_shortened: bool,
}

impl Line {
    fn units_alone(&self, ruler: &Ruler<'_>) -> usize {
        *self.units_alone.get_or_init(|| ruler.text(&self.text))
    }
}

/// The context lines of a document's chunks, each measured once.
pub(crate) struct Contexts<'d> {
    document: &'d Document<'d>,
    context: Context,
    crumbs: Crumbs,
    /// The most units that a line may have.
    limit: usize,
    /// The line of each section that adds a title to the one above it.
    lines: Vec<OnceCell<Line>>,
    none: Line,
}

impl<'d> Contexts<'d> {
    pub(crate) fn new(
        document: &'d Document<'d>,
        context: Context,
        crumbs: Crumbs,
        limit: usize,
    ) -> Self {
        let lines = vec![OnceCell::new(); document.sections.len()];
        Self { document, context, crumbs, limit, lines, none: Line::default() }
    }

    /// The context line of a chunk with this breadcrumb; empty when there is none. `led` says that
    /// the chunk's text begins with the heading that the breadcrumb ends with, which is then left
    /// out.
    pub(crate) fn line(&self, ruler: &Ruler<'_>, trail: usize, led: bool) -> &Line {
        if self.context == Context::None {
            return &self.none;
        }
        match self.document.sections[trail].parent.filter(|_| led) {
            Some(_) if self.crumbs.repeats == Some(trail) => &self.none,
            Some(above) if !self.document.title(trail).is_empty() => self.whole(ruler, above),
            _ => self.whole(ruler, trail),
        }
    }

    /// The line of a section's whole path.
    fn whole(&self, ruler: &Ruler<'_>, section: usize) -> &Line {
        match (self.document.sections[section].parent, self.crumbs.title(self.document, section)) {
            (Some(above), None) => self.whole(ruler, above),
            (Some(above), Some(title)) => self.lines[section]
                .get_or_init(|| self.longer(ruler, section, self.whole(ruler, above), title)),
            (None, _) => self.lines[section]
                .get_or_init(|| self.shorten(ruler, &[elide::visible(&self.crumbs.root)])),
        }
    }

    /// A line with the title of a section after it.
    fn longer(&self, ruler: &Ruler<'_>, section: usize, above: &Line, title: &str) -> Line {
        if !above.is_shortened {
            let title = elide::visible(title);
            let mut text = [&above.text, BETWEEN, &title, BLANK_LINE].concat();
            let units = match ruler.adds_at(&text, above.text.len()) {
                true => above.units_alone(ruler) + ruler.text(&text[above.text.len()..]),
                false => ruler.text(&text),
            };
            text.truncate(text.len() - BLANK_LINE.len());
            if units <= self.limit {
                return Line { text, units, ..Line::default() };
            }
        }
        let path = self.crumbs.path(self.document, section);
        let elements: Vec<_> = path.iter().map(|element| elide::visible(element)).collect();
        self.shorten(ruler, &elements)
    }

    /// Middle elements give way first, then all are cut; a limit too small for anything gives none.
    fn shorten(&self, ruler: &Ruler<'_>, elements: &[Cow<'_, str>]) -> Line {
        let fitting = |text: String| {
            let units = if text.is_empty() { 0 } else { ruler.text(&(text.clone() + BLANK_LINE)) };
            (units <= self.limit).then(|| Line {
                text,
                units,
                is_shortened: true,
                ..Line::default()
            })
        };
        if let Some(whole) = fitting(elements.join(BETWEEN)) {
            return Line { is_shortened: false, ..whole };
        }
        for kept in (1..elements.len().saturating_sub(1)).rev() {
            let last = &elements[elements.len() - kept..];
            let line = [&*elements[0], LEFT_OUT].join(BETWEEN) + BETWEEN + &last.join(BETWEEN);
            if let Some(short) = fitting(line) {
                return short;
            }
        }
        cut_to_fit(elements, fitting)
    }
}

/// The first and the last element, each cut to as many characters as fit.
fn cut_to_fit(elements: &[Cow<'_, str>], fitting: impl Fn(String) -> Option<Line>) -> Line {
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
            return short;
        }
    }
    Line { is_shortened: true, ..Line::default() }
}

fn cut(element: &str, room: usize) -> String {
    match element.grapheme_indices(true).nth(room) {
        Some((end, _)) => format!("{}{LEFT_OUT}", element[..end].trim_end()),
        None => element.to_owned(),
    }
}
