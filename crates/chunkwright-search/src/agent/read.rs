//! The text of a page or section for a language model, a part at a time.

use std::fmt::Write as _;

use super::search::handles;
use super::{
    MAX_CHARS, READ_TOKENS, breadcrumb, budget, check_length, cost, count, id, push_fenced, tokens,
};
use crate::answer::{Handle, NodeText};
use crate::error::Error;
use crate::index::Snapshot;

/// The arguments of [`read_section`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadSection {
    /// An id of a result, a path, `path:line` or `path#anchor`.
    pub id: String,
    /// The first line to return, counted in the file from 1. Default: the first of the section.
    pub from_line: Option<usize>,
    /// Maximum tokens of the answer. Default: [`READ_TOKENS`].
    pub max_tokens: Option<usize>,
}

/// Returns a page or section as Markdown, and how to read on where it does not fit.
///
/// A page is returned with all of its sections. A section is returned with its own text; its
/// subsections are listed, and `id+` returns them too.
///
/// ```
/// # use chunkwright_search::{Snapshot, Tree, Update, update};
/// use chunkwright_search::agent::{ReadSection, read_section};
///
/// # let dir = tempfile::tempdir()?;
/// # std::fs::create_dir(dir.path().join("docs"))?;
/// # std::fs::write(dir.path().join("docs/tea.md"), "# Tea\n\nBoil water.\n")?;
/// # let index = dir.path().join("index");
/// # update(&index, &Update::of(vec![Tree::at(dir.path().join("docs"))]))?;
/// # let snapshot = Snapshot::open(&index)?;
/// let mut call = ReadSection::default();
/// call.id = "tea.md:3".to_owned();
/// let answer = read_section(&snapshot, &call)?;
/// assert!(answer.starts_with("docs:tea.md#tea · Tea · tea.md:1-3 · 7 tokens\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Fails if the id is unknown or ambiguous, the line not in the section, the token budget too large
/// or too small, or the index damaged.
pub fn read_section(snapshot: &Snapshot, call: &ReadSection) -> Result<String, Error> {
    let max_tokens = budget(call.max_tokens, READ_TOKENS)?;
    check_length("the number of characters in `id`", &call.id)?;
    let node = whole_page(snapshot, &call.id)?;
    let start = match call.from_line {
        None => Start { line: node.line_start, byte: 0 },
        Some(line) => Start { line, byte: byte_of_line(&node, line)? },
    };
    let reader = SectionReader { node: &node, start, max_tokens };
    let excerpt = reader.longest()?;
    let mut out = reader.render(&excerpt);
    if excerpt.end == node.text.len() && node.id == node.node_id {
        reader.push_subsections(&mut out, snapshot)?;
    }
    Ok(out)
}

/// Returns a node, or a whole page instead of the text before its first heading.
fn whole_page(snapshot: &Snapshot, reference: &str) -> Result<NodeText, Error> {
    let node = snapshot.get(reference, false)?;
    match node.depth == 0 && node.id == node.node_id {
        true => snapshot.get(reference, true),
        false => Ok(node),
    }
}

/// Returns the byte offset of a line of the file in the text of a node.
fn byte_of_line(node: &NodeText, line: usize) -> Result<usize, Error> {
    let (first, last) = (node.line_start, node.line_end);
    let nth = line.checked_sub(first);
    let start = nth.and_then(|nth| line_starts(&node.text).nth(nth));
    start.ok_or_else(|| Error::Line { id: node.id.clone(), line, first, last })
}

/// Returns the offsets at which lines start. LF, CRLF and a lone CR end a line.
fn line_starts(text: &str) -> impl Iterator<Item = usize> {
    let bytes = text.as_bytes();
    let is_end = |at: usize| match bytes[at] {
        b'\n' => true,
        b'\r' => bytes.get(at + 1) != Some(&b'\n'),
        _ => false,
    };
    let after = (0..bytes.len()).filter(move |&at| is_end(at)).map(|at| at + 1);
    std::iter::once(0).chain(after.filter(|&at| at < bytes.len()))
}

/// The position where reading starts.
#[derive(Clone, Copy)]
struct Start {
    line: usize,
    byte: usize,
}

/// The text to return.
struct Excerpt {
    /// The offset of its end in the text of the node.
    end: usize,
    /// The line to read on from, if there is more.
    next: Option<usize>,
    /// The tokens after the end.
    left: usize,
    /// Whether the last line is incomplete.
    is_cut: bool,
}

struct SectionReader<'n> {
    node: &'n NodeText,
    start: Start,
    max_tokens: usize,
}

