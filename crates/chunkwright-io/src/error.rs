//! Errors about files, with messages of one line.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// A file or directory that cannot be read, and the reason.
#[derive(Debug, Error)]
#[error("cannot read {}: {reason}", shown(path))]
pub struct FileError {
    /// The path, as the user wrote it where possible; `-` is standard input.
    pub path: PathBuf,
    /// The reason.
    pub reason: Reason,
}

/// The reason why a file or directory cannot be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Reason {
    /// An error of the operating system, such as a missing file.
    #[error("{}", plain(.0))]
    Io(#[from] io::Error),
    /// A FIFO, device or socket, which is never opened, or a directory instead of a file.
    #[error("not a regular file")]
    NotRegular,
    /// A file instead of a directory.
    #[error("not a directory")]
    NotDirectory,
    /// A named file with an unknown extension.
    #[error("not a Markdown, MDX or text file")]
    UnknownFormat,
    /// A directory without Markdown, MDX or text files, apart from hidden and ignored ones.
    #[error(
        "no .md, .markdown, .mdown, .mkd, .mdx or .txt files found (hidden and ignored files are \
         skipped)"
    )]
    NoFiles,
    /// A file whose metadata reports a size over the limit.
    #[error("{bytes} bytes, over the limit of {limit} bytes")]
    TooLarge {
        /// Size of the file.
        bytes: u64,
        /// Maximum size.
        limit: u64,
    },
    /// Standard input that exceeds the limit, or a file that grew over it while being read.
    #[error("over the limit of {limit} bytes")]
    PastLimit {
        /// Maximum size.
        limit: u64,
    },
    /// A file that was modified while being read, so the text may mix two versions.
    #[error("file changed while it was read; try again")]
    Changed,
    /// A text that is not UTF-8.
    #[error("invalid UTF-8 at byte {at}")]
    NotUtf8 {
        /// Offset of the first invalid byte.
        at: usize,
    },
    /// A text that starts with the byte order mark of UTF-16.
    #[error("looks like UTF-16; convert it to UTF-8")]
    Utf16,
    /// A file name that is not UTF-8, so no record can contain it.
    #[error("file name is not UTF-8")]
    NameNotUtf8,
    /// A link without a target, or a cycle of links.
    #[error("broken link: {}", plain(.0))]
    LinkBroken(io::Error),
    /// A link to a directory that contains it.
    #[error("link loops back to {}", shown(.0))]
    LinkLoop(PathBuf),
    /// A link to a target outside the directory that is read. It is not followed.
    #[error("link points to {}, outside the directory", shown(.0))]
    LinkOut(PathBuf),
}

/// An error that makes all arguments unusable together. Nothing is read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WalkError {
    /// Two roots with the same tree name. Their documents could get the same ids.
    #[error(
        "{} and {} both map to tree `{tree}`; process them separately, with different tree names",
        shown(first),
        shown(second)
    )]
    TreeClash {
        /// The tree name.
        tree: String,
        /// The first root.
        first: PathBuf,
        /// The second root.
        second: PathBuf,
    },
    /// A directory whose name cannot be a tree name.
    #[error(
        "cannot name a tree after {}: directory name is not UTF-8; set a tree name",
        shown(path)
    )]
    TreeName {
        /// The directory.
        path: PathBuf,
    },
    /// A common root that is not a directory or does not exist.
    #[error("cannot use {} as the root: {reason}", shown(path))]
    Root {
        /// The root as the user wrote it.
        path: PathBuf,
        /// The reason.
        reason: Reason,
    },
    /// An argument outside the common root.
    #[error("{} is outside the root {}; name a root that contains it", shown(path), shown(root))]
    OutsideRoot {
        /// The argument as the user wrote it.
        path: PathBuf,
        /// The root as the user wrote it.
        root: PathBuf,
    },
}

