//! The tools: their definitions, and how their arguments are read.

use chunkwright_search::agent::{
    ListSections, MAX_TOKENS, READ_TOKENS, ReadSection, SEARCH_TOKENS, SearchDocs,
};
use serde_json::{Map, Value, json};

/// A tool and its parameters.
struct Tool {
    name: &'static str,
    description: &'static str,
    parameters: &'static [Parameter],
}

/// A parameter of a tool.
struct Parameter {
    name: &'static str,
    kind: ParameterType,
    is_required: bool,
    /// Names that models use by mistake.
    aliases: &'static [&'static str],
    description: &'static str,
}

/// The type of a parameter.
#[derive(Clone, Copy)]
enum ParameterType {
    Text,
    /// A number of tokens with this default.
    Tokens(usize),
    Number,
}

const fn text(name: &'static str, description: &'static str) -> Parameter {
    Parameter { name, kind: ParameterType::Text, is_required: false, aliases: &[], description }
}

const fn number(name: &'static str, description: &'static str) -> Parameter {
    Parameter { name, kind: ParameterType::Number, is_required: false, aliases: &[], description }
}

const fn max_tokens(default: usize) -> Parameter {
    Parameter {
        name: "max_tokens",
        kind: ParameterType::Tokens(default),
        is_required: false,
        aliases: &["maxTokens", "tokens"],
        description: "",
    }
}

/// All tools. Every model pays for every word in here on every request.
const TOOLS: [Tool; 3] = [
    Tool {
        name: "search_docs",
        description: "Search the documentation. Returns the best sections in full, with id, path \
                      and lines.",
        parameters: &[
            Parameter {
                is_required: true,
                aliases: &["q", "question", "search"],
                ..text(
                    "query",
                    "Words or a question; also +required -excluded \"a phrase\" title:word",
                )
            },
            max_tokens(SEARCH_TOKENS),
            text("path", "Only paths that match a glob, such as guide/**"),
            text("tree", "Only this tree: the first part of ids"),
            text("where", "Only pages with this front matter, such as version>2"),
        ],
    },
    Tool {
        name: "read_section",
        description: "Read a page with all its sections, or one section; add + to its id for its \
                      subsections.",
        parameters: &[
            Parameter {
                is_required: true,
                aliases: &["section", "section_id", "path"],
                ..text("id", "Id from a result, path, path:line or path#anchor")
            },
            number("from_line", "First line to return"),
            max_tokens(READ_TOKENS),
        ],
    },
    Tool {
        name: "list_sections",
        description: "List folders and pages, one level at a time, or the sections of a page.",
        parameters: &[
            Parameter {
                aliases: &["path", "section_id"],
                ..text("id", "Tree, folder, page or section; omit for the top level")
            },
            number("after", "Number of entries to skip"),
        ],
    },
];

/// A call with valid arguments.
#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    /// `search_docs`
    Search(SearchDocs),
    /// `read_section`
    Read(ReadSection),
    /// `list_sections`
    List(ListSections),
}

/// Reads the arguments of a tool. Returns `None` if there is no such tool.
///
/// Some common mistakes are accepted: other names such as `q`, and numbers as strings. Everything
/// else that the definition does not allow is an error that names the argument.
///
/// # Errors
/// Fails if an argument is missing, unknown or has the wrong type.
pub fn parse(tool: &str, arguments: &Map<String, Value>) -> Option<Result<Call, String>> {
    let tool = TOOLS.iter().find(|known| known.name == tool)?;
    Some(Arguments::of(tool, arguments).and_then(|given| given.call()))
}

/// Returns the definitions of all tools, as `tools/list` returns them.
pub fn definitions() -> Vec<Value> {
    TOOLS.iter().map(Tool::definition).collect()
}

impl Tool {
    fn definition(&self) -> Value {
        let properties = self.parameters.iter();
        let properties =
            properties.map(|parameter| (parameter.name.to_owned(), parameter.schema()));
        let required = self.parameters.iter().filter(|parameter| parameter.is_required);
        let required: Vec<&str> = required.map(|parameter| parameter.name).collect();
        let mut schema = json!({
            "type": "object",
            "properties": properties.collect::<Map<_, _>>(),
            "additionalProperties": false,
        });
        if !required.is_empty() {
            schema["required"] = json!(required);
        }
        json!({
            "name": self.name,
            "description": self.description,
            "inputSchema": schema,
            "annotations": { "readOnlyHint": true, "openWorldHint": false },
        })
    }

    fn parameter(&self, name: &str) -> Option<&Parameter> {
        let named = self.parameters.iter().find(|parameter| parameter.name == name);
        named.or_else(|| self.parameters.iter().find(|parameter| parameter.aliases.contains(&name)))
    }

    /// Returns the error for an unknown argument.
    fn unknown(&self, name: &str) -> String {
        let names = self.parameters.iter().map(|parameter| parameter.name);
        let near = names.clone().min_by_key(|known| strsim::osa_distance(known, name));
        let near = near.filter(|near| strsim::osa_distance(near, name) <= 2);
        let meant = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
        format!("unknown argument `{name}`: expected {}{meant}", names.join(", "))
    }
}

impl Parameter {
    fn schema(&self) -> Value {
        match self.kind {
            ParameterType::Text => json!({ "type": "string", "description": self.description }),
            ParameterType::Number => {
                json!({ "type": "integer", "minimum": 0, "description": self.description })
            }
            ParameterType::Tokens(default) => json!({
                "type": "integer", "minimum": 1, "maximum": MAX_TOKENS, "default": default,
            }),
        }
    }

