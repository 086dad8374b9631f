//! Extracts the prose of source files: comments, string literals and test names, and the
//! paragraphs of Markdown.

/// A run of text in a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Passage {
    pub(crate) kind: Kind,
    /// The line that it starts on.
    pub(crate) line: usize,
    pub(crate) text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Documentation of a module.
    Module,
    Comment,
    String,
    TestName,
    Other,
}

/// Returns the prose of a Rust, Python or TOML file. Strings of tests are data, not prose.
pub(crate) fn passages(file: &str, source: &str) -> Vec<Passage> {
    let is_test =
        file.contains("/tests/") || file.contains("/integrations/") || file.starts_with("tests/");
    let mut found = match file.ends_with(".rs") {
        true => rust(source),
        false => python(source),
    };
    let tests =
        source.lines().position(|line| line == "mod tests {").map_or(usize::MAX, |nth| nth + 1);
    let is_data = is_test || file.ends_with("/tests.rs");
    found.retain(|p| p.kind != Kind::String || (!is_data && p.line < tests));
    found
}

fn rust(source: &str) -> Vec<Passage> {
    let mut scan = Scan::new(source);
    let mut awaits_name = false;
    while !scan.rest().is_empty() {
        let rest = scan.rest();
        if rest.starts_with("//") {
            let kind = if rest.starts_with("//!") { Kind::Module } else { Kind::Comment };
            scan.comment(kind, rest.len() - rest.trim_start_matches(['/', '!']).len());
        } else if rest.starts_with("#[test]") {
            awaits_name = true;
            scan.at += "#[test]".len();
        } else if awaits_name && rest.starts_with("fn ") {
            awaits_name = false;
            scan.name("fn ");
        } else if let Some(hashes) = raw_string(&source[..scan.at], rest) {
            let closing = format!("\"{}", "#".repeat(hashes));
            scan.string(Kind::String, hashes + 2, &closing, false);
        } else if rest.starts_with('"') {
            scan.string(Kind::String, 1, "\"", true);
        } else {
            scan.at += char_literal(rest).unwrap_or_else(|| first_length(rest));
        }
    }
    scan.passages
}

/// Returns the number of hashes of the raw string that a text starts with.
fn raw_string(before: &str, text: &str) -> Option<usize> {
    let rest = text.strip_prefix('r')?;
    let is_name = before.trim_end_matches('b').ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let hashes = rest.len() - rest.trim_start_matches('#').len();
    (!is_name && rest[hashes..].starts_with('"')).then_some(hashes)
}

/// Returns the length of the character literal that a text starts with, which a lifetime is not.
fn char_literal(text: &str) -> Option<usize> {
    let rest = text.strip_prefix('\'')?;
    if rest.starts_with('\\') {
        return rest[2..].find('\'').map(|end| end + 4);
    }
    let length = first_length(rest);
    rest[length..].starts_with('\'').then_some(length + 2)
}

/// Scans Python, and TOML, whose comments and strings look the same.
fn python(source: &str) -> Vec<Passage> {
    let mut scan = Scan::new(source);
    while !scan.rest().is_empty() {
        let rest = scan.rest();
        let starts_line = source[..scan.at].ends_with(['\n', ' ']) || scan.at == 0;
        let quotes = ["\"\"\"", "'''", "\"", "'"].into_iter().find(|q| rest.starts_with(q));
        if rest.starts_with('#') {
            scan.comment(Kind::Comment, 1);
        } else if starts_line && rest.starts_with("def test_") {
            scan.name("def ");
        } else if let Some(quotes) = quotes {
            let line = source[..scan.at].rsplit('\n').next().unwrap_or("");
            let is_doc = quotes.len() == 3 && line.trim().is_empty();
            let kind = match is_doc {
                true if scan.at == 0 => Kind::Module,
                true => Kind::Comment,
                false => Kind::String,
            };
            scan.string(kind, quotes.len(), quotes, true);
        } else {
            scan.at += first_length(rest);
        }
    }
    scan.passages
}

fn first_length(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}

struct Scan<'s> {
    source: &'s str,
    at: usize,
    passages: Vec<Passage>,
    /// The number of line breaks before `counted`.
    lines: usize,
    counted: usize,
}

impl<'s> Scan<'s> {
    fn new(source: &'s str) -> Self {
        Self { source, at: 0, passages: Vec::new(), lines: 0, counted: 0 }
    }

