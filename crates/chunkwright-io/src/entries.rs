//! The list of documents to read.
//!
//! There may be a million files, so only their relative paths are stored, and entries are built on
//! iteration.

use std::path::{MAIN_SEPARATOR, Path, PathBuf};

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
        /// The paths below the directory, with `/` on every platform.
        files: Vec<Box<str>>,
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
            Self::Directory { files, .. } => files.len(),
        }
    }

    fn entries(&self) -> Box<dyn Iterator<Item = Entry> + Send + '_> {
        match self {
            Self::Text(entry) => Box::new(std::iter::once(entry.clone())),
            Self::Directory { tree, directory, below, files, format } => {
                Box::new(files.iter().map(move |file| {
                    let path = match below.is_empty() {
                        true => file.to_string(),
                        false => format!("{below}/{file}"),
                    };
                    let mut location = directory.clone();
                    location.extend(file.split('/'));
                    Entry::new(tree.clone(), path, Location::File(location), *format)
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
    relative.to_str().map(|path| path.replace(MAIN_SEPARATOR, "/"))
}
