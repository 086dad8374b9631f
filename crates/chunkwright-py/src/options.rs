//! Converts Python keyword arguments to settings.

use std::sync::Arc;

use chunkwright::{Format, HuggingFace, Source, TokenCounter};
use chunkwright_config::{Chunkers, Error, Settings};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3::{PyTraverseError, PyVisit};
use serde_json::{Map, Value};

use crate::call::ChunkingCall;
use crate::counter::{Callable, TokenizerObject};
use crate::text::text;
use crate::value::{to_json, to_python};

/// Maximum number of characters of a value in an error message.
const QUOTED_CHARS: usize = 60;

/// The one option that may be a function or another object.
const TOKENIZER: &str = "tokenizer";

/// The options of a chunker.
pub(crate) struct Options {
    pub(crate) settings: Settings,
    /// The keyword arguments, except for a tokenizer without a name.
    given: Map<String, Value>,
    /// The tokenizer, if it has no name. No other field may keep a reference to it: a function may
    /// refer to the chunker, and the garbage collector frees such a cycle only if `traverse` visits
    /// all references.
    tokenizer: Option<Py<PyAny>>,
    /// The chunkers, unless they call the tokenizer: then each call builds its own.
    chunkers: Option<Arc<Chunkers>>,
    config_hash: String,
}

impl Options {
    /// Applies keyword arguments on top of settings.
    pub(crate) fn new(mut settings: Settings, given: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let tokenizer = given.map(|given| given.get_item(TOKENIZER)).transpose()?.flatten();
        let taken = take(&mut settings, given)?;
        let counter: Option<Arc<dyn TokenCounter>> = match (&taken.tokenizer, &tokenizer) {
            (Some(TokenizerObject::Loaded(loaded)), _) => Some(Arc::<HuggingFace>::clone(loaded)),
            (Some(TokenizerObject::Called), Some(object)) => Some(Arc::new(Callable::new(object)?)),
            _ => None,
        };
        let is_called = matches!(taken.tokenizer, Some(TokenizerObject::Called));
        let tokenizer = tokenizer.filter(|_| counter.is_some()).map(Bound::unbind);
        let chunkers = chunkers(&settings, counter)?;
        Ok(Self {
            settings,
            given: taken.options,
            tokenizer,
            config_hash: chunkers.provenance().config_hash,
            chunkers: (!is_called).then(|| Arc::new(chunkers)),
        })
    }

    /// Prepares a call that splits documents with these paths.
    pub(crate) fn call<P: AsRef<str>>(
        &self,
        py: Python<'_>,
        paths: impl Iterator<Item = P>,
    ) -> PyResult<ChunkingCall> {
        let called = self.tokenizer.as_ref().filter(|_| self.chunkers.is_none());
        let called = called.map(|one| Callable::new(one.bind(py))).transpose()?;
        let counter = called.map(Arc::new);
        let jobs = if counter.is_some() { 1 } else { self.settings.processing().threads() };
        let mut chunkers = match &self.chunkers {
            Some(chunkers) => Arc::clone(chunkers),
            None => {
                let shared = counter.clone().map(|counter| counter as Arc<dyn TokenCounter>);
                Arc::new(chunkers(&self.settings, shared)?)
            }
        };
        if self.settings.overrides() > 0 {
            Arc::make_mut(&mut chunkers).add(paths).map_err(wrong)?;
        }
        Ok(ChunkingCall { chunkers, jobs, counter })
    }

    pub(crate) fn config_hash(&self) -> &str {
        &self.config_hash
    }

    /// Returns a key that is equal for two chunkers if they behave the same.
    pub(crate) fn effect(&self) -> String {
        format!("{} {:?}", self.config_hash, self.settings.processing())
    }

    /// Returns the keyword arguments as they were given.
    pub(crate) fn given<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let given = PyDict::new(py);
        for (name, value) in &self.given {
            given.set_item(name, to_python(py, value)?)?;
        }
        if let Some(tokenizer) = &self.tokenizer {
            given.set_item(TOKENIZER, tokenizer)?;
        }
        Ok(given)
    }

    /// Shows the garbage collector all references to Python objects.
    /// Copies the options, with a reference of their own to the tokenizer.
    pub(crate) fn clone_ref(&self, py: Python<'_>) -> Self {
        Self {
            settings: self.settings.clone(),
            given: self.given.clone(),
            tokenizer: self.tokenizer.as_ref().map(|tokenizer| tokenizer.clone_ref(py)),
            chunkers: self.chunkers.clone(),
            config_hash: self.config_hash.clone(),
        }
    }

    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(self.tokenizer.as_ref())
    }
}

fn chunkers(settings: &Settings, counter: Option<Arc<dyn TokenCounter>>) -> PyResult<Chunkers> {
    let made = match counter {
        Some(counter) => Chunkers::with_counter(settings, counter),
        None => Chunkers::new(settings),
    };
    made.map_err(wrong)
}

/// Keyword arguments that were applied to settings.
struct Applied {
    /// A copy of them, except for a tokenizer without a name.
    options: Map<String, Value>,
    /// The tokenizer, if it is an object.
    tokenizer: Option<TokenizerObject>,
}

/// Applies keyword arguments to settings. Ignores a tokenizer without a name.
pub(crate) fn set(settings: &mut Settings, given: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
    take(settings, given).map(drop)
}

/// Applies keyword arguments to settings, and returns a copy of them: the caller may modify a dict
/// or list later.
fn take(settings: &mut Settings, given: Option<&Bound<'_, PyDict>>) -> PyResult<Applied> {
    let mut taken = Applied { options: Map::new(), tokenizer: None };
    for (given, value) in given.into_iter().flatten() {
        let given = text("options", &given)?;
        let name = plain(value.py(), &given)?;
        if name == TOKENIZER {
            taken.tokenizer = TokenizerObject::of(&value)?;
        }
        let built_in = match &taken.tokenizer {
            Some(TokenizerObject::BuiltIn(counter)) if name == TOKENIZER => {
                Some(Value::from(*counter))
            }
            Some(_) if name == TOKENIZER => continue,
            _ => None,
        };
        let said = format!("{name}={}", quoted(&value)?);
        let json = built_in.map_or_else(|| to_json(name, &value), Ok)?;
        settings.set_value(name, &json, &said).map_err(wrong)?;
        taken.options.insert(given.to_string(), json);
    }
    Ok(taken)
}

/// Strips the trailing underscore of an option that is a Python keyword, such as `with_`.
fn plain<'n>(py: Python<'_>, given: &'n str) -> PyResult<&'n str> {
    let Some(name) = given.strip_suffix('_') else { return Ok(given) };
    let is_word = py.import("keyword")?.call_method1("iskeyword", (name,))?.is_truthy()?;
    Ok(if is_word { name } else { given })
}

/// Formats a value for an error message, as Python source.
fn quoted(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let written = value.repr()?.to_string_lossy().into_owned();
    Ok(match written.char_indices().nth(QUOTED_CHARS) {
        Some((at, _)) => format!("{}…", &written[..at]),
        None => written,
    })
}

/// Returns the source of a text, in the given format or else the one of its extension.
pub(crate) fn named<'s>(
    path: &'s str,
    text: &'s str,
    tree: &'s str,
    format: Option<Format>,
) -> Source<'s> {
    let mut source = Source::new(path, text).in_tree(tree);
    source.format = format.unwrap_or(source.format);
    source
}

pub(crate) fn wrong(fault: Error) -> PyErr {
    PyValueError::new_err(fault.to_string())
}
