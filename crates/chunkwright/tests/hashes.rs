//! `config_hash` is stored with every output, so it must not change by accident, and must change with
//! every option that has an effect.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must stop")]

use std::collections::BTreeMap;

use chunkwright::{
    Blocks, Chars, Chunker, Config, ConfigTable, Context, FrontMatter, Hierarchical, Mdx, Overlap,
    Size, Slugs, StrategyName, Tail, Window, Words,
};

fn hash(config: impl Into<Config>) -> String {
    Chunker::new(config, Chars).unwrap().config_hash().to_owned()
}

/// If this fails, every stored output is out of date for its users. Is that meant? Then raise the
/// version of the strategy, or say in the changelog what changed.
#[test]
fn defaults_have_known_hashes() {
    let hashes: BTreeMap<&str, String> =
        StrategyName::ALL.iter().map(|name| (name.as_str(), hash(*name))).collect();
    let expected = [
        ("blocks", "cb028ea9a2995bb7f9b4c133733c752b"),
        ("hierarchical", "f8d5652b8b25c44326faa85b84da2d00"),
        ("tree", "f8914ed5d5fe8da1961e5f6a8096eba4"),
        ("window", "e0ec704c810fc90ec452e03bec9448b6"),
    ];
    let expected = expected.map(|(name, hash)| (name, hash.to_owned()));
    assert_eq!(hashes, BTreeMap::from(expected));
}

#[test]
fn options_set_to_their_defaults_change_nothing() {
    for &strategy in StrategyName::ALL {
        let mut table = ConfigTable::default();
        table.strategy = strategy;
        table.tokenizer = Some("chars".to_owned());
        let filled = table.filled().unwrap();
        assert_eq!(hash(filled), hash(table), "{strategy}");
    }
    let preset = Hierarchical::default().size(Size::Small);
    let limits = Hierarchical::default().target(256).max(512);
    assert_eq!(hash(preset), hash(limits), "a preset is what it stands for");
}

#[test]
fn every_option_with_an_effect_changes_the_hash() {
    let default = hash(Hierarchical::default());
    let changed = |change: fn(&mut Config)| {
        let mut config = Config::from(Hierarchical::default());
        change(&mut config);
        hash(config)
    };
    let mut hashes = vec![
        default,
        changed(|config| config.context = Some(Context::None)),
        changed(|config| config.frontmatter = FrontMatter::Include),
        changed(|config| config.mdx = Mdx::On),
        changed(|config| config.repeat_table_headers = false),
        changed(|config| config.slugs = Slugs::Unicode),
        changed(|config| config.url_base = Some("https://example.org".to_owned())),
        changed(|config| config.split_oversized = chunkwright::SplitOversized::None),
        hash(Hierarchical::default().target(100)),
        hash(Hierarchical::default().max(100)),
        hash(Hierarchical::default().min(1)),
        hash(Window::default().max(100)),
        hash(Window::default().tail(Tail::Drop)),
        hash(Blocks::default().max(100)),
        hash(Blocks::default().overlap(Overlap::Tokens(9))),
        Chunker::new(Hierarchical::default(), Words::default()).unwrap().config_hash().to_owned(),
    ];
    let all = hashes.len();
    hashes.sort();
    hashes.dedup();
    assert_eq!(hashes.len(), all, "each has a hash of its own");
}
