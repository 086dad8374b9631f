//! URIs of pages and sections: `chunkwright://TREE/PATH#SLUG`.

use percent_encoding::percent_decode_str;

/// The URI template of all pages.
pub const TEMPLATE: &str = "chunkwright://{tree}/{+path}";

/// Returns the id that a URI names, or `None` if it is not a URI of a page.
///
/// Whether the index contains the id is a different question.
///
/// ```
/// use chunkwright_server::uri::id;
///
/// assert_eq!(id("chunkwright://docs/guide/tea.md").as_deref(), Some("docs:guide/tea.md"));
/// assert_eq!(id("chunkwright://docs/tea.md#pots").as_deref(), Some("docs:tea.md#pots"));
/// assert_eq!(id("file:///etc/passwd"), None);
/// ```
pub fn id(uri: &str) -> Option<String> {
    let rest = uri.strip_prefix("chunkwright://")?;
    let (tree, path) = rest.split_once('/')?;
    let (path, slug) = match path.split_once('#') {
        Some((path, slug)) => (path, Some(decoded(slug)?)),
        None => (path, None),
    };
    let (tree, path) = (decoded(tree)?, decoded(path)?);
    let is_tree = !tree.is_empty() && tree != ".." && !tree.contains('/');
    if !is_tree || path.is_empty() || path.split('/').any(|part| part == "..") {
        return None;
    }
    Some(match slug {
        Some(slug) => format!("{tree}:{path}#{slug}"),
        None => format!("{tree}:{path}"),
    })
}

/// Decodes `%20` and the like. The result must be valid UTF-8 without control characters.
fn decoded(text: &str) -> Option<String> {
    let text = percent_decode_str(text).decode_utf8().ok()?;
    (!text.contains(char::is_control)).then(|| text.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_spaces_and_umlauts() {
        assert_eq!(id("chunkwright://my%20docs/%C3%BC.md").as_deref(), Some("my docs:ü.md"));
    }

    #[test]
    fn rejects_everything_but_pages() {
        for uri in [
            "",
            "docs:tea.md",
            "chunkwright:docs/tea.md",
            "chunkwright://docs",
            "chunkwright://docs/",
            "chunkwright:///tea.md",
            "chunkwright://docs/../etc/passwd",
            "chunkwright://docs/%2e%2e/etc/passwd",
            "chunkwright://%2e%2e/etc/passwd",
            "chunkwright://docs%2F../etc/passwd",
            "chunkwright://docs/tea%00.md",
            "chunkwright://docs/tea%0a.md",
            "chunkwright://docs/%ff.md",
        ] {
            assert_eq!(id(uri), None, "{uri}");
        }
    }
}
