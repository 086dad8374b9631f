//! Reads the exact text of a file or of standard input, up to a size limit.

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::Path;

use crate::entries::{Entry, Location};
use crate::error::{FileError, Reason};

/// Default maximum size of a file in bytes.
pub const MAX_FILE_BYTES: u64 = 64_000_000;

/// Reads the text of a document of at most `max_bytes`. A byte order mark is kept.
///
/// ```
/// use chunkwright_io::{MAX_FILE_BYTES, Naming, read, walk};
///
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("tea.md"), "# Tea\n")?;
/// let found = walk(&[folder.path().join("tea.md")], &Naming::default())?;
/// for entry in found.entries.iter() {
///     assert_eq!(read(&entry, MAX_FILE_BYTES)?, "# Tea\n");
///     assert!(read(&entry, 3).is_err());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Fails if the file cannot be read, is too large or is not UTF-8. A file that is not regular is
/// not even opened.
pub fn read(entry: &Entry, max_bytes: u64) -> Result<String, FileError> {
    let (path, text) = match &entry.location {
        Location::File(path) => (path.as_path(), read_file(path, max_bytes)),
        Location::Stdin => (Path::new("-"), read_stdin(max_bytes)),
    };
    text.map_err(|reason| FileError { path: path.to_owned(), reason })
}

/// Reads the text of a file of at most `max_bytes`.
///
/// # Errors
///
/// Fails like [`read`].
pub fn read_file(path: &Path, max_bytes: u64) -> Result<String, Reason> {
    check(&fs::metadata(path)?, max_bytes)?;
    let file = File::open(path)?;
    // The path may lead to a different file by now.
    let found = file.metadata()?;
    let room = usize::try_from(check(&found, max_bytes)?).unwrap_or_default();
    let bytes = read_bytes(&file, max_bytes, Vec::with_capacity(room))?;
    let left = file.metadata()?;
    if (found.len(), found.modified().ok()) != (left.len(), left.modified().ok()) {
        return Err(Reason::Changed);
    }
    text(bytes)
}

/// Returns the size of a file, if it is regular and within the limit.
fn check(found: &Metadata, max_bytes: u64) -> Result<u64, Reason> {
    if !found.is_file() {
        return Err(Reason::NotRegular);
    }
    let bytes = found.len();
    if bytes > max_bytes {
        return Err(Reason::TooLarge { bytes, limit: max_bytes });
    }
    Ok(bytes)
}

fn read_stdin(max_bytes: u64) -> Result<String, Reason> {
    text(read_bytes(io::stdin().lock(), max_bytes, Vec::new())?)
}

/// Reads to the end, but at most one byte past the limit: the source may be endless.
fn read_bytes(source: impl Read, max_bytes: u64, mut bytes: Vec<u8>) -> Result<Vec<u8>, Reason> {
    source.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max_bytes {
        return Err(Reason::PastLimit { limit: max_bytes });
    }
    Ok(bytes)
}

fn text(bytes: Vec<u8>) -> Result<String, Reason> {
    String::from_utf8(bytes).map_err(|wrong| {
        let at = wrong.utf8_error().valid_up_to();
        match wrong.as_bytes() {
            [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => Reason::Utf16,
            _ => Reason::NotUtf8 { at },
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8], max_bytes: u64) -> Result<String, String> {
        let bytes = read_bytes(bytes, max_bytes, Vec::new());
        bytes.and_then(super::text).map_err(|reason| reason.to_string())
    }

    #[test]
    fn keeps_the_exact_text() {
        let exact = "\u{feff}a\r\nb\0\u{c}c\r";
        assert_eq!(text(exact.as_bytes(), 100).unwrap(), exact);
        assert_eq!(text(b"", 0).unwrap(), "");
    }

    #[test]
    fn reports_the_offset_of_invalid_utf8() {
        assert_eq!(text(b"ab\xffcd", 100).unwrap_err(), "invalid UTF-8 at byte 2");
        assert_eq!(
            text("né".as_bytes().split_last().unwrap().1, 100).unwrap_err(),
            "invalid UTF-8 at byte 1"
        );
    }

    #[test]
    fn recognizes_utf16() {
        for bytes in [b"\xff\xfea\0", b"\xfe\xff\0a"] {
            let hint = "looks like UTF-16; convert it to UTF-8";
            assert_eq!(text(bytes, 100).unwrap_err(), hint);
        }
    }

    #[test]
    fn stops_reading_an_endless_source_at_the_limit() {
        assert_eq!(text(b"12345", 5).unwrap(), "12345");
        assert_eq!(text(b"123456", 5).unwrap_err(), "over the limit of 5 bytes");
        let endless = read_bytes(io::repeat(b'a'), 1000, Vec::new());
        assert!(matches!(endless, Err(Reason::PastLimit { limit: 1000 })));
    }
}
