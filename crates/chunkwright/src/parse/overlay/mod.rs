//! Hides syntax that is not Markdown from the Markdown parser.
//!
//! A line-by-line scan finds MDX, directives, admonitions, shortcodes, and math with blank lines.
//! In the view that the parser gets, each of these elements is replaced with an empty ATX heading
//! (`#`) and blanks. An empty heading interrupts a paragraph, and the parser reports its position
//! as a block. If the parser finds it inside another block, such as a list item, the element
//! belongs to that block.

mod directive;
mod margin;
mod math;
mod mdx;
mod scan;
mod script;
mod shortcode;
mod tag;
mod view;

pub(crate) use view::{Mark, Role, View};

use super::Tiles;
use super::line::columns;
use crate::document::BlockKind;
use crate::note::Note;
use crate::runs::pairs;
use crate::span::{Span, line_start};

/// An element that is not Markdown. It consists of whole lines.
#[derive(Debug)]
struct Element {
    kind: BlockKind,
    /// The opening lines, or all lines if there are no closing ones.
    open: Span,
    close: Option<Span>,
    has_heading: bool,
    /// Whether its opening is in a list item.
    opens_in_list: bool,
    /// Whether its closing is in a list item.
    closes_in_list: bool,
    /// The indentation of its content relative to the element, in columns. `None` without content.
    indent: Option<usize>,
    /// Whether it was closed, or needs no closing lines.
    is_kept: bool,
}

/// The syntax that the scan recognizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// Directives, admonitions, shortcodes and math.
    Markdown,
    /// The same, and MDX.
    Mdx,
}

/// Returns the view of a document, scanned from `content` on, and notes on invalid MDX.
pub(super) fn of_document(source: &str, content: usize, dialect: Dialect) -> (View<'_>, Vec<Note>) {
    if dialect == Dialect::Markdown && !is_suspect(&source[content..]) {
        return (View::plain(source), Vec::new());
    }
    let (elements, notes) = scan::scan(source, content, 0, dialect);
    (View::new(source, &elements, 0, |element| element.has_heading), notes)
}

/// Returns the view of a block whose lines are indented by `indent` columns. The content of its
/// elements is visible; only their opening and closing lines are hidden.
pub(crate) fn of_block(text: &str, kind: BlockKind, indent: usize, dialect: Dialect) -> View<'_> {
    let elements = match kind {
        BlockKind::Jsx | BlockKind::Directive | BlockKind::Shortcode => {
            scan::scan(text, 0, indent, dialect).0
        }
        _ => Vec::new(),
    };
    View::new(text, &elements, indent, |_| true)
}

/// Converts the positions of blocks from the view to the source.
pub(super) fn in_source(source: &str, view: &View<'_>, mut tiles: Tiles) -> Tiles {
    for block in &mut tiles.blocks {
        let at = view.source_at(block.at);
        block.at = line_start(source, at);
        block.indent = columns(&source[block.at..at]);
    }
    tiles
}

/// Returns whether a line may open an element of a Markdown document, as opposed to MDX.
fn is_suspect(text: &str) -> bool {
    let bytes = text.as_bytes();
    pairs(bytes, is_opener).any(|at| starts_line(bytes, at))
}

/// Returns whether two bytes open a directive, an admonition, a tab, math, a shortcode or a Liquid
/// tag.
fn is_opener(first: u8, second: u8) -> bool {
    let is_doubled = (first == b':')
        | (first == b'!')
        | (first == b'?')
        | (first == b'=')
        | (first == b'$')
        | (first == b'{');
    ((first == second) & is_doubled) | ((first == b'{') & (second == b'%'))
}

/// Returns whether only whitespace precedes a byte on its line.
fn starts_line(bytes: &[u8], at: usize) -> bool {
    let before = bytes[..at].iter().rposition(|byte| !matches!(byte, b' ' | b'\t'));
    before.is_none_or(|before| matches!(bytes[before], b'\n' | b'\r'))
}

#[cfg(test)]
mod tests;
