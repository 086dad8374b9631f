//! The laws over every mode of `blocks`, with overlap, shallow headings and blocks left whole.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests read files and may fail"
)]

use std::path::PathBuf;
use std::sync::Arc;

use chunkwright::{Bias, Chunker, Config, FrontMatter, Mode, Overlap, Source, Strategy};

/// Each counter, with a target.
const MEASURES: &[(&str, usize)] = &[("estimate", 100), ("chars", 300), ("o200k", 40)];

fn corpus() -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let pages = entries
        .map(|entry| (entry.file_name().into_string().unwrap(), entry.path()))
        .filter(|(name, _)| !name.starts_with('.'))
        .map(|(name, path)| (name, std::fs::read_to_string(path).unwrap()));
    pages.collect()
}

fn config(mode: Mode, target: usize, variant: usize) -> Config {
    let mut config = Config::default().with_limits(target, target * 3 / 2);
    config.strategy = Strategy::Blocks;
    config.blocks.mode = mode;
    match variant {
        0 => config.blocks.overlap = Some(Overlap::Tokens(target)),
        1 => {
            config.blocks.heading_depth = Some(2);
            config.blocks.min = Some(target);
            config.frontmatter = FrontMatter::Include;
        }
        _ => {
            config.split_oversized = false;
            config.blocks.min = Some(0);
        }
    }
    config
}

#[test]
fn laws_hold_in_every_mode_of_blocks() {
    let pages = corpus();
    let mut faults = Vec::new();
    for (counter, target) in MEASURES {
        let counter = chunkwright_tokens::counter(counter, Bias::Balanced).unwrap();
        for mode in [Mode::Heading, Mode::Paragraph, Mode::Hybrid] {
            for variant in 0..3 {
                let config = config(mode, *target, variant);
                let chunker = Chunker::new(config, Arc::clone(&counter)).unwrap();
                for (path, text) in &pages {
                    let source = Source::new(path, text);
                    let found = chunkwright_laws::check(&chunker, &*counter, &source);
                    let told = |f| format!("{mode:?} {} {target} {variant} {f}", counter.name());
                    faults.extend(found.into_iter().map(told));
                }
            }
        }
    }
    let some = &faults[..faults.len().min(40)];
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), some.join("\n"));
}
