//! Titles for shortcodes in headings.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Titles for shortcodes in headings, by the shortcode's name and its first quoted argument.
///
/// Without an entry, the argument itself is the title: `## {{% heading "whatsnext" %}}` has the
/// title `whatsnext`. An entry changes it to `What's next`. In a configuration file the entry is
/// `heading.whatsnext = "What's next"` in the table `[shortcodes]`; in Rust it is:
///
/// ```
/// use chunkwright::{Chunker, Config, Words};
///
/// let mut config = Config::default();
/// config.shortcodes.insert("heading", "whatsnext", "What's next");
/// let chunker = Chunker::new(config, Words::default())?;
/// let text = "## {{% heading \"whatsnext\" %}}\n\nDrink it.\n";
/// assert_eq!(&*chunker.chunk("tea.md", text).chunks[0].title, "What's next");
/// # Ok::<(), chunkwright::ConfigError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Shortcodes(BTreeMap<String, BTreeMap<String, String>>);

/// The opening and closing delimiters of shortcodes.
const DELIMITERS: [(&str, &str); 2] = [("{{<", ">}}"), ("{{%", "%}}")];

impl Shortcodes {
    /// Sets the title for a shortcode with this argument.
    pub fn insert(&mut self, name: &str, argument: &str, title: &str) {
        let titles = self.0.entry(name.to_owned()).or_default();
        titles.insert(argument.to_owned(), title.to_owned());
    }

    /// Replaces the shortcodes in a heading's text with their titles. Shortcodes without a quoted
    /// argument are kept unchanged.
    pub(crate) fn replace_in<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if !text.as_bytes().contains(&b'{') {
            return Cow::Borrowed(text);
        }
        let mut replaced = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find("{{") {
            let (before, from) = rest.split_at(at);
            replaced.push_str(before);
            rest = match self.title(from) {
                Some((title, length)) => {
                    replaced.push_str(title);
                    &from[length..]
                }
                None => {
                    replaced.push_str("{{");
                    &from[2..]
                }
            };
        }
        replaced.push_str(rest);
        Cow::Owned(replaced)
    }

    /// Returns the title of the shortcode that `text` starts with, and the shortcode's length.
    fn title<'a>(&'a self, text: &'a str) -> Option<(&'a str, usize)> {
        let (open, close) = DELIMITERS.into_iter().find(|(open, _)| text.starts_with(open))?;
        let length = text.find(close)?;
        let inside = text[open.len()..length].trim();
        let name = inside.split_whitespace().next()?;
        let argument = quoted(inside)?;
        let title = self.0.get(name).and_then(|titles| titles.get(argument));
        Some((title.map_or(argument, String::as_str), length + close.len()))
    }
}

/// Returns the first quoted argument of a shortcode, unless it is empty.
fn quoted(inside: &str) -> Option<&str> {
    let open = inside.find(['"', '`'])?;
    let quote = &inside[open..=open];
    let argument = &inside[open + 1..];
    argument.find(quote).map(|end| argument[..end].trim()).filter(|argument| !argument.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_a_shortcode_with_its_quoted_argument() {
        let titles = Shortcodes::default();
        for (text, title) in [
            ("{{% heading \"whatsnext\" %}}", "whatsnext"),
            ("{{<heading `whatsnext`>}}", "whatsnext"),
            ("Use {{< term text=\"Pods\" id=\"pod\" >}} now", "Use Pods now"),
            ("{{% a \"1\" %}}{{% b \"2\" %}}", "12"),
            ("{{< toc >}}", "{{< toc >}}"),
            ("{{% heading \"\" %}}", "{{% heading \"\" %}}"),
            ("{{% heading \"open\"", "{{% heading \"open\""),
            ("{{ .Title }} {{", "{{ .Title }} {{"),
        ] {
            assert_eq!(titles.replace_in(text), title, "{text}");
        }
    }

    #[test]
    fn a_configured_title_overrides_the_argument() {
        let mut titles = Shortcodes::default();
        titles.insert("heading", "whatsnext", "What's next");
        let text = "{{% heading \"whatsnext\" %}}, {{% other \"whatsnext\" %}}";
        assert_eq!(titles.replace_in(text), "What's next, whatsnext");
    }
}
