//! Generates hostile pages of any size: slow to parse, deeply nested, or expensive to split.

mod pages;

/// A generator of hostile pages.
#[derive(Clone, Copy, Debug)]
pub struct Pattern {
    /// A short description of the page.
    pub name: &'static str,
    /// `md` or `mdx`.
    pub extension: &'static str,
    /// Generates a page of about this many bytes.
    pub page: fn(usize) -> String,
}

impl Pattern {
    const fn markdown(name: &'static str, page: fn(usize) -> String) -> Self {
        Self { name, extension: "md", page }
    }

    const fn mdx(name: &'static str, page: fn(usize) -> String) -> Self {
        Self { name, extension: "mdx", page }
    }

    /// Returns a file name derived from the description.
    pub fn path(&self) -> String {
        let name: String =
            self.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        format!("{name}.{}", self.extension)
    }
}

/// Returns all patterns, grouped by the construct they abuse.
pub fn patterns() -> impl Iterator<Item = &'static Pattern> {
    pages::ROOMS.iter().copied().flatten()
}

/// Repeats a text up to about `bytes` bytes.
fn fill(bytes: usize, text: &str) -> String {
    text.repeat(bytes / text.len())
}

/// Concatenates `text(0)`, `text(1)`, … up to about `bytes` bytes.
fn count(bytes: usize, text: impl Fn(usize) -> String) -> String {
    let mut page = String::with_capacity(bytes);
    for nth in 0.. {
        if page.len() >= bytes {
            break;
        }
        page.push_str(&text(nth));
    }
    page
}
