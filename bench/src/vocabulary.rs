//! What Python needs and would fetch from the network: a directory comes in, files in it go out.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use crate::corpus::Corpus;

/// The name under which Python's tiktoken looks for `cl100k` in its cache: a hash of its address.
const NAME: &str = "9b5ad71b2ce5302211f9c61530b329a4922fc6a4";

/// Tokens that are in the file; the special ones are not.
const TOKENS: u32 = 100_256;

/// Writes the vocabulary `cl100k` where Python's tiktoken finds it: one token and its rank a line.
///
/// # Errors
/// When it cannot be written.
pub fn write(directory: &Path) -> Result<()> {
    let encoding = tiktoken::get_encoding("cl100k_base").context("it is compiled in")?;
    let mut lines = String::new();
    for rank in 0..TOKENS {
        let token = BASE64_STANDARD.encode(encoding.decode(&[rank]));
        writeln!(lines, "{token} {rank}")?;
    }
    fs::create_dir_all(directory)?;
    Ok(fs::write(directory.join(NAME), lines)?)
}

/// Writes the made pages.
///
/// # Errors
/// When they cannot be written.
pub fn write_pages(directory: &Path) -> Result<()> {
    for page in Corpus::open(None)?.pages {
        let path = directory.join(&page.path);
        fs::create_dir_all(path.parent().context("a page has a directory")?)?;
        fs::write(path, page.text)?;
    }
    Ok(())
}
