//! Loads the pages to measure from a directory, or generates them.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use chunkwright::Source;
use chunkwright_io::{MAX_FILE_BYTES, Naming, read, walk};

use crate::generate;

/// Size of the generated corpus in bytes.
const GENERATED: usize = 4_000_000;

/// Size in bytes of the sample for contenders that would take minutes for all pages.
const SAMPLE: usize = 1_000_000;

/// A page in memory.
pub struct Page {
    /// Its path in the corpus.
    pub path: String,
    /// Its text.
    pub text: String,
}

impl Page {
    /// Returns the page as input of the library.
    pub fn source(&self) -> Source<'_> {
        Source::new(&self.path, &self.text)
    }
}

/// The pages to measure.
pub struct Corpus {
    /// All pages.
    pub pages: Vec<Page>,
    /// A name for reports.
    pub name: String,
}

impl Corpus {
    /// Reads the Markdown files below a directory, or generates pages.
    ///
    /// # Errors
    /// If a file cannot be read, or there is none.
    pub fn open(directory: Option<&Path>) -> Result<Self> {
        let Some(directory) = directory else {
            return Ok(Self {
                pages: generate::pages(GENERATED),
                name: "generated pages".to_owned(),
            });
        };
        let found = walk(&[PathBuf::from(directory)], &Naming::default())?;
        let page = |entry: chunkwright_io::Entry| -> Result<Page> {
            let text = read(&entry, MAX_FILE_BYTES)?;
            Ok(Page { path: entry.path, text })
        };
        let pages = found.entries.iter().map(page).collect::<Result<Vec<_>>>()?;
        ensure!(!pages.is_empty(), "{} contains no Markdown", directory.display());
        Ok(Self { pages, name: directory.display().to_string() })
    }

    /// Returns every nth page, about a megabyte in total.
    pub fn sample(&self) -> Vec<&Page> {
        self.pages.iter().step_by(bytes(&self.pages).div_ceil(SAMPLE)).collect()
    }

    /// Returns all pages.
    pub fn whole(&self) -> Vec<&Page> {
        self.pages.iter().collect()
    }
}

/// Returns the total size of pages in bytes.
pub fn bytes<'p>(pages: impl IntoIterator<Item = &'p Page>) -> usize {
    pages.into_iter().map(|page| page.text.len()).sum()
}
