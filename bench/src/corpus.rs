//! What is measured on: a directory or nothing comes in, pages in memory go out.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use chunkwright::Source;
use chunkwright_io::{MAX_FILE_BYTES, Naming, read, walk};

use crate::generate;

/// Bytes of the corpus that is made when none is given.
const GENERATED: usize = 4_000_000;

/// Bytes of the sample for contenders that would take minutes over all pages.
const SAMPLE: usize = 1_000_000;

/// A page in memory.
pub struct Page {
    /// Its path in the corpus.
    pub path: String,
    /// Its text.
    pub text: String,
}

impl Page {
    /// The page as the library takes it.
    pub fn source(&self) -> Source<'_> {
        Source::new(&self.path, &self.text)
    }
}

/// Pages, and every so manieth of them as a sample.
pub struct Corpus {
    /// All pages.
    pub pages: Vec<Page>,
    /// What to call it.
    pub name: String,
}

impl Corpus {
    /// The pages below a directory, or made ones.
    ///
    /// # Errors
    /// When a file cannot be read, or there is none.
    pub fn open(directory: Option<&Path>) -> Result<Self> {
        let Some(directory) = directory else {
            return Ok(Self { pages: generate::pages(GENERATED), name: "made pages".to_owned() });
        };
        let found = walk(&[PathBuf::from(directory)], &Naming::default())?;
        let page = |entry: chunkwright_io::Entry| -> Result<Page> {
            let text = read(&entry, MAX_FILE_BYTES)?;
            Ok(Page { path: entry.path, text })
        };
        let pages = found.entries.iter().map(page).collect::<Result<Vec<_>>>()?;
        ensure!(!pages.is_empty(), "{}: no Markdown in it", directory.display());
        Ok(Self { pages, name: directory.display().to_string() })
    }

    /// Pages at equal distances, about a megabyte in all.
    pub fn sample(&self) -> Vec<&Page> {
        self.pages.iter().step_by(bytes(&self.pages).div_ceil(SAMPLE)).collect()
    }

    /// All pages.
    pub fn whole(&self) -> Vec<&Page> {
        self.pages.iter().collect()
    }
}

/// Bytes in pages.
pub fn bytes<'p>(pages: impl IntoIterator<Item = &'p Page>) -> usize {
    pages.into_iter().map(|page| page.text.len()).sum()
}
