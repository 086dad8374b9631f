//! Options: keywords of Python come in; settings, as all doors have them, go out.

use std::sync::Arc;

use chunkwright_config::{Chunkers, Error, Settings};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::counter::Callable;
use crate::text::text;
use crate::value::to_json;

/// A value is quoted up to this length when it is wrong.
const QUOTED_CHARS: usize = 60;

/// The options of a chunker.
pub(crate) struct Options {
    pub(crate) settings: Settings,
    /// A function that counts, if there is one.
    tokenizer: Option<Py<PyAny>>,
    /// What needs to be made only once.
    chunkers: Arc<Chunkers>,
}

/// What one call cuts with.
pub(crate) struct Call {
    pub(crate) chunkers: Arc<Chunkers>,
    /// How many threads help.
    pub(crate) jobs: usize,
    counter: Option<Arc<Callable>>,
}

impl Options {
    /// Options over those of settings.
    pub(crate) fn new(mut settings: Settings, given: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let tokenizer = given.map(|given| given.get_item("tokenizer")).transpose()?.flatten();
        let tokenizer = tokenizer.filter(|tokenizer| tokenizer.is_callable());
        set(&mut settings, given)?;
        let chunkers = match &tokenizer {
            None => Chunkers::new(&settings),
            Some(function) => Chunkers::with_counter(&settings, Arc::new(Callable::new(function))),
        };
        let chunkers = Arc::new(chunkers.map_err(wrong)?);
        Ok(Self { chunkers, settings, tokenizer: tokenizer.map(Bound::unbind) })
    }

    /// What a call about these paths cuts with.
    pub(crate) fn call<P: AsRef<str>>(
        &self,
        py: Python<'_>,
        paths: impl Iterator<Item = P>,
    ) -> PyResult<Call> {
        let counter = self.tokenizer.as_ref().map(|one| Arc::new(Callable::new(one.bind(py))));
        let jobs = if counter.is_some() { 1 } else { self.settings.running().threads() };
        if counter.is_none() && self.settings.overrides() == 0 {
            return Ok(Call { chunkers: Arc::clone(&self.chunkers), jobs, counter });
        }
        let mut chunkers = match &counter {
            Some(counter) => {
                let counter: Arc<Callable> = Arc::clone(counter);
                Chunkers::with_counter(&self.settings, counter).map_err(wrong)?
            }
            None => Chunkers::clone(&self.chunkers),
        };
        chunkers.add(paths).map_err(wrong)?;
        Ok(Call { chunkers: Arc::new(chunkers), jobs, counter })
    }

    pub(crate) fn config_hash(&self) -> String {
        self.chunkers.config_hash()
    }
}

impl Call {
    /// Works without the interpreter, unless a function of Python counts.
    pub(crate) fn run<T: Send>(
        &self,
        py: Python<'_>,
        work: impl Send + FnOnce() -> T,
    ) -> PyResult<T> {
        let done = if self.counter.is_some() { work() } else { py.detach(work) };
        self.finish()?;
        Ok(done)
    }

    /// Tells if a function of Python failed.
    pub(crate) fn finish(&self) -> PyResult<()> {
        self.counter.as_ref().map_or(Ok(()), |counter| counter.finish())
    }
}

/// Sets options by their names. A function that counts is none of them.
pub(crate) fn set(settings: &mut Settings, given: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
    for (name, value) in given.into_iter().flatten() {
        let name = text("options", &name)?;
        // Some names are words of Python: `with_`.
        let name = name.strip_suffix('_').unwrap_or(&name);
        if name == "tokenizer" && value.is_callable() {
            continue;
        }
        let said = format!("{name}={}", quoted(&value)?);
        settings.set_value(name, &to_json(name, &value)?, &said).map_err(wrong)?;
    }
    Ok(())
}

/// A value as the user may have written it.
fn quoted(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let written = value.repr()?.to_string_lossy().into_owned();
    Ok(match written.char_indices().nth(QUOTED_CHARS) {
        Some((at, _)) => format!("{}…", &written[..at]),
        None => written,
    })
}

/// What is wrong with options.
pub(crate) fn wrong(fault: Error) -> PyErr {
    PyValueError::new_err(fault.to_string())
}
