//! Parses golden pages into cases: options, an input document and a listing.

use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::{fill, unescape};

pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../chunkwright/tests/golden")
}

pub(crate) fn folders() -> BTreeSet<String> {
    let name = |path: PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
    entries(&folder()).into_iter().map(name).collect()
}

pub(crate) fn entries(folder: &Path) -> BTreeSet<PathBuf> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

pub(crate) struct Page {
    pub(crate) strategy: String,
    pub(crate) path: PathBuf,
    pub(crate) text: String,
    pub(crate) cases: Vec<Case>,
}

#[derive(Default)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) options: Table,
    pub(crate) input: Option<Input>,
    /// The range of the listing in the page, or the position to insert it.
    pub(crate) listing: Range<usize>,
    pub(crate) is_listed: bool,
}

/// An input document with its filler expanded.
pub(crate) struct Input {
    pub(crate) text: String,
    pub(crate) is_filled: bool,
}

/// The options of a case.
pub(crate) struct Asked {
    pub(crate) path: String,
    pub(crate) tree: String,
    /// Chunk fields to list in addition to the usual ones.
    pub(crate) show: Vec<String>,
    /// Options of the configuration.
    pub(crate) options: Table,
}

impl Input {
    fn read(written: &str, bytes: bool) -> Self {
        let text = if bytes { unescape(written) } else { fill(written) };
        Self { is_filled: !bytes && text != written, text }
    }
}

impl Page {
    pub(crate) fn read(strategy: &str, path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap();
        let mut defaults = Table::new();
        let mut cases: Vec<Case> = Vec::new();
        for part in parts(&text) {
            match (part, cases.last_mut()) {
                (Part::Heading(name), _) => cases.push(Case {
                    name: name.to_owned(),
                    options: defaults.clone(),
                    ..Case::default()
                }),
                (Part::Fence { info: "toml", body, .. }, None) => {
                    merge(&mut defaults, table(&text[body], path));
                }
                (Part::Fence { info, body, end }, Some(case)) => {
                    case.fence(path, &text, (info, body, end));
                }
                (Part::Fence { .. }, None) => {}
            }
        }
        Self { strategy: strategy.to_owned(), path: path.to_owned(), text, cases }
    }

    /// Returns the options of a case, including those of its page.
    pub(crate) fn asked(&self, case: &Case) -> Asked {
        let mut options = case.options.clone();
        let mut text = |key: &str, default: &str| match options.remove(key) {
            Some(value) => value.as_str().unwrap().to_owned(),
            None => default.to_owned(),
        };
        let (path, tree) = (text("path", "page.md"), text("tree", "docs"));
        let show = options.remove("show").map(|names| names.try_into().unwrap());
        options.insert("strategy".to_owned(), self.strategy.clone().into());
        Asked { path, tree, show: show.unwrap_or_default(), options }
    }

    pub(crate) fn name(&self) -> String {
        let page = self.path.strip_prefix(folder()).unwrap();
        page.to_str().unwrap().replace('\\', "/")
    }
}

impl Case {
    fn fence(&mut self, page: &Path, text: &str, fence: (&str, Range<usize>, usize)) {
        let (info, body, end) = fence;
        match info {
            "toml" => merge(&mut self.options, table(&text[body], page)),
            "chunks" => (self.listing, self.is_listed) = (body, true),
            _ => {
                assert!(self.input.is_none(), "{page:?}: {}: two inputs", self.name);
                self.input = Some(Input::read(&text[body], info.ends_with(" bytes")));
                self.listing = end..end;
            }
        }
    }
}

/// A part of a page.
enum Part<'p> {
    Heading(&'p str),
    /// A fence: the range of its content, and the end of its closing line.
    Fence {
        info: &'p str,
        body: Range<usize>,
        end: usize,
    },
}

fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut open: Option<(&str, &str, usize)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let (start, end) = (at, at + line.len());
        at = end;
        let line = line.trim_end();
        let ticks = &line[..line.len() - line.trim_start_matches('`').len()];
        match open {
            Some((fence, info, body)) if line.starts_with(fence) && ticks == line => {
                parts.push(Part::Fence { info, body: body..start, end });
                open = None;
            }
            None if ticks.len() >= 3 => open = Some((ticks, &line[ticks.len()..], end)),
            None => parts.extend(line.strip_prefix("## ").map(Part::Heading)),
            Some(_) => {}
        }
    }
    parts
}

fn table(toml: &str, page: &Path) -> Table {
    toml.parse().unwrap_or_else(|error| panic!("{page:?}: {error}"))
}

fn merge(options: &mut Table, more: Table) {
    for (key, value) in more {
        match (options.get_mut(&key), value) {
            (Some(Value::Table(inner)), Value::Table(more)) => merge(inner, more),
            (_, value) => drop(options.insert(key, value)),
        }
    }
}
