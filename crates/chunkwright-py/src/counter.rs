//! Counts tokens with Python objects: functions, and the tokenizers of other packages.

use std::sync::{Arc, Mutex, PoisonError};

use chunkwright::{HuggingFace, TextKind, TokenCounter};
use pyo3::exceptions::{PyOverflowError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{IntoPyDict as _, PyString};

use crate::text::kind;

/// Encodings of tiktoken with a built-in counter, by name and size of the vocabulary. Encodings that
/// users define may have the same name, but not the same size.
const BUILT_IN: [(&str, usize, &str); 2] =
    [("cl100k_base", 100_277, "cl100k"), ("o200k_base", 200_019, "o200k")];

/// File name of a `tokenizers.Tokenizer` in the name of its counter.
const TOKENIZER_FILE: &str = "tokenizer.json";

/// Exclusive maximum of one count, so that sums never overflow.
const MOST_TOKENS: i64 = u32::MAX as i64;

/// A tokenizer that is not given by name.
pub(crate) enum TokenizerObject {
    /// A tokenizer with a built-in counter of this name.
    BuiltIn(&'static str),
    /// A tokenizer that was loaded from its serialized form.
    Loaded(Arc<HuggingFace>),
    /// A tokenizer that is called for every text.
    Called,
}

impl TokenizerObject {
    /// Returns how to count with an object; none if it is not a tokenizer.
    pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        match TokenizerKind::of(object)? {
            Some((TokenizerKind::Tiktoken, encoding)) => built_in(&encoding).map(Some),
            Some((TokenizerKind::HuggingFace, tokenizer)) => load(&tokenizer).map(Some),
            Some((TokenizerKind::Function, _)) => Ok(Some(Self::Called)),
            None => Ok(None),
        }
    }
}

/// A kind of tokenizer that can be called from Rust.
#[derive(Clone, Copy)]
enum TokenizerKind {
    /// A function from a text to its number of tokens.
    Function,
    /// A `tiktoken.Encoding`.
    Tiktoken,
    /// A `tokenizers.Tokenizer`.
    HuggingFace,
}

impl TokenizerKind {
    /// Returns the kind of a tokenizer and the object to call; none if it is not a tokenizer.
    fn of<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<(Self, Bound<'py, PyAny>)>> {
        if object.is_instance_of::<PyString>() {
            return Ok(None);
        }
        if is_instance(object, "tiktoken", "Encoding")? {
            return Ok(Some((Self::Tiktoken, object.clone())));
        }
        // Tokenizers of `transformers` wrap one of `tokenizers`.
        let inner = object.getattr_opt("backend_tokenizer").ok().flatten();
        let tokenizer = inner.as_ref().unwrap_or(object);
        if is_instance(tokenizer, "tokenizers", "Tokenizer")? {
            return Ok(Some((Self::HuggingFace, tokenizer.clone())));
        }
        Ok(object.is_callable().then(|| (Self::Function, object.clone())))
    }
}

/// Returns whether an object is an instance of a class, without importing the class.
fn is_instance(object: &Bound<'_, PyAny>, module: &str, class: &str) -> PyResult<bool> {
    let modules = object.py().import("sys")?.getattr("modules")?;
    let class = modules.get_item(module).and_then(|module| module.getattr(class));
    Ok(class.and_then(|class| object.is_instance(&class)).unwrap_or(false))
}

fn built_in(encoding: &Bound<'_, PyAny>) -> PyResult<TokenizerObject> {
    let name: PyBackedStr = encoding.getattr("name")?.extract()?;
    let size: usize = encoding.getattr("n_vocab")?.extract()?;
    let found = BUILT_IN.iter().find(|(known, tokens, _)| *known == &*name && *tokens == size);
    Ok(found.map_or(TokenizerObject::Called, |(_, _, counter)| TokenizerObject::BuiltIn(counter)))
}

/// Loads a `tokenizers.Tokenizer` from its serialized form, which is much faster than to call it.
/// One that cannot be serialized, or that this version does not support, is called.
fn load(tokenizer: &Bound<'_, PyAny>) -> PyResult<TokenizerObject> {
    // This setting is not part of the serialized form.
    if tokenizer.getattr("encode_special_tokens")?.is_truthy()? {
        return Ok(TokenizerObject::Called);
    }
    let Ok(json) = json(tokenizer) else { return Ok(TokenizerObject::Called) };
    let loaded = HuggingFace::from_json(TOKENIZER_FILE, json.as_bytes());
    Ok(loaded.map_or(TokenizerObject::Called, |loaded| TokenizerObject::Loaded(Arc::new(loaded))))
}

/// Serializes a tokenizer without truncation and padding. Other code may change them between calls,
/// and counts do not depend on them, so the counter's name must not either.
fn json(tokenizer: &Bound<'_, PyAny>) -> PyResult<PyBackedStr> {
    let json = tokenizer.call_method0("to_str")?;
    if !changes_length(tokenizer)? {
        return json.extract();
    }
    let class = tokenizer.py().import("tokenizers")?.getattr("Tokenizer")?;
    let copy = class.call_method1("from_str", (json,))?;
    copy.call_method0("no_truncation")?;
    copy.call_method0("no_padding")?;
    copy.call_method0("to_str")?.extract()
}

/// Returns whether a `tokenizers.Tokenizer` truncates or pads its output.
fn changes_length(tokenizer: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(!tokenizer.getattr("truncation")?.is_none() || !tokenizer.getattr("padding")?.is_none())
}

/// A tokenizer in Python, for the duration of one call.
///
/// A [`TokenCounter`] cannot fail. So after the first exception the function is not called again,
/// every count is 0 to let the call end soon, and [`finish`](Self::finish) returns the exception.
pub(crate) struct Callable {
    function: Py<PyAny>,
    kind: TokenizerKind,
    name: String,
    fault: Mutex<Option<PyErr>>,
}

impl Callable {
    pub(crate) fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (kind, function) =
            TokenizerKind::of(object)?.unwrap_or((TokenizerKind::Function, object.clone()));
        let named = |one: &Bound<'_, PyAny>| one.getattr("__qualname__")?.extract::<String>();
        let name = match kind {
            TokenizerKind::Tiktoken => format!("tiktoken:{}", function.getattr("name")?),
            _ => {
                let name = named(&function).or_else(|_| named(&function.get_type()));
                format!("python:{}", name.unwrap_or_default())
            }
        };
        if matches!(kind, TokenizerKind::HuggingFace) && changes_length(&function)? {
            return Err(PyValueError::new_err(
                "tokenizer: cannot count with truncation or padding (call no_truncation() and \
                 no_padding())",
            ));
        }
        Ok(Self { function: function.unbind(), kind, name, fault: Mutex::new(None) })
    }

    /// Returns the exception that the function raised, if any.
    pub(crate) fn finish(&self) -> PyResult<()> {
        let fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner).take();
        fault.map_or(Ok(()), Err)
    }

    fn ask(&self, py: Python<'_>, text: &str) -> PyResult<usize> {
        // A function written in C does not check for signals.
        py.check_signals()?;
        let function = self.function.bind(py);
        let given = match self.kind {
            TokenizerKind::Function => function.call1((text,))?,
            // Names of special tokens are plain text, as for the built-in counters.
            TokenizerKind::Tiktoken => {
                return function.call_method1("encode_ordinary", (text,))?.len();
            }
            TokenizerKind::HuggingFace => {
                let options = [("add_special_tokens", false)].into_py_dict(py)?;
                return function.call_method("encode", (text,), Some(&options))?.len();
            }
        };
        let wrong = |fault: PyErr| {
            if fault.is_instance_of::<PyOverflowError>(py) {
                return too_large(&given);
            }
            let kind = kind(&given);
            PyTypeError::new_err(format!(
                "tokenizer: expected the function to return int, not {kind}"
            ))
        };
        match given.extract::<i64>().map_err(wrong)? {
            MOST_TOKENS.. => Err(too_large(&given)),
            tokens => usize::try_from(tokens).map_err(|_| {
                PyValueError::new_err(format!(
                    "tokenizer: expected the function to return 0 or more, not {tokens}"
                ))
            }),
        }
    }
}

fn too_large(given: &Bound<'_, PyAny>) -> PyErr {
    PyValueError::new_err(format!(
        "tokenizer: expected the function to return less than {MOST_TOKENS}, not {given}"
    ))
}

impl TokenCounter for Callable {
    fn name(&self) -> &str {
        &self.name
    }

    fn count(&self, text: &str, _: TextKind) -> usize {
        if self.fault.lock().unwrap_or_else(PoisonError::into_inner).is_some() {
            return 0;
        }
        let ended = || {
            Err(PyRuntimeError::new_err(
                "tokenizer: cannot call the function: Python is shutting down",
            ))
        };
        let counted = Python::try_attach(|py| self.ask(py, text)).unwrap_or_else(ended);
        counted.unwrap_or_else(|fault| {
            *self.fault.lock().unwrap_or_else(PoisonError::into_inner) = Some(fault);
            0
        })
    }
}
