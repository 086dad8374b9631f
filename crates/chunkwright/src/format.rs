//! Formats of sources.

use serde::{Deserialize, Serialize};

/// The format of a source.
///
/// ```
/// use chunkwright::{Format, Source};
///
/// assert_eq!(Format::of_path("guide/tea.mdx"), Format::Mdx);
/// let mut source = Source::new("notes", "Boil water first.");
/// source.format = Format::Text;
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Format {
    /// CommonMark with GitHub's extensions, math, heading attributes and front matter.
    #[default]
    Markdown,
    /// Markdown with imports and exports, JSX and expressions.
    Mdx,
    /// Plain text, in paragraphs.
    Text,
}

impl Format {
    /// Returns the format for a path: text for `.txt`, MDX for `.mdx`, Markdown for anything else.
    pub fn of_path(path: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or_default();
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        match extension {
            _ if extension.eq_ignore_ascii_case("txt") => Self::Text,
            _ if extension.eq_ignore_ascii_case("mdx") => Self::Mdx,
            _ => Self::Markdown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derives_the_format_from_the_extension() {
        assert_eq!(Format::of_path("a/b.TXT"), Format::Text);
        assert_eq!(Format::of_path("txt"), Format::Markdown);
        assert_eq!(Format::of_path("a.txt/readme"), Format::Markdown);
        assert_eq!(Format::of_path("a.md"), Format::Markdown);
        assert_eq!(Format::of_path("a/b.Mdx"), Format::Mdx);
    }
}
