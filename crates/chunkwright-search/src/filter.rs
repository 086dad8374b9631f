//! Restricts a search to some files, by tree, path and front matter, before anything is ranked.

use std::sync::Arc;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use serde_json::Value;
use tantivy::query::{
    BitSetDocSet, ConstScorer, EnableScoring, Explanation, Query, Scorer, Weight,
};
use tantivy::{BitSet, DocId, DocSet, Score, SegmentReader, TERMINATED, TantivyError};

use crate::error::Error;
use crate::runs::Runs;

/// The documents to search. The default is all.
///
/// ```
/// use chunkwright_search::{Filter, Request};
///
/// let mut filter = Filter::default();
/// filter.paths.push("guide/**/*.md".to_owned());
/// filter.conditions.push("updated>2024-01-01".to_owned());
///
/// let mut request = Request::default();
/// request.filter = filter;
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Filter {
    /// Names of trees; empty for all trees.
    pub trees: Vec<String>,
    /// Glob patterns, of which one must match the path: `guide/**/*.md`. `*` does not match `/`.
    pub paths: Vec<String>,
    /// Conditions on front matter, which must all hold: `key=value`, `key!=value`, `key<value` or
    /// `key>value`.
    pub conditions: Vec<String>,
}

impl Filter {
    /// Returns whether the filter accepts every document.
    pub(crate) fn is_empty(&self) -> bool {
        self.trees.is_empty() && self.paths.is_empty() && self.conditions.is_empty()
    }

    pub(crate) fn compile(&self) -> Result<FileQuery, Error> {
        Ok(FileQuery(Arc::new(self.compiled()?)))
    }

    /// Returns a predicate on the tree, path and front matter (as JSON) of a file.
    pub(crate) fn admits(&self) -> Result<impl Fn(&str, &str, Option<&str>) -> bool, Error> {
        let compiled = self.compiled()?;
        Ok(move |tree: &str, path: &str, metadata: Option<&str>| {
            compiled.admits(tree, path, metadata)
        })
    }

    fn compiled(&self) -> Result<CompiledFilter, Error> {
        let conditions = self.conditions.iter().map(|text| Condition::parse(text));
        Ok(CompiledFilter {
            trees: self.trees.clone(),
            paths: globs(&self.paths)?,
            conditions: conditions.collect::<Result<_, _>>()?,
        })
    }
}

fn globs(patterns: &[String]) -> Result<Option<GlobSet>, Error> {
    if patterns.is_empty() {
        return Ok(None);
    }
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let glob = GlobBuilder::new(pattern).literal_separator(true).build();
        set.add(glob.map_err(|error| {
            Error::Filter(format!("invalid path pattern `{pattern}`: {}", error.kind()))
        })?);
    }
    set.build().map(Some).map_err(|error| Error::Filter(format!("invalid path patterns: {error}")))
}

#[derive(Debug)]
struct CompiledFilter {
    trees: Vec<String>,
    paths: Option<GlobSet>,
    conditions: Vec<Condition>,
}

impl CompiledFilter {
    fn admits(&self, tree: &str, path: &str, metadata: Option<&str>) -> bool {
        let in_tree = self.trees.is_empty() || self.trees.iter().any(|wanted| wanted == tree);
        let on_path = self.paths.as_ref().is_none_or(|paths| paths.is_match(path));
        if !in_tree || !on_path || self.conditions.is_empty() {
            return in_tree && on_path;
        }
        let metadata: Value =
            metadata.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
        self.conditions.iter().all(|condition| condition.holds(&metadata))
    }
}

#[derive(Clone, Debug, PartialEq)]
struct Condition {
    key: Vec<String>,
    comparison: Operator,
    value: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Equal,
    Unequal,
    Less,
    More,
}

impl Condition {
    fn parse(text: &str) -> Result<Self, Error> {
        let signs = [
            ("!=", Operator::Unequal),
            ("=", Operator::Equal),
            ("<", Operator::Less),
            (">", Operator::More),
        ];
        let at = text.find(['!', '=', '<', '>']);
        let found = at.and_then(|at| {
            let (key, rest) = text.split_at(at);
            let sign = signs.iter().find(|(sign, _)| rest.starts_with(sign))?;
            Some((key.trim(), sign.1, rest[sign.0.len()..].trim()))
        });
        match found {
            Some((key, comparison, value)) if !key.is_empty() && !value.is_empty() => Ok(Self {
                key: key.split('.').map(str::to_owned).collect(),
                comparison,
                value: value.to_owned(),
            }),
            _ => Err(Error::Filter(format!(
                "invalid condition `{text}`: expected KEY=VALUE, KEY!=VALUE, KEY<VALUE or KEY>VALUE"
            ))),
        }
    }

    fn holds(&self, metadata: &Value) -> bool {
        let found = self.key.iter().try_fold(metadata, |value, name| value.get(name));
        let is_one = |wanted: Operator| found.is_some_and(|value| self.compares(value, wanted));
        match self.comparison {
            Operator::Unequal => !is_one(Operator::Equal),
            comparison => is_one(comparison),
        }
    }

