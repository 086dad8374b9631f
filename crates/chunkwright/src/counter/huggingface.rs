//! Counts tokens with a Hugging Face tokenizer from a local `tokenizer.json`.

use std::error::Error;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

use serde::Deserialize as _;
use serde_json::Value;
use tokenizers::{ModelWrapper, NormalizerWrapper, PreTokenizerWrapper, Tokenizer};

use super::{CounterError, TextKind, TokenCounter};

/// The maximum file size in bytes, about ten times that of the largest published tokenizers.
const MAX_BYTES: u64 = 500_000_000;

/// Parts of a `tokenizer.json` that don't affect how text is split into tokens. They only add, drop
/// or decode tokens.
const IGNORED: [&str; 4] = ["truncation", "padding", "post_processor", "decoder"];

/// Rare characters from many scripts. Few vocabularies contain all of them, so encoding this text
/// shows whether the tokenizer can handle unknown characters.
const RARE: &str = "ꙮ 𓀀 ᚠ ༗ ꧁ 龘 ☃ zqxjk";

/// `hf:PATH`: the tokenizer in a local `tokenizer.json`, a file that comes with most open models.
///
/// ```
/// use chunkwright::{HuggingFace, TextKind, TokenCounter};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("tokenizer.json");
/// # let json = r#"{"version": "1.0", "added_tokens": [], "pre_tokenizer": {"type": "Whitespace"},
/// #     "model": {"type": "WordLevel", "vocab": {"[UNK]": 0}, "unk_token": "[UNK]"}}"#;
/// # std::fs::write(&path, json)?;
/// let counter = HuggingFace::from_file(&path)?;
/// assert_eq!(counter.count("Boil water first.", TextKind::Prose), 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct HuggingFace {
    name: String,
    tokenizer: Tokenizer,
}

impl HuggingFace {
    /// Loads a `tokenizer.json`.
    ///
    /// # Errors
    /// If the file cannot be read, or is not a supported tokenizer.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, CounterError> {
        let path = path.as_ref();
        let json = read(path, MAX_BYTES)
            .map_err(|fault| CounterError::Read { path: path.to_owned(), fault })?;
        Self::from_json(path, &json)
    }

    /// Loads the content of a `tokenizer.json`. The path only names it: the counter is the same as
    /// the one [`from_file`](Self::from_file) returns for a file with this path and content.
    ///
    /// ```
    /// use chunkwright::{HuggingFace, TextKind, TokenCounter};
    ///
    /// let json = br#"{"version": "1.0", "added_tokens": [], "pre_tokenizer": {"type": "Whitespace"},
    ///     "model": {"type": "WordLevel", "vocab": {"[UNK]": 0}, "unk_token": "[UNK]"}}"#;
    /// let counter = HuggingFace::from_json("tokenizer.json", json)?;
    /// assert_eq!(counter.count("Boil water first.", TextKind::Prose), 4);
    /// # Ok::<(), chunkwright::CounterError>(())
    /// ```
    ///
    /// # Errors
    /// If the JSON is not a supported tokenizer.
    pub fn from_json(path: impl AsRef<Path>, json: &[u8]) -> Result<Self, CounterError> {
        let path = path.as_ref();
        let tokenizer =
            load(json).map_err(|fault| CounterError::Load { path: path.to_owned(), fault })?;
        Ok(Self { name: name(path, json), tokenizer })
    }
}

impl TokenCounter for HuggingFace {
    fn name(&self) -> &str {
        &self.name
    }

    fn count(&self, text: &str, _: TextKind) -> usize {
        // Encoding fails only if the vocabulary lacks a token and has no token for unknown text.
        // There is no exact count then, so overestimate: one token per byte.
        count(&self.tokenizer, text).unwrap_or(text.len())
    }
}

/// Reads a regular file. Other files, such as FIFOs, are not opened because that could block.
#[allow(clippy::disallowed_methods, reason = "the only file that the crate reads")]
fn read(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    let found = fs::metadata(path)?;
    if !found.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    let bytes = found.len();
    if bytes > max_bytes {
        let over = format!("{bytes} bytes, over the limit of {max_bytes} bytes");
        return Err(io::Error::other(over));
    }
    // The file may have grown since its size was read.
    let mut bytes = Vec::new();
    File::open(path)?.take(max_bytes + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > max_bytes {
        true => Err(io::Error::other(format!("over the limit of {max_bytes} bytes"))),
        false => Ok(bytes),
    }
}

/// Returns a counter name from the file's name and content, which does not depend on its directory.
fn name(path: &Path, json: &[u8]) -> String {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let hash = blake3::hash(json).to_hex();
    format!("hf:{file} blake3={}", &hash[..16])
}

fn load(json: &[u8]) -> Result<Tokenizer, Box<dyn Error + Send + Sync>> {
    let mut config: Value = serde_json::from_slice(json)?;
    let parts = config.as_object_mut().ok_or("not a JSON object")?;
    parts.extend(IGNORED.map(|part| (part.to_owned(), Value::Null)));
    let tokenizer = Tokenizer::deserialize(&config)
        .map_err(|fault| unsupported(&config).unwrap_or_else(|| fault.to_string()))?;
    count(&tokenizer, RARE)?;
    Ok(tokenizer)
}

/// Describes the unsupported part of a `tokenizer.json`.
///
/// The error of the crate `tokenizers` names no part: "data did not match any variant of untagged
/// enum ModelWrapper" (seen in tokenizers 0.23.2, reported in
/// <https://github.com/huggingface/tokenizers/issues/1541>).
fn unsupported(config: &Value) -> Option<String> {
    let part = |name: &str, is_read: fn(&Value) -> bool| match &config[name] {
        Value::Null if name == "model" => Some("no model".to_owned()),
        Value::Null => None,
        value if is_read(value) => None,
        value => Some(format!("unsupported {name}: type {}", value["type"])),
    };
    part("normalizer", |value| NormalizerWrapper::deserialize(value).is_ok())
        .or_else(|| part("pre_tokenizer", |value| PreTokenizerWrapper::deserialize(value).is_ok()))
        .or_else(|| part("model", |value| ModelWrapper::deserialize(value).is_ok()))
}

fn count(tokenizer: &Tokenizer, text: &str) -> Result<usize, Box<dyn Error + Send + Sync>> {
    Ok(tokenizer.encode_fast(text, false)?.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn limits_the_bytes_read_even_if_the_reported_size_is_smaller() {
        // Files in /proc report a size of 0.
        let fault = read(Path::new("/proc/self/status"), 9).unwrap_err();
        assert_eq!(fault.to_string(), "over the limit of 9 bytes");
    }
}
