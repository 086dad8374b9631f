//! The door to all token counters: a name comes in, a counter goes out.

#[cfg(feature = "huggingface")]
mod huggingface;
mod openai;

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chunkwright::{Bias, TokenCounter, plain_counter};

use crate::openai::OpenAi;

/// What [`counter`] understands, for help texts.
pub const NAMES: &[&str] =
    &["estimate", "words", "words:FACTOR", "chars", "cl100k", "o200k", "hf:PATH"];

/// A counter that cannot be had, and why.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CounterError {
    /// No counter has this name.
    #[error("unknown tokenizer `{}`: use {}{}", shown(name.as_ref()), or_list(NAMES), meant(name))]
    Unknown {
        /// The name as the user wrote it.
        name: String,
    },
    /// The name asks for a tokenizer.json, which this build leaves out.
    #[error(
        "tokenizer `{name}`: this build has no Hugging Face support; rebuild with the feature `huggingface`"
    )]
    NoHuggingFace {
        /// The name as the user wrote it.
        name: String,
    },
    /// The tokenizer.json is not there, or the system refuses it.
    #[error("tokenizer file {}: cannot be read: {}{}", shown(path), plain(fault), download(fault))]
    Read {
        /// The file as the user wrote it.
        path: PathBuf,
        /// What the system said.
        fault: io::Error,
    },
    /// The file is not a tokenizer, or one that asks for something unknown.
    #[error("tokenizer file {}: not a usable tokenizer: {fault}", shown(path))]
    Load {
        /// The file as the user wrote it.
        path: PathBuf,
        /// What is wrong with it.
        fault: Box<dyn Error + Send + Sync>,
    },
}

/// The counter with this name; `bias` matters to `estimate` only.
///
/// OpenAI's vocabularies are part of the program and need no loading.
///
/// # Errors
/// When the name is none of [`NAMES`], or the file behind `hf:PATH` is not a tokenizer.
pub fn counter(name: &str, bias: Bias) -> Result<Arc<dyn TokenCounter>, CounterError> {
    match name {
        "cl100k" => return Ok(Arc::new(OpenAi::cl100k())),
        "o200k" => return Ok(Arc::new(OpenAi::o200k())),
        _ => {}
    }
    if let Some(path) = name.strip_prefix("hf:").filter(|path| !path.is_empty()) {
        return from_file(path);
    }
    match plain_counter(name, bias) {
        Ok(counter) => Ok(Arc::from(counter)),
        Err(_) => Err(CounterError::Unknown { name: name.to_owned() }),
    }
}

#[cfg(feature = "huggingface")]
fn from_file(path: &str) -> Result<Arc<dyn TokenCounter>, CounterError> {
    Ok(Arc::new(huggingface::HuggingFace::open(path.as_ref())?))
}

#[cfg(not(feature = "huggingface"))]
fn from_file(path: &str) -> Result<Arc<dyn TokenCounter>, CounterError> {
    Err(CounterError::NoHuggingFace { name: format!("hf:{path}") })
}

/// How names of OpenAI's models and encodings begin, and their counters. The first that fits counts.
const MODELS: &[(&str, &str)] = &[
    ("gpt-4o", "o200k"),
    ("gpt-4.", "o200k"),
    ("gpt-5", "o200k"),
    ("o200k", "o200k"),
    ("gpt-4", "cl100k"),
    ("gpt-3.5", "cl100k"),
    ("text-embedding-", "cl100k"),
    ("cl100k", "cl100k"),
];

/// Returns a suggestion for the name of a model, of an encoding, or of a file.
fn meant(name: &str) -> String {
    let lower = name.to_lowercase();
    let model = MODELS.iter().find(|(start, _)| lower.starts_with(start));
    let file = || lower.ends_with(".json").then(|| format!("hf:{}", shown(name.as_ref())));
    let near = model.map(|(_, counter)| (*counter).to_owned()).or_else(file);
    near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

/// Returns what to do about a file that does not exist.
fn download(fault: &io::Error) -> &'static str {
    match fault.kind() {
        io::ErrorKind::NotFound => {
            "; download the tokenizer.json of the model, and name that file after hf:"
        }
        _ => "",
    }
}

/// A path on one line, whatever is in it.
fn shown(path: &Path) -> String {
    let letter = |letter: char| match letter.is_control() {
        true => letter.escape_default().to_string(),
        false => letter.to_string(),
    };
    path.to_string_lossy().chars().map(letter).collect()
}

/// The system's words in the style of our own: lower-case, without the number.
fn plain(fault: &io::Error) -> String {
    let words = fault.to_string();
    let words = words.split(" (os error").next().unwrap_or_default();
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

/// `a, b or c`.
fn or_list(names: &[&str]) -> String {
    match names {
        [others @ .., last] if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => names.concat(),
    }
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(name: &str) -> String {
        counter(name, Bias::default()).err().unwrap().to_string()
    }

    #[test]
    fn every_plain_name_opens_its_counter() {
        for name in ["estimate", "words", "words:1.5", "chars", "cl100k", "o200k"] {
            assert_eq!(counter(name, Bias::Balanced).unwrap().name(), name);
        }
        assert_eq!(counter("estimate", Bias::Code).unwrap().name(), "estimate bias=code");
    }

    #[test]
    fn an_unknown_name_is_told_all_that_are_known() {
        assert_eq!(
            fault("gpt9"),
            "unknown tokenizer `gpt9`: use estimate, words, words:FACTOR, chars, cl100k, o200k \
             or hf:PATH"
        );
        let cases = [
            ("gpt-4o-mini", "o200k"),
            ("gpt-4", "cl100k"),
            ("text-embedding-3-small", "cl100k"),
            ("cl100k_base", "cl100k"),
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
    fn a_build_without_the_feature_says_so() {
        assert_eq!(
            fault("hf:tokenizer.json"),
            "tokenizer `hf:tokenizer.json`: this build has no Hugging Face support; rebuild with the \
             feature `huggingface`"
        );
    }
}
