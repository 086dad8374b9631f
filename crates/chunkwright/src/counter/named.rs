//! Counters by name, for configuration files.

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Chars, Estimate, TokenCounter, Words};

/// The names that [`counter_by_name`] accepts, for help texts.
///
/// ```
/// assert!(chunkwright::COUNTERS.contains(&"estimate"));
/// ```
pub const COUNTERS: &[&str] =
    &["estimate", "words", "words:FACTOR", "chars", "cl100k", "o200k", "hf:PATH"];

/// Names of OpenAI's models and encodings that [`counter_by_name`] also accepts, with the counters
/// that they stand for.
///
/// ```
/// assert!(chunkwright::COUNTER_ALIASES.contains(&("gpt-4o", "o200k")));
/// assert_eq!(chunkwright::counter_by_name("gpt-4o")?.name(), "o200k");
/// # Ok::<(), chunkwright::CounterError>(())
/// ```
pub const COUNTER_ALIASES: &[(&str, &str)] = &[
    ("o200k_base", "o200k"),
    ("gpt-4o", "o200k"),
    ("gpt-4o-mini", "o200k"),
    ("gpt-4.1", "o200k"),
    ("gpt-5", "o200k"),
    ("o1", "o200k"),
    ("o3", "o200k"),
    ("cl100k_base", "cl100k"),
    ("gpt-4", "cl100k"),
    ("gpt-3.5-turbo", "cl100k"),
    ("text-embedding-3-small", "cl100k"),
    ("text-embedding-3-large", "cl100k"),
    ("text-embedding-ada-002", "cl100k"),
];

/// Returns the schema of the names that [`counter_by_name`] accepts.
#[cfg(feature = "schema")]
pub(crate) fn names(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    let plain = COUNTERS.iter().filter(|name| !name.contains(':'));
    let names: Vec<_> = plain.chain(COUNTER_ALIASES.iter().map(|(alias, _)| alias)).collect();
    schemars::json_schema!({
        "type": "string",
        "anyOf": [{ "enum": names }, { "pattern": "^words:[0-9.]*[1-9]" }, { "pattern": "^hf:." }],
    })
}

/// Returns the counter that a name stands for if it is one of [`COUNTER_ALIASES`], else the name.
pub(crate) fn canonical(name: &str) -> &str {
    COUNTER_ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, counter)| counter)
}

/// An error from [`counter_by_name`] or from reading a `tokenizer.json`.
///
/// ```
/// use chunkwright::{CounterError, counter_by_name};
///
/// let error = counter_by_name("gpt2").err().expect("no counter has this name");
/// assert!(matches!(error, CounterError::Unknown { .. }));
/// assert!(error.to_string().starts_with("unknown tokenizer `gpt2`"));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CounterError {
    /// No counter has this name.
    #[error("unknown tokenizer `{}`: use {}{}", shown(name.as_ref()), or_list(COUNTERS), meant(name))]
    Unknown {
        /// The requested name.
        name: String,
    },
    /// This build does not include the counter.
    #[error(
        "tokenizer `{name}` is not included in this build; rebuild with the feature `{feature}`"
    )]
    NotIncluded {
        /// The requested name.
        name: String,
        /// The cargo feature that includes it.
        feature: &'static str,
    },
    /// The `tokenizer.json` cannot be read.
    #[error("cannot read tokenizer file {}: {}{}", shown(path), plain(fault), download(fault))]
    Read {
        /// The requested file.
        path: PathBuf,
        /// The error of the operating system.
        fault: io::Error,
    },
    /// The file is not a tokenizer, or uses an unsupported feature.
    #[error("cannot load tokenizer file {}: {fault}", shown(path))]
    Load {
        /// The requested file.
        path: PathBuf,
        /// The reason.
        fault: Box<dyn Error + Send + Sync>,
    },
}

/// Returns the counter with this name, such as `estimate`, `words:1.5`, `o200k` or
/// `hf:tokenizer.json`, or the counter of a model such as `gpt-4o`.
///
/// ```
/// let counter = chunkwright::counter_by_name("words:1.5")?;
/// assert_eq!(counter.name(), "words:1.5");
/// # Ok::<(), chunkwright::CounterError>(())
/// ```
///
/// # Errors
/// If the name is in neither [`COUNTERS`] nor [`COUNTER_ALIASES`], if this build does not include the counter, or if the file
/// in `hf:PATH` is not a tokenizer.
pub fn counter_by_name(name: &str) -> Result<Arc<dyn TokenCounter>, CounterError> {
    if let Some(path) = name.strip_prefix("hf:").filter(|path| !path.is_empty()) {
        return from_file(path);
    }
    match canonical(name) {
        "estimate" => Ok(Arc::new(Estimate::default())),
        "chars" => Ok(Arc::new(Chars)),
        openai @ ("cl100k" | "o200k") => of_openai(openai),
        _ => match Words::named(name) {
            Some(words) => Ok(Arc::new(words)),
            None => Err(CounterError::Unknown { name: name.to_owned() }),
        },
    }
}

