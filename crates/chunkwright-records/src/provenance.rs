//! The options and strategy versions behind a file of records.

use chunkwright::StrategyName;

/// The parts of the first line of `--format json`, around the configuration hash and the versions.
const JSON_LINE: [&str; 3] = ["{\"config_hash\":\"", "\",\"algorithms\":\"", "\",\"chunks\":["];

/// The configuration and the strategy versions behind a file of records.
///
/// JSON and Parquet files carry it; JSON lines do not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Provenance {
    /// Hash of all options, the tokenizer and the strategy versions.
    pub config_hash: String,
    /// Version of each strategy that was used, such as `blocks 2, hierarchical 2`. Empty in files
    /// from before versions were recorded.
    pub algorithms: String,
}

impl Provenance {
    /// Returns the provenance of chunks that these strategies produce with these options.
    pub fn new(config_hash: String, strategies: impl IntoIterator<Item = StrategyName>) -> Self {
        let version = |strategy: StrategyName| format!("{strategy} {}", strategy.version());
        let mut algorithms: Vec<String> = strategies.into_iter().map(version).collect();
        algorithms.sort();
        algorithms.dedup();
        Self { config_hash, algorithms: algorithms.join(", ") }
    }

    fn stored(config_hash: &str, algorithms: &str) -> Self {
        Self { config_hash: config_hash.to_owned(), algorithms: algorithms.to_owned() }
    }

    /// Returns the first line of `--format json`.
    pub fn json_line(&self) -> String {
        let [start, algorithms, chunks] = JSON_LINE;
        [start, &self.config_hash, algorithms, &self.algorithms, chunks].concat()
    }

    /// Parses the first line of `--format json`. Early versions wrote no algorithms.
    pub fn from_json_line(line: &str) -> Option<Self> {
        let [start, algorithms, chunks] = JSON_LINE;
        let line = line.strip_prefix(start)?.strip_suffix(chunks)?;
        let (config_hash, algorithms) = line.split_once(algorithms).unwrap_or((line, ""));
        Some(Self::stored(config_hash, algorithms))
    }

    /// Returns whether a strategy has changed since it split the documents of this file.
    pub fn is_outdated(&self) -> bool {
        let current = |algorithm: &str| {
            let (name, version) = algorithm.rsplit_once(' ')?;
            let strategy: StrategyName = name.parse().ok()?;
            version.parse().ok().filter(|&version: &u32| version == strategy.version())
        };
        !self.algorithms.split(", ").all(|algorithm| current(algorithm).is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognizes_output_of_another_version() {
        let now = Provenance::new(
            "h".into(),
            [StrategyName::Tree, StrategyName::Blocks, StrategyName::Tree],
        );
        assert!(!now.is_outdated(), "{now:?}");
        for algorithms in ["", "hierarchical 1", "blocks 2, hierarchical 1", "hierarchical 99", "x"]
        {
            let other = Provenance { algorithms: algorithms.into(), ..now.clone() };
            assert!(other.is_outdated(), "{algorithms}");
        }
    }

    #[test]
    fn a_json_line_round_trips() {
        let provenance = Provenance::stored("abc", "blocks 2, tree 1");
        assert_eq!(Provenance::from_json_line(&provenance.json_line()), Some(provenance));
        let early = "{\"config_hash\":\"abc\",\"chunks\":[";
        assert_eq!(Provenance::from_json_line(early), Some(Provenance::stored("abc", "")));
        assert_eq!(Provenance::from_json_line("{}"), None);
    }
}
