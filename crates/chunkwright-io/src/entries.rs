//! What there is to read. There may be a million files, so names are held close together, and
//! entries are made of them one by one.

use std::cmp::Ordering;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chunkwright::Format;

/// Extensions of the files that are read. Other named files need a format.
const EXTENSIONS: [&str; 6] = ["md", "markdown", "mdown", "mkd", "mdx", "txt"];

/// A text to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The name of the tree it belongs to.
    pub tree: String,
    /// Its path in the tree, with `/` on every platform.
    pub path: String,
    /// Where to read it.
    pub source: Source,
    /// What it is written in.
    pub format: Format,
}

impl Entry {
    pub(crate) fn new(tree: String, path: String, source: Source, format: Option<Format>) -> Self {
        let format = format.unwrap_or_else(|| Format::of_path(&path));
        Self { tree, path, source, format }
    }

    /// Returns the text of this entry as a document to split.
    pub fn with_text<'s>(&'s self, text: &'s str) -> chunkwright::Source<'s> {
        let mut source = chunkwright::Source::new(&self.path, text).in_tree(&self.tree);
        source.format = self.format;
        source
    }
}

/// Where a text is read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A file.
    File(PathBuf),
    /// Standard input.
    Stdin,
}

/// Texts to read, in order.
#[derive(Debug, Default)]
pub struct Entries {
    parts: Vec<Part>,
}

/// What an argument adds.
#[derive(Debug)]
pub(crate) enum Part {
    Text(Entry),
    Directory {
        tree: String,
        /// As the user wrote it.
        directory: PathBuf,
        /// Its path below the root of the tree; empty for the root itself.
        below: String,
        stretches: Vec<Stretch>,
        /// The format of all files, if the user gives one.
        format: Option<Format>,
    },
}

impl Entries {
    /// One entry after the other.
    pub fn iter(&self) -> impl Iterator<Item = Entry> + Send {
        self.parts.iter().flat_map(Part::entries)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.parts.iter().map(Part::len).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn push(&mut self, part: Part) {
        self.parts.push(part);
    }
}

impl Part {
    fn len(&self) -> usize {
        match self {
            Self::Text(_) => 1,
            Self::Directory { stretches, .. } => stretches.iter().map(|one| one.names.len()).sum(),
        }
    }

    fn entries(&self) -> Box<dyn Iterator<Item = Entry> + Send + '_> {
        match self {
            Self::Text(entry) => Box::new(std::iter::once(entry.clone())),
            Self::Directory { tree, directory, below, stretches, format } => {
                let files = stretches.iter().flat_map(Stretch::files);
                Box::new(files.map(move |relative| {
                    let path = portable(&relative).expect("folders have only names in UTF-8");
                    let path = if below.is_empty() { path } else { format!("{below}/{path}") };
                    let source = Source::File(directory.join(relative));
                    Entry::new(tree.clone(), path, source, *format)
                }))
            }
        }
    }
}

/// Whether the extension of a file says that it is Markdown, MDX or text.
pub fn is_readable(name: impl AsRef<Path>) -> bool {
    let extension = name.as_ref().extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|given| EXTENSIONS.iter().any(|one| one.eq_ignore_ascii_case(given)))
}

/// Whether a file has no extension. A dot at the end does not start one.
pub(crate) fn is_extensionless(name: &Path) -> bool {
    name.extension().is_none_or(|extension| extension.is_empty())
}

/// A relative path with `/` between its parts, if it is UTF-8.
pub(crate) fn portable(relative: &Path) -> Option<String> {
    let parts: Option<Vec<_>> = relative.iter().map(|part| part.to_str()).collect();
    parts.map(|parts| parts.join("/"))
}

/// Files of one directory that stand next to each other in the order of all files below the root:
/// no other directory and no link comes between.
#[derive(Debug)]
pub(crate) struct Stretch {
    pub(crate) folder: Arc<Folder>,
    pub(crate) names: Range<usize>,
}

impl Stretch {
    /// Paths relative to the root.
    pub(crate) fn files(&self) -> impl Iterator<Item = PathBuf> + Send {
        self.names.clone().map(|nth| self.folder.relative.join(self.folder.name(nth)))
    }
}

/// Files of one directory, in order.
#[derive(Debug)]
pub(crate) struct Folder {
    /// The directory, relative to the root.
    relative: PathBuf,
    /// All names, one after the other.
    names: String,
    /// Where each of them ends.
    ends: Vec<usize>,
}

impl Folder {
    pub(crate) fn new(relative: PathBuf, sorted: &[String]) -> Self {
        let ends = sorted.iter().scan(0, |end, name| {
            *end += name.len();
            Some(*end)
        });
        Self { relative, ends: ends.collect(), names: sorted.concat() }
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        let (mut low, mut high) = (0, self.ends.len());
        while low < high {
            let middle = low.midpoint(high);
            match self.name(middle).cmp(name) {
                Ordering::Less => low = middle + 1,
                Ordering::Equal => return true,
                Ordering::Greater => high = middle,
            }
        }
        false
    }

    fn name(&self, nth: usize) -> &str {
        let start = nth.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.names[start..self.ends[nth]]
    }
}
