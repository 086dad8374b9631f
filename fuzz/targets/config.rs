//! Checks that a configuration file is rejected, or works and survives a round trip through TOML.

#![no_main]

use std::path::Path;

use chunkwright::{ConfigTable, Format};
use chunkwright_config::Settings;
use chunkwright_fuzz::{Options, text, watch};
use libfuzzer_sys::fuzz_target;

const PAGE: &str = "---\ntitle: T\n---\nText before.\n\n# One\n\n## Two\n\nSome words. And more \
                    words.\n\n```sh\na\nb\n\nc\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n";

fuzz_target!(init: watch(), |data: &[u8]| {
    let file = text(data);
    if let Ok(settings) = Settings::parse("chunkwright.toml", Path::new("/"), &file) {
        let _refused = settings.chunking();
        let _refused = settings.list(Some("blog/page.md"));
        let _read = (settings.processing(), settings.indexing(), settings.tuning());
    }
    let Ok(config) = toml::from_str::<ConfigTable>(&file) else { return };
    let written = toml::to_string(&config).expect("options are plain values");
    assert_eq!(toml::from_str::<ConfigTable>(&written).as_ref(), Ok(&config), "{written}");
    Options { config, counter: "words:1" }.hold_laws(Format::Markdown, PAGE);
});
