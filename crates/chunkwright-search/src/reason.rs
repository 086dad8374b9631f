//! Explains an empty answer in a way that helps to change the query.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::error::Error;
use crate::filter::Filter;
use crate::index::{Snapshot, guard};
use crate::runs::Runs;

/// Maximum number of values listed as examples.
const EXAMPLES: usize = 10;

impl Snapshot {
    /// Returns the reason why a query with this filter has no results.
    pub(crate) fn reason(&self, filter: &Filter) -> Result<String, Error> {
        let trees: Vec<&String> = self.state.trees.keys().collect();
        if let Some(tree) = filter.trees.iter().find(|tree| !trees.contains(tree)) {
            return Ok(format!("no tree is named `{tree}`; the trees are {}", listed(&trees)));
        }
        let files = self.files()?;
        if files.is_empty() {
            return Ok("the index contains no documents".to_owned());
        }
        if !filter.paths.is_empty() {
            let only_paths = Filter { paths: filter.paths.clone(), ..Filter::default() };
            let admits = only_paths.admits()?;
            if !files.iter().any(|file| admits(&file.tree, &file.path, None)) {
                let patterns = listed(&filter.paths);
                let wanted = filter.paths[0].trim_end_matches('/');
                let below = files.iter().any(|file| file.path.starts_with(&format!("{wanted}/")));
                return Ok(match below {
                    true => format!("no path matches {patterns}; try `{wanted}/**`"),
                    false => format!(
                        "no path matches {patterns}; paths look like `{}`",
                        files[files.len() / 2].path
                    ),
                });
            }
        }
        for condition in &filter.conditions {
            if let Some(reason) = self.unmet(condition)? {
                return Ok(reason);
            }
        }
        Ok(match filter.is_empty() {
            true => "no document contains these words".to_owned(),
            false => "no document that passes the filters contains these words".to_owned(),
        })
    }

    /// Returns the reason why no document meets a condition, or `None` if one does.
    fn unmet(&self, condition: &str) -> Result<Option<String>, Error> {
        let alone = Filter { conditions: vec![condition.to_owned()], ..Filter::default() };
        let admits = alone.admits()?;
        let key = condition.split(['!', '=', '<', '>']).next().unwrap_or_default().trim();
        let (mut keys, mut values) = (BTreeSet::new(), BTreeSet::new());
        let dir = self.place.engine();
        guard(&dir, || {
            let engine = Error::engine(&dir);
            for reader in self.searcher.segment_readers() {
                let runs = Runs::open(reader).map_err(&engine)?;
                for run in runs.iter() {
                    let Some(text) = runs.metadata(run.start).map_err(&engine)? else { continue };
                    if admits("", "", Some(&text)) {
                        return Ok(None);
                    }
                    let metadata: Value = serde_json::from_str(&text).unwrap_or_default();
                    keys.extend(
                        metadata.as_object().into_iter().flat_map(|map| map.keys()).cloned(),
                    );
                    let value = key.split('.').try_fold(&metadata, |value, name| value.get(name));
                    values.extend(value.map(shown));
                }
            }
            Ok(Some(match values.is_empty() {
                true if keys.is_empty() => "no document has front matter".to_owned(),
                true => format!(
                    "no document has `{key}` in its front matter; the keys are {}",
                    listed(&keys)
                ),
                false => format!(
                    "no document meets `{condition}`; the values of `{key}` are {}",
                    listed(&values)
                ),
            }))
        })
    }
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Lists the first few values.
fn listed<T: AsRef<str>>(values: impl IntoIterator<Item = T>) -> String {
    let mut values = values.into_iter();
    let first: Vec<String> =
        values.by_ref().take(EXAMPLES).map(|value| format!("`{}`", value.as_ref())).collect();
    let more = if values.next().is_some() { ", …" } else { "" };
    first.join(", ") + more
}
