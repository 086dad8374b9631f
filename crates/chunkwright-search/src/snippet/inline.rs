//! Reduces the Markdown of one block to the text that a reader sees.
//!
//! This is a single pass with small stacks instead of a parser: it never fails, and markup that is
//! not closed stays as it is.

use std::collections::HashMap;

/// Maximum nesting of parentheses in a link target. The limit keeps the pass linear.
const MAX_PARENTHESES: usize = 32;

/// Maximum length of a link title, shortcode or HTML tag. The limit keeps the pass linear.
const MAX_MARKUP_BYTES: usize = 1024;

/// Shortcode and tag arguments that contain text, most useful first.
const TEXT_ARGUMENTS: [&str; 6] = ["text", "title", "label", "alt", "caption", "term_id"];

/// HTML elements whose tags separate words.
const SEPARATING_TAGS: [&str; 12] =
    ["br", "p", "div", "li", "ul", "ol", "tr", "td", "th", "dt", "dd", "hr"];

/// Bytes that may start markup. All others are copied.
const MARKUP: &[u8] = b"\\`[]!*_~<{&\0";

/// Placeholder for a marker that was removed after it was written.
const REMOVED: u8 = 0;

/// The visible text of a block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Visible {
    /// The text, without line breaks or repeated spaces.
    pub(super) text: String,
    /// The number of bytes that belong to links.
    pub(super) linked: usize,
}

/// Returns the visible text of a paragraph, heading, list item or table cell.
pub(super) fn visible(source: &str) -> Visible {
    let mut pass = InlinePass {
        source,
        at: 0,
        out: Vec::with_capacity(source.len()),
        brackets: Vec::new(),
        emphasis: [const { Vec::new() }; 3],
        backticks: last_backticks(source),
        linked: 0,
    };
    while pass.at < source.len() {
        pass.step();
    }
    let kept: Vec<u8> = pass.out.into_iter().filter(|&byte| byte != REMOVED).collect();
    let text = collapse(&String::from_utf8_lossy(&kept));
    Visible { linked: pass.linked.min(text.len()), text }
}