/// Output that cannot be written. An existing regular file is left unchanged.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OutputError {
    /// The path is a directory, or ends with a separator.
    #[error("cannot write {}: path names a directory; name a file in it", shown(path))]
    Directory {
        /// The output as the user wrote it.
        path: PathBuf,
    },
    /// The existing file cannot be opened for writing.
    #[error(
        "cannot open {} for writing: {}; {}",
        shown(path),
        plain(fault),
        advice(fault, "name another file")
    )]
    Open {
        /// The output as the user wrote it.
        path: PathBuf,
        /// The error of the operating system.
        fault: io::Error,
    },
    /// The temporary file next to the output cannot be created.
    #[error(
        "cannot create {}: {}; {}",
        shown(path),
        plain(fault),
        advice(fault, "check that its directory exists and is writable")
    )]
    Create {
        /// The output as the user wrote it.
        path: PathBuf,
        /// The error of the operating system.
        fault: io::Error,
    },
    /// Writing or renaming failed.
    #[error(
        "cannot write {}: {}; {}",
        shown(path),
        plain(fault),
        advice(fault, "name another file")
    )]
    Write {
        /// The output as the user wrote it.
        path: PathBuf,
        /// The error of the operating system.
        fault: io::Error,
    },
    /// Writing to standard output failed.
    #[error(
        "cannot write to standard output: {}; {}",
        plain(fault),
        advice(fault, "redirect it to a file")
    )]
    Stdout {
        /// The error of the operating system.
        fault: io::Error,
    },
}

impl From<OutputError> for io::Error {
    /// Keeps the kind of the operating system's error.
    fn from(error: OutputError) -> Self {
        let kind = match &error {
            OutputError::Directory { .. } => io::ErrorKind::IsADirectory,
            OutputError::Open { fault, .. }
            | OutputError::Create { fault, .. }
            | OutputError::Write { fault, .. }
            | OutputError::Stdout { fault } => fault.kind(),
        };
        Self::new(kind, error)
    }
}

/// Returns what to do about an error: free some space if the disk is full, or else `otherwise`.
fn advice(fault: &io::Error, otherwise: &'static str) -> &'static str {
    match fault.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "free some space or name another file"
        }
        _ => otherwise,
    }
}

/// Formats a path for a message: on one line, with control characters escaped.
///
/// `-` becomes "standard input".
pub fn shown(path: &Path) -> impl fmt::Display {
    Shown(path)
}

struct Shown<'a>(&'a Path);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == Path::new("-") {
            return f.write_str("standard input");
        }
        if self.0.as_os_str().is_empty() {
            return f.write_str("\"\"");
        }
        for letter in self.0.to_string_lossy().chars() {
            if letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}') {
                write!(f, "{}", letter.escape_default())?;
            } else {
                write!(f, "{letter}")?;
            }
        }
        Ok(())
    }
}

/// Returns the message of an I/O error, in lower case and without the error number.
pub fn plain(fault: &io::Error) -> String {
    let words = fault.to_string();
    let words = words.split(" (os error").next().unwrap_or_default();
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(path: &str) -> String {
        let reason = Reason::NotUtf8 { at: 12 };
        FileError { path: path.into(), reason }.to_string()
    }

    #[test]
    fn shows_any_path_on_one_line() {
        assert_eq!(message("docs/a.md"), "cannot read docs/a.md: invalid UTF-8 at byte 12");
        assert_eq!(
            message("a\nb\u{1b}[31m\u{2028}é.md"),
            "cannot read a\\nb\\u{1b}[31m\\u{2028}é.md: invalid UTF-8 at byte 12"
        );
        assert_eq!(message("-"), "cannot read standard input: invalid UTF-8 at byte 12");
        assert_eq!(message(""), "cannot read \"\": invalid UTF-8 at byte 12");
    }

    #[test]
    fn removes_the_number_from_system_messages() {
        let fault = io::Error::from_raw_os_error(2);
        let error = FileError { path: "a.md".into(), reason: fault.into() };
        assert!(!error.to_string().contains("os error"), "{error}");
        assert!(!error.to_string().contains('N'), "{error}");
    }
}
