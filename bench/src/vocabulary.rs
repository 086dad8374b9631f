//! Writes the files that the Python benchmarks need, so that they download nothing.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use crate::corpus::Corpus;

/// The name of `cl100k` in the cache of Python's tiktoken: a hash of its URL.
const NAME: &str = "9b5ad71b2ce5302211f9c61530b329a4922fc6a4";

/// The number of tokens in the file, without special tokens.
const TOKENS: u32 = 100_256;

/// Writes the vocabulary `cl100k` for Python's tiktoken: one token with its rank per line.
///
/// # Errors
/// If the file cannot be written.
pub fn write(directory: &Path) -> Result<()> {
    let encoding =
        tiktoken::get_encoding("cl100k_base").context("tiktoken was built without cl100k")?;
    let mut lines = String::new();
    for rank in 0..TOKENS {
        let token = BASE64_STANDARD.encode(encoding.decode(&[rank]));
        writeln!(lines, "{token} {rank}")?;
    }
    fs::create_dir_all(directory)?;
    Ok(fs::write(directory.join(NAME), lines)?)
}

/// Writes the generated pages.
///
/// # Errors
/// If they cannot be written.
pub fn write_pages(directory: &Path) -> Result<()> {
    for page in Corpus::open(None)?.pages {
        let path = directory.join(&page.path);
        fs::create_dir_all(path.parent().context("a page has a directory")?)?;
        fs::write(path, page.text)?;
    }
    Ok(())
}
