//! Hostile pages: a size comes in, a page of that size that is made to be slow, deep or large goes
//! out.

mod pages;

/// A way to be hostile.
#[derive(Clone, Copy, Debug)]
pub struct Pattern {
    /// What is done, in a few words.
    pub name: &'static str,
    /// `md` or `mdx`.
    pub extension: &'static str,
    /// A page of about so many bytes.
    pub page: fn(usize) -> String,
}

impl Pattern {
    const fn markdown(name: &'static str, page: fn(usize) -> String) -> Self {
        Self { name, extension: "md", page }
    }

    const fn mdx(name: &'static str, page: fn(usize) -> String) -> Self {
        Self { name, extension: "mdx", page }
    }

    /// A name for the page that says what it is.
    pub fn path(&self) -> String {
        let name: String =
            self.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        format!("{name}.{}", self.extension)
    }
}

/// All that are known, room by room.
pub fn patterns() -> impl Iterator<Item = &'static Pattern> {
    pages::ROOMS.iter().copied().flatten()
}

/// A text again and again, up to about so many bytes.
fn fill(bytes: usize, text: &str) -> String {
    text.repeat(bytes / text.len())
}

/// Texts made from 0, 1, 2, … up to about so many bytes.
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
