//! Errors of the index.
//!
//! Messages do not say what to do where the advice differs between the command and the Python
//! package. Both add their own.

use std::io;
use std::path::{Path, PathBuf};

use chunkwright_io::{plain, shown};
use tantivy::TantivyError;
use tantivy::directory::error::{LockError, OpenDirectoryError, OpenReadError, OpenWriteError};

/// An error of an update or a search.
///
/// ```
/// use chunkwright_search::{Error, Snapshot};
///
/// let error = Snapshot::open("no-such-index".as_ref()).err().unwrap();
/// assert!(matches!(error, Error::Missing { .. }));
/// assert_eq!(error.to_string(), "no index in no-such-index");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no index.
    #[error("no index in {}", shown(.dir))]
    Missing {
        /// The directory without an index.
        dir: PathBuf,
    },
    /// A file of the index is damaged or missing.
    #[error("damaged index file {}: {reason}", shown(.file))]
    Damaged {
        /// The damaged file.
        file: PathBuf,
        /// The kind of damage.
        reason: String,
    },
    /// The directory contains something other than a chunkwright index.
    #[error("{} is not a chunkwright index: {reason}", shown(.dir))]
    Foreign {
        /// The directory.
        dir: PathBuf,
        /// The evidence.
        reason: String,
    },
    /// The index was built by a version with a different format.
    #[error(
        "cannot read the index in {}: built by {generator}, which uses a different format",
        shown(.dir)
    )]
    OtherVersion {
        /// The directory of the index.
        dir: PathBuf,
        /// The program and version that built it.
        generator: String,
    },
    /// Another process is writing to the index.
    #[error(
        "the index in {} is locked by {holder}; wait for it to finish, or stop it",
        shown(.dir)
    )]
    Busy {
        /// The directory of the index.
        dir: PathBuf,
        /// The process that holds the lock.
        holder: String,
    },
    /// The operating system reported an error.
    #[error(
        "I/O error on {}: {}; {}the index is unchanged",
        shown(.path), plain(.fault), advice(.fault)
    )]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// The error of the operating system.
        fault: io::Error,
    },
    /// Two directories have the same tree name.
    #[error(
        "tree `{tree}` is already indexed from {}; {} needs a different tree name",
        shown(.indexed), shown(.given)
    )]
    TreeClash {
        /// The name of the tree.
        tree: String,
        /// The directory that has the name in the index.
        indexed: PathBuf,
        /// The directory that was given.
        given: PathBuf,
    },
    /// A strict query has a syntax error.
    #[error("{message}")]
    Query {
        /// The syntax error, with the query and a caret below the position.
        message: String,
    },
    /// The query contains no words.
    #[error("the query has no letter or digit to search for")]
    EmptyQuery,
    /// The token budget is too small even for an answer without results.
    #[error("the token budget of {given} is too small for this format; use at least {smallest}")]
    Budget {
        /// The token budget.
        given: usize,
        /// The smallest possible budget.
        smallest: usize,
    },
    /// An argument exceeds its limit.
    #[error("{what} is {given}, but the maximum is {most}")]
    Limit {
        /// The argument, such as `max_tokens`.
        what: &'static str,
        /// The given number.
        given: usize,
        /// The largest possible number.
        most: usize,
    },
    /// The section does not contain the line.
    #[error("line {line} is not in `{id}`, which has lines {first} to {last}")]
    Line {
        /// The id of the section.
        id: String,
        /// The given line.
        line: usize,
        /// The first line of the section.
        first: usize,
        /// The last line of the section.
        last: usize,
    },
    /// A listing has no entries after the given number.
    #[error("`after` is {given}, but the list has {entries} entries")]
    After {
        /// The given number of entries to skip.
        given: usize,
        /// The number of entries.
        entries: usize,
    },
    /// Results have no such field.
    #[error(
        "unknown field `{name}`: expected one of {}{}",
        quoted(crate::answer::FIELDS, ", "), suggested(.nearest)
    )]
    UnknownField {
        /// The unknown name.
        name: String,
        /// Fields with similar names.
        nearest: Vec<String>,
    },
    /// A filter is invalid.
    #[error("{0}")]
    Filter(String),
    /// The directories to index cannot be combined.
    #[error(transparent)]
    Walk(#[from] chunkwright_io::WalkError),
    /// The index contains no such id or path.
    #[error("unknown id or path `{id}`{}", suggested(.nearest))]
    UnknownId {
        /// The unknown id or path.
        id: String,
        /// Similar ids.
        nearest: Vec<String>,
    },
    /// Several trees contain the path.
    #[error("`{path}` exists in several trees; use one of these ids: {}", quoted(.ids, ", "))]
    AmbiguousPath {
        /// The path.
        path: String,
        /// The ids of the files with this path.
        ids: Vec<String>,
    },
    /// An option is out of range.
    #[error(transparent)]
    Config(#[from] chunkwright::ConfigError),
    /// Any other error of the search engine.
    #[error("search engine error in {}: {reason}; the index is unchanged", shown(.dir))]
    Engine {
        /// The directory of the index.
        dir: PathBuf,
        /// The message of the engine.
        reason: String,
    },
}

fn quoted(names: &[impl AsRef<str>], separator: &str) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{}`", name.as_ref())).collect();
    names.join(separator)
}

/// Returns `; did you mean …?`, or nothing without suggestions.
fn suggested(nearest: &[String]) -> String {
    match nearest {
        [] => String::new(),
        nearest => format!("; did you mean {}?", quoted(nearest, " or ")),
    }
}

/// Returns what to do about an error, where that is clear.
fn advice(fault: &io::Error) -> &'static str {
    match fault.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "free some space; ",
        _ => "",
    }
}

/// Recovers the system error from a message that only quotes it.
fn fault_in(said: &str) -> Option<io::Error> {
    let (_, number) = said.split_once("(os error ")?;
    let (number, _) = number.split_once(')')?;
    Some(io::Error::from_raw_os_error(number.parse().ok()?))
}

impl Error {
    /// Converts system errors on a path.
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |fault| Self::Io { path, fault }
    }

    /// Converts tantivy errors on the index in `dir`.
    pub(crate) fn engine(dir: &Path) -> impl Fn(TantivyError) -> Self + use<> {
        let dir = dir.to_owned();
        move |error| Self::of_engine(&dir, error)
    }

    fn of_engine(dir: &Path, error: TantivyError) -> Self {
        let io = |path: &Path, fault: &io::Error| Self::Io {
            path: dir.join(path),
            fault: io::Error::new(fault.kind(), fault.to_string()),
        };
        let damaged = |file: &Path, reason: String| Self::Damaged { file: dir.join(file), reason };
        match &error {
            TantivyError::IoError(fault) => match fault.kind() {
                io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData => {
                    damaged(Path::new(""), fault.to_string())
                }
                _ => io(Path::new(""), fault),
            },
            TantivyError::OpenReadError(OpenReadError::FileDoesNotExist(file)) => {
                damaged(file, "the file is missing".to_owned())
            }
            TantivyError::OpenReadError(OpenReadError::IoError { io_error, filepath }) => {
                match io_error.kind() {
                    io::ErrorKind::PermissionDenied => io(filepath, io_error),
                    _ => damaged(filepath, io_error.to_string()),
                }
            }
            TantivyError::OpenWriteError(OpenWriteError::IoError { io_error, filepath }) => {
                io(filepath, io_error)
            }
            TantivyError::OpenDirectoryError(OpenDirectoryError::IoError {
                io_error,
                directory_path,
            }) => io(directory_path, io_error),
            TantivyError::LockFailure(LockError::IoError(fault), _) => io(Path::new(""), fault),
            TantivyError::LockFailure(LockError::LockBusy, _) => {
                Self::Busy { dir: dir.to_owned(), holder: "another process".to_owned() }
            }
            TantivyError::DataCorruption(found) => {
                let said = format!("{found:?}");
                let file = said.split('"').nth(1).unwrap_or("meta.json").to_owned();
                damaged(Path::new(&file), said)
            }
            TantivyError::DeserializeError(_) | TantivyError::FieldNotFound(_) => {
                damaged(Path::new("meta.json"), error.to_string())
            }
            TantivyError::IncompatibleIndex(_) | TantivyError::SchemaError(_) => {
                Self::Foreign { dir: dir.to_owned(), reason: error.to_string() }
            }
            _ => match fault_in(&error.to_string()) {
                Some(fault) => io(Path::new(""), &fault),
                None => Self::Engine { dir: dir.to_owned(), reason: error.to_string() },
            },
        }
    }
}
