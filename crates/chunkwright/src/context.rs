//! Context lines: a section comes in, the breadcrumb that leads its chunk goes out.

use std::cell::Cell;

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

/// How breadcrumbs begin.
#[derive(Clone, Copy)]
pub(crate) struct Crumbs<'d> {
    /// The first element.
    pub(crate) root: &'d str,
    /// A section whose heading only says the first element again.
    pub(crate) repeats: Option<usize>,
}

impl<'d> Crumbs<'d> {
    /// The breadcrumb of a section; headings without text are left out.
    pub(crate) fn path(
        self,
        document: &'d Document<'_>,
        section: usize,
    ) -> impl Iterator<Item = &'d str> {
        let path = document.path(section).into_iter();
        let shown = path.filter(move |&section| Some(section) != self.repeats);
        let titles = shown.map(|section| document.title(section)).filter(|title| !title.is_empty());
        std::iter::once(self.root).chain(titles)
    }
}

/// The context lines of a document's chunks, each measured once.
pub(crate) struct Contexts<'d> {
    document: &'d Document<'d>,
    context: Context,
    crumbs: Crumbs<'d>,
    /// The most units that a line may have.
    limit: usize,
    /// Units by section: of the whole path, and of the path without the section itself.
    units: Vec<[Cell<Option<usize>>; 2]>,
}

impl<'d> Contexts<'d> {
    pub(crate) fn new(
        document: &'d Document<'d>,
        context: Context,
        crumbs: Crumbs<'d>,
        limit: usize,
    ) -> Self {
        let units = document.sections.iter().map(|_| Default::default()).collect();
        Self { document, context, crumbs, limit, units }
    }

    /// Units in the context line of a chunk with this breadcrumb. `led` says that the chunk's text
    /// begins with the heading that the breadcrumb ends with, which is then left out.
    pub(crate) fn units(&self, ruler: &Ruler<'_>, trail: usize, led: bool) -> usize {
        let cell = &self.units[trail][usize::from(led)];
        let units = cell.get().unwrap_or_else(|| ruler.context(&self.line(ruler, trail, led)));
        cell.set(Some(units));
        units
    }

    /// The context line; empty when there is none.
    pub(crate) fn line(&self, ruler: &Ruler<'_>, trail: usize, led: bool) -> String {
        if self.context == Context::None {
            return String::new();
        }
        let mut elements: Vec<&str> = self.crumbs.path(self.document, trail).collect();
        if led && !self.document.title(trail).is_empty() {
            elements.pop();
        }
        let elements: Vec<String> = elements.into_iter().map(elide::visible).collect();
        self.shorten(ruler, &elements)
    }

    /// Middle elements give way first, then all are cut; a limit too small for anything gives none.
    fn shorten(&self, ruler: &Ruler<'_>, elements: &[String]) -> String {
        let fits = |line: &String| ruler.context(line) <= self.limit;
        let line = elements.join(BETWEEN);
        if fits(&line) {
            return line;
        }
        for kept in (1..elements.len().saturating_sub(1)).rev() {
            let last = &elements[elements.len() - kept..];
            let line = [&elements[0], LEFT_OUT].join(BETWEEN) + BETWEEN + &last.join(BETWEEN);
            if fits(&line) {
                return line;
            }
        }
        cut_to_fit(elements, fits)
    }
}

/// The first and the last element, each cut to as many characters as fit.
fn cut_to_fit(elements: &[String], fits: impl Fn(&String) -> bool) -> String {
    let mut ends: Vec<&str> = Vec::new();
    ends.extend(elements.first().map(String::as_str));
    if elements.len() > 2 {
        ends.push(LEFT_OUT);
    }
    ends.extend(elements[1..].last().map(String::as_str));
    let mut room = ends.iter().map(|element| element.graphemes(true).count()).max().unwrap_or(0);
    while room > 1 {
        room = room * 3 / 4;
        let cut: Vec<String> = ends.iter().map(|element| cut(element, room)).collect();
        let line = cut.join(BETWEEN);
        if fits(&line) {
            return line;
        }
    }
    String::new()
}

fn cut(element: &str, room: usize) -> String {
    match element.grapheme_indices(true).nth(room) {
        Some((end, _)) => format!("{}{LEFT_OUT}", element[..end].trim_end()),
        None => element.to_owned(),
    }
}