/// Replaces every run of white space by one space, and trims both ends.
pub(super) fn collapse(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let is_space = |c: char| c.is_whitespace() || c.is_control();
    for word in text.split(is_space).filter(|word| !word.is_empty()) {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// Returns the offset of the last run of backticks of each length.
fn last_backticks(source: &str) -> HashMap<usize, usize> {
    let mut last = HashMap::new();
    let mut at = 0;
    while let Some(found) = source[at..].find('`') {
        let start = at + found;
        let length = run(&source[start..], b'`');
        last.insert(length, start);
        at = start + length;
    }
    last
}

/// Returns how often a text repeats a byte at its start.
pub(super) fn run(text: &str, byte: u8) -> usize {
    text.bytes().take_while(|&other| other == byte).count()
}

/// A run of opening emphasis markers in the output.
#[derive(Clone, Copy, Debug)]
struct Markers {
    start: usize,
    length: usize,
}

/// The offsets of an opening bracket in the source and in the output.
#[derive(Clone, Copy, Debug)]
struct Bracket {
    source: usize,
    out: usize,
}

struct InlinePass<'a> {
    source: &'a str,
    at: usize,
    out: Vec<u8>,
    /// Opening brackets that may still be closed.
    brackets: Vec<Bracket>,
    /// Markers that may still be closed: `*`, `_` and `~`.
    emphasis: [Vec<Markers>; 3],
    /// The offset of the last run of backticks of each length.
    backticks: HashMap<usize, usize>,
    linked: usize,
}

impl<'a> InlinePass<'a> {
    fn rest(&self) -> &'a str {
        &self.source[self.at..]
    }

    /// Processes the construct at the current position.
    fn step(&mut self) {
        let rest = self.rest();
        match rest.as_bytes()[0] {
            b'\\' if rest[1..].starts_with(|c: char| c.is_ascii_punctuation()) => {
                self.out.push(rest.as_bytes()[1]);
                self.at += 2;
            }
            b'`' => self.code(),
            b'[' => self.open_bracket(),
            b'!' if rest.starts_with("![") => {
                self.at += 1;
                self.open_bracket();
            }
            b']' => self.close_bracket(),
            b'*' => self.emphasis(b'*', 0),
            b'_' => self.emphasis(b'_', 1),
            b'~' => self.emphasis(b'~', 2),
            b'<' => self.angle(),
            b'{' => self.brace(),
            b'&' => self.entity(),
            REMOVED => self.at += 1,
            _ => {
                let is_plain = |byte: &u8| !MARKUP.contains(byte);
                let plain = rest.bytes().skip(1).take_while(is_plain).count();
                self.literal(1 + plain);
            }
        }
    }

    fn literal(&mut self, bytes: usize) {
        self.out.extend_from_slice(&self.rest().as_bytes()[..bytes]);
        self.at += bytes;
    }

    /// Replaces markup by a text.
    fn replace(&mut self, bytes: usize, text: &str) {
        self.at += bytes;
        self.out.extend(text.bytes().filter(|&byte| byte != REMOVED));
        let is_punctuated = self.rest().starts_with(['.', ',', ';', ':', '!', '?', ')']);
        if text.is_empty() && is_punctuated && self.out.last() == Some(&b' ') {
            self.out.pop();
        }
    }

    fn code(&mut self) {
        let rest = self.rest();
        let length = run(rest, b'`');
        if self.backticks.get(&length).is_none_or(|&last| last <= self.at) {
            return self.literal(length);
        }
        let mut end = length;
        while let Some(found) = rest[end..].find('`') {
            let close = end + found;
            let closing = run(&rest[close..], b'`');
            end = close + closing;
            if closing == length {
                let code = &rest[length..close];
                // Hugo expands shortcodes in code too.
                let inside = code.strip_prefix("{{").and_then(|code| code.strip_suffix("}}"));
                let text = inside.map(shortcode).filter(|text| !text.is_empty());
                return self.replace(end, text.as_deref().unwrap_or(code));
            }
        }
        self.literal(length);
    }

    fn open_bracket(&mut self) {
        let rest = self.rest();
        if rest.starts_with("[^") || rest.starts_with("[!") {
            let label = rest[2..].bytes().take(64).take_while(|&byte| byte != b']').count();
            // A footnote reference, or the type of a GitHub alert.
            if rest.as_bytes().get(2 + label) == Some(&b']')
                && !rest[2..2 + label].contains(['[', ' '])
            {
                return self.replace(label + 3, "");
            }
        }
        self.brackets.push(Bracket { source: self.at, out: self.out.len() });
        self.literal(1);
    }

    fn close_bracket(&mut self) {
        let rest = self.rest();
        let Some(open) = self.brackets.pop() else { return self.literal(1) };
        let target = match rest.as_bytes().get(1) {
            Some(b'(') => target(&rest[1..]),
            Some(b'[') => label(&rest[1..]),
            _ => None,
        };
        // `[`code`]` is how Rust documentation links to items.
        let inside = &self.source[open.source + 1..self.at];
        let is_code = inside.starts_with('`') && inside.ends_with('`');
        let target = target.or_else(|| is_code.then_some(0));
        let Some(target) = target else { return self.literal(1) };
        self.out[open.out] = REMOVED;
        self.linked += self.out.len() - open.out - 1;
        self.at += 1 + target;
    }

    fn emphasis(&mut self, marker: u8, stack: usize) {
        let mut length = run(self.rest(), marker);
        let after = self.rest()[length..].chars().next();
        let before = self.source[..self.at].chars().next_back();
        let is_space = |c: Option<char>| c.is_none_or(char::is_whitespace);
        let is_sign = |c: Option<char>| c.is_some_and(|c| !c.is_alphanumeric());
        let opens = !is_space(after) && (!is_sign(after) || is_space(before) || is_sign(before));
        let closes = !is_space(before) && (!is_sign(before) || is_space(after) || is_sign(after));
        let (opens, closes) = match marker {
            // An underscore inside a word such as `snake_case` is not emphasis.
            b'_' => (opens && (!closes || is_sign(before)), closes && (!opens || is_sign(after))),
            b'~' => (opens && length == 2, closes && length == 2),
            _ => (opens, closes),
        };
        while closes && length > 0 {
            let Some(open) = self.emphasis[stack].last_mut() else { break };
            let both = length.min(open.length);
            let end = open.start + open.length;
            self.out[end - both..end].fill(REMOVED);
            open.length -= both;
            length -= both;
            self.at += both;
            if open.length == 0 {
                self.emphasis[stack].pop();
            }
        }
        if opens && length > 0 {
            self.emphasis[stack].push(Markers { start: self.out.len(), length });
        }
        self.literal(length);
    }

    fn angle(&mut self) {
        let rest = self.rest();
        if let Some(comment) = rest.strip_prefix("<!--") {
            let end = comment.find("-->").map_or(rest.len(), |end| 4 + end + 3);
            return self.replace(end, "");
        }
        let name = rest[1..].trim_start_matches('/');
        if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '!') {
            return self.literal(1);
        }
        let Some(length) = tag(rest) else { return self.literal(1) };
        let inside = &rest[1..length - 1];
        if !inside.contains(char::is_whitespace) && inside.contains([':', '@']) {
            return self.replace(length, inside);
        }
        let end = name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len());
        let name = name[..end].to_ascii_lowercase();
        if name == "img" {
            return self.replace(length, &argument(inside, &["alt"]).unwrap_or_default());
        }
        if SEPARATING_TAGS.contains(&&*name) {
            self.out.push(b' ');
        }
        self.replace(length, "");
    }

    fn brace(&mut self) {
        let rest = self.rest();
        let close = match rest.as_bytes().get(1) {
            Some(b'{') => "}}",
            Some(b'%') => "%}",
            Some(b'#' | b':' | b'.') => return self.attributes(),
            _ => return self.literal(1),
        };
        match find_within(&rest[2..], close, MAX_MARKUP_BYTES) {
            Some(end) => self.replace(2 + end + 2, &shortcode(&rest[2..2 + end])),
            None => self.literal(2),
        }
    }

    /// Skips `{#anchor}` and `{: .class}`.
    fn attributes(&mut self) {
        let rest = self.rest();
        match rest.bytes().take(128).position(|byte| matches!(byte, b'}' | b'\n')) {
            Some(end) if rest.as_bytes()[end] == b'}' => self.replace(end + 1, ""),
            _ => self.literal(1),
        }
    }

    fn entity(&mut self) {
        const ENTITIES: [(&str, &str); 7] = [
            ("&lt;", "<"),
            ("&gt;", ">"),
            ("&amp;", "&"),
            ("&quot;", "\""),
            ("&#39;", "'"),
            ("&apos;", "'"),
            ("&nbsp;", " "),
        ];
        let rest = self.rest();
        match ENTITIES.iter().find(|(entity, _)| rest.starts_with(entity)) {
            Some((entity, text)) => self.replace(entity.len(), text),
            None => self.literal(1),
        }
    }
}

