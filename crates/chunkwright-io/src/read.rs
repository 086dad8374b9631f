//! An entry comes in, its text goes out: all of it, exactly, if it is UTF-8 and not too large.

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::Path;

use crate::entries::{Entry, Source};
use crate::error::{FileError, Reason};

/// The most bytes a file may have unless the user says otherwise.
pub const MAX_FILE_BYTES: u64 = 64_000_000;

/// Reads the text of an entry that has no more than `max_bytes`. A byte order mark is kept.
///
/// # Errors
///
/// When it cannot be read, is not a regular file (then it is not opened), is too large or is not
/// UTF-8.
pub fn read(entry: &Entry, max_bytes: u64) -> Result<String, FileError> {
    let (path, text) = match &entry.source {
        Source::File(path) => (path.as_path(), read_file(path, max_bytes)),
        Source::Stdin => (Path::new("-"), read_stdin(max_bytes)),
    };
    text.map_err(|reason| FileError { path: path.to_owned(), reason })
}

/// Reads the text of a file that has no more than `max_bytes`.
///
/// # Errors
///
/// Those of [`read`].
pub fn read_file(path: &Path, max_bytes: u64) -> Result<String, Reason> {
    check(&fs::metadata(path)?, max_bytes)?;
    let file = File::open(path)?;
    // Another file may have taken its place since.
    let found = file.metadata()?;
    let room = usize::try_from(check(&found, max_bytes)?).unwrap_or_default();
    let bytes = read_bytes(&file, max_bytes, Vec::with_capacity(room))?;
    let left = file.metadata()?;
    if (found.len(), found.modified().ok()) != (left.len(), left.modified().ok()) {
        return Err(Reason::Changed);
    }
    text(bytes)
}

/// How large a regular file is that may be read.
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

/// Reads to the end, but never more than a byte past the limit: the source may be endless.
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
    fn text_is_kept_exactly() {
        let exact = "\u{feff}a\r\nb\0\u{c}c\r";
        assert_eq!(text(exact.as_bytes(), 100).unwrap(), exact);
        assert_eq!(text(b"", 0).unwrap(), "");
    }

    #[test]
    fn bytes_that_are_not_utf8_are_named_by_offset() {
        assert_eq!(text(b"ab\xffcd", 100).unwrap_err(), "not UTF-8 at byte 2");
        assert_eq!(
            text("né".as_bytes().split_last().unwrap().1, 100).unwrap_err(),
            "not UTF-8 at byte 1"
        );
    }

    #[test]
    fn utf16_gets_a_hint() {
        for bytes in [b"\xff\xfea\0", b"\xfe\xff\0a"] {
            let hint = "not UTF-8 at byte 0: looks like UTF-16; convert it to UTF-8";
            assert_eq!(text(bytes, 100).unwrap_err(), hint);
        }
    }

    #[test]
    fn an_endless_source_is_cut_off_at_the_limit() {
        assert_eq!(text(b"12345", 5).unwrap(), "12345");
        assert_eq!(text(b"123456", 5).unwrap_err(), "over the limit of 5 bytes");
        let endless = read_bytes(io::repeat(b'a'), 1000, Vec::new());
        assert!(matches!(endless, Err(Reason::PastLimit { limit: 1000 })));
    }
}
