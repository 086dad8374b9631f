//! The documents that a server answers from.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use chunkwright_search::agent::{self, MAX_TOKENS, ReadSection};
use chunkwright_search::{Error, LiveIndex, Request, Snapshot, Tuning};
use serde_json::{Map, Value};

use crate::{tools, uri};

/// Maximum characters of an error message. Messages quote arguments, which may be long.
const MESSAGE_CHARS: usize = 500;

/// An index with everything that an answer needs besides the request.
///
/// ```
/// use chunkwright_search::{LiveIndex, Tuning};
/// use chunkwright_server::Library;
/// use serde_json::Map;
///
/// let library = Library::new(LiveIndex::at("no-such-index"), Tuning::default(), |_| {});
/// let outcome = library.call("list_sections", &Map::new()).expect("a tool");
/// assert!(outcome.is_error);
/// assert!(outcome.text.contains("chunkwright index"));
/// ```
pub struct Library {
    index: LiveIndex,
    tuning: Tuning,
    log: Box<dyn Fn(&str) + Send + Sync>,
    /// The instructions for a snapshot.
    instructions: Mutex<Option<(Arc<Snapshot>, String)>>,
    /// The last fault of the index that was logged.
    logged: Mutex<Option<String>>,
    updates: Updates,
}

/// Whether the process that serves a library can keep its index current.
#[derive(Clone, Debug, Default)]
pub struct Updates {
    have_failed: Arc<AtomicBool>,
}

impl Updates {
    /// Records whether the last update failed. While it did, [`Library::check`] fails.
    pub fn set_failed(&self, has_failed: bool) {
        self.have_failed.store(has_failed, Ordering::Relaxed);
    }
}

/// The answer of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolAnswer {
    /// The answer, or what is wrong and what to do about it.
    pub text: String,
    /// Whether the call failed.
    pub is_error: bool,
}

impl ToolAnswer {
    pub(crate) fn error(message: &str) -> Self {
        Self { text: agent::inline(message, MESSAGE_CHARS), is_error: true }
    }
}

impl Library {
    /// Returns a library that answers from an index. `log` receives faults of the index.
    pub fn new(
        index: LiveIndex,
        tuning: Tuning,
        log: impl Fn(&str) + Send + Sync + 'static,
    ) -> Self {
        Self {
            index,
            tuning,
            log: Box::new(log),
            instructions: Mutex::default(),
            logged: Mutex::default(),
            updates: Updates::default(),
        }
    }

    /// Returns a handle for a thread that updates the index.
    pub fn updates(&self) -> Updates {
        self.updates.clone()
    }

    /// Calls a tool. Returns `None` if there is no such tool.
    pub fn call(&self, tool: &str, arguments: &Map<String, Value>) -> Option<ToolAnswer> {
        let call = match tools::parse(tool, arguments)? {
            Ok(call) => call,
            Err(message) => return Some(ToolAnswer::error(&message)),
        };
        let answer = self.with(|snapshot| match &call {
            tools::Call::Search(call) => {
                let mut call = call.clone();
                call.tuning = self.tuning;
                agent::search_docs(snapshot, &call)
            }
            tools::Call::Read(call) => agent::read_section(snapshot, call),
            tools::Call::List(call) => agent::list_sections(snapshot, call),
        });
        Some(match answer {
            Ok(text) => ToolAnswer { text, is_error: false },
            Err(message) => ToolAnswer::error(&message),
        })
    }

    /// Returns the page or section of a resource URI, as `read_section` does.
    ///
    /// # Errors
    /// Fails if the URI is invalid or names nothing in the index.
    pub fn read(&self, resource: &str) -> Result<String, String> {
        let id = uri::id(resource).ok_or("invalid URI: expected chunkwright://TREE/PATH")?;
        let mut call = ReadSection::default();
        (call.id, call.max_tokens) = (id, Some(MAX_TOKENS));
        self.with(|snapshot| agent::read_section(snapshot, &call))
            .map_err(|message| ToolAnswer::error(&message).text)
    }

