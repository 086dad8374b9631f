//! Limits chunks with your own token counter: one token per word and punctuation mark.
//!
//! Run it with `cargo run -p chunkwright --example custom_counter`.

#![allow(clippy::print_stdout, reason = "examples print their results")]

use chunkwright::{Chunker, ConfigError, Hierarchical, TextKind, TokenCounter};

struct WordsAndMarks;

impl TokenCounter for WordsAndMarks {
    /// The name is part of the configuration's hash, so it must change when counts change.
    fn name(&self) -> &str {
        "words-and-marks"
    }

    fn count(&self, text: &str, _kind: TextKind) -> usize {
        let marks = text.chars().filter(char::is_ascii_punctuation).count();
        text.split_whitespace().count() + marks
    }
}

fn main() -> Result<(), ConfigError> {
    let text = "# Tea\n\nBoil water first.\n\n## Green\n\nWait until it has 80 degrees.\n";
    let chunker = Chunker::new(Hierarchical::default().max(12), WordsAndMarks)?;
    for chunk in &chunker.chunk("tea.md", text).chunks {
        println!("{}: {} tokens, {:?}", chunk.id, chunk.tokens, chunk.embed_text());
    }

    // For a quick experiment, a closure is enough.
    let chunker = Chunker::new(Hierarchical::default().max(100), |text: &str| text.len())?;
    println!("in one chunk: {} bytes", chunker.chunk("tea.md", text).chunks[0].tokens);
    Ok(())
}

// Output:
// docs:tea.md#tea: 7 tokens, "# Tea\n\nBoil water first."
// docs:tea.md#green: 12 tokens, "Tea\n\n## Green\n\nWait until it has 80 degrees."
// in one chunk: 65 bytes