    fn rest(&self) -> &'s str {
        &self.source[self.at..]
    }

    fn line(&mut self) -> usize {
        self.lines += self.source[self.counted..self.at].matches('\n').count();
        self.counted = self.at;
        self.lines + 1
    }

    /// Takes the rest of the line. A comment on the next line continues the passage.
    fn comment(&mut self, kind: Kind, marker: usize) {
        let line = self.line();
        let text = self.rest().lines().next().unwrap_or("");
        self.at += text.len();
        let text = &text[marker..];
        if let Some(last) = self.passages.last_mut() {
            let is_next = last.line + last.text.matches('\n').count() + 1 == line;
            if last.kind == kind && is_next {
                last.text += "\n";
                last.text += text;
                return;
            }
        }
        self.passages.push(Passage { kind, line, text: text.to_owned() });
    }

    fn string(&mut self, kind: Kind, opening: usize, closing: &str, has_escapes: bool) {
        let line = self.line();
        self.at += opening;
        let mut text = String::new();
        while let Some(c) = self.rest().chars().next() {
            if self.rest().starts_with(closing) {
                break;
            }
            self.at += c.len_utf8();
            match c {
                '\\' if has_escapes => {
                    let escaped = self.rest().chars().next().unwrap_or(' ');
                    self.at += escaped.len_utf8();
                    // A line break inside the literal counts as a line; `\n` does not.
                    text.push(if escaped == '\n' { '\n' } else { ' ' });
                }
                c => text.push(c),
            }
        }
        self.at += closing.len().min(self.rest().len());
        self.passages.push(Passage { kind, line, text });
    }

    fn name(&mut self, keyword: &str) {
        let line = self.line();
        self.at += keyword.len();
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        self.at += end;
        let text = rest[..end].replace('_', " ");
        self.passages.push(Passage { kind: Kind::TestName, line, text });
    }
}

/// Returns the paragraphs, headings and table rows of Markdown outside fenced code.
pub(crate) fn paragraphs(page: &str) -> Vec<Passage> {
    let mut found: Vec<Passage> = Vec::new();
    let mut fence: Option<&str> = None;
    let mut is_open = false;
    for (nth, line) in page.lines().enumerate() {
        let start = line.trim_start();
        let marks = &start[..start.len() - start.trim_start_matches(['`', '~']).len()];
        match fence {
            Some(opening) => {
                if marks.starts_with(opening) && marks.len() == start.trim_end().len() {
                    fence = None;
                }
                is_open = false;
            }
            None if marks.len() >= 3 => fence = Some(marks),
            None if start.is_empty() => is_open = false,
            None if is_open => {
                let last = found.last_mut().expect("a paragraph is open");
                last.text += "\n";
                last.text += line;
            }
            None => {
                is_open = true;
                found.push(Passage { kind: Kind::Other, line: nth + 1, text: line.to_owned() });
            }
        }
    }
    found
}

/// Removes the escapes of a manual page.
pub(crate) fn without_roff(page: &str) -> String {
    let fonts = ["\\fB", "\\fI", "\\fR", "\\fP", "\\&"];
    fonts.iter().fold(page.replace("\\-", "-"), |page, font| page.replace(font, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(file: &str, source: &str) -> Vec<(Kind, usize, String)> {
        let passages = passages(file, source).into_iter();
        passages.map(|p| (p.kind, p.line, p.text)).collect()
    }

    const RUST: &str = r##"//! One
//! two.

/// Returns "this".
fn name<'a>(c: char) -> &'a str { if c == '"' || c == '\'' { "a \"b\" \
   c" } else { r#"d "e" // f"# } } // Why.

#[test]
fn splits_a_page() {}
"##;

    #[test]
    fn extracts_the_prose_of_rust() {
        let expected = [
            (Kind::Module, 1, " One\n two."),
            (Kind::Comment, 4, " Returns \"this\"."),
            (Kind::String, 5, "a  b  \n   c"),
            (Kind::String, 6, "d \"e\" // f"),
            (Kind::Comment, 6, " Why."),
            (Kind::TestName, 9, "splits a page"),
        ];
        let expected = expected.map(|(kind, line, text)| (kind, line, text.to_owned()));
        assert_eq!(found("crates/a/src/lib.rs", RUST), expected);
        let without: Vec<_> = expected.into_iter().filter(|(k, ..)| *k != Kind::String).collect();
        assert_eq!(found("crates/a/tests/a.rs", RUST), without);
    }

    #[test]
    fn extracts_the_prose_of_python() {
        let source = "\"\"\"Module.\"\"\"\n\ndef test_one():\n    '''Doc\n    two.'''\n    \
                      x = 'it\\'s # no comment'  # Why.\n";
        let expected = [
            (Kind::Module, 1, "Module."),
            (Kind::TestName, 3, "test one"),
            (Kind::Comment, 4, "Doc\n    two."),
            (Kind::String, 6, "it s # no comment"),
            (Kind::Comment, 6, " Why."),
        ];
        let expected = expected.map(|(kind, line, text)| (kind, line, text.to_owned()));
        assert_eq!(found("crates/a/python/a.py", source), expected);
    }

    #[test]
    fn extracts_the_paragraphs_of_markdown() {
        let page = "# Title\n\nOne\ntwo.\n\n````md\n```\ncode\n```\n````\nThree.\n";
        let lines = paragraphs(page).into_iter().map(|p| (p.line, p.text));
        let expected = [(1, "# Title"), (3, "One\ntwo."), (11, "Three.")];
        assert_eq!(lines.collect::<Vec<_>>(), expected.map(|(n, t)| (n, t.to_owned())));
    }
}
