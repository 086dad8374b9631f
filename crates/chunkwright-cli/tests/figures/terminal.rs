//! The terminal view of a guide whose table is split.

use std::process::Command;

use anstyle::{AnsiColor, Color, RgbColor};
use anstyle_svg::{Palette, Term, VGA};
use unicode_width::UnicodeWidthStr;

use super::root;
use super::svg::escaped;

/// The chunks to show, from the end.
const CHUNKS: usize = 2;

/// The width of a column in the generated text.
const COLUMN: f64 = 8.4;

/// The width of 80 columns.
const WIDTH: usize = 672;

/// The distance of the text from the frame, and the height of the title bar.
const MARGIN: usize = 8;
const BAR: usize = 30;

/// The colors of a terminal.
pub(crate) struct Theme {
    foreground: u32,
    background: u32,
    bar: u32,
    frame: u32,
    green: u32,
    yellow: u32,
    cyan: u32,
}

pub(crate) const LIGHT: Theme = Theme {
    foreground: 0x1f_2328,
    background: 0xff_ffff,
    bar: 0xf6_f8fa,
    frame: 0xd1_d9e0,
    green: 0x1a_7f37,
    yellow: 0x9a_6700,
    cyan: 0x0b_6a94,
};

pub(crate) const DARK: Theme = Theme {
    foreground: 0xe6_edf3,
    background: 0x0d_1117,
    bar: 0x15_1b23,
    frame: 0x3d_444d,
    green: 0x3f_b950,
    yellow: 0xd2_9922,
    cyan: 0x58_c6e8,
};

pub(crate) fn figure(theme: &Theme) -> String {
    let term = Term::new()
        .palette(theme.palette())
        .fg_color(Color::Rgb(rgb(theme.foreground)))
        .background(false)
        .min_width_px(WIDTH);
    framed(&aligned(&term.render_svg(&output())), theme)
}

impl Theme {
    fn palette(&self) -> Palette {
        let mut palette = VGA;
        let named = [
            (AnsiColor::Green, self.green),
            (AnsiColor::Yellow, self.yellow),
            (AnsiColor::Cyan, self.cyan),
        ];
        for (name, color) in named {
            palette.0[name as usize] = rgb(color);
        }
        palette
    }
}

fn rgb(color: u32) -> RgbColor {
    let [_, red, green, blue] = color.to_be_bytes();
    RgbColor(red, green, blue)
}

/// Returns the command, the first line of its output, and the last chunks.
fn output() -> String {
    let arguments = "chunk docs/examples/guide.md --max 100 --format pretty";
    let mut command = Command::new(env!("CARGO_BIN_EXE_chunkwright"));
    command.args(arguments.split(' ')).args(["--color", "always"]);
    command.env("COLUMNS", "80").current_dir(root());
    let output = String::from_utf8(command.output().unwrap().stdout).unwrap();
    let parts: Vec<&str> = output.trim_end().split("\n\n").collect();
    let (head, shown) = (parts[0], parts[parts.len() - CHUNKS..].join("\n\n"));
    format!("\x1b[2m$\x1b[0m chunkwright {arguments}\n{head}\n\x1b[2m⋮\x1b[0m\n{shown}")
}

/// Places every span at its column, because symbols from a fallback font have another width.
fn aligned(svg: &str) -> String {
    let mut lines = Vec::new();
    for line in svg.lines() {
        let Some((start, spans)) = line.split_once(r#"px"><tspan"#) else {
            lines.push(line.to_owned());
            continue;
        };
        let mut column = 0;
        let mut out = format!(r#"{start}px">"#);
        for span in spans.split("<tspan") {
            let (attributes, rest) = span.split_once('>').unwrap();
            let text = rest.split("</tspan>").next().unwrap();
            let x = 10.0 + f64::from(u32::try_from(column).unwrap()) * COLUMN;
            out += &format!(r#"<tspan x="{x:.1}"{attributes}>{rest}"#);
            let plain = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
            column += plain.width();
        }
        lines.push(out);
    }
    lines.join("\n") + "\n"
}

/// Puts the text into a window.
fn framed(svg: &str, theme: &Theme) -> String {
    let number = |name: &str| -> usize {
        let after = svg.split(&format!("{name}=\"")).nth(1).unwrap();
        after.split("px").next().unwrap().parse().unwrap()
    };
    let (width, height) = (number("width") + 2 * MARGIN, number("height") + BAR + 2 * MARGIN);
    let text = svg
        .replacen("<svg ", &format!("<svg x=\"{MARGIN}\" y=\"{BAR}\" "), 1)
        // The default is hard to read on a white page.
        .replace("opacity: 0.4", "opacity: 0.65")
        .replace("SFMono-Regular, Consolas, Liberation Mono, Menlo", FONTS);
    let [background, bar, frame] =
        [theme.background, theme.bar, theme.frame].map(|color| format!("#{color:06x}"));
    let title = escaped("A guide split into chunks of at most 100 tokens, in a terminal");
    let (inner_width, inner_height) = (width - 1, height - 1);
    let rect =
        format!(r#"<rect x="0.5" y="0.5" width="{inner_width}" height="{inner_height}" rx="8""#);
    let dots: String = (0..3)
        .map(|nth| format!(r#"<circle cx="{}" cy="15.5" r="5" fill="{frame}"/>"#, 18 + nth * 18))
        .collect();
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\">\n<title>{title}</title>\n\
         {rect} fill=\"{bar}\"/>\n\
         <rect x=\"0.5\" y=\"{BAR}.5\" width=\"{inner_width}\" height=\"{}\" rx=\"8\" \
         fill=\"{background}\"/>\n\
         <rect x=\"0.5\" y=\"{BAR}.5\" width=\"{inner_width}\" height=\"10\" \
         fill=\"{background}\"/>\n\
         {rect} fill=\"none\" stroke=\"{frame}\"/>\n{dots}\n{text}</svg>\n",
        inner_height - BAR,
    )
}

const FONTS: &str = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono'";
