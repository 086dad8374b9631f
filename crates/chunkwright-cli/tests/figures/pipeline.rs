//! The stages from a source to records and results, with their counts for the guide.

use super::svg::Svg;
use super::{Guide, chunker};

/// The size of a box, and the gap between two of them.
const WIDTH: i32 = 106;
const HEIGHT: i32 = 84;
const GAP: i32 = 18;
const LEFT: i32 = 20;
const TOP: i32 = 48;

/// The top of the second row.
const LOWER: i32 = TOP + HEIGHT + 44;

pub(crate) fn figure() -> String {
    let guide = Guide::read();
    let document = guide.document();
    let chunker = chunker(100);
    let plans = chunker.plan(&document).len();
    let chunks = chunker.chunk_document(&document).chunks.len();
    let nodes = chunker.outline(&document).nodes.len();
    let count = |number: usize, name: &str| format!("{number} {name}");
    let stages = [
        ("Source", ["Markdown", "or MDX"], count(guide.text.len(), "bytes")),
        ("Blocks", ["paragraphs,", "lists, code"], count(document.blocks().len(), "blocks")),
        ("Sections", ["a heading and", "its blocks"], count(document.headings().len(), "sections")),
        ("Plans", ["pieces that", "share a chunk"], count(plans, "plans")),
        ("Chunks", ["text, tokens,", "offsets, id"], count(chunks, "chunks")),
        ("Records", ["JSON, Arrow,", "Parquet"], count(chunks, "records")),
    ];
    let verbs = ["parse", "group", "pack", "render", "write"];
    let width = 2 * LEFT + 6 * WIDTH + 5 * GAP;
    let title = "Source, blocks, sections, plans, chunks and records; sections also feed the index";
    let mut svg = Svg::new(width, LOWER + HEIGHT + 22, title);
    for (nth, (name, about, count)) in (0..).zip(&stages) {
        let class = if nth == 4 || nth == 5 { "green" } else { "plain" };
        stage(&mut svg, class, [left(nth), TOP], name, *about, count);
    }
    for (nth, verb) in (1..).zip(verbs) {
        let middle = TOP + HEIGHT / 2;
        svg.arrow(&[[left(nth) - GAP + 2, middle], [left(nth) - 2, middle]]);
        svg.centered("small dim", [left(nth) - GAP / 2, TOP - 14], verb);
    }
    let about = ["words of each", "section"];
    stage(&mut svg, "plain", [left(2), LOWER], "Index", about, &count(nodes, "nodes"));
    let about = ["ranked and", "merged"];
    stage(&mut svg, "blue", [left(3), LOWER], "Results", about, "");
    let middle = left(2) + WIDTH / 2;
    svg.arrow(&[[middle, TOP + HEIGHT + 2], [middle, LOWER - 2]]);
    svg.right("small dim", [middle - 10, LOWER - 18], "index");
    svg.arrow(&[[left(3) - GAP + 2, LOWER + HEIGHT / 2], [left(3) - 2, LOWER + HEIGHT / 2]]);
    svg.centered("small dim", [left(3) - GAP / 2, LOWER - 8], "search");
    svg.text("small dim", [LEFT, LOWER + HEIGHT - 22], "Counts for guide.md");
    svg.text("small dim", [LEFT, LOWER + HEIGHT - 6], "with --max 100");
    svg.finish()
}

fn left(nth: i32) -> i32 {
    LEFT + nth * (WIDTH + GAP)
}

/// Draws a box with a name, two lines about it, and a count.
fn stage(svg: &mut Svg, class: &str, [x, y]: [i32; 2], name: &str, about: [&str; 2], count: &str) {
    svg.area(class, [x, y, WIDTH, HEIGHT]);
    let middle = x + WIDTH / 2;
    svg.centered("bold", [middle, y + 21], name);
    svg.centered("small dim", [middle, y + 39], about[0]);
    svg.centered("small dim", [middle, y + 54], about[1]);
    svg.centered("small mono", [middle, y + 74], count);
}