    /// Checks a value, and converts numbers in strings.
    fn value(&self, given: &Value) -> Result<Value, String> {
        let expected = match (self.kind, given) {
            (_, Value::Null) => return Ok(Value::Null),
            (ParameterType::Text, Value::String(_)) => return Ok(given.clone()),
            (ParameterType::Text, _) => "a string",
            (ParameterType::Number | ParameterType::Tokens(_), Value::String(digits)) => {
                match digits.trim().parse() {
                    Ok(number) => return self.in_range(number),
                    Err(_) => "an integer",
                }
            }
            (ParameterType::Number | ParameterType::Tokens(_), given) => match given.as_u64() {
                Some(number) => return self.in_range(number),
                None => "a non-negative integer",
            },
        };
        Err(format!("invalid value for `{}`: expected {expected}", self.name))
    }

    fn in_range(&self, number: u64) -> Result<Value, String> {
        let name = self.name;
        match self.kind {
            ParameterType::Tokens(_) if number == 0 => Err(format!("`{name}` must be at least 1")),
            ParameterType::Tokens(_) if number > MAX_TOKENS as u64 => {
                Err(format!("`{name}` is {number}, but the maximum is {MAX_TOKENS}"))
            }
            _ if usize::try_from(number).is_err() => Err(format!("`{name}` is too large")),
            _ => Ok(number.into()),
        }
    }
}

/// Checked arguments by the name of their parameter.
struct Arguments {
    tool: &'static str,
    values: Map<String, Value>,
}

impl Arguments {
    fn of(tool: &Tool, given: &Map<String, Value>) -> Result<Self, String> {
        let mut values = Map::new();
        for (name, value) in given {
            let parameter = tool.parameter(name).ok_or_else(|| tool.unknown(name))?;
            let value = parameter.value(value)?;
            if !value.is_null() && values.insert(parameter.name.to_owned(), value).is_some() {
                return Err(format!("`{}` is given more than once", parameter.name));
            }
        }
        let is_missing =
            |parameter: &&Parameter| parameter.is_required && !values.contains_key(parameter.name);
        match tool.parameters.iter().find(is_missing) {
            Some(missing) => Err(format!("missing argument `{}`", missing.name)),
            None => Ok(Self { tool: tool.name, values }),
        }
    }

    fn call(self) -> Result<Call, String> {
        Ok(match self.tool {
            "search_docs" => {
                let mut call = SearchDocs::default();
                (call.query, call.max_tokens) =
                    (self.text("query").unwrap_or_default(), self.number("max_tokens"));
                call.filter.paths.extend(self.text("path"));
                call.filter.trees.extend(self.text("tree"));
                call.filter.conditions.extend(self.text("where"));
                Call::Search(call)
            }
            "read_section" => {
                let mut call = ReadSection::default();
                call.id = self.text("id").unwrap_or_default();
                (call.from_line, call.max_tokens) =
                    (self.number("from_line"), self.number("max_tokens"));
                Call::Read(call)
            }
            _ => {
                let mut call = ListSections::default();
                (call.id, call.after) = (self.text("id"), self.number("after").unwrap_or_default());
                Call::List(call)
            }
        })
    }

    /// Returns a text. Models often pass an empty string for a parameter that they do not need.
    fn text(&self, name: &str) -> Option<String> {
        let text = self.values.get(name)?.as_str()?;
        (!text.is_empty()).then(|| text.to_owned())
    }

    fn number(&self, name: &str) -> Option<usize> {
        self.values.get(name)?.as_u64()?.try_into().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(tool: &str, arguments: Value) -> Result<Call, String> {
        parse(tool, arguments.as_object().expect("an object")).expect("a tool")
    }

    fn wrong(tool: &str, arguments: Value) -> String {
        parsed(tool, arguments).expect_err("an error")
    }

    #[test]
    fn reads_all_arguments() {
        let all = json!({
            "query": "tea", "max_tokens": 500, "path": "a/**", "tree": "docs", "where": "draft=no",
        });
        let mut call = SearchDocs::default();
        (call.query, call.max_tokens) = ("tea".to_owned(), Some(500));
        call.filter.paths.push("a/**".to_owned());
        call.filter.trees.push("docs".to_owned());
        call.filter.conditions.push("draft=no".to_owned());
        assert_eq!(parsed("search_docs", all), Ok(Call::Search(call)));
    }

    #[test]
    fn accepts_common_mistakes() {
        let plain = parsed("search_docs", json!({ "query": "tea", "max_tokens": 500 }));
        let odd = json!({ "q": "tea", "maxTokens": " 500 ", "path": "", "tree": null });
        assert_eq!(parsed("search_docs", odd), plain);
    }

    #[test]
    fn names_the_argument_that_is_wrong() {
        assert_eq!(
            wrong("search_docs", json!({ "query": "tea", "pth": "a" })),
            "unknown argument `pth`: expected `query`, `max_tokens`, `path`, `tree`, `where`; did \
             you mean `path`?"
        );
        assert_eq!(wrong("search_docs", json!({})), "missing argument `query`");
        assert_eq!(
            wrong("search_docs", json!({ "query": ["tea"] })),
            "invalid value for `query`: expected a string"
        );
        assert_eq!(
            wrong("read_section", json!({ "id": "a", "from_line": -1 })),
            "invalid value for `from_line`: expected a non-negative integer"
        );
        assert_eq!(
            wrong("read_section", json!({ "id": "a", "max_tokens": 10_001 })),
            "`max_tokens` is 10001, but the maximum is 10000"
        );
        assert_eq!(
            wrong("search_docs", json!({ "query": "a", "q": "b" })),
            "`query` is given more than once"
        );
        assert!(parse("search", &Map::new()).is_none());
    }
}
