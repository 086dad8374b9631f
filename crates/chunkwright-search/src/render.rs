//! Renders answers as Markdown for prompts, or as JSON for programs.

use std::fmt::Write as _;

use serde_json::Value;

pub use crate::answer::FIELDS;
use crate::answer::{Answer, Handle, Unmatched};
use crate::error::Error;

/// A selection of result fields.
///
/// ```
/// use chunkwright_search::render::Fields;
///
/// assert!(Fields::named(["id", "text"]).is_ok());
/// assert!(Fields::named(["txt"]).is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fields(Vec<String>);

impl Fields {
    /// Selects fields by name.
    ///
    /// # Errors
    /// Fails if a name is not in [`FIELDS`].
    pub fn named<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> Result<Self, Error> {
        let known = |name: S| {
            let name = name.as_ref().trim();
            match FIELDS.contains(&name) {
                true => Ok(name.to_owned()),
                false => {
                    let nearest = nearest(name, FIELDS.iter().map(|field| (*field).to_owned()));
                    Err(Error::UnknownField { name: name.to_owned(), nearest })
                }
            }
        };
        Ok(Self(names.into_iter().map(known).collect::<Result<_, _>>()?))
    }
}

/// Returns an answer as one JSON object. `fields` selects the fields of results; `None` keeps all.
pub fn json(answer: &Answer, fields: Option<&Fields>) -> Value {
    let mut value = serde_json::to_value(answer).expect("an answer serializes to JSON");
    if let (Some(Fields(names)), Some(Value::Array(results))) = (fields, value.get_mut("results")) {
        for result in results {
            if let Value::Object(result) = result {
                result.retain(|name, _| names.contains(name));
            }
        }
    }
    value
}

/// Returns an answer as Markdown for a prompt.
///
/// Each result consists of its breadcrumb as a block quote, a line with its id and location, and
/// its full text.
pub fn markdown(answer: &Answer) -> String {
    let mut out = String::new();
    for remark in remarks(answer) {
        let mut letters = remark.chars();
        let first = letters.next().into_iter().flat_map(char::to_uppercase);
        let _ = writeln!(out, "{}{}\n", first.collect::<String>(), letters.as_str());
    }
    for found in &answer.results {
        let _ = writeln!(out, "> {}", found.breadcrumb.join(" › "));
        let (path, first, last) = (&found.path, found.line_start, found.line_end);
        let stale = if found.stale { " · changed since it was indexed" } else { "" };
        let _ = writeln!(out, "{} · {path}:{first}-{last}{stale}\n", found.id);
        let _ = writeln!(out, "{}\n", found.text);
        for line in &found.explain {
            let _ = writeln!(out, "- {line}");
        }
        if !found.explain.is_empty() {
            out.push('\n');
        }
    }
    if !answer.handles.is_empty() {
        let _ = writeln!(out, "{}", not_shown(&answer.handles));
    }
    let end = out.trim_end().len();
    out.truncate(end);
    if !out.is_empty() {
        out.push('\n');
    }
    out
}

/// Returns a line that lists results which did not fit: `Not shown: id (tokens), …`
pub fn not_shown(handles: &[Handle]) -> String {
    let handles = handles.iter().map(|handle| format!("{} ({})", handle.id, handle.tokens));
    format!("Not shown: {}", handles.collect::<Vec<_>>().join(", "))
}

/// Returns the remarks to print before the results: a corrected query, suggestions for unmatched
/// words, or the reason for an empty answer.
pub fn remarks(answer: &Answer) -> Vec<String> {
    let mut remarks = Vec::new();
    if let Some(corrected) = &answer.corrected {
        let query = &answer.query;
        remarks.push(format!("no match for `{query}`; showing results for `{corrected}`"));
    } else {
        for Unmatched { term, suggestion } in &answer.unmatched {
            if let Some(suggestion) = suggestion {
                remarks.push(format!("no match for `{term}`; did you mean `{suggestion}`?"));
            }
        }
    }
    remarks.extend(answer.reason.as_ref().map(|reason| format!("no results: {reason}")));
    remarks
}

/// Returns up to three names similar to `wanted`, most similar first.
pub(crate) fn nearest(wanted: &str, names: impl Iterator<Item = String>) -> Vec<String> {
    let length = wanted.chars().count();
    let most = (length / 3).max(1);
    // The distance is at least the difference in length, and takes long to compute for long names.
    let near = names.filter(|name| name.chars().count().abs_diff(length) <= most);
    let mut near: Vec<(usize, String)> =
        near.map(|name| (strsim::osa_distance(&name, wanted), name)).collect();
    near.retain(|(distance, _)| *distance <= most);
    near.sort();
    let best = near.first().map_or(0, |(distance, _)| *distance);
    near.into_iter()
        .take_while(|(distance, _)| *distance <= best + 1)
        .take(3)
        .map(|(_, name)| name)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{MergedHit, SearchResult};

    fn answer() -> Answer {
        let found = SearchResult {
            id: "docs:tea.md#pots+".to_owned(),
            node_id: "docs:tea.md#pots".to_owned(),
            doc_id: "docs:tea.md".to_owned(),
            tree: "docs".to_owned(),
            path: "tea.md".to_owned(),
            url: None,
            title: "Pots".into(),
            breadcrumb: vec!["Tea".into(), "Pots".into()],
            depth: 1,
            position: 1,
            score: 1.0,
            combined_score: Some(1.0),
            tokens: 7,
            whole_tokens: Some(7),
            line_start: 3,
            line_end: 5,
            byte_start: 7,
            byte_end: 30,
            text: "# Pots\n\nWarm them first.".to_owned(),
            snippet: "Warm them first.".to_owned(),
            highlights: Vec::new(),
            merged_from: vec![MergedHit { id: "docs:tea.md#pots".to_owned(), score: 1.0 }],
            stale: false,
            explain: vec!["matched".to_owned()],
        };
        let handle =
            Handle { id: "docs:tea.md".to_owned(), breadcrumb: vec!["Tea".into()], tokens: 900 };
        Answer {
            query: "potts".to_owned(),
            corrected: None,
            matched: Vec::new(),
            unmatched: vec![Unmatched {
                term: "potts".to_owned(),
                suggestion: Some("pots".to_owned()),
            }],
            coverage: 0.0,
            results: vec![found],
            handles: vec![handle],
            reason: None,
            warnings: Vec::new(),
        }
    }

    #[test]
    fn lists_every_field_of_a_result() {
        let value = json(&answer(), None);
        let result = value["results"][0].as_object().unwrap();
        assert_eq!(result.keys().map(String::as_str).collect::<Vec<_>>(), FIELDS);
    }

    #[test]
    fn selects_fields() {
        let fields = Fields::named(["text", " id"]).unwrap();
        let value = json(&answer(), Some(&fields));
        let result = value["results"][0].as_object().unwrap();
        assert_eq!(result.keys().collect::<Vec<_>>(), ["id", "text"]);
        let wrong = Fields::named(["snipet"]).unwrap_err().to_string();
        assert!(wrong.starts_with("unknown field `snipet`: expected one of `id`, "), "{wrong}");
        assert!(wrong.ends_with("; did you mean `snippet`?"), "{wrong}");
    }

    #[test]
    fn renders_markdown_for_prompts() {
        let mut answer = answer();
        answer.results[0].explain.clear();
        assert_eq!(
            markdown(&answer),
            "No match for `potts`; did you mean `pots`?\n\n\
             > Tea › Pots\n\
             docs:tea.md#pots+ · tea.md:3-5\n\n\
             # Pots\n\nWarm them first.\n\n\
             Not shown: docs:tea.md (900)\n"
        );
    }
}
