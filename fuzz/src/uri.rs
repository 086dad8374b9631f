//! Checks the URIs of pages and sections.

use chunkwright_server::uri;

use crate::library::INDEX;
use crate::{answer, text};

/// The size of the largest answer.
const MOST_TOKENS: usize = 10_000;

/// The length of the longest id that is accepted.
const MOST_CHARS: usize = 2_000;

/// Checks a URI: a known id in an arbitrary encoding, or an arbitrary text. The first byte selects
/// which.
pub fn check(data: &[u8]) {
    match data {
        [0..=127, rest @ ..] => arbitrary(&text(rest)),
        [_, low, high, rest @ ..] => {
            let nth = usize::from(u16::from_le_bytes([*low, *high]));
            known(&INDEX.ids[nth % INDEX.ids.len()], rest);
        }
        _ => {}
    }
}

/// Checks that a text is rejected, or gives an id that only names something in the index.
fn arbitrary(given: &str) {
    let id = uri::id(given);
    if let Some(id) = &id {
        let (tree, path, slug) = parts(given).expect("the text has the parts of a URI");
        let slug = slug.map_or_else(String::new, |slug| format!("#{slug}"));
        assert_eq!(*id, format!("{tree}:{path}{slug}"));
        assert!(!id.chars().any(char::is_control), "{id:?}");
        assert!(!tree.is_empty() && !tree.contains('/') && tree != "..", "{id:?}");
        assert!(!path.is_empty() && path.split('/').all(|part| part != ".."), "{id:?}");
    }
    match INDEX.library.read(given) {
        Ok(text) => answer::check_read(&text, MOST_TOKENS, None),
        Err(message) => answer::check_error(&message, &id.unwrap_or_default()),
    }
}

/// Checks that a URI made from a known id gives that id.
fn known(id: &str, choices: &[u8]) {
    if id.chars().any(char::is_control) {
        return;
    }
    let (file, slug) = split(id);
    let (tree, path) = file.split_once(':').expect("an id starts with a tree");
    let mut choices = choices.iter().copied().cycle();
    let mut uri = String::from("chunkwright://");
    encode(tree, "/%#", &mut choices, &mut uri);
    uri.push('/');
    encode(path, "%#", &mut choices, &mut uri);
    if let Some(slug) = slug {
        uri.push('#');
        encode(slug, "%", &mut choices, &mut uri);
    }
    assert_eq!(uri::id(&uri).as_deref(), Some(id), "{uri}");
    match INDEX.library.read(&uri) {
        Ok(text) => answer::check_read(&text, MOST_TOKENS, None),
        Err(message) => assert!(id.chars().count() > MOST_CHARS, "{uri}: {message}"),
    }
}

/// Splits an id of the index after the longest page that it starts with.
fn split(id: &str) -> (&str, Option<&str>) {
    let pages = INDEX.pages.keys().filter(|page| id.starts_with(&***page));
    let page = pages.map(String::len).max().unwrap_or_default();
    (&id[..page], id[page..].strip_prefix('#'))
}

/// Appends a text with some characters percent-encoded: those that must be, and those chosen.
fn encode(part: &str, needed: &str, choices: &mut impl Iterator<Item = u8>, uri: &mut String) {
    for letter in part.chars() {
        let choice = choices.next().unwrap_or_default() % 3;
        if choice == 0 && !needed.contains(letter) {
            uri.push(letter);
            continue;
        }
        for byte in letter.to_string().bytes() {
            *uri += &if choice == 1 { format!("%{byte:02X}") } else { format!("%{byte:02x}") };
        }
    }
}

/// Returns the decoded tree, path and slug of a URI.
fn parts(uri: &str) -> Option<(String, String, Option<String>)> {
    let (tree, rest) = uri.strip_prefix("chunkwright://")?.split_once('/')?;
    match rest.split_once('#') {
        Some((path, slug)) => Some((decode(tree)?, decode(path)?, Some(decode(slug)?))),
        None => Some((decode(tree)?, decode(rest)?, None)),
    }
}

/// Decodes `%41`. A percent sign without two digits stays.
fn decode(text: &str) -> Option<String> {
    let mut decoded = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|digits| str::from_utf8(digits).ok());
        let digits = digits.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let code = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        let (letter, length) = match code {
            Some(code) if byte == b'%' => (code, 3),
            _ => (byte, 1),
        };
        decoded.push(letter);
        rest = &rest[length..];
    }
    String::from_utf8(decoded).ok()
}
