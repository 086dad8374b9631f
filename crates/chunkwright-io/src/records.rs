//! Reads the records that `chunkwright chunk` wrote, one by one.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use chunkwright_records::Provenance;

use crate::error::{FileError, Reason};

/// The last line of `--format json`.
const OBJECT_END: &str = "]}";

/// Maximum size of a line in bytes.
const MAX_RECORD_BYTES: u64 = 256_000_000;

/// The records of a file, each as JSON on one line. They are read one by one.
///
/// ```
/// use chunkwright_io::Records;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("chunks.jsonl");
/// std::fs::write(&path, "{\"id\":\"docs:tea.md#tea\"}\n")?;
/// for (place, record) in Records::open(&path)?.with_places() {
///     assert_eq!((&*place, &*record?), ("line 1", "{\"id\":\"docs:tea.md#tea\"}"));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Records {
    /// Provenance of the records, if the file contains it.
    pub provenance: Option<Provenance>,
    /// The unit that places are counted in, and how many units precede the first record.
    counted: (&'static str, usize),
    lines: Box<dyn Iterator<Item = io::Result<String>> + Send>,
}

/// The layout of a file of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Layout {
    /// One JSON record per line: `.jsonl`.
    Lines,
    /// One JSON object, with one record per line: `.json`.
    Object,
    /// A table: `.parquet`. Reading it requires the feature `parquet`.
    Parquet,
}

impl Layout {
    /// Returns the layout for the extension of a file, if it is that of a file of records.
    pub fn of_path(path: &Path) -> Option<Self> {
        let extension = path.extension()?;
        let named = [("jsonl", Self::Lines), ("json", Self::Object), ("parquet", Self::Parquet)];
        let found = named.into_iter().find(|(name, _)| extension.eq_ignore_ascii_case(name));
        found.map(|(_, layout)| layout)
    }
}

impl Records {
    /// Opens a file of records.
    ///
    /// # Errors
    /// Fails if the file cannot be read, has an unknown extension, or contains something else.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let failed = |reason| FileError { path: path.to_owned(), reason };
        // Opening a FIFO could block forever.
        if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
            return Err(failed(Reason::NotRegular));
        }
        let opened = match Layout::of_path(path) {
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
            None => Err(io::Error::other("expected a .jsonl, .json or .parquet file")),
        };
        opened.map_err(|fault| failed(fault.into()))
    }

    fn new(
        provenance: Option<Provenance>,
        counted: (&'static str, usize),
        lines: impl Iterator<Item = io::Result<String>> + Send + 'static,
    ) -> Self {
        Self { provenance, counted, lines: Box::new(lines) }
    }

    /// Returns the records, each with its place in the file, such as `line 3`.
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

/// Returns the lines of a file, up to the first that exceeds the limit.
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

/// Decodes a line, and removes its line ending.
fn text(line: Vec<u8>) -> io::Result<String> {
    let not_utf8 = |at| io::Error::other(format!("invalid UTF-8 at byte {at}"));
    let line = String::from_utf8(line);
    let mut line = line.map_err(|wrong| not_utf8(wrong.utf8_error().valid_up_to()))?;
    line.truncate(line.trim_end_matches(['\r', '\n']).len());
    Ok(line)
}

/// Opens a JSON object that has one record per line, as `chunk` writes it.
fn object(path: &Path) -> io::Result<Records> {
    let mut lines = lines_of(path)?;
    let first = lines.next().transpose()?.unwrap_or_default();
    let provenance = Provenance::from_json_line(&first)
        .ok_or_else(|| io::Error::other("not written by `chunkwright chunk --format json`"))?;
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
            Some(Err(io::Error::other("unexpected end of file")))
        }
    });
    Ok(Records::new(Some(provenance), ("line", 1), records))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_the_size_of_a_line_before_decoding_it() {
        let lines = |text: &str| -> Vec<_> {
            let line = |line: io::Result<String>| line.unwrap_or_else(|fault| fault.to_string());
            limited(text.as_bytes(), 4).map(line).collect()
        };
        assert_eq!(lines("é12\n"), ["over the limit of 4 bytes"]);
        assert_eq!(lines("12\r\n123\n1234"), ["12", "123", "1234"]);
        assert_eq!(lines("123é\n1\n"), ["over the limit of 4 bytes"]);
        let cut = limited(&b"1\n1\xff\n"[..], 4).last().unwrap().unwrap_err();
        assert_eq!(cut.to_string(), "invalid UTF-8 at byte 1");
    }
}