    /// Returns what the documents are about and how to use the tools.
    pub fn instructions(&self) -> String {
        self.with(|_| Ok(())).map_or_else(
            |message| format!("Documentation search, not ready: {message}."),
            |()| self.cached_instructions(),
        )
    }

    fn cached_instructions(&self) -> String {
        let Ok(snapshot) = self.index.snapshot() else { return String::new() };
        let mut cached = self.instructions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, text)) = &*cached
            && Arc::ptr_eq(known, &snapshot)
        {
            return text.clone();
        }
        let text = agent::instructions(&snapshot).unwrap_or_else(|error| public(&error));
        *cached = Some((snapshot, text.clone()));
        text
    }

    /// Answers a query, to find out whether the index can be used at all.
    ///
    /// # Errors
    /// Fails if there is no index, or it cannot be read or updated; also if an older snapshot still
    /// answers.
    pub fn check(&self) -> Result<(), String> {
        self.with(|snapshot| snapshot.search("documentation", &Request::default()).map(|_| ()))?;
        let fault = match self.index.fault() {
            Some(error) => public(&error),
            None if self.updates.have_failed.load(Ordering::Relaxed) => {
                "the index cannot be updated; the server has printed the reason".to_owned()
            }
            None => return Ok(()),
        };
        Err(format!("{fault}; answers are from the last good state"))
    }

    /// Runs `work` on the present snapshot, and makes its error public.
    fn with<T>(&self, work: impl FnOnce(&Snapshot) -> Result<T, Error>) -> Result<T, String> {
        let snapshot = self.index.snapshot();
        self.log_fault();
        match snapshot {
            Err(error) => Err(public(&error)),
            Ok(snapshot) => work(&snapshot).map_err(|error| {
                if is_fault(&error) {
                    (self.log)(&error.to_string());
                }
                public(&error)
            }),
        }
    }

    /// Logs a fault of the index once, with its path, and its end.
    fn log_fault(&self) {
        let fault = self.index.fault().map(|error| match advice(&error) {
            Some(advice) => format!("{error}; {advice}"),
            None => error.to_string(),
        });
        let mut logged = self.logged.lock().unwrap_or_else(PoisonError::into_inner);
        if *logged != fault {
            (self.log)(fault.as_deref().unwrap_or("the index can be read again"));
            *logged = fault;
        }
    }
}

/// Returns whether an error is about the index, not about the request.
fn is_fault(error: &Error) -> bool {
    matches!(
        error,
        Error::Missing { .. }
            | Error::Damaged { .. }
            | Error::Foreign { .. }
            | Error::OtherVersion { .. }
            | Error::Io { .. }
            | Error::Engine { .. }
    )
}

/// Returns the message of an error for clients: without paths of this machine, and with advice.
fn public(error: &Error) -> String {
    let message = match error {
        Error::Missing { .. } => "there is no index yet",
        Error::OtherVersion { .. } => "the index was built by another version",
        Error::Foreign { .. } => "the directory does not contain a chunkwright index",
        error if is_fault(error) => "the index cannot be read",
        error => return error.to_string(),
    };
    match advice(error) {
        Some(advice) => format!("{message}; {advice}"),
        None => message.to_owned(),
    }
}

/// Returns what to do about a fault of the index.
fn advice(error: &Error) -> Option<&'static str> {
    match error {
        Error::Missing { .. } => Some(
            "run `chunkwright index PATH` with the directory of the documentation, or start the \
             server with --index DIR",
        ),
        Error::OtherVersion { .. } => Some("run `chunkwright index` to rebuild it"),
        Error::Foreign { .. } => Some("start the server with --index DIR"),
        error if is_fault(error) => Some("run `chunkwright index --rebuild` to rebuild it"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_short_and_contain_nothing_hidden() {
        let outcome =
            ToolAnswer::error("unknown id `evil\u{202e}dm.\u{1b}md\n`; did you mean `a`?");
        assert_eq!(outcome.text, "unknown id `evildm.md `; did you mean `a`?");
        assert_eq!(ToolAnswer::error(&"ä".repeat(501)).text, "ä".repeat(500) + "…");
    }
}
