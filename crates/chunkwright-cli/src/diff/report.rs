//! The report for people, which `diff` prints.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anstyle::Style;
use anyhow::Result;
use chunkwright_records::{Fate, Outcome, Row, Summary};

use crate::sink;
use crate::style::{self, BAD, BOLD, DIM, GOOD, PLACE, WARN, count, fit, harmless, number, paint};

/// Number of files, and of chunks per file, that are listed without `--all`.
const FILES: usize = 20;
const CHUNKS: usize = 8;

/// The changes in each file.
#[derive(Default)]
pub(super) struct FileChanges {
    files: BTreeMap<String, Vec<Change>>,
}

/// A change of a chunk.
struct Change {
    sign: Sign,
    place: String,
    tokens: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Added,
    Changed,
    Moved,
    Removed,
}

impl Sign {
    const ALL: [Self; 4] = [Self::Added, Self::Changed, Self::Moved, Self::Removed];

    const fn shown(self) -> (&'static str, Style) {
        match self {
            Self::Added => ("+", GOOD),
            Self::Changed => ("~", WARN),
            Self::Moved => ("→", PLACE),
            Self::Removed => ("-", BAD),
        }
    }
}

impl FileChanges {
    /// Adds the fate of a chunk.
    pub(super) fn add(&mut self, fate: Fate, row: &Row) {
        match fate {
            Fate::Added => self.note(Sign::Added, row),
            Fate::Changed => self.note(Sign::Changed, row),
            Fate::Moved => self.note(Sign::Moved, row),
            Fate::Updated | Fate::Unchanged => {}
        }
    }

    fn note(&mut self, sign: Sign, row: &Row) {
        let (document, place) = row.place();
        let change = Change { sign, place: place.to_owned(), tokens: row.tokens() };
        self.files.entry(document.to_owned()).or_default().push(change);
    }

    pub(super) fn print(mut self, outcome: &Outcome, all: bool) -> Result<()> {
        for (row, moved) in &outcome.gone {
            if !moved {
                self.note(Sign::Removed, row);
            }
        }
        let from: BTreeMap<&str, &str> =
            outcome.moves.iter().map(|moved| (&*moved.to, &*moved.from)).collect();
        let shown = |all_of_it: usize, most: usize| match all {
            true => all_of_it,
            false => all_of_it.min(most),
        };
        let files = shown(self.files.len(), FILES);
        let mut out = String::new();
        for (document, changes) in self.files.iter().take(files) {
            file(&mut out, document, changes, &from, shown(changes.len(), CHUNKS));
        }
        if let Some(more) = self.files.len().checked_sub(files).filter(|more| *more > 0) {
            let more = format!("… and {} (list them with --all)\n\n", count(more, "more file"));
            out.push_str(&paint(DIM, more));
        }
        summary(&mut out, &outcome.summary);
        sink::print(&out)
    }
}

/// Writes the changes of one file: their number by kind, then a list.
fn file(
    out: &mut String,
    document: &str,
    changes: &[Change],
    from: &BTreeMap<&str, &str>,
    chunks: usize,
) {
    let counts = Sign::ALL.into_iter().filter_map(|sign| {
        let count = changes.iter().filter(|change| change.sign == sign).count();
        let (mark, style) = sign.shown();
        (count > 0).then(|| paint(style, format!("{mark}{count}")))
    });
    let counts: Vec<_> = counts.collect();
    let _ = writeln!(out, "{}  {}", paint(BOLD, harmless(document)), counts.join(" "));
    for change in changes.iter().take(chunks) {
        line(out, document, change, from);
    }
    if let Some(more) = changes.len().checked_sub(chunks).filter(|more| *more > 0) {
        let _ = writeln!(out, "  {}", paint(DIM, format!("… and {} more", number(more))));
    }
    out.push('\n');
}

fn line(out: &mut String, document: &str, change: &Change, from: &BTreeMap<&str, &str>) {
    let (mark, style) = change.sign.shown();
    let place = match &*change.place {
        "" => "(before the first heading)".into(),
        place => harmless(place),
    };
    let room = style::width().saturating_sub(20);
    let place = fit(&place, room);
    let fact = match from.get(format!("{document}{}", change.place).as_str()) {
        Some(id) if change.sign == Sign::Moved => {
            let id = id.strip_prefix(document).filter(|rest| !rest.is_empty()).unwrap_or(id);
            format!("from {}", harmless(id))
        }
        _ => count(change.tokens, "token"),
    };
    let _ = writeln!(out, "  {} {place}  {}", paint(style, mark), paint(DIM, fact));
}

fn summary(out: &mut String, summary: &Summary) {
    let Summary { added, changed, moved, removed, updated, unchanged, .. } = *summary;
    let updated = match updated {
        0 => String::new(),
        _ => format!(" ({} with a new position or metadata)", number(updated)),
    };
    let _ = writeln!(
        out,
        "{} added, {} changed, {} moved, {} removed, {} unchanged{}",
        paint(GOOD, number(added)),
        paint(WARN, number(changed)),
        paint(PLACE, number(moved)),
        paint(BAD, number(removed)),
        number(summary.updated + unchanged),
        paint(DIM, updated),
    );
    let Summary { tokens, tokens_to_embed, .. } = *summary;
    let _ = writeln!(
        out,
        "{}, {} of {}, {}",
        paint(BOLD, format!("{} to embed", count(added + changed, "chunk"))),
        number(tokens_to_embed),
        count(tokens, "token"),
        paint(DIM, format!("{} saved", share(tokens - tokens_to_embed, tokens))),
    );
}

/// Returns a percentage, rounded down, so that 100% means everything.
fn share(part: usize, whole: usize) -> String {
    let per_mille = (part * 1000).checked_div(whole).unwrap_or(1000);
    format!("{}.{}%", per_mille / 10, per_mille % 10)
}