impl SectionReader<'_> {
    /// Returns the longest excerpt within the budget, preferably up to a blank line or a heading.
    fn longest(&self) -> Result<Excerpt, Error> {
        let text = &self.node.text;
        let whole = Excerpt { end: text.len(), next: None, left: 0, is_cut: false };
        if self.fits(&whole) {
            return Ok(whole);
        }
        let rest = &text[self.start.byte..];
        // No more than this can fit, so a long page is not counted as a whole.
        let most = rest.char_indices().nth(MAX_CHARS).map_or(rest.len(), |(at, _)| at);
        let ends: Vec<usize> = line_starts(&rest[..most]).skip(1).collect();
        let at_line = |lines: usize| Excerpt {
            end: self.start.byte + ends[lines - 1],
            next: Some(self.start.line + lines),
            left: 0,
            is_cut: false,
        };
        let mut lines = partition_point(ends.len(), |lines| self.fits(&at_line(lines)));
        let is_break = |lines: &usize| {
            let end = ends[*lines - 1];
            rest[end..].starts_with(['#', '\n', '\r']) || rest[..end].ends_with("\n\n")
        };
        lines = (lines * 3 / 4 + 1..=lines).rev().find(is_break).unwrap_or(lines);
        loop {
            let mut excerpt = match lines {
                0 => self.within_line(&rest[..most])?,
                lines => at_line(lines),
            };
            // The number of tokens left is part of the answer, too.
            excerpt.left = tokens(&text[excerpt.end..]);
            if lines == 0 || self.fits(&excerpt) {
                return Ok(excerpt);
            }
            lines -= 1;
        }
    }

    /// Returns the longest start of the first line that fits.
    fn within_line(&self, rest: &str) -> Result<Excerpt, Error> {
        let line_end = line_starts(rest).nth(1).unwrap_or(rest.len());
        let ends: Vec<usize> =
            rest[..line_end].char_indices().map(|(at, c)| at + c.len_utf8()).collect();
        let has_more = self.start.byte + line_end < self.node.text.len();
        let at_char = |chars: usize| Excerpt {
            end: self.start.byte + if chars == 0 { 0 } else { ends[chars - 1] },
            next: has_more.then_some(self.start.line + 1),
            // The largest number that can follow, so that the real one fits.
            left: self.node.text.len(),
            is_cut: true,
        };
        let empty = at_char(0);
        if !self.fits(&empty) {
            let smallest = cost(&self.render(&empty), self.max_tokens);
            return Err(Error::Budget { given: self.max_tokens, smallest });
        }
        Ok(at_char(partition_point(ends.len(), |chars| self.fits(&at_char(chars)))))
    }

    fn fits(&self, excerpt: &Excerpt) -> bool {
        excerpt.end - self.start.byte <= 4 * MAX_CHARS
            && cost(&self.render(excerpt), self.max_tokens) <= self.max_tokens
    }

    fn render(&self, excerpt: &Excerpt) -> String {
        let NodeText { breadcrumb: titles, path, tokens, .. } = self.node;
        let text = &self.node.text[self.start.byte..excerpt.end];
        let last = self.start.line + line_starts(text).count() - 1;
        let mut out = format!(
            "{} · {} · {}:{}-{last} · {}",
            id(&self.node.id),
            breadcrumb(titles),
            id(path),
            self.start.line,
            count(*tokens, "token")
        );
        let stale = if self.node.stale { " · changed since it was indexed" } else { "" };
        let _ = writeln!(out, "{stale}");
        push_fenced(&mut out, text);
        if excerpt.is_cut {
            let _ = writeln!(out, "Line {last} is cut: it does not fit the token budget.");
        }
        if let Some(next) = excerpt.next {
            let (id, left) = (id(&self.node.id), count(excerpt.left, "token"));
            let _ = writeln!(out, "More: read_section(id={id:?}, from_line={next}), {left} left");
        }
        out
    }

    /// Lists the subsections, as far as they fit.
    fn push_subsections(&self, out: &mut String, snapshot: &Snapshot) -> Result<(), Error> {
        if self.node.children.is_empty() {
            return Ok(());
        }
        let listed = snapshot.list(Some(&self.node.node_id), false)?;
        let listed = listed.into_iter().map(|one| Handle {
            id: one.id,
            breadcrumb: Vec::new(),
            tokens: one.tokens,
        });
        let listed: Vec<Handle> = listed.collect();
        let with = |count: usize| {
            let more = if count < listed.len() { ", …" } else { "" };
            format!("{out}Subsections: {}{more}\n", handles(&listed[..count]))
        };
        let fitting = partition_point(listed.len(), |count| {
            cost(&with(count), self.max_tokens) <= self.max_tokens
        });
        if fitting > 0 {
            *out = with(fitting);
        }
        Ok(())
    }
}

/// Returns the largest number up to `most` for which `fits` holds, if it holds for all smaller ones.
/// Token counts are not quite monotonic, so the result is checked.
fn partition_point(most: usize, fits: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, most);
    while low < high {
        let middle = high - (high - low) / 2;
        if fits(middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    low
}
