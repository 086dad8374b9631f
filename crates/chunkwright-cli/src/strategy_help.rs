//! Options of each strategy with their defaults, for `--help` and the manual pages.

use std::fmt::Write as _;

use chunkwright::StrategyName;
use chunkwright_config::{Declared, declared};

use crate::options::with_default;
use crate::style::wrap;

/// The column of descriptions in `--help`.
const INDENT: usize = 16;

/// The explanation that goes with the list of options.
pub(crate) const HOW_TO_SET: &str = "Each strategy has its own options. Set them with --set, such as --set window.tail=merge, or in \
     chunkwright.toml. The flags --size, --target, --max, --min and --overlap set those of the chosen \
     strategy.";

/// Returns a title for each strategy, and its options with their descriptions.
pub(crate) fn strategies() -> Vec<(String, Vec<(&'static str, String)>)> {
    StrategyName::ALL.iter().map(|strategy| (title(*strategy), options(*strategy))).collect()
}

fn title(strategy: StrategyName) -> String {
    format!("Strategy {strategy} (default tokenizer: {})", strategy.default_counter())
}

fn options(strategy: StrategyName) -> Vec<(&'static str, String)> {
    let option = |declared: &'static Declared| {
        let name = declared.name.strip_prefix(strategy.as_str())?.strip_prefix('.')?;
        Some((name, with_default(declared.summary(), declared.default_text())))
    };
    let options: Vec<_> = declared().iter().filter_map(option).collect();
    match options.is_empty() {
        true => vec![("(none)", "Makes one chunk per heading that has text".to_owned())],
        false => options,
    }
}

/// Returns the options of all strategies for `--help`, one paragraph per strategy.
pub(crate) fn options_of_strategies() -> String {
    let mut help = format!("{HOW_TO_SET}\n\n");
    for (title, options) in strategies() {
        let _ = writeln!(help, "{title}:");
        for (name, description) in options {
            let rows = wrap(&description, 80 - INDENT).join(&format!("\n{:INDENT$}", ""));
            let _ = writeln!(help, "  {name:<14}{rows}");
        }
        help.push('\n');
    }
    help.truncate(help.trim_end().len());
    help
}
