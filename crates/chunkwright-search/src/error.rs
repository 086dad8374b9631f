//! What can go wrong with an index: causes come in, messages go out. What to do about it depends on
//! who asks: the command and the Python package add it.

use std::io;
use std::path::{Path, PathBuf};

use chunkwright_io::{plain, shown};
use tantivy::TantivyError;
use tantivy::directory::error::{LockError, OpenDirectoryError, OpenReadError, OpenWriteError};

use crate::query::Oddity;

/// What can go wrong with an index.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no index.
    #[error("{}: there is no index", shown(.dir))]
    Missing {
        /// Where it was looked for.
        dir: PathBuf,
    },
    /// A file of the index is damaged or missing.
    #[error("{}: this file of the index is damaged: {reason}", shown(.file))]
    Damaged {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// It is an index, but not ours.
    #[error("{}: this is not an index of chunkwright: {reason}", shown(.dir))]
    Foreign {
        /// Where it is.
        dir: PathBuf,
        /// How that was recognised.
        reason: String,
    },
    /// It was made by a version whose indexes cannot be read.
    #[error("{}: this index was made by {generator}, whose indexes cannot be read", shown(.dir))]
    OtherVersion {
        /// Where it is.
        dir: PathBuf,
        /// What made it.
        generator: String,
    },
    /// Someone else is writing.
    #[error("{}: {holder} is writing to this index; try again when it is done", shown(.dir))]
    Busy {
        /// Where it is.
        dir: PathBuf,
        /// The process.
        holder: String,
    },
    /// The system refuses.
    #[error("{}: {}; {}the index is as it was", shown(.path), plain(.fault), advice(.fault))]
    Io {
        /// What it refuses.
        path: PathBuf,
        /// What the system said.
        fault: io::Error,
    },
    /// Two directories want to be the same tree.
    #[error(
        "tree \"{tree}\" is {} in the index; {} needs another name",
        shown(.indexed), shown(.given)
    )]
    TreeClash {
        /// The tree.
        tree: String,
        /// Where it is in the index.
        indexed: PathBuf,
        /// What was given.
        given: PathBuf,
    },
    /// A query that must parse does not.
    #[error("{}", .oddity.pointed(.query))]
    Query {
        /// The query.
        query: String,
        /// What is wrong with it.
        oddity: Oddity,
    },
    /// A query without words.
    #[error("the query has no letter or digit to search for")]
    EmptyQuery,
    /// Not even an answer without results fits.
    #[error(
        "{given} tokens are too few for an answer in this format; it takes at least {smallest}"
    )]
    Budget {
        /// The budget.
        given: usize,
        /// The smallest one that will do.
        smallest: usize,
    },
    /// A result has no such field.
    #[error(
        "unknown field `{name}`{}; the fields are {}",
        suggested(.nearest.as_slice()), crate::render::FIELDS.join(", ")
    )]
    UnknownField {
        /// What was asked for.
        name: String,
        /// The field that may have been meant.
        nearest: Vec<String>,
    },
    /// A filter that cannot be understood.
    #[error("{0}")]
    Filter(String),
    /// What is to be indexed cannot be.
    #[error(transparent)]
    Walk(#[from] chunkwright_io::WalkError),
    /// Nothing has this id or path.
    #[error("{id}: no such id or path in the index{}", suggested(.nearest))]
    UnknownId {
        /// The id.
        id: String,
        /// Ids that may have been meant.
        nearest: Vec<String>,
    },
    /// A path that several trees have.
    #[error("{path} is in several trees; use one of these ids: {}", .ids.join(", "))]
    AmbiguousPath {
        /// The path.
        path: String,
        /// The ids.
        ids: Vec<String>,
    },
    /// An option is out of range.
    #[error(transparent)]
    Config(#[from] chunkwright::ConfigError),
    /// Anything else that the engine says.
    #[error("{}: {reason}; the index is as it was", shown(.dir))]
    Engine {
        /// Where the index is.
        dir: PathBuf,
        /// What it said.
        reason: String,
    },
}

/// `; did you mean …?`, if anything was.
fn suggested(nearest: &[String]) -> String {
    match nearest {
        [] => String::new(),
        nearest => format!("; did you mean {}?", nearest.join(" or ")),
    }
}

/// What to do first, if it is clear.
fn advice(fault: &io::Error) -> &'static str {
    match fault.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "free some space; ",
        _ => "",
    }
}

/// What the system said, if the engine repeats it in words.
fn fault_in(said: &str) -> Option<io::Error> {
    let (_, number) = said.split_once("(os error ")?;
    let (number, _) = number.split_once(')')?;
    Some(io::Error::from_raw_os_error(number.parse().ok()?))
}

impl Error {
    /// The system refuses something.
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |fault| Self::Io { path, fault }
    }

    /// The engine fails on the index in `dir`.
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
                damaged(file, "it is missing".to_owned())
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
