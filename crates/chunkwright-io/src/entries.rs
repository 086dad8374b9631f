//! The list of documents to read.
//!
//! There may be a million files, so their names are stored compactly, and entries are built on
//! iteration.

use std::cmp::Ordering;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chunkwright::Format;

/// Extensions of Markdown, MDX and text files.
const EXTENSIONS: [&str; 6] = ["md", "markdown", "mdown", "mkd", "mdx", "txt"];

/// A document to read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// Name of the tree that contains the document.
    pub tree: String,
    /// Path in the tree, with `/` on every platform.
    pub path: String,
    /// Location of the text.
    pub location: Location,
    /// Format of the text.
    pub format: Format,
}

impl Entry {
    pub(crate) fn new(
        tree: String,
        path: String,
        location: Location,
        format: Option<Format>,
    ) -> Self {
        let format = format.unwrap_or_else(|| Format::of_path(&path));
        Self { tree, path, location, format }
    }

    /// Returns a document of this entry with the given text, ready to be split.
    pub fn with_text<'s>(&'s self, text: &'s str) -> chunkwright::Source<'s> {
        let mut source = chunkwright::Source::new(&self.path, text).in_tree(&self.tree);
        source.format = self.format;
        source
    }
}

/// The location of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Location {
    /// A file.
    File(PathBuf),
    /// Standard input.
    Stdin,
}

/// A list of documents to read.
#[derive(Debug, Default)]
pub struct Entries {
    arguments: Vec<Argument>,
}

/// The documents of one argument.
#[derive(Debug)]
pub(crate) enum Argument {
    Text(Entry),
    Directory {
        tree: String,
        /// The path as the user wrote it.
        directory: PathBuf,
        /// The path below the root of the tree; empty for the root itself.
        below: String,
        ranges: Vec<NameRange>,
        /// The format of all files, if the user set one.
        format: Option<Format>,
    },
}

impl Entries {
    /// Returns an iterator over the documents.
    pub fn iter(&self) -> impl Iterator<Item = Entry> + Send {
        self.arguments.iter().flat_map(Argument::entries)
    }

    /// Returns the number of documents.
    pub fn len(&self) -> usize {
        self.arguments.iter().map(Argument::len).sum()
    }

    /// Returns whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn push(&mut self, argument: Argument) {
        self.arguments.push(argument);
    }
}

impl Argument {
    fn len(&self) -> usize {
        match self {
            Self::Text(_) => 1,
            Self::Directory { ranges, .. } => ranges.iter().map(|one| one.names.len()).sum(),
        }
    }

    fn entries(&self) -> Box<dyn Iterator<Item = Entry> + Send + '_> {
        match self {
            Self::Text(entry) => Box::new(std::iter::once(entry.clone())),
            Self::Directory { tree, directory, below, ranges, format } => {
                let files = ranges.iter().flat_map(NameRange::files);
                Box::new(files.map(move |relative| {
                    let path = portable(&relative).expect("names in folders are UTF-8");
                    let path = if below.is_empty() { path } else { format!("{below}/{path}") };
                    let location = Location::File(directory.join(relative));
                    Entry::new(tree.clone(), path, location, *format)
                }))
            }
        }
    }
}

/// Returns whether a file has the extension of a Markdown, MDX or text file.
pub fn is_readable(name: impl AsRef<Path>) -> bool {
    let extension = name.as_ref().extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|given| EXTENSIONS.iter().any(|one| one.eq_ignore_ascii_case(given)))
}

/// Returns whether a file has no extension. A trailing dot does not start one.
pub(crate) fn is_extensionless(name: &Path) -> bool {
    name.extension().is_none_or(|extension| extension.is_empty())
}

/// Returns a relative path with `/` between its components, if it is UTF-8.
pub(crate) fn portable(relative: &Path) -> Option<String> {
    let parts: Option<Vec<_>> = relative.iter().map(|part| part.to_str()).collect();
    parts.map(|parts| parts.join("/"))
}

/// Files of one directory that are adjacent in the order of all files below the root: no file of a
/// subdirectory or a link sorts between them.
#[derive(Debug)]
pub(crate) struct NameRange {
    pub(crate) folder: Arc<Folder>,
    pub(crate) names: Range<usize>,
}

impl NameRange {
    /// Returns paths relative to the root.
    pub(crate) fn files(&self) -> impl Iterator<Item = PathBuf> + Send {
        self.names.clone().map(|nth| self.folder.relative.join(self.folder.name(nth)))
    }
}

/// The sorted file names of one directory.
#[derive(Debug)]
pub(crate) struct Folder {
    /// The directory, relative to the root.
    relative: PathBuf,
    /// All names, concatenated.
    names: String,
    /// The end of each name in `names`.
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
