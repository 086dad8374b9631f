//! The properties that all chunks of a document share: its title, URL and metadata.

use std::borrow::Cow;
use std::sync::Arc;

use crate::config::{Config, FrontMatter};
use crate::context::{Context, Crumbs};
use crate::document::Document;
use crate::format::Format;
use crate::ids::SectionId;
use crate::metadata::{Metadata, Value};
use crate::parse::one_line;
use crate::strategy::StrategyName;

/// The maximum bytes of a document's URL, which every chunk repeats.
const MOST_URL: usize = 2048;

/// The path of standard input.
const STDIN: &str = "-";

/// The properties that all chunks of a document share.
pub(crate) struct Identity<'d> {
    pub(crate) tree: &'d str,
    pub(crate) path: &'d str,
    pub(crate) url: Option<String>,
    pub(crate) document_title: Arc<str>,
    pub(crate) metadata: Option<Arc<Metadata>>,
    pub(crate) strategy: StrategyName,
}

impl<'d> Identity<'d> {
    pub(crate) fn of(document: &'d Document<'_>, config: &Config) -> Self {
        let metadata = match config.frontmatter {
            FrontMatter::Strip => None,
            _ => document.metadata.as_ref().filter(|metadata| !metadata.is_empty()),
        };
        let text = |key: &str| metadata.and_then(|all| all.get(key)).and_then(plain);
        let title = text("title").map(|title| one_line(&title)).filter(|title| !title.is_empty());
        let url = text("url").or_else(|| text("permalink")).filter(|url| url.len() <= MOST_URL);
        let base = config.url_base.as_deref();
        let from_base =
            || base.map(|base| [base.trim_end_matches('/'), "/", document.path].concat());
        Self {
            tree: document.tree,
            path: document.path,
            url: url.map(Cow::into_owned).or_else(from_base),
            document_title: title
                .unwrap_or_else(|| document.first_h1().unwrap_or(name(document)).into()),
            metadata: metadata.cloned(),
            strategy: config.strategy.name(),
        }
    }

    /// Returns the rules for breadcrumbs. They start with the file name, or for nodes with the
    /// document's title, which the first heading doesn't repeat.
    pub(crate) fn crumbs(&self, document: &Document<'_>) -> Crumbs {
        if self.strategy.has_nodes() {
            let is_first = |section: SectionId| document[section].heading == Some(0);
            return Crumbs::of_title(&self.document_title, document, is_first);
        }
        Crumbs::new(self.path.rsplit('/').next().unwrap_or(self.path))
    }

    /// Returns the rules for context lines, or `None` if there are none.
    pub(crate) fn context(&self, document: &Document<'_>, context: Context) -> Option<Crumbs> {
        match context {
            Context::Title if !self.strategy.has_nodes() => {
                Some(Crumbs::of_title(&self.document_title, document, |_| true))
            }
            Context::Title | Context::Breadcrumb => Some(self.crumbs(document)),
            Context::Path => Some(Crumbs::new(without_extension(self.path))),
            Context::None => None,
        }
    }

    pub(crate) fn doc_id(&self) -> String {
        [self.tree, ":", self.path].concat()
    }

    pub(crate) fn section_id(&self, document: &Document<'_>, section: SectionId) -> String {
        match document.heading_of(section) {
            Some(heading) => [self.tree, ":", self.path, "#", &heading.slug].concat(),
            None => self.doc_id(),
        }
    }
}

/// Removes the extension of the last name in a path. A name such as `.md` has none.
fn without_extension(path: &str) -> &str {
    let name = path.rfind('/').map_or(0, |slash| slash + 1);
    match path[name..].rfind('.') {
        Some(dot) if dot > 0 => &path[..name + dot],
        _ => path,
    }
}

/// Returns a title for a document that has none: the file name without its extension. For generic
/// names (`index`, `_index`, `README`), it is the name of the directory, or at the root that of the
/// tree. Standard input has no name.
fn name<'d>(document: &'d Document<'_>) -> &'d str {
    let mut names = without_extension(document.path).rsplit('/');
    let name = names.next().unwrap_or_default();
    let is_index = ["index", "_index", "readme"].iter().any(|n| n.eq_ignore_ascii_case(name));
    match document.format {
        _ if document.path == STDIN => "",
        Format::Markdown | Format::Mdx if is_index => names.next().unwrap_or(document.tree),
        _ => name,
    }
}

/// Returns a scalar value as text.
fn plain(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::Text(text) => Some(text.as_str().into()),
        Value::Integer(number) => Some(number.to_string().into()),
        Value::Float(number) => Some(number.to_string().into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Chunker, Words};

    #[test]
    fn standard_input_has_no_title() {
        let chunker = Chunker::new(Config::default(), Words::default()).unwrap();
        let chunks = chunker.chunk(STDIN, "Some text.\n").chunks;
        assert_eq!((&*chunks[0].document_title, chunks[0].context()), ("", ""));
    }

    #[test]
    fn omits_a_url_that_is_too_long_to_repeat() {
        let chunker = Chunker::new(Config::default(), Words::default()).unwrap();
        for (length, is_told) in [(MOST_URL, true), (MOST_URL + 1, false)] {
            let page = format!("---\nurl: {}\n---\n\n# a\n", "u".repeat(length));
            let chunked = chunker.chunk("a.md", &page);
            let told = chunked.chunks.iter().map(|chunk| chunk.url.is_some());
            assert!(told.eq([is_told]), "{length}");
        }
    }
}
