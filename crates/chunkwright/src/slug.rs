//! Derives a distinct slug for each heading of a document.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The characters that a slug keeps.
///
/// ```
/// use chunkwright::{Chunker, Config, Slugs, Words};
///
/// let mut config = Config::default();
/// config.slugs = Slugs::Unicode;
/// let chunker = Chunker::new(config, Words::default())?;
/// let chunked = chunker.chunk("tea.md", "# Grüner Tee\n\nWait.\n");
/// assert_eq!(chunked.chunks[0].id, "docs:tea.md#grüner-tee");
/// # Ok::<(), chunkwright::ConfigError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Slugs {
    /// ASCII letters and digits.
    #[default]
    Ascii,
    /// Letters and digits of every script.
    Unicode,
}

/// The maximum length of an explicit id in characters. The limit matters because every chunk under
/// the heading repeats the id.
const MOST_CHARACTERS: usize = 1000;

/// A heading without a slug: its text, and its `{#id}` if any.
pub(crate) struct SlugRequest<'t> {
    pub(crate) title: &'t str,
    pub(crate) id: Option<&'t str>,
}

impl SlugRequest<'_> {
    /// Returns the preferred slug, which another heading may have too.
    fn preferred(&self, style: Slugs, slug: &mut String) -> Arc<str> {
        if let Some(id) = self.explicit() {
            return id;
        }
        write_slug(self.title, style, slug);
        (&**slug).into()
    }

    fn explicit(&self) -> Option<Arc<str>> {
        self.id.map(clean_id).filter(|id| !id.is_empty()).map(Arc::from)
    }
}

/// Assigns distinct slugs to headings in reading order.
///
/// Explicit ids are assigned first, so that no generated slug takes one.
pub(crate) fn assign(headings: &[SlugRequest<'_>], style: Slugs) -> Vec<Arc<str>> {
    let mut slug = String::new();
    let preferred: Vec<_> =
        headings.iter().map(|heading| heading.preferred(style, &mut slug)).collect();
    if are_distinct(&preferred) {
        return preferred;
    }
    let mut used = UsedSlugs::default();
    let explicit: Vec<Option<Arc<str>>> =
        headings.iter().map(|heading| heading.explicit().map(|id| used.take(id))).collect();
    let named = preferred.into_iter().zip(explicit);
    named.map(|(slug, id)| id.unwrap_or_else(|| used.take(slug))).collect()
}

fn are_distinct(slugs: &[Arc<str>]) -> bool {
    let mut sorted: Vec<&Arc<str>> = slugs.iter().collect();
    sorted.sort_unstable();
    sorted.windows(2).all(|pair| pair[0] != pair[1])
}

/// The slugs already in use in a document.
#[derive(Default)]
struct UsedSlugs {
    taken: HashSet<Arc<str>>,
    /// The next number to try for a slug that was requested before.
    next: HashMap<Arc<str>, usize>,
}

impl UsedSlugs {
    /// Takes `slug`, or the first of `slug-1`, `slug-2`, … that is free.
    fn take(&mut self, slug: Arc<str>) -> Arc<str> {
        let mut name = Arc::clone(&slug);
        if self.taken.contains(&name) {
            let number = self.next.entry(Arc::clone(&slug)).or_insert(1);
            name = format!("{slug}-{number}").into();
            while self.taken.contains(&name) {
                *number += 1;
                name = format!("{slug}-{number}").into();
            }
        }
        self.taken.insert(Arc::clone(&name));
        name
    }
}

/// Removes the characters from an explicit id that have a meaning in chunk ids.
fn clean_id(id: &str) -> String {
    let kept = id.chars().filter(|&c| !c.is_whitespace() && c != '#' && c != '~');
    kept.take(MOST_CHARACTERS).collect()
}

fn write_slug(title: &str, style: Slugs, slug: &mut String) {
    slug.clear();
    for c in title.chars() {
        match c {
            '-' => hyphen(slug),
            c if c.is_whitespace() => hyphen(slug),
            c if c.is_ascii_alphanumeric() || c == '_' => slug.push(c.to_ascii_lowercase()),
            c if style == Slugs::Unicode && c.is_alphanumeric() => slug.extend(c.to_lowercase()),
            _ => {}
        }
    }
    slug.truncate(slug.trim_end_matches('-').len());
    if slug.is_empty() {
        slug.push_str("heading");
    }
}

/// Appends a hyphen, except at the start or after another hyphen.
fn hyphen(slug: &mut String) {
    if !slug.is_empty() && !slug.ends_with('-') {
        slug.push('-');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slugs(titles: &[(&str, Option<&str>)], style: Slugs) -> Vec<String> {
        let headings: Vec<_> =
            titles.iter().map(|&(title, id)| SlugRequest { title, id }).collect();
        assign(&headings, style).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn keeps_letters_digits_and_underscores() {
        let titles =
            [("JWT tokens", None), ("A & B -- c_d", None), ("-Ünicode 3.1!", None), ("???", None)];
        assert_eq!(slugs(&titles, Slugs::Ascii), ["jwt-tokens", "a-b-c_d", "nicode-31", "heading"]);
        assert_eq!(slugs(&[("Über 你好", None)], Slugs::Unicode), ["über-你好"]);
    }

    #[test]
    fn numbers_duplicates_and_skips_slugs_in_use() {
        let titles = [("Setup", None), ("Setup", None), ("Setup 1", None), ("Setup", None)];
        assert_eq!(slugs(&titles, Slugs::Ascii), ["setup", "setup-1", "setup-1-1", "setup-2"]);
    }

    #[test]
    fn explicit_ids_take_precedence_over_generated_slugs() {
        let titles =
            [("Setup", None), ("Other", Some("setup")), ("X", Some("Set #~Up")), ("Y", Some("#"))];
        assert_eq!(slugs(&titles, Slugs::Ascii), ["setup-1", "setup", "SetUp", "y"]);
    }
}
