//! Recognizes shortcodes (`{{< note >}}`, `{{% note %}}`) and Liquid tags (`{% include %}`) on
//! separate lines.

use memchr::memmem;

use super::scan::{ElementKey, Scanner};
use crate::document::BlockKind;
use crate::span::{Span, next_line};

/// The maximum length of a tag in bytes.
const TAG_BYTES: usize = 4096;

/// The names of shortcodes that contain code instead of Markdown.
const RAW: &[&str] = &[
    "codeblock",
    "comment",
    "d2",
    "diagram",
    "graphviz",
    "highlight",
    "javascript",
    "katex",
    "math",
    "mermaid",
    "plantuml",
    "raw",
    "rawhtml",
    "schema",
    "style",
    "stylesheet",
    "verbatim",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Code<'s> {
    family: Family,
    /// The name; for a closing tag, that of the tag it closes.
    name: &'s str,
    closes: bool,
    /// Whether it is self-closing: `{{< x />}}`.
    is_single: bool,
    /// Whether it sets the language of its content, which is code then.
    has_language: bool,
    end: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    Hugo,
    Liquid,
}

impl<'s> Code<'s> {
    fn key(&self) -> ElementKey<'s> {
        match self.family {
            Family::Hugo => ElementKey::Shortcode(self.name),
            Family::Liquid => ElementKey::Liquid(self.name),
        }
    }

    fn is_raw(&self) -> bool {
        RAW.contains(&self.name) || self.has_language
    }
}

impl<'s> Scanner<'s> {
    /// Handles a line that starts with a tag, and returns the end of its lines if it is an element.
    pub(super) fn shortcode(&mut self, line: Span) -> Option<usize> {
        let text = line.of(self.source);
        let start = line.start + text.len() - text.trim_start().len();
        let code = read(self.source, start)?;
        let end = next_line(self.source, code.end - 1);
        let whole = Span::new(line.start, end);
        let rest = self.source[code.end..end].trim();
        if !rest.is_empty() {
            return self.pair_on_a_line(code, whole);
        }
        if code.closes {
            return self.is_open(code.key()).then(|| {
                self.close(code.key(), whole);
                end
            });
        }
        if !code.is_single
            && code.is_raw()
            && let Some(end) = self.raw_end(code)
        {
            self.leaf(BlockKind::Code, Span::new(line.start, end));
            return Some(end);
        }
        // A tag may be a whole line of a paragraph.
        let is_text = self.margin.after_text || continues(&self.source[end..]);
        match (code.is_single, is_text) {
            (true, true) => return None,
            (true, false) => self.leaf(BlockKind::Shortcode, whole),
            (false, _) => self.open(BlockKind::Shortcode, code.key(), whole, !is_text),
        }
        Some(end)
    }

    /// Adds an opening and a closing tag on one line, unless text follows them:
    /// `{{< note >}} text {{< /note >}}`.
    fn pair_on_a_line(&mut self, code: Code<'s>, line: Span) -> Option<usize> {
        let text = self.source[..line.end].trim_end();
        let last = code.end + self.source[code.end..text.len()].rfind("{")?;
        let last = last - usize::from(self.source[..last].ends_with('{'));
        let closing = read(self.source, last.max(code.end))?;
        let pairs = closing.closes && closing.key() == code.key() && !code.closes;
        if !pairs || closing.end != text.len() || self.margin.after_text {
            return None;
        }
        let kind = if code.is_raw() { BlockKind::Code } else { BlockKind::Shortcode };
        self.leaf(kind, line);
        Some(line.end)
    }

    /// Returns the end of the line with the closing tag of raw content.
    fn raw_end(&mut self, code: Code<'s>) -> Option<usize> {
        if self.is_missing(code.name) {
            return None;
        }
        let word = match code.family {
            Family::Hugo => format!("/{}", code.name),
            Family::Liquid => format!("end{}", code.name),
        };
        let after = &self.source[code.end..];
        let end = memmem::find_iter(after.as_bytes(), word.as_bytes()).find_map(|at| {
            let tag = opening_before(after, at)?;
            read(after, tag).filter(|tag| tag.closes && tag.key() == code.key())
        });
        match end {
            Some(closing) => Some(next_line(self.source, code.end + closing.end - 1)),
            None => {
                self.set_missing(code.name);
                None
            }
        }
    }
}

/// Returns whether the next line may continue a paragraph.
fn continues(next: &str) -> bool {
    let is_running = |c: char| c.is_alphanumeric() || "([_'\"“‘\\".contains(c);
    next.starts_with(is_running)
}

/// Returns the start of the tag whose name is at `name`.
fn opening_before(text: &str, name: usize) -> Option<usize> {
    let before = text[..name].trim_end_matches([' ', '\t', '-']);
    let signs = ["{{<", "{{%", "{%"];
    signs.iter().find(|signs| before.ends_with(*signs)).map(|signs| before.len() - signs.len())
}

fn read(source: &str, start: usize) -> Option<Code<'_>> {
    let text = &source[start..];
    let pairs =
        [("{{<", ">}}", Family::Hugo), ("{{%", "%}}", Family::Hugo), ("{%", "%}", Family::Liquid)];
    let (open, close, family) = *pairs.iter().find(|(open, ..)| text.starts_with(open))?;
    let near = &text.as_bytes()[open.len()..text.len().min(TAG_BYTES)];
    let inner = &text[open.len()..open.len() + memmem::find(near, close.as_bytes())?];
    let end = start + open.len() + inner.len() + close.len();
    let inner = inner.trim_matches(|c: char| c.is_whitespace() || c == '-');
    let slash = inner.strip_prefix('/').map(str::trim_start);
    let name = word(slash.unwrap_or(inner));
    let ended =
        name.strip_prefix("end").filter(|name| !name.is_empty() && family == Family::Liquid);
    let code = Code {
        family,
        name: ended.unwrap_or(name),
        closes: slash.is_some() || ended.is_some(),
        is_single: inner.ends_with('/'),
        has_language: inner.contains("codelang="),
        end,
    };
    (!name.is_empty()).then_some(code)
}

/// Returns the name at the start of a tag's content, which may be empty.
fn word(text: &str) -> &str {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    text[..end].trim_end_matches('/')
}
