//! Splits every Markdown page of a folder, and prints where each chunk is and what it costs.
//!
//! Run it in the root of the repository: `cargo run -p chunkwright --example split_a_folder`.

#![allow(clippy::print_stdout, reason = "examples print their results")]
#![allow(clippy::disallowed_methods, reason = "only the library itself reads no files")]

use std::error::Error;
use std::fs;
use std::path::PathBuf;

use chunkwright::{Chunker, Estimate, Hierarchical};

fn main() -> Result<(), Box<dyn Error>> {
    // `Estimate` needs no cargo feature; use `O200k` or `HuggingFace` for exact counts.
    let chunker = Chunker::new(Hierarchical::default().max(150), Estimate::default())?;

    let mut pages: Vec<PathBuf> = fs::read_dir("docs/examples")?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_, std::io::Error>>()?;
    pages.retain(|page| page.extension().is_some_and(|extension| extension == "md"));
    pages.sort();

    for page in pages {
        let text = fs::read_to_string(&page)?;
        let name = page.file_name().unwrap_or_default().to_string_lossy();
        for chunk in &chunker.chunk(&name, &text).chunks {
            // Store `chunk.id`, and give `chunk.embed_text()` to the embedding model.
            println!("{:>3} tokens, line {:>2}: {}", chunk.tokens, chunk.lines.start(), chunk.id);
        }
    }
    Ok(())
}

// Output:
//  28 tokens, line  8: docs:front-matter.md
// 132 tokens, line 12: docs:front-matter.md#rotate
//  94 tokens, line  1: docs:guide.md#kettle-guide
//  91 tokens, line 17: docs:guide.md#use
// 120 tokens, line 35: docs:guide.md#settings
// 135 tokens, line  1: docs:long-blocks.md#long-blocks
// 111 tokens, line 25: docs:long-blocks.md#quote
// 133 tokens, line  1: docs:long-table.md#exit-codes
// 141 tokens, line 11: docs:long-table.md#exit-codes~2
//  62 tokens, line 16: docs:long-table.md#exit-codes~3
