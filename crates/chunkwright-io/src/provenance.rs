//! How the chunks of a file were made, as the file itself records it.

use chunkwright::StrategyName;

/// The configuration and the strategy versions behind a file of records.
///
/// JSON and Parquet files carry it; JSON lines do not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Provenance {
    /// A hash of all options, the counter and the strategies' versions.
    pub config_hash: String,
    /// The version of each strategy that was used, such as `blocks 2, hierarchical 2`. Empty in
    /// files of strategies at version 1, which did not record it.
    pub algorithms: String,
}

impl Provenance {
    /// The provenance of chunks made with these options, by these strategies.
    pub fn new(config_hash: String, strategies: impl IntoIterator<Item = StrategyName>) -> Self {
        let version = |strategy: StrategyName| format!("{strategy} {}", strategy.version());
        let mut algorithms: Vec<String> = strategies.into_iter().map(version).collect();
        algorithms.sort();
        algorithms.dedup();
        Self { config_hash, algorithms: algorithms.join(", ") }
    }

    /// Whether a strategy split the file's pages by other rules than it does now.
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
    fn output_of_another_version_is_recognized() {
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
}