/// Finds a string of ASCII characters near the start of a text.
fn find_within(text: &str, wanted: &str, most: usize) -> Option<usize> {
    let near = &text.as_bytes()[..text.len().min(most)];
    near.windows(wanted.len()).position(|bytes| bytes == wanted.as_bytes())
}

/// Returns the length of a link target in parentheses, title included.
fn target(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let skip = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
            at += 1;
        }
        at
    };
    let mut at = skip(1);
    if bytes.get(at) == Some(&b'<') {
        let near = &bytes[at + 1..bytes.len().min(at + MAX_MARKUP_BYTES)];
        let end = near.iter().position(|byte| matches!(byte, b'>' | b'<' | b'\n'))?;
        near.get(end).filter(|byte| **byte == b'>')?;
        at += end + 2;
    } else {
        let mut depth = 0;
        loop {
            match *bytes.get(at)? {
                // A shortcode such as `{{< ref "page" >}}` is a target too.
                b'{' if text[at..].starts_with("{{") => {
                    at += find_within(&text[at..], "}}", MAX_MARKUP_BYTES)? + 1;
                }
                b'\\' => at += 1,
                b'(' if depth == MAX_PARENTHESES => return None,
                b'(' => depth += 1,
                b')' if depth == 0 => break,
                b')' => depth -= 1,
                byte if byte.is_ascii_whitespace() => break,
                _ => {}
            }
            at += 1;
        }
    }
    at = skip(at);
    let close = match bytes.get(at)? {
        b')' => return Some(at + 1),
        quote @ (b'"' | b'\'') => *quote,
        b'(' => b')',
        _ => return None,
    };
    let near = &bytes[at + 1..bytes.len().min(at + MAX_MARKUP_BYTES)];
    let title = near.iter().position(|byte| *byte == close)?;
    at = skip(at + 1 + title + 1);
    (bytes.get(at) == Some(&b')')).then_some(at + 1)
}

