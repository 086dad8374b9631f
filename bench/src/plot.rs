//! Draws plots as SVG that are readable on light and dark pages.

use std::fmt::Write;

const WIDTH: f64 = 820.0;
const LEFT: f64 = 250.0;
const RIGHT: f64 = 70.0;
const TOP: f64 = 56.0;
const ROW: f64 = 22.0;

/// The category of a number, which sets its color.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// Chunkwright.
    Ours,
    /// Another library.
    Peer,
    /// A bound: work that every contender has to do.
    Bound,
}

/// A named number.
pub struct Dot {
    /// Its name.
    pub name: String,
    /// The number, above zero.
    pub value: f64,
    /// Its category.
    pub mark: Mark,
}

/// A named line through points.
#[derive(Default)]
pub struct Line {
    /// Its name.
    pub name: String,
    /// Its points, from left to right, all above zero.
    pub points: Vec<(f64, f64)>,
}

/// Draws one row per number, on a logarithmic axis.
pub fn dots(title: &str, dots: &[Dot]) -> String {
    let axis = Axis::over(dots.iter().map(|dot| dot.value));
    let height = TOP + ROW * dots.len() as f64 + 34.0;
    let mut svg = open(title, height);
    for (tick, x) in axis.ticks() {
        rule(&mut svg, (x, TOP - 8.0), (x, height - 30.0));
        text(&mut svg, (x, height - 12.0), "middle", &tick);
    }
    for (nth, dot) in dots.iter().enumerate() {
        let (x, y) = (axis.place(dot.value), TOP + ROW * (nth as f64 + 0.5));
        let class = ["ours", "peer", "bound"][dot.mark as usize];
        text(&mut svg, (LEFT - 12.0, y + 4.0), "end", &dot.name);
        rule(&mut svg, (LEFT, y), (x, y));
        put(&mut svg, &format!(r#"<circle class="{class}" cx="{x:.1}" cy="{y:.1}" r="6"/>"#));
        text(&mut svg, (x + 11.0, y + 4.0), "start", &crate::table::figures(dot.value));
    }
    svg + "</svg>\n"
}

/// Draws lines over a logarithmic axis; the vertical axis is linear and starts at zero.
pub fn lines(title: &str, lines: &[Line]) -> String {
    let points = || lines.iter().flat_map(|line| line.points.iter().copied());
    let across = Axis::over(points().map(|(x, _)| x));
    let most = points().map(|(_, y)| y).fold(f64::MIN_POSITIVE, f64::max) * 1.1;
    let (height, foot) = (380.0, 340.0);
    let up = |y: f64| foot - (foot - TOP) * y / most;
    let mut svg = open(title, height);
    for (tick, x) in across.ticks() {
        rule(&mut svg, (x, TOP), (x, foot));
        text(&mut svg, (x, foot + 18.0), "middle", &tick);
    }
    for value in steps(most) {
        rule(&mut svg, (LEFT, up(value)), (WIDTH - RIGHT, up(value)));
        text(&mut svg, (LEFT - 10.0, up(value) + 4.0), "end", &crate::table::figures(value));
    }
    for (nth, line) in lines.iter().enumerate() {
        let place = |&(x, y): &(f64, f64)| format!("{:.1},{:.1}", across.place(x), up(y));
        let path: Vec<String> = line.points.iter().map(place).collect();
        let path = path.join(" ");
        put(&mut svg, &format!(r#"<polyline class="line{nth}" points="{path}"/>"#));
        let y = TOP + ROW * (nth as f64 + 0.5);
        put(&mut svg, &format!(r#"<polyline class="line{nth}" points="16,{y} 44,{y}"/>"#));
        text(&mut svg, (52.0, y + 4.0), "start", &line.name);
    }
    svg + "</svg>\n"
}

/// A logarithmic axis from left to right.
struct Axis {
    from: f64,
    to: f64,
}

impl Axis {
    fn over(values: impl Iterator<Item = f64>) -> Self {
        let (least, most) = values
            .fold((f64::MAX, f64::MIN), |(least, most), value| (least.min(value), most.max(value)));
        Self { from: (least * 0.8).ln(), to: (most * 1.25).ln() }
    }

    fn place(&self, value: f64) -> f64 {
        LEFT + (WIDTH - LEFT - RIGHT) * (value.ln() - self.from) / (self.to - self.from)
    }

    /// Returns 1, 2 and 5 times the powers of ten on the axis, or only the powers on a long axis.
    fn ticks(&self) -> Vec<(String, f64)> {
        let steps: &[f64] = if self.to - self.from > 5.0 { &[1.0] } else { &[1.0, 2.0, 5.0] };
        let values =
            (-3..9).flat_map(|power| steps.iter().map(move |step| step * 10f64.powi(power)));
        let on_axis = values.filter(|value| (self.from..=self.to).contains(&value.ln()));
        on_axis.map(|value| (value.to_string(), self.place(value))).collect()
    }
}

/// Returns up to six round numbers from zero to `most`.
fn steps(most: f64) -> impl Iterator<Item = f64> {
    let sizes = (-3..9).flat_map(|power| [1.0, 2.0, 5.0].map(|step| step * 10f64.powi(power)));
    let step = sizes.into_iter().find(|step| most / step < 6.0).unwrap_or(most);
    (0..=5).map(move |nth| f64::from(nth) * step).filter(move |&value| value <= most)
}

fn open(title: &str, height: f64) -> String {
    let style = "text{font:13px system-ui,sans-serif;fill:#222}.title{font-size:16px;font-weight:600}\
        .rule{stroke:#8884}.ours{fill:#0b6bcb}.peer{fill:#c2570c}.bound{fill:#777}\
        polyline{fill:none;stroke-width:2.5}.line0{stroke:#888}.line1{stroke:#0b6bcb}\
        .line2{stroke:#2e8540}.line3{stroke:#8e44ad}.line4{stroke:#b8860b}.line5{stroke:#c2570c}\
        @media(prefers-color-scheme:dark){text{fill:#ddd}.ours{fill:#5aa9ff}.peer{fill:#ff9d57}\
        .bound{fill:#aaa}.line1{stroke:#5aa9ff}.line2{stroke:#6fce85}\
        .line3{stroke:#c792ea}.line4{stroke:#e3c04b}.line5{stroke:#ff9d57}}";
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
         width=\"{WIDTH}\" height=\"{height}\" role=\"img\">\n<title>{title}</title>\n\
         <style>{style}</style>\n<text class=\"title\" x=\"16\" y=\"26\">{title}</text>\n"
    )
}

fn rule(svg: &mut String, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
    let line =
        format!(r#"<line class="rule" x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}"/>"#);
    put(svg, &line);
}

fn text(svg: &mut String, (x, y): (f64, f64), anchor: &str, text: &str) {
    put(svg, &format!(r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{text}</text>"#));
}

fn put(svg: &mut String, element: &str) {
    writeln!(svg, "{element}").expect("writing to a string cannot fail");
}
