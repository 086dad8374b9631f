//! The hits of a query in the outline of the guide, and the result that replaces them.

use chunkwright_search::answer::SearchResult;
use chunkwright_search::{Request, Snapshot, Tree, Update, update};

use super::svg::Svg;
use super::{Guide, chunker, root};

const QUERY: &str = "github token";

/// The columns: the outline, and the results.
const OUTLINE: [i32; 2] = [20, 360];
const RESULTS: [i32; 2] = [440, 304];
const TOP: i32 = 54;
const ROW: i32 = 38;

pub(crate) fn figure() -> String {
    let guide = Guide::read();
    let outline = chunker(100).outline(&guide.document());
    let (hits, results) = (search(false), search(true));
    let nodes = &outline.nodes[1..];
    let title = format!("Hits of the query “{QUERY}” in guide.md, and the section replacing them");
    let bottom = TOP + ROW * i32::try_from(nodes.len()).unwrap();
    let mut svg = Svg::new(764, bottom + 16, &title);
    svg.text("bold", [OUTLINE[0], 34], &format!("Hits for “{QUERY}”"));
    svg.text("bold", [RESULTS[0], 34], "Result");
    for (nth, node) in (0..).zip(nodes) {
        let hit = hits.iter().find(|hit| hit.node_id == node.id);
        let [x, width] = OUTLINE;
        let top = TOP + nth * ROW;
        svg.area(if hit.is_some() { "blue" } else { "plain" }, [x, top, width, ROW - 6]);
        svg.text("", [x + 12 + (i32::from(node.depth) - 1) * 20, top + 21], &node.title);
        if let Some(hit) = hit {
            let score = format!("score {:.3}", hit.score);
            svg.right("small mono", [x + width - 10, top + 21], &score);
        }
    }
    for result in &results {
        let nodes = (0..).zip(nodes);
        let (first, last) = covered(nodes.map(|(nth, node)| (nth, node.span.start)), result);
        draw_result(&mut svg, result, TOP + first * ROW, TOP + (last + 1) * ROW - 6);
    }
    svg.finish()
}

/// Searches the example pages, and returns what is found in the guide.
fn search(merge: bool) -> Vec<SearchResult> {
    let index = tempfile::tempdir().unwrap();
    let tree = Tree::at(root().join("docs/examples"));
    update(index.path(), &Update::of(vec![tree])).unwrap();
    let mut request = Request::default();
    request.merge = merge;
    let answer = Snapshot::open(index.path()).unwrap().search(QUERY, &request).unwrap();
    answer.results.into_iter().filter(|found| found.path == "guide.md").collect()
}

/// Returns the first and the last node that start in a result.
fn covered(nodes: impl Iterator<Item = (i32, usize)>, result: &SearchResult) -> (i32, i32) {
    let inside = result.byte_start..result.byte_end;
    let rows: Vec<i32> =
        nodes.filter(|(_, start)| inside.contains(start)).map(|(nth, _)| nth).collect();
    (rows[0], rows[rows.len() - 1])
}

fn draw_result(svg: &mut Svg, result: &SearchResult, top: i32, bottom: i32) {
    let [x, width] = RESULTS;
    svg.area("green", [x, top, width, bottom - top]);
    let middle = (top + bottom) / 2;
    let crumbs: Vec<&str> = result.breadcrumb.iter().map(|crumb| &**crumb).collect();
    svg.text("bold", [x + 14, middle - 16], &crumbs.join(" › "));
    let merged =
        format!("{} hits merged: best score {:.3}", result.merged_from.len(), result.score);
    svg.text("small", [x + 14, middle + 5], &merged);
    svg.text("small mono dim", [x + 14, middle + 25], &result.id);
    svg.arrow(&[[OUTLINE[0] + OUTLINE[1] + 8, middle], [x - 8, middle]]);
}
