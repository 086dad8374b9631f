//! Lists the options of each strategy with their defaults, for `--help` and the manual pages.

use std::fmt::Write as _;

use chunkwright::{ConfigTable, StrategyName};
use serde_json::Value;

/// Descriptions of the strategies' options, without defaults: those come from the library.
const DESCRIPTIONS: &[(&str, &[(&str, &str)])] = &[
    (
        "hierarchical",
        &[
            ("size", "Preset for target and max: small, medium or large"),
            ("target", "Preferred tokens per chunk"),
            ("max", "Maximum tokens per chunk"),
            ("min", "Minimum tokens per chunk; smaller ones merge with a neighbor"),
        ],
    ),
    (
        "window",
        &[
            ("size", "Preset for min, min_deeper and max: small, medium or large"),
            ("min", "Minimum tokens before a heading of the same or a higher level"),
            ("min_deeper", "Minimum tokens before a deeper heading"),
            ("max", "Maximum tokens per chunk"),
            ("tail", "A last chunk under min: keep, merge or drop"),
            ("parents", "Start each chunk with the headings above it"),
            ("lookahead", "End a full chunk before its last section"),
        ],
    ),
    (
        "blocks",
        &[
            ("size", "Preset for target, max and min: small, medium or large"),
            ("target", "Preferred tokens per chunk"),
            ("max", "Maximum tokens per chunk"),
            ("min", "Minimum tokens per chunk; smaller ones merge with a neighbor"),
            ("overlap", "Tokens repeated from the chunk before: N, none, low, medium or high"),
            ("overlap_scope", "Reach of overlap: section or document"),
            ("mode", "Chunk boundaries: heading, paragraph or hybrid"),
            ("heading_depth", "Deepest heading level that starts a section"),
        ],
    ),
    ("tree", &[]),
];

/// How to set the options of strategies.
pub(crate) const HOW_TO_SET: &str = "Set any of these with --set, for example --set window.tail=merge, or in chunkwright.toml. The \
     flags --size, --target, --max, --min and --overlap set those of the chosen strategy.";

/// A title for each strategy, and its options with their descriptions.
pub(crate) fn strategies() -> Vec<(String, Vec<(&'static str, String)>)> {
    let strategy = |&(strategy, options): &(&str, &'static [(&str, &str)])| {
        let counter = strategy.parse::<StrategyName>().map_or("", StrategyName::default_counter);
        let option = |&(name, description): &(&'static str, &str)| {
            (name, format!("{description} [default: {}]", default(strategy, name)))
        };
        let title = format!("Options of {strategy} (tokenizer: {counter})");
        match options {
            [] => (title, vec![("none", "One chunk per heading with text of its own".to_owned())]),
            options => (title, options.iter().map(option).collect()),
        }
    };
    DESCRIPTIONS.iter().map(strategy).collect()
}

/// Returns the options of each strategy for `--help`, one paragraph per strategy.
pub(crate) fn options_of_strategies() -> String {
    let mut help = String::new();
    for (title, options) in strategies() {
        let _ = writeln!(help, "{title}:");
        for (name, description) in options {
            let _ = writeln!(help, "  {name:<14}{description}");
        }
        help.push('\n');
    }
    help + HOW_TO_SET
}

fn default(strategy: &str, option: &str) -> String {
    let filled =
        ConfigTable::default().filled().ok().and_then(|config| serde_json::to_value(config).ok());
    match filled.as_ref().map(|config| &config[strategy][option]) {
        Some(Value::String(name)) => name.clone(),
        Some(value) => value.to_string(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_of_every_strategy_is_listed() {
        let config = serde_json::to_value(ConfigTable::default()).unwrap();
        for strategy in StrategyName::ALL {
            let declared = config[strategy.as_str()].as_object().unwrap();
            let listed = DESCRIPTIONS.iter().find(|(name, _)| *name == strategy.as_str());
            let listed = listed.map_or(&[][..], |(_, options)| options);
            let listed: Vec<&str> = listed.iter().map(|(name, _)| *name).collect();
            let declared: Vec<&str> = declared.keys().map(String::as_str).collect();
            assert_eq!(listed, declared, "{strategy}");
        }
    }
}
