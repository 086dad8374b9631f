//! Lays out tables that fit the terminal.

use crate::style::{DIM, columns, paint, table_width};

/// Spaces between columns.
const GAP: usize = 2;

/// Minimum width of the last column.
const LEAST: usize = 12;

/// Lays out rows below the names of their columns. Columns are right-aligned and as wide as their
/// widest cell, except the last: `last` renders it in the remaining width.
pub(crate) fn of<T, const N: usize>(
    names: [&str; N],
    last_name: &str,
    rows: &[T],
    cells: impl Fn(&T) -> [String; N],
    last: impl Fn(&T, usize) -> String,
) -> String {
    let cells: Vec<[String; N]> = rows.iter().map(cells).collect();
    let mut widths = names.map(columns);
    for row in &cells {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = columns(cell).max(*width);
        }
    }
    let used: usize = widths.iter().map(|width| width + GAP).sum();
    let room = table_width().saturating_sub(used).max(LEAST);
    let line = |cells: &[&str]| -> String {
        let pad = |(cell, width): (&&str, &usize)| {
            let pad = width - columns(cell);
            format!("{}{cell}{}", " ".repeat(pad), " ".repeat(GAP))
        };
        cells.iter().zip(&widths).map(pad).collect()
    };
    let mut out = format!("{}\n", paint(DIM, line(&names) + last_name));
    for (row, cells) in rows.iter().zip(&cells) {
        out += &line(&cells.each_ref().map(String::as_str));
        out += &last(row, room);
        out.push('\n');
    }
    out
}
