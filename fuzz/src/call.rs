//! Decodes calls of tools.

use serde_json::{Map, Value};

use crate::library::INDEX;
use crate::text;

/// The number of bytes before the text of a call.
pub const HEAD: usize = 7;

/// Additions to ids, with and without a meaning.
const SUFFIXES: [&str; 8] = ["", "+", "@1", "@1-2", ":3", "/", "#", "x"];

const PATHS: [&str; 4] = ["**", "guide/**", "*.md", "["];
const TREES: [&str; 4] = ["docs", "my wiki", "", "other"];
const CONDITIONS: [&str; 4] = ["version>2", "tags=tea", "x!=1", "?"];

/// A call with arguments that need not be valid.
#[derive(Debug)]
pub struct Call {
    /// The tool.
    pub tool: &'static str,
    /// The arguments.
    pub arguments: Map<String, Value>,
}

impl Call {
    /// Returns the call for an input. The first byte selects the tool, and whether the rest is a
    /// JSON object with the arguments or a choice of valid arguments and a text.
    pub fn take(data: &[u8]) -> Option<Self> {
        let (kind, rest) = data.split_first()?;
        let tool = ["search_docs", "read_section", "list_sections"][usize::from(*kind) % 3];
        if *kind >= 128 {
            return Some(Self { tool, arguments: serde_json::from_slice(rest).ok()? });
        }
        let (head, rest) = rest.split_at_checked(HEAD - 1)?;
        let [tokens, number, scale, choice, low, high] = *head else { return None };
        let [tokens, number] = [tokens, number].map(usize::from);
        let choice = Choice { bits: choice, id: u16::from_le_bytes([low, high]).into() };
        let times = |shift: u8| [1, 3, 16, 200][usize::from(scale >> shift) % 4];
        let mut arguments = Map::new();
        let mut add = |name: &str, value: Value| arguments.insert(name.to_owned(), value);
        if tokens > 0 && tool != "list_sections" {
            add("max_tokens", (tokens * times(0)).min(10_000).into());
        }
        match tool {
            "search_docs" => {
                add("query", text(rest).into());
                for (name, values) in [("path", PATHS), ("tree", TREES), ("where", CONDITIONS)] {
                    if let Some(value) = choice.of(name, values) {
                        add(name, value.into());
                    }
                }
            }
            "read_section" => {
                add("id", choice.id(rest).into());
                if number > 0 {
                    add("from_line", (number * times(2)).into());
                }
            }
            _ => {
                if choice.bits & 64 == 0 {
                    add("id", choice.id(rest).into());
                }
                add("after", (number * times(2)).into());
            }
        }
        Some(Self { tool, arguments })
    }

    /// Returns all texts in the call.
    pub fn texts(&self) -> String {
        let texts = self.arguments.iter().flat_map(|(name, value)| [Some(&**name), value.as_str()]);
        texts.flatten().collect::<Vec<_>>().join(" ")
    }
}

/// A choice of optional arguments and an id.
struct Choice {
    bits: u8,
    id: usize,
}

impl Choice {
    /// Returns a value, or `None` three times out of four.
    fn of(&self, name: &str, values: [&'static str; 4]) -> Option<&'static str> {
        let nth = ["path", "tree", "where"].iter().position(|one| *one == name)?;
        let is_given = usize::from(self.bits >> 2) % 4 == nth + 1;
        is_given.then(|| values[usize::from(self.bits) % 4])
    }

    /// Returns a known id with an addition, or the text.
    fn id(&self, rest: &[u8]) -> String {
        let prefix = if self.bits & 16 == 0 { "" } else { "./" };
        let name = match self.bits & 32 {
            0 => INDEX.ids[self.id % INDEX.ids.len()].clone(),
            _ => text(rest).into_owned(),
        };
        format!("{prefix}{name}{}", SUFFIXES[usize::from(self.bits) % SUFFIXES.len()])
    }
}
