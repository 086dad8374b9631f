//! Folders, pages and sections for a language model.

use std::fmt::Write as _;

use super::{LIST_ENTRIES, LIST_TOKENS, TITLE_CHARS, check_length, cost, count, date, id, inline};
use crate::answer::{Listed, ListedKind};
use crate::error::Error;
use crate::index::Snapshot;

/// Maximum characters of a row or id if not even one entry fits otherwise.
const SHORT_CHARS: usize = 150;

/// The arguments of [`list_sections`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListSections {
    /// The tree, folder, page or section to list. Default: the top level.
    pub id: Option<String>,
    /// Number of entries to skip. Default: none.
    pub after: usize,
}

/// Lists folders and pages one level at a time, or all sections of a page, as Markdown.
///
/// ```
/// # use chunkwright_search::{Snapshot, Tree, Update, update};
/// use chunkwright_search::agent::{ListSections, list_sections};
///
/// # let dir = tempfile::tempdir()?;
/// # std::fs::create_dir(dir.path().join("docs"))?;
/// # std::fs::write(dir.path().join("docs/tea.md"), "# Tea\n\nBoil water.\n")?;
/// # let index = dir.path().join("index");
/// # update(&index, &Update::of(vec![Tree::at(dir.path().join("docs"))]))?;
/// # let snapshot = Snapshot::open(&index)?;
/// let answer = list_sections(&snapshot, &ListSections::default())?;
/// assert!(answer.ends_with("\ndocs:tea.md · Tea · 7 tokens\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Fails if the id is unknown or ambiguous, `after` is beyond the end, or the index is damaged.
pub fn list_sections(snapshot: &Snapshot, call: &ListSections) -> Result<String, Error> {
    let wanted = call.id.as_deref().filter(|id| !id.trim().is_empty());
    check_length("the number of characters in `id`", wanted.unwrap_or_default())?;
    let mut listed = snapshot.list(wanted, false)?;
    if listed.iter().any(|one| one.kind == ListedKind::Section) {
        listed = snapshot.list(wanted, true)?;
    }
    if call.after > 0 && call.after >= listed.len() {
        return Err(Error::After { given: call.after, entries: listed.len() });
    }
    let head = match wanted {
        None => about(snapshot)?,
        Some(wanted) => format!("{}: {}", id(wanted), count_entries(listed.len())),
    };
    let top = listed.iter().map(|one| one.depth).min().unwrap_or_default();
    let rows: Vec<String> =
        listed.iter().skip(call.after).take(LIST_ENTRIES).map(|one| row(one, top)).collect();
    let mut page =
        ListPage { head, rows, wanted: wanted.map(id), after: call.after, entries: listed.len() };
    let mut shown = page.fitting();
    if shown == 0 && !page.rows.is_empty() {
        // Ids have no maximum length, but every answer must lead on to the next.
        page.shorten();
        shown = page.fitting().max(1);
    }
    Ok(page.render(shown))
}

/// Returns what the index contains: `docs: 12 pages, 80 sections, indexed on 2026-11-18`.
pub(super) fn about(snapshot: &Snapshot) -> Result<String, Error> {
    let files = snapshot.files()?;
    let sections = files.iter().map(|file| file.nodes - file.nodes.min(1)).sum();
    let trees: Vec<String> = snapshot.state.trees.keys().map(|tree| id(tree)).collect();
    let trees = inline(&trees.join(", "), TITLE_CHARS);
    let (pages, sections) = (count(files.len(), "page"), count(sections, "section"));
    let mut about = format!("{trees}: {pages}, {sections}");
    if let Some(moment) = snapshot.committed() {
        let _ = write!(about, ", indexed on {}", date(moment));
    }
    Ok(about)
}

fn count_entries(number: usize) -> String {
    if number == 1 { "1 entry".to_owned() } else { format!("{number} entries") }
}

/// Returns the line of an entry: `docs:guide.md#install · Install · 65 tokens`.
fn row(one: &Listed, top: u8) -> String {
    let indent = "  ".repeat(usize::from(one.depth - top));
    let name = match &one.title {
        Some(title) => inline(title, TITLE_CHARS),
        None => count_entries(one.children),
    };
    let changed = if one.stale { " · changed since it was indexed" } else { "" };
    format!("{indent}{} · {name} · {}{changed}", id(&one.id), count(one.tokens, "token"))
}

struct ListPage {
    head: String,
    rows: Vec<String>,
    /// The id whose entries are listed.
    wanted: Option<String>,
    after: usize,
    entries: usize,
}

impl ListPage {
    /// Returns the number of rows that fit.
    fn fitting(&self) -> usize {
        let mut shown = self.rows.len();
        while shown > 0 && cost(&self.render(shown), LIST_TOKENS) > LIST_TOKENS {
            // Go down quickly at first: every attempt counts the tokens of the whole answer.
            shown -= (shown / 8).max(1);
        }
        shown
    }

    fn shorten(&mut self) {
        for text in self.rows.iter_mut().chain(&mut self.wanted).chain([&mut self.head]) {
            *text = inline(text, SHORT_CHARS);
        }
    }

    fn render(&self, shown: usize) -> String {
        let mut out = format!("{}\n", self.head);
        for row in &self.rows[..shown] {
            let _ = writeln!(out, "{row}");
        }
        let next = self.after + shown;
        if next < self.entries {
            let wanted = self.wanted.as_ref();
            let wanted = wanted.map_or_else(String::new, |wanted| format!("id={wanted:?}, "));
            let left = count_entries(self.entries - next);
            let _ = writeln!(out, "More: list_sections({wanted}after={next}), {left} left");
        }
        out
    }
}