/// Returns the length of a link label in brackets.
fn label(text: &str) -> Option<usize> {
    let near = text.bytes().skip(1).take(MAX_MARKUP_BYTES);
    let mut near = near.take_while(|&byte| byte != b'[');
    near.position(|byte| byte == b']').map(|end| end + 2)
}

/// Returns the length of an HTML tag.
fn tag(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate().take(MAX_MARKUP_BYTES).skip(1) {
        match (quote, byte) {
            (Some(open), _) if open == byte => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'>') => return Some(at + 1),
            (None, b'<') => return None,
            (None, _) => {}
        }
    }
    None
}

/// Returns the text that a shortcode shows, if its arguments contain it.
fn shortcode(inside: &str) -> String {
    let macro_end = inside.find('(').filter(|_| inside.trim_end().ends_with(')'));
    if let Some(end) = macro_end {
        return macro_text(inside[..end].trim(), &inside[end + 1..]);
    }
    let inside = inside.trim_matches(['<', '>', '%', ' ']);
    argument(inside, &TEXT_ARGUMENTS).unwrap_or_default()
}

/// Returns the text of an MDN macro that links to a page: its second argument, or else its first.
fn macro_text(name: &str, arguments: &str) -> String {
    let name = name.to_ascii_lowercase();
    let links = ["xref", "element", "glossary", "httpheader", "httpmethod", "httpstatus", "csp"];
    if !links.iter().any(|link| name.ends_with(link)) {
        return String::new();
    }
    let mut texts = Vec::new();
    let mut rest = arguments;
    while let (true, Some(start)) = (texts.len() < 2, rest.find(['"', '\''])) {
        let quote = rest.as_bytes()[start] as char;
        let quoted = &rest[start + 1..];
        let Some(end) = quoted.find(quote) else { break };
        texts.push(&quoted[..end]);
        rest = &quoted[end + 1..];
    }
    let text = texts.iter().rev().find(|text| !text.is_empty());
    text.map_or(String::new(), ToString::to_string)
}

/// Returns the value of the first of several named arguments: `name="value"`.
fn argument(inside: &str, names: &[&str]) -> Option<String> {
    let value = |name: &&str| {
        let (at, _) = inside.match_indices(name).find(|&(at, _)| {
            inside[..at].ends_with(char::is_whitespace)
                && inside[at + name.len()..].trim_start().starts_with('=')
        })?;
        let value = inside[at + name.len()..].trim_start().strip_prefix('=')?.trim_start();
        let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        let end = value[1..].find(quote)?;
        Some(value[1..=end].to_owned())
    };
    names.iter().find_map(value)
}
