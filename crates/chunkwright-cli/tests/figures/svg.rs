//! Draws boxes, text and arrows that follow the color scheme of the reader.

use std::fmt::Write as _;

/// The colors of a light page, then those of a dark one.
const STYLE: &str = "\
text { font: 14px ui-sans-serif, system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif; fill: #1f2328 }
.mono { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace; font-size: 13px }
.small { font-size: 12px }
.bold { font-weight: 600 }
.dim { fill: #59636e }
.page { fill: #ffffff; stroke: #d1d9e0 }
.plain { fill: #f6f8fa; stroke: #d1d9e0 }
.blue { fill: #ddf4ff; stroke: #54aeff }
.green { fill: #dafbe1; stroke: #4ac26b }
.purple { fill: #fbefff; stroke: #c297ff }
.orange { fill: #fff1e5; stroke: #fb8f44 }
.line { fill: none; stroke: #818b98; stroke-width: 1.5 }
.head { fill: #818b98 }
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc }
.dim { fill: #9198a1 }
.page { fill: #0d1117; stroke: #3d444d }
.plain { fill: #151b23; stroke: #3d444d }
.blue { fill: #121d2f; stroke: #388bfd }
.green { fill: #12261e; stroke: #2ea043 }
.purple { fill: #211830; stroke: #8957e5 }
.orange { fill: #2a1a0e; stroke: #bd561d }
.line { stroke: #656c76 }
.head { fill: #656c76 }
}
";

/// An SVG image.
pub(crate) struct Svg {
    width: i32,
    height: i32,
    title: String,
    body: String,
}

impl Svg {
    pub(crate) fn new(width: i32, height: i32, title: &str) -> Self {
        Self { width, height, title: escaped(title), body: String::new() }
    }

    /// Draws a rounded box with a class such as `blue`.
    pub(crate) fn area(&mut self, class: &str, [x, y, width, height]: [i32; 4]) {
        let place = format!(r#"x="{x}" y="{y}" width="{width}" height="{height}""#);
        let _ = writeln!(self.body, r#"<rect class="{class}" {place} rx="6"/>"#);
    }

    /// Writes text that starts at `x`, with its baseline at `y`.
    pub(crate) fn text(&mut self, class: &str, [x, y]: [i32; 2], text: &str) {
        let text = escaped(text);
        let _ = writeln!(self.body, r#"<text class="{class}" x="{x}" y="{y}">{text}</text>"#);
    }

    /// Writes text that is centered at `x`.
    pub(crate) fn centered(&mut self, class: &str, at: [i32; 2], text: &str) {
        self.anchored("middle", class, at, text);
    }

    /// Writes text that ends at `x`.
    pub(crate) fn right(&mut self, class: &str, at: [i32; 2], text: &str) {
        self.anchored("end", class, at, text);
    }

    fn anchored(&mut self, anchor: &str, class: &str, [x, y]: [i32; 2], text: &str) {
        let place = format!(r#"x="{x}" y="{y}" text-anchor="{anchor}""#);
        let text = escaped(text);
        let _ = writeln!(self.body, r#"<text class="{class}" {place}>{text}</text>"#);
    }

    /// Draws lines through these points, with an arrowhead at the last one.
    pub(crate) fn arrow(&mut self, points: &[[i32; 2]]) {
        let [.., [from_x, from_y], [x, y]] = *points else { panic!("two points") };
        let path: Vec<String> = points.iter().map(|[x, y]| format!("{x},{y}")).collect();
        let _ = writeln!(self.body, r#"<polyline class="line" points="{}"/>"#, path.join(" "));
        let (ahead_x, ahead_y) = ((x - from_x).signum(), (y - from_y).signum());
        let corner = |side: i32| {
            let (back_x, back_y) = (x - 7 * ahead_x, y - 7 * ahead_y);
            format!("{},{}", back_x - 4 * side * ahead_y, back_y + 4 * side * ahead_x)
        };
        let points = format!("{x},{y} {} {}", corner(1), corner(-1));
        let _ = writeln!(self.body, r#"<polygon class="head" points="{points}"/>"#);
    }

    /// Returns the file.
    pub(crate) fn finish(self) -> String {
        let Self { width, height, title, body } = self;
        let size = format!(r#"width="{width}" height="{height}" viewBox="0 0 {width} {height}""#);
        let (inner_width, inner_height) = (width - 1, height - 1);
        let page = format!(r#"x="0.5" y="0.5" width="{inner_width}" height="{inner_height}""#);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" {size} role=\"img\">\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n\
             <rect class=\"page\" {page} rx=\"8\"/>\n{body}</svg>\n"
        )
    }
}

pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
