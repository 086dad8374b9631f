//! Context lines: a section comes in, the breadcrumb that leads its chunk goes out.

use std::borrow::Cow;
use std::cell::OnceCell;

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
    /// Lines and their units by section: the whole path, and the path without the section itself.
    lines: Vec<[OnceCell<(String, usize)>; 2]>,
}

impl<'d> Contexts<'d> {
    pub(crate) fn new(
        document: &'d Document<'d>,
        context: Context,
        crumbs: Crumbs<'d>,
        limit: usize,
    ) -> Self {
        let lines = document.sections.iter().map(|_| Default::default()).collect();
        Self { document, context, crumbs, limit, lines }
    }

    /// Units in the context line of a chunk with this breadcrumb. `led` says that the chunk's text
    /// begins with the heading that the breadcrumb ends with, which is then left out.
    pub(crate) fn units(&self, ruler: &Ruler<'_>, trail: usize, led: bool) -> usize {
        self.measured(ruler, trail, led).1
    }

    /// The context line; empty when there is none.
    pub(crate) fn line(&self, ruler: &Ruler<'_>, trail: usize, led: bool) -> &str {
        &self.measured(ruler, trail, led).0
    }

    fn measured(&self, ruler: &Ruler<'_>, trail: usize, led: bool) -> &(String, usize) {
        self.lines[trail][usize::from(led)].get_or_init(|| match self.context {
            Context::None => (String::new(), 0),
            Context::Breadcrumb => self.breadcrumb(ruler, trail, led),
        })
    }

    fn breadcrumb(&self, ruler: &Ruler<'_>, trail: usize, led: bool) -> (String, usize) {
        let mut elements: Vec<&str> = self.crumbs.path(self.document, trail).collect();
        if led && !self.document.title(trail).is_empty() {
            elements.pop();
        }
        let elements: Vec<Cow<'_, str>> = elements.into_iter().map(elide::visible).collect();
        self.shorten(ruler, &elements)
    }

    /// Middle elements give way first, then all are cut; a limit too small for anything gives none.
    fn shorten(&self, ruler: &Ruler<'_>, elements: &[Cow<'_, str>]) -> (String, usize) {
        let fitting = |line: String| {
            let units = ruler.context(&line);
            (units <= self.limit).then_some((line, units))
        };
        if let Some(whole) = fitting(elements.join(BETWEEN)) {
            return whole;
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
fn cut_to_fit(
    elements: &[Cow<'_, str>],
    fitting: impl Fn(String) -> Option<(String, usize)>,
) -> (String, usize) {
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
    (String::new(), 0)
}

fn cut(element: &str, room: usize) -> String {
    match element.grapheme_indices(true).nth(room) {
        Some((end, _)) => format!("{}{LEFT_OUT}", element[..end].trim_end()),
        None => element.to_owned(),
    }
}
