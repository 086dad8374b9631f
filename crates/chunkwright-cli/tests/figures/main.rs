//! Checks that the figures of the documentation show what the code does.
//!
//! Each figure is generated from the output of the command or the library, and compared with the
//! file in `docs/images`. `UPDATE_DOCS=1 cargo test -p chunkwright-cli --test figures` writes the
//! files.

#![allow(clippy::unwrap_used, reason = "a failed test should panic")]
// As in `docs.rs`, where the commands are written for a Unix shell.
#![cfg(unix)]

mod merging;
mod packing;
mod pipeline;
mod svg;
mod terminal;

use std::fs;
use std::path::Path;

use chunkwright::{Chunker, Document, Hierarchical, O200k, Source};

#[test]
fn figures_show_the_current_output() {
    let figures = [
        ("terminal-light.svg", terminal::figure(&terminal::LIGHT)),
        ("terminal-dark.svg", terminal::figure(&terminal::DARK)),
        ("pipeline.svg", pipeline::figure()),
        ("packing.svg", packing::figure()),
        ("merge.svg", merging::figure()),
    ];
    let update = std::env::var_os("UPDATE_DOCS").is_some();
    for (name, figure) in figures {
        let file = root().join("docs/images").join(name);
        if update {
            fs::write(&file, &figure).unwrap();
        }
        let stored = fs::read_to_string(&file).unwrap_or_default();
        assert!(stored == figure, "docs/images/{name} is outdated: run again with UPDATE_DOCS=1");
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap()
}

/// The page that all figures show.
struct Guide {
    text: String,
}

impl Guide {
    fn read() -> Self {
        Self { text: fs::read_to_string(root().join("docs/examples/guide.md")).unwrap() }
    }

    fn source(&self) -> Source<'_> {
        Source::new("guide.md", &self.text).in_tree("examples")
    }

    fn document(&self) -> Document<'_> {
        chunker(100).read(&self.source())
    }
}

fn chunker(max: usize) -> Chunker {
    Chunker::new(Hierarchical::default().max(max), O200k).unwrap()
}
