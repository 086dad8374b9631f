//! The sections of the guide, and the chunks they become under two limits.

use chunkwright::{Chunk, Document, Piece};

use super::svg::Svg;
use super::{Guide, chunker};

const COLORS: [&str; 4] = ["blue", "green", "purple", "orange"];

/// The columns: sections, and chunks under each limit.
const SECTIONS: [i32; 2] = [20, 300];
const LIMITS: [(usize, [i32; 2]); 2] = [(200, [348, 190]), (100, [554, 190])];
const TOP: i32 = 54;

/// A section of the guide, and its place in the figure.
struct Row {
    title: String,
    level: i32,
    tokens: usize,
    bytes: [usize; 2],
    top: i32,
    height: i32,
}

pub(crate) fn figure() -> String {
    let guide = Guide::read();
    let document = guide.document();
    let rows = rows(&document);
    let bottom = rows.last().map_or(TOP, |row| row.top + row.height);
    let title = "The sections of guide.md, and the chunks they become with two limits";
    let mut svg = Svg::new(764, bottom + 40, title);
    svg.text("bold", [SECTIONS[0], 34], "guide.md");
    svg.right("small dim", [SECTIONS[0] + SECTIONS[1] - 10, 34], "tokens");
    for row in &rows {
        draw_row(&mut svg, row);
    }
    for (max, [x, width]) in LIMITS {
        svg.centered("mono bold", [x + width / 2, 34], &format!("--max {max}"));
        let chunked = chunker(max).chunk_document(&document);
        for (chunk, color) in chunked.chunks.iter().zip(COLORS) {
            draw_chunk(&mut svg, &rows, chunk, color, [x, width]);
        }
    }
    let note = "The more tokens, the taller the section. A chunk also counts its context line.";
    svg.text("small dim", [SECTIONS[0], bottom + 24], note);
    svg.finish()
}

fn rows(document: &Document<'_>) -> Vec<Row> {
    let measures = chunker(100).measure(document);
    let mut top = TOP;
    let mut rows = Vec::new();
    for (nth, section) in document.sections().iter().enumerate() {
        let Some(heading) = document.heading(nth) else { continue };
        let tokens = measures.sections[nth];
        let blocks = &document.blocks()[section.blocks.clone()];
        let bytes = [blocks[0].span.start, blocks[blocks.len() - 1].span.end];
        let height = (i32::try_from(tokens).unwrap() * 8 / 10).max(32);
        let (title, level) = (heading.title.to_string(), i32::from(heading.level) - 1);
        rows.push(Row { title, level, tokens, bytes, top, height });
        top += height;
    }
    rows
}

fn draw_row(svg: &mut Svg, row: &Row) {
    let [x, width] = SECTIONS;
    svg.area("plain", [x, row.top, width, row.height - 3]);
    let baseline = row.top + 20;
    svg.text("", [x + 12 + row.level * 20, baseline], &row.title);
    svg.right("mono dim", [x + width - 10, baseline], &row.tokens.to_string());
}

/// Draws a chunk beside the sections it contains.
fn draw_chunk(svg: &mut Svg, rows: &[Row], chunk: &Chunk<'_>, color: &str, [x, width]: [i32; 2]) {
    let (top, bottom) = (height_of(rows, chunk.span.start), height_of(rows, chunk.span.end));
    svg.area(color, [x, top, width, bottom - top - 3]);
    let middle = (top + bottom - 3) / 2 + 5;
    let echoes = chunk.pieces.iter().any(|piece| matches!(piece, Piece::Echo(_)));
    let about = if echoes { ", header repeated" } else { "" };
    svg.centered("small", [x + width / 2, middle], &format!("{} tokens{about}", chunk.tokens));
}

/// Returns the place of a byte of the source.
fn height_of(rows: &[Row], byte: usize) -> i32 {
    let row = rows.iter().find(|row| byte < row.bytes[1]).unwrap_or(&rows[rows.len() - 1]);
    let [start, end] = row.bytes;
    let share = (byte - start) * usize::try_from(row.height).unwrap() / (end - start);
    row.top + i32::try_from(share).unwrap()
}