    /// Returns whether the comparison holds for a value, or for any element of a list.
    fn compares(&self, value: &Value, comparison: Operator) -> bool {
        let ordering = match value {
            Value::Array(values) => {
                return values.iter().any(|value| self.compares(value, comparison));
            }
            Value::Number(number) => {
                let numbers = number.as_f64().zip(self.value.parse::<f64>().ok());
                numbers.and_then(|(number, wanted)| number.partial_cmp(&wanted))
            }
            Value::Bool(value) => Some(value.to_string().as_str().cmp(self.value.as_str())),
            Value::String(text) => Some(compare_texts(text, &self.value)),
            Value::Null | Value::Object(_) => None,
        };
        ordering.is_some_and(|ordering| match comparison {
            Operator::Equal => ordering.is_eq(),
            Operator::Unequal => ordering.is_ne(),
            Operator::Less => ordering.is_lt(),
            Operator::More => ordering.is_gt(),
        })
    }
}

/// Compares strings as numbers if both are numeric, or else as text, which also orders ISO dates. A
/// date with a time equals its day.
fn compare_texts(text: &str, wanted: &str) -> std::cmp::Ordering {
    if let (Ok(number), Ok(wanted)) = (text.parse::<f64>(), wanted.parse::<f64>()) {
        return number.total_cmp(&wanted);
    }
    match text.get(..wanted.len()) {
        Some(day) if is_date(wanted) && is_date(day) => day.cmp(wanted),
        _ => text.cmp(wanted),
    }
}

/// Returns whether a text starts with a date such as 2026-11-16.
fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    let fits = |at: usize, byte: &u8| match at {
        4 | 7 => *byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    bytes.len() >= 10 && bytes[..10].iter().enumerate().all(|(at, byte)| fits(at, byte))
}

/// A query for all nodes of the files that a filter accepts.
#[derive(Clone, Debug)]
pub(crate) struct FileQuery(Arc<CompiledFilter>);

impl Query for FileQuery {
    fn weight(&self, _: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        Ok(Box::new(self.clone()))
    }
}

impl Weight for FileQuery {
    fn scorer(&self, reader: &SegmentReader, boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        let mut admitted = BitSet::with_max_value(reader.max_doc());
        let runs = Runs::open(reader)?;
        for run in runs.iter() {
            let (tree, path) = runs.name(run.start)?;
            if self.0.admits(&tree, &path, runs.metadata(run.start)?.as_deref()) {
                run.for_each(|doc| {
                    admitted.insert(doc);
                });
            }
        }
        Ok(Box::new(ConstScorer::new(BitSetDocSet::from(admitted), boost)))
    }

    fn explain(&self, _: &SegmentReader, doc: DocId) -> tantivy::Result<Explanation> {
        Err(TantivyError::InvalidArgument(format!("document {doc}: a filter has no score")))
    }
}

/// A query for all nodes of the files whose first node matches another query.
#[derive(Debug)]
pub(crate) struct WholeFiles(pub(crate) Box<dyn Query>);

impl Clone for WholeFiles {
    fn clone(&self) -> Self {
        Self(self.0.box_clone())
    }
}

impl Query for WholeFiles {
    fn weight(&self, scoring: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        Ok(Box::new(WholeFilesWeight(self.0.weight(scoring)?)))
    }
}

struct WholeFilesWeight(Box<dyn Weight>);

impl Weight for WholeFilesWeight {
    fn scorer(&self, reader: &SegmentReader, boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        let mut found = BitSet::with_max_value(reader.max_doc());
        let runs = Runs::open(reader)?;
        let mut files = self.0.scorer(reader, boost)?;
        while files.doc() != TERMINATED {
            runs.around(files.doc()).for_each(|doc| {
                found.insert(doc);
            });
            files.advance();
        }
        Ok(Box::new(ConstScorer::new(BitSetDocSet::from(found), boost)))
    }

    fn explain(&self, _: &SegmentReader, doc: DocId) -> tantivy::Result<Explanation> {
        Err(TantivyError::InvalidArgument(format!("document {doc}: a file has no score")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(condition: &str, metadata: &str) -> bool {
        let metadata = serde_json::from_str(metadata).unwrap();
        Condition::parse(condition).unwrap().holds(&metadata)
    }

    #[test]
    fn compares_values_by_type() {
        let metadata = r#"{"n": 9, "date": "2026-02-03", "tags": ["a", "b"], "draft": true,
                           "deep": {"key": "x"}}"#;
        let true_ones = [
            "n=9",
            "n<10",
            "n>8.5",
            "n!=8",
            "date=2026-02-03",
            "date>2025-12-31",
            "tags=a",
            "tags!=c",
            "draft=true",
            "deep.key=x",
            "missing!=x",
        ];
        let false_ones = ["n=10", "n<9", "date<2026-02-03", "tags=c", "draft=false", "missing=x"];
        assert!(true_ones.iter().all(|condition| holds(condition, metadata)));
        assert!(!false_ones.iter().any(|condition| holds(condition, metadata)));
    }

    #[test]
    fn rejects_malformed_conditions() {
        for text in ["", "key", "=value", "key=", "!x"] {
            assert!(Condition::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn only_double_stars_match_slashes() {
        let filter = |pattern: &str| {
            let paths = globs(&[pattern.to_owned()]).unwrap();
            CompiledFilter { trees: Vec::new(), paths, conditions: Vec::new() }
        };
        assert!(filter("*.md").admits("docs", "a.md", None));
        assert!(!filter("*.md").admits("docs", "a/b.md", None));
        assert!(filter("**/*.md").admits("docs", "a/b.md", None));
        assert!(globs(&["[".to_owned()]).is_err());
    }
}
