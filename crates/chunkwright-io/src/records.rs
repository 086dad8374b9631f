//! Files of records: what `chunk` wrote comes in, records in JSON go out one by one.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use chunkwright_records::Provenance;
use thiserror::Error;

use crate::error::{plain, shown};

/// The last line of `--format json`.
const OBJECT_END: &str = "]}";

/// The most bytes that a record may take in a file.
const MAX_RECORD_BYTES: u64 = 256_000_000;

/// What is wrong with a file of records.
#[derive(Debug, Error)]
#[error("{}: {reason}", shown(path))]
pub struct RecordsError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong, and where.
    pub reason: String,
}

/// The records of a file, in order, each as JSON on one line. They are read one by one.
pub struct Records {
    /// How they were made, if the file records it.
    pub provenance: Option<Provenance>,
    /// What is counted in the file, and how many come before the first record.
    counted: (&'static str, usize),
    lines: Box<dyn Iterator<Item = io::Result<String>> + Send>,
}

/// How a file holds records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Layout {
    /// One record in JSON a line: `.jsonl`.
    Lines,
    /// One JSON object, with a record a line: `.json`.
    Object,
    /// A table: `.parquet`. Reading it takes the feature `parquet`.
    Parquet,
}

impl Layout {
    /// The layout that a file is named after.
    pub fn of_path(path: &Path) -> Option<Self> {
        let extension = path.extension()?;
        let named = [("jsonl", Self::Lines), ("json", Self::Object), ("parquet", Self::Parquet)];
        let found = named.into_iter().find(|(name, _)| extension.eq_ignore_ascii_case(name));
        found.map(|(_, layout)| layout)
    }
}

impl Records {
    /// Whether a path is named like a file of records: `.jsonl`, `.json` or `.parquet`.
    pub fn are_in(path: &Path) -> bool {
        Layout::of_path(path).is_some()
    }

    /// Opens a file of records.
    ///
    /// # Errors
    /// When it cannot be read, or is not named or made like a file of records.
    pub fn open(path: &Path) -> Result<Self, RecordsError> {
        let opened = match Layout::of_path(path) {
            // It is not opened: that might take for ever.
            _ if fs::metadata(path).is_ok_and(|found| !found.is_file()) => {
                Err(io::Error::other("not a regular file"))
            }
            Some(Layout::Lines) => lines(path),
            Some(Layout::Object) => object(path),
            #[cfg(feature = "parquet")]
            Some(Layout::Parquet) => {
                crate::parquet::records(path).map(|(made, rows)| Self::new(made, ("row", 0), rows))
            }
            #[cfg(not(feature = "parquet"))]
            Some(Layout::Parquet) => Err(io::Error::other(
                "this build has no Parquet support; rebuild with the feature `parquet`",
            )),
            None => Err(io::Error::other("not named .jsonl, .json or .parquet")),
        };
        let failed = |fault| RecordsError { path: path.to_owned(), reason: plain(&fault) };
        opened.map_err(failed)
    }

    fn new(
        provenance: Option<Provenance>,
        counted: (&'static str, usize),
        lines: impl Iterator<Item = io::Result<String>> + Send + 'static,
    ) -> Self {
        Self { provenance, counted, lines: Box::new(lines) }
    }

    /// The records, each with its place in the file, such as `line 3`.
    pub fn with_places(self) -> impl Iterator<Item = (String, io::Result<String>)> + Send {
        let (unit, before) = self.counted;
        let lines = self.lines.enumerate();
        let placed = lines.map(move |(nth, line)| (format!("{unit} {}", before + nth + 1), line));
        placed.filter(|(_, line)| !line.as_ref().is_ok_and(|line| line.trim().is_empty()))
    }
}

fn lines(path: &Path) -> io::Result<Records> {
    Ok(Records::new(None, ("line", 0), lines_of(path)?))
}

fn lines_of(path: &Path) -> io::Result<impl Iterator<Item = io::Result<String>> + use<>> {
    Ok(limited(BufReader::new(File::open(path)?), MAX_RECORD_BYTES))
}

/// Lines up to the first that is longer than it may be.
fn limited<R: BufRead>(mut file: R, max_bytes: u64) -> impl Iterator<Item = io::Result<String>> {
    let mut is_over = false;
    std::iter::from_fn(move || {
        let mut line = Vec::new();
        if is_over {
            return None;
        }
        match file.by_ref().take(max_bytes + 1).read_until(b'\n', &mut line) {
            Ok(0) => None,
            Ok(bytes) if bytes as u64 > max_bytes => {
                is_over = true;
                Some(Err(io::Error::other(format!("over the limit of {max_bytes} bytes"))))
            }
            Ok(_) => Some(text(line)),
            Err(fault) => Some(Err(fault)),
        }
    })
}

/// A line without its end.
fn text(line: Vec<u8>) -> io::Result<String> {
    let not_utf8 = |at| io::Error::other(format!("not UTF-8 at byte {at}"));
    let line = String::from_utf8(line);
    let mut line = line.map_err(|wrong| not_utf8(wrong.utf8_error().valid_up_to()))?;
    line.truncate(line.trim_end_matches(['\r', '\n']).len());
    Ok(line)
}

/// Reads one object as `chunk` writes it, a record a line.
fn object(path: &Path) -> io::Result<Records> {
    let mut lines = lines_of(path)?;
    let first = lines.next().transpose()?.unwrap_or_default();
    let provenance = Provenance::from_json_line(&first)
        .ok_or_else(|| io::Error::other("not output of `chunk --format json`"))?;
    let mut is_complete = false;
    let records = std::iter::from_fn(move || match lines.next() {
        Some(Ok(line)) if line == OBJECT_END => {
            is_complete = true;
            None
        }
        Some(Ok(mut line)) => {
            line.truncate(line.trim_end_matches(',').len());
            Some(Ok(line))
        }
        Some(fault) => Some(fault),
        None if is_complete => None,
        None => {
            is_complete = true;
            Some(Err(io::Error::other("the file ends too early")))
        }
    });
    Ok(Records::new(Some(provenance), ("line", 1), records))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_measured_before_it_is_decoded() {
        let lines = |text: &str| -> Vec<_> {
            let line = |line: io::Result<String>| line.unwrap_or_else(|fault| fault.to_string());
            limited(text.as_bytes(), 4).map(line).collect()
        };
        assert_eq!(lines("é12\n"), ["over the limit of 4 bytes"]);
        assert_eq!(lines("12\r\n123\n1234"), ["12", "123", "1234"]);
        assert_eq!(lines("123é\n1\n"), ["over the limit of 4 bytes"]);
        let cut = limited(&b"1\n1\xff\n"[..], 4).last().unwrap().unwrap_err();
        assert_eq!(cut.to_string(), "not UTF-8 at byte 1");
    }
}