#[cfg(feature = "openai")]
fn of_openai(name: &str) -> Result<Arc<dyn TokenCounter>, CounterError> {
    if name == "cl100k" { Ok(Arc::new(super::Cl100k)) } else { Ok(Arc::new(super::O200k)) }
}

#[cfg(not(feature = "openai"))]
fn of_openai(name: &str) -> Result<Arc<dyn TokenCounter>, CounterError> {
    Err(CounterError::NotIncluded { name: name.to_owned(), feature: "openai" })
}

#[cfg(feature = "huggingface")]
fn from_file(path: &str) -> Result<Arc<dyn TokenCounter>, CounterError> {
    Ok(Arc::new(super::HuggingFace::from_file(path)?))
}

#[cfg(not(feature = "huggingface"))]
fn from_file(path: &str) -> Result<Arc<dyn TokenCounter>, CounterError> {
    Err(CounterError::NotIncluded { name: format!("hf:{path}"), feature: "huggingface" })
}

/// Prefixes of OpenAI's model and encoding names, and the counters to suggest. The first match wins.
const MODELS: &[(&str, &str)] = &[
    ("gpt-4o", "o200k"),
    ("gpt-4.", "o200k"),
    ("gpt-5", "o200k"),
    ("o1-", "o200k"),
    ("o3-", "o200k"),
    ("o4-", "o200k"),
    ("o200k", "o200k"),
    ("gpt-4", "cl100k"),
    ("gpt-3.5", "cl100k"),
    ("text-embedding-", "cl100k"),
    ("cl100k", "cl100k"),
];

/// Suggests a counter if the name is that of a model, an encoding or a JSON file.
fn meant(name: &str) -> String {
    let lower = name.to_lowercase();
    let model = MODELS.iter().find(|(start, _)| lower.starts_with(start));
    let file = || lower.ends_with(".json").then(|| format!("hf:{}", shown(name.as_ref())));
    let near = model.map(|(_, counter)| (*counter).to_owned()).or_else(file);
    near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

/// Returns a hint on how to get the file, if it does not exist.
fn download(fault: &io::Error) -> &'static str {
    match fault.kind() {
        io::ErrorKind::NotFound => {
            "; download the model's tokenizer.json and pass its path after `hf:`"
        }
        _ => "",
    }
}

/// Formats a path on one line, with control characters escaped.
fn shown(path: &Path) -> String {
    let letter = |letter: char| match letter.is_control() {
        true => letter.escape_default().to_string(),
        false => letter.to_string(),
    };
    path.to_string_lossy().chars().map(letter).collect()
}

/// Formats an operating system error in the style of our messages: lower case, without its number.
fn plain(fault: &io::Error) -> String {
    let words = fault.to_string();
    let words = words.split(" (os error").next().unwrap_or_default();
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

/// Formats names as `a, b or c`.
fn or_list(names: &[&str]) -> String {
    match names {
        [others @ .., last] if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => names.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(name: &str) -> String {
        counter_by_name(name).err().unwrap().to_string()
    }

    #[test]
    fn returns_every_counter_by_its_name() {
        let included = if cfg!(feature = "openai") { &["cl100k", "o200k"][..] } else { &[] };
        for name in ["estimate", "words", "words:1.5", "chars"].iter().chain(included) {
            assert_eq!(counter_by_name(name).unwrap().name(), *name);
        }
    }

    #[test]
    fn aliases_stand_for_counters() {
        for (alias, name) in COUNTER_ALIASES {
            assert!(COUNTERS.contains(name) && !COUNTERS.contains(alias), "{alias}");
            match counter_by_name(alias) {
                Ok(counter) => assert_eq!(counter.name(), *name, "{alias}"),
                Err(fault) => assert!(matches!(fault, CounterError::NotIncluded { .. }), "{alias}"),
            }
        }
    }

    #[test]
    fn lists_the_known_names_and_suggests_one_for_an_unknown_name() {
        assert_eq!(
            fault("gpt9"),
            "unknown tokenizer `gpt9`: use estimate, words, words:FACTOR, chars, cl100k, o200k \
             or hf:PATH"
        );
        let cases = [
            ("gpt-4o-2024-08-06", "o200k"),
            ("o3-mini", "o200k"),
            ("GPT-4", "cl100k"),
            ("text-embedding-3", "cl100k"),
            ("cl100k-base", "cl100k"),
            ("bge/tokenizer.json", "hf:bge/tokenizer.json"),
        ];
        for (name, near) in cases {
            let hint = format!("; did you mean `{near}`?");
            assert!(fault(name).ends_with(&hint), "{}", fault(name));
        }
        for name in ["", "hf:", "words:0", "CL100K"] {
            assert!(fault(name).starts_with("unknown tokenizer `"), "{name}");
        }
    }

    #[cfg(not(feature = "huggingface"))]
    #[test]
    fn names_the_missing_feature() {
        assert_eq!(
            fault("hf:tokenizer.json"),
            "tokenizer `hf:tokenizer.json` is not included in this build; rebuild with the feature \
             `huggingface`"
        );
    }
}
