//! What can go wrong with files: paths and causes come in, one-line messages go out.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// A file or directory that was left out, and why. The others go on.
#[derive(Debug, Error)]
#[error("{}: {reason}", shown(path))]
pub struct FileError {
    /// The path, as far as possible as the user wrote it; `-` is standard input.
    pub path: PathBuf,
    /// Why it was left out.
    pub reason: Reason,
}

/// Why a file or directory was left out.
#[derive(Debug, Error)]
pub enum Reason {
    /// The system refused, or the file is not there (any more).
    #[error("{}", plain(.0))]
    Io(#[from] io::Error),
    /// A FIFO, device or socket, which is never opened, or a directory where a file was found.
    #[error("not a regular file")]
    NotRegular,
    /// A file where a directory is needed.
    #[error("not a directory")]
    NotDirectory,
    /// A named file with an extension of something else.
    #[error("not a Markdown, MDX or text file")]
    UnknownFormat,
    /// A directory without Markdown, MDX or text. Hidden and ignored files do not count.
    #[error(
        "no .md, .markdown, .mdown, .mkd, .mdx or .txt files found (hidden and ignored files are \
         skipped)"
    )]
    NoFiles,
    /// The file says it is over the limit.
    #[error("{bytes} bytes, over the limit of {limit} bytes")]
    TooLarge {
        /// How large it is.
        bytes: u64,
        /// How large it may be.
        limit: u64,
    },
    /// Reading went past the limit: standard input, or a file that grew meanwhile.
    #[error("over the limit of {limit} bytes")]
    PastLimit {
        /// How large it may be.
        limit: u64,
    },
    /// The file grew, shrank or was written to meanwhile, so that its parts may not fit together.
    #[error("changed while it was read; try again")]
    Changed,
    /// The text is not UTF-8.
    #[error("not UTF-8 at byte {at}")]
    NotUtf8 {
        /// The offset of the first byte that is wrong.
        at: usize,
    },
    /// The text starts with the byte order mark of UTF-16.
    #[error("not UTF-8 at byte 0: looks like UTF-16; convert it to UTF-8")]
    Utf16,
    /// The name cannot be written in a record.
    #[error("file name is not UTF-8")]
    NameNotUtf8,
    /// A link that leads to nothing, or only to itself.
    #[error("link cannot be followed: {}", plain(.0))]
    LinkBroken(io::Error),
    /// A link to a directory it lies in.
    #[error("link loops back to {}", shown(.0))]
    LinkLoop(PathBuf),
    /// A link to something outside the directory that is read.
    #[error("link leads out of the directory, to {}; not followed", shown(.0))]
    LinkOut(PathBuf),
}

/// Arguments that cannot be read together. Nothing is read.
#[derive(Debug, Error)]
pub enum WalkError {
    /// Two roots with one tree name; their files could get the same ids.
    #[error(
        "{} and {} would both be tree {tree:?}; run them separately, each with its own tree name",
        shown(first),
        shown(second)
    )]
    TreeClash {
        /// The tree name.
        tree: String,
        /// The root that had it first.
        first: PathBuf,
        /// The root that has it too.
        second: PathBuf,
    },
    /// A directory whose name cannot be a tree name.
    #[error("{}: directory name is not UTF-8; name its tree", shown(path))]
    TreeName {
        /// The directory.
        path: PathBuf,
    },
    /// The root of all arguments cannot be used.
    #[error("cannot use {} as the root: {reason}", shown(path))]
    Root {
        /// The root as the user wrote it.
        path: PathBuf,
        /// What is wrong with it.
        reason: Reason,
    },
    /// An argument that the root of all arguments does not contain.
    #[error("{} is outside the root {}; name a root that contains it", shown(path), shown(root))]
    OutsideRoot {
        /// The argument as the user wrote it.
        path: PathBuf,
        /// The root as the user wrote it.
        root: PathBuf,
    },
}

/// Output that could not be written. A regular file that was there before is unchanged.
#[derive(Debug, Error)]
pub enum OutputError {
    /// The path is a directory, or ends like one.
    #[error("{}: names a directory; name a file in it", shown(path))]
    Directory {
        /// The output as the user wrote it.
        path: PathBuf,
    },
    /// What stands at the path cannot be opened for writing.
    #[error(
        "{}: cannot be opened for writing: {}; {}",
        shown(path),
        plain(fault),
        advice(fault, "name another file")
    )]
    Open {
        /// The output as the user wrote it.
        path: PathBuf,
        /// What the system said.
        fault: io::Error,
    },
    /// No temporary file can be made beside the output.
    #[error(
        "{}: cannot be created: {}; {}",
        shown(path),
        plain(fault),
        advice(fault, "check that its directory exists and is writable")
    )]
    Create {
        /// The output as the user wrote it.
        path: PathBuf,
        /// What the system said.
        fault: io::Error,
    },
    /// Writing or renaming failed.
    #[error(
        "{}: cannot be written: {}; {}",
        shown(path),
        plain(fault),
        advice(fault, "name another file")
    )]
    Write {
        /// The output as the user wrote it.
        path: PathBuf,
        /// What the system said.
        fault: io::Error,
    },
    /// Standard output cannot be written.
    #[error(
        "standard output: cannot be written: {}; {}",
        plain(fault),
        advice(fault, "send it elsewhere")
    )]
    Stdout {
        /// What the system said.
        fault: io::Error,
    },
}

impl From<OutputError> for io::Error {
    /// Keeps the kind that the system gave.
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

/// What to do: make room if there is none, else something.
fn advice(fault: &io::Error, otherwise: &'static str) -> &'static str {
    match fault.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "free some space or name another file"
        }
        _ => otherwise,
    }
}

/// A path for a message: on one line, whatever is in it.
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

/// The system's words in the style of our own: lower-case, without the number.
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
    fn a_message_is_one_line_whatever_the_name() {
        assert_eq!(message("docs/a.md"), "docs/a.md: not UTF-8 at byte 12");
        assert_eq!(
            message("a\nb\u{1b}[31m\u{2028}é.md"),
            "a\\nb\\u{1b}[31m\\u{2028}é.md: not UTF-8 at byte 12"
        );
        assert_eq!(message("-"), "standard input: not UTF-8 at byte 12");
        assert_eq!(message(""), "\"\": not UTF-8 at byte 12");
    }

    #[test]
    fn the_words_of_the_system_lose_their_number() {
        let fault = io::Error::from_raw_os_error(2);
        let error = FileError { path: "a.md".into(), reason: fault.into() };
        assert!(!error.to_string().contains("os error"), "{error}");
        assert!(!error.to_string().contains('N'), "{error}");
    }
}
