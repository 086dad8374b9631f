//! Writes the initial inputs of the fuzz targets, taken from the pages of the tests.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::out;
use crate::steps::root;

/// The size limit of seeds. Larger pages are slow and add little coverage.
const MOST_BYTES: usize = 4000;

/// The number of option bytes before a page: `HEAD` in the crate `fuzz`.
const HEAD: usize = 12;

/// Queries that use every operator of the language.
const QUERIES: &[&str] = &[
    "green tea",
    "+tea -coffee \"boil water\"",
    "title:tea OR body:beans^2",
    "(tea OR coffee) tag:hot path:tea.md tree:pages",
    "dri* drip_rate e-mail 緑茶",
    "-(\"a b\" OR c:d) ^3 --flag",
];

/// Arguments of tools, as JSON.
const ARGUMENTS: &[&str] = &[
    r#"{"query": "boil water", "max_tokens": 200, "tree": "docs"}"#,
    r#"{"q": "+tea -coffee", "path": "guide/**", "where": "version>2", "maxTokens": "50"}"#,
    r#"{"id": "docs:tea.md#tea", "from_line": 7, "max_tokens": 100}"#,
    r#"{"id": "my wiki:", "after": 2}"#,
    r#"{"id": "large/sections.md", "after": 300}"#,
    r#"{"section_id": ["tea.md"], "query": null}"#,
];

/// URIs of pages and sections, and of neither.
const URIS: &[&str] = &[
    "chunkwright://docs/tea.md#green-tea",
    "chunkwright://my%20wiki/forged.md",
    "chunkwright://docs/a%23b.md",
    "chunkwright://docs/%E8%8C%B6.md",
    "chunkwright://docs/large/lines.txt",
    "chunkwright://docs/../tea.md",
    "chunkwright://docs%2f%2e%2e/tea%00.md#%0a",
    "file:///etc/passwd",
];

/// Heads of requests, each with the number of the server that it is for.
const HEADS: &[(u8, &str)] = &[
    (0, "GET /\nHost: localhost:4848"),
    (0, "POST http://127.0.0.1:4848/mcp\nHost: 127.0.0.1:4848\nOrigin: http://[::1]:4848"),
    (0, "POST /mcp\nHost: localhost:4848\nHost: evil.example\nSec-Fetch-Site: cross-site"),
    (1, "POST /mcp\nHost: docs.example.com\nAuthorization: Bearer correct horse battery"),
    (1, "GET /healthz\nHost: a:81\nOrigin: https://a:81\nSec-Fetch-Site: same-origin"),
    (1, "CONNECT localhost:80\nHost: localhost:80\nAuthorization: Basic YTpi"),
    (2, "OPTIONS *\nHost: [::2]:9\nOrigin: null\nOrigin: https://[::2]:9"),
];

/// Returns the directory with the seeds of a target.
pub(super) fn folder(target: &str) -> PathBuf {
    out().join("seeds").join(target)
}

/// Replaces the seeds of a target.
pub(super) fn write(target: &str) -> Result<()> {
    let folder = folder(target);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    for (nth, seed) in of(target)?.into_iter().enumerate() {
        fs::write(folder.join(format!("{nth:04}")), seed)?;
    }
    Ok(())
}

fn of(target: &str) -> Result<Vec<Vec<u8>>> {
    let with_head = |length: usize, pages: Vec<String>| {
        pages.iter().enumerate().map(|(nth, page)| headed(nth, length, page)).collect()
    };
    let bytes = |texts: Vec<String>| texts.into_iter().map(String::into_bytes).collect();
    Ok(match target {
        "query" => QUERIES.iter().map(|query| query.as_bytes().to_vec()).collect(),
        "tools" => calls(),
        "uris" => uris(),
        "gate" => heads(),
        "config" => bytes(fences("toml")?),
        "front-matter" => bytes(pages(&["md"])?.iter().filter_map(|page| inner(page)).collect()),
        "ladder" => (0..=u8::MAX).map(|kind| [&[kind; 4][..], &[0, 14, 1]].concat()).collect(),
        "reading" => with_head(1, pages(&["md", "mdx", "txt"])?),
        "mdx" => with_head(HEAD + 1, pages(&["mdx"])?),
        _ => with_head(HEAD, pages(&["md"])?),
    })
}

/// Returns calls of all tools: arguments as JSON, and choices of arguments with a query.
fn calls() -> Vec<Vec<u8>> {
    let json = (129..).zip(ARGUMENTS).map(|(kind, json)| [&[kind], json.as_bytes()].concat());
    let choice = |nth: u8| {
        let query = QUERIES[usize::from(nth) % QUERIES.len()];
        let head = [nth % 3, nth.wrapping_mul(29), nth % 4, nth, nth.wrapping_mul(7), nth, nth % 4];
        [&head, query.as_bytes()].concat()
    };
    json.chain((0..=u8::MAX).map(choice)).collect()
}

/// Returns URIs, and numbers of ids with encodings.
fn uris() -> Vec<Vec<u8>> {
    let texts = URIS.iter().map(|uri| [&[0], uri.as_bytes()].concat());
    let known = |nth: u8| vec![128, nth, nth % 4, nth, nth.wrapping_mul(5), nth.wrapping_mul(7)];
    texts.chain((0..=u8::MAX).map(known)).collect()
}

/// Returns heads with and without a long header.
fn heads() -> Vec<Vec<u8>> {
    let head = |padding: u8| {
        HEADS.iter().map(move |(server, head)| [&[*server, padding], head.as_bytes()].concat())
    };
    [0, 160, 163, 200].into_iter().flat_map(head).collect()
}

/// Prefixes a page with options that depend on its number.
fn headed(nth: usize, length: usize, page: &str) -> Vec<u8> {
    let option = |at: usize| u8::try_from((nth * 31 + at * 17) % 256).unwrap_or_default();
    (0..length).map(option).chain(page.bytes()).collect()
}

/// Returns the content of the front matter.
fn inner(page: &str) -> Option<String> {
    let rest = page.strip_prefix("---\n").or_else(|| page.strip_prefix("+++\n"))?;
    let end = rest.find("\n---").or_else(|| rest.find("\n+++"))?;
    Some(rest[..end].to_owned())
}

/// Returns the small pages of the tests with these extensions, and the inputs of golden pages.
fn pages(extensions: &[&str]) -> Result<Vec<String>> {
    let tests = root().join("crates/chunkwright/tests");
    let mut pages = Vec::new();
    for path in files(&tests.join("corpus"))? {
        let extension = path.extension().and_then(|extension| extension.to_str());
        if extension.is_some_and(|extension| extensions.contains(&extension)) {
            pages.extend(fs::read_to_string(&path));
        }
    }
    for extension in extensions {
        pages.extend(fences(extension)?);
    }
    pages.retain(|page| page.len() <= MOST_BYTES);
    Ok(pages)
}

/// Returns the fences of all golden pages with this info string.
fn fences(info: &str) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for strategy in files(&root().join("crates/chunkwright/tests/golden"))? {
        for path in files(&strategy)? {
            found.extend(fences_of(&fs::read_to_string(&path)?, info));
        }
    }
    Ok(found)
}

fn fences_of(page: &str, info: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let name = line.trim_start_matches('`');
        let fence = &line[..line.len() - name.len()];
        if fence.len() < 3 {
            continue;
        }
        let inside: Vec<&str> = lines.by_ref().take_while(|line| *line != fence).collect();
        if name == info {
            found.push(inside.join("\n") + "\n");
        }
    }
    found
}

/// Returns the entries of a directory, sorted.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}
