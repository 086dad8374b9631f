//! Options of each strategy with their defaults, for `--help` and the manual pages.

use std::fmt::Write as _;

use chunkwright::{ConfigTable, StrategyName};
use serde_json::Value;

/// Options of each strategy. Defaults come from the library, and lines fit 80 columns with them.
const DESCRIPTIONS: &[(&str, &[(&str, &str)])] = &[
    (
        "hierarchical",
        &[
            ("size", "Token limits: small, medium or large"),
            ("target", "Preferred tokens per chunk"),
            ("max", "Maximum tokens per chunk"),
            ("min", "Minimum tokens; smaller chunks are merged"),
        ],
    ),
    (
        "window",
        &[
            ("size", "Token limits: small, medium or large"),
            ("min", "Minimum tokens before a split at a heading"),
            ("min_deeper", "Minimum tokens before a split at a deeper one"),
            ("max", "Maximum tokens per chunk"),
            ("tail", "Last chunk if below min: keep, merge or drop"),
            ("parents", "Start each chunk with its parent headings"),
            ("lookahead", "Split a full chunk before its last section"),
        ],
    ),
    (
        "blocks",
        &[
            ("size", "Token limits: small, medium or large"),
            ("target", "Preferred tokens per chunk"),
            ("max", "Maximum tokens per chunk"),
            ("min", "Minimum tokens; smaller chunks are merged"),
            ("overlap", "Tokens to repeat: N, none, low, medium or high"),
            ("overlap_scope", "Scope of overlap: section or document"),
            ("mode", "Boundaries: heading, paragraph or hybrid"),
            ("heading_depth", "Deepest heading level that starts a section"),
        ],
    ),
    ("tree", &[]),
];

/// The explanation that goes with the list of options.
pub(crate) const HOW_TO_SET: &str = "Each strategy has its own options. Set them with --set, such as --set window.tail=merge, or in \
     chunkwright.toml. The flags --size, --target, --max, --min and --overlap set those of the chosen \
     strategy.";

/// Returns a title for each strategy, and its options with their descriptions.
pub(crate) fn strategies() -> Vec<(String, Vec<(&'static str, String)>)> {
    let strategy = |&(strategy, options): &(&str, &'static [(&str, &str)])| {
        let counter = strategy.parse::<StrategyName>().map_or("", StrategyName::default_counter);
        let option = |&(name, description): &(&'static str, &str)| {
            (name, format!("{description} [default: {}]", default(strategy, name)))
        };
        let title = format!("Strategy {strategy} (default tokenizer: {counter})");
        match options {
            [] => (title, vec![("(none)", "Makes one chunk per heading that has text".to_owned())]),
            options => (title, options.iter().map(option).collect()),
        }
    };
    DESCRIPTIONS.iter().map(strategy).collect()
}

/// Returns the options of all strategies for `--help`, one paragraph per strategy.
pub(crate) fn options_of_strategies() -> String {
    let mut help = format!("{HOW_TO_SET}\n\n");
    for (title, options) in strategies() {
        let _ = writeln!(help, "{title}:");
        for (name, description) in options {
            let _ = writeln!(help, "  {name:<14}{description}");
        }
        help.push('\n');
    }
    help.truncate(help.trim_end().len());
    help
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
    use clap::CommandFactory as _;

    use super::*;
    use crate::Cli;

    #[test]
    fn lists_every_option_of_every_strategy() {
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

    #[test]
    fn lists_options_within_80_columns() {
        for (title, options) in strategies() {
            for (name, description) in options {
                let columns = format!("  {name:<14}{description}").len();
                assert!(columns <= 80, "{title}: {name}: {columns}");
            }
        }
    }

    #[test]
    fn flags_state_the_defaults_of_the_strategies() {
        let cli = Cli::command();
        let chunk = cli.find_subcommand("chunk").unwrap();
        let help = |flag: &str| {
            let flag = chunk.get_arguments().find(|argument| argument.get_id() == flag).unwrap();
            flag.get_help().unwrap().to_string()
        };
        let [window, blocks] = ["window", "blocks"].map(|strategy| default(strategy, "max"));
        let max = default("hierarchical", "max");
        let expected = format!("[default: {max}; window: {window}; blocks: {blocks}]");
        assert!(help("max").ends_with(&expected), "{}", help("max"));
        let expected = format!("[default: {}]", default("hierarchical", "target"));
        assert!(help("target").ends_with(&expected), "{}", help("target"));
        let [window, blocks] = ["window", "blocks"].map(|strategy| default(strategy, "min"));
        let expected = format!("[default: target / 10; window: {window}; blocks: {blocks}]");
        assert!(help("min").ends_with(&expected), "{}", help("min"));
        let [tree, window, blocks] =
            [StrategyName::Tree, StrategyName::Window, StrategyName::Blocks]
                .map(StrategyName::default_counter);
        let expected = format!("[default: {tree}; window: {window}; blocks: {blocks}]");
        assert!(help("tokenizer").ends_with(&expected), "{}", help("tokenizer"));
    }
}
