//! The overlay: source text comes in; a view of it for the Markdown parser goes out, in which what
//! is not Markdown is blanked.
//!
//! MDX, directives, admonitions, shortcodes and math with blank lines are found line by line before
//! the parser sees them. In the view each of them is a heading without text (`#`) and blanks: that
//! ends whatever stands before it, and comes back from the parser as the place of a block. Should
//! the parser see it inside something else, a list item for one, it is part of that.

mod directive;
mod margin;
mod math;
mod mdx;
mod scan;
mod script;
mod shortcode;
mod tag;
mod view;

pub(crate) use margin::{CODE_INDENT, columns};
pub(crate) use view::{Mark, Role, View};

use super::Tiles;
use crate::document::BlockKind;
use crate::note::Note;
use crate::runs::pairs;
use crate::span::{Span, line_start};

/// Something that is not Markdown, as whole lines.
#[derive(Debug)]
struct Element {
    kind: BlockKind,
    /// The lines of its opening; all of it when it has no closing.
    open: Span,
    /// The lines of its closing.
    close: Option<Span>,
    has_heading: bool,
    /// Whether its opening is in a list item.
    opens_in_list: bool,
    /// Whether its closing is in a list item.
    closes_in_list: bool,
    /// How many columns deeper its content is indented than itself; none without content.
    indent: Option<usize>,
    /// Whether it was closed, or needs no closing.
    is_kept: bool,
}

/// What may be recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// Directives, admonitions, shortcodes and math.
    Markdown,
    /// These, and MDX.
    Mdx,
}

/// A view of a whole document from `content` on, and what was odd.
pub(super) fn of_document(source: &str, content: usize, dialect: Dialect) -> (View<'_>, Vec<Note>) {
    if dialect == Dialect::Markdown && !is_suspect(&source[content..]) {
        return (View::plain(source), Vec::new());
    }
    let (elements, notes) = scan::scan(source, content, 0, dialect);
    (View::new(source, &elements, 0, |element| element.has_heading), notes)
}

/// A view of one block, whose lines are indented by so many columns; everything in it that holds
/// something is opened.
pub(crate) fn of_block(text: &str, kind: BlockKind, indent: usize, dialect: Dialect) -> View<'_> {
    let elements = match kind {
        BlockKind::Jsx | BlockKind::Directive | BlockKind::Shortcode => {
            scan::scan(text, 0, indent, dialect).0
        }
        _ => Vec::new(),
    };
    View::new(text, &elements, indent, |_| true)
}

/// Moves what was found in a view to where it is in the source.
pub(super) fn in_source(source: &str, view: &View<'_>, mut tiles: Tiles) -> Tiles {
    for block in &mut tiles.blocks {
        let at = view.source_at(block.at);
        block.at = line_start(source, at);
        block.indent = columns(&source[block.at..at]);
    }
    tiles
}

/// Whether a line may open something other than Markdown outside MDX.
fn is_suspect(text: &str) -> bool {
    let bytes = text.as_bytes();
    pairs(bytes, is_opener).any(|at| starts_line(bytes, at))
}

/// Whether two bytes open a directive, an admonition, a tab, math, a shortcode or a Liquid tag.
fn is_opener(first: u8, second: u8) -> bool {
    let is_doubled = (first == b':')
        | (first == b'!')
        | (first == b'?')
        | (first == b'=')
        | (first == b'$')
        | (first == b'{');
    ((first == second) & is_doubled) | ((first == b'{') & (second == b'%'))
}

/// Whether only white space precedes a byte on its line.
fn starts_line(bytes: &[u8], at: usize) -> bool {
    let before = bytes[..at].iter().rposition(|byte| !matches!(byte, b' ' | b'\t'));
    before.is_none_or(|before| matches!(bytes[before], b'\n' | b'\r'))
}

#[cfg(test)]
mod tests;
