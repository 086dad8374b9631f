//! Blocks, the top-level units of Markdown, and their kinds.

use crate::counter::TextKind;
use crate::span::Span;

/// The kind of a [`Block`].
///
/// ```
/// use chunkwright::{BlockKind, Chunker, Hierarchical, Source, Words};
///
/// let chunker = Chunker::new(Hierarchical::default(), Words::default())?;
/// let document = chunker.read(&Source::new("tea.md", "# Tea\n\n- green\n- black\n"));
/// let kinds: Vec<BlockKind> = document.blocks().iter().map(|block| block.kind).collect();
/// assert_eq!(kinds, [BlockKind::Heading(1), BlockKind::List]);
/// # Ok::<(), chunkwright::ConfigError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BlockKind {
    /// The byte order mark at the start of a file.
    ByteOrderMark,
    /// YAML or TOML at the start of a document.
    FrontMatter,
    /// A heading of level 1 to 6.
    Heading(u8),
    /// A paragraph.
    Paragraph,
    /// A list with all its items.
    List,
    /// A code block, fenced or indented, or a shortcode that contains code.
    Code,
    /// A table.
    Table,
    /// A block quote or an alert.
    Quote,
    /// An HTML block.
    Html,
    /// A thematic break.
    Rule,
    /// Link reference definitions or a footnote.
    Definitions,
    /// Display math between `$$`.
    Math,
    /// MDX imports and exports.
    Esm,
    /// A JSX element, or the opening or closing lines of one that contains headings.
    Jsx,
    /// An MDX expression or comment.
    Expression,
    /// A directive or an admonition, or the opening or closing line of one that contains headings.
    Directive,
    /// A shortcode or a Liquid tag, or the opening or closing line of one that contains headings.
    Shortcode,
}

impl BlockKind {
    /// Returns the name in messages and records, such as `table`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ByteOrderMark => "bom",
            Self::FrontMatter => "front matter",
            Self::Heading(_) => "heading",
            Self::Paragraph => "paragraph",
            Self::List => "list",
            Self::Code => "code",
            Self::Table => "table",
            Self::Quote => "quote",
            Self::Html => "html",
            Self::Rule => "rule",
            Self::Definitions => "definitions",
            Self::Math => "math",
            Self::Esm => "esm",
            Self::Jsx => "jsx",
            Self::Expression => "expression",
            Self::Directive => "directive",
            Self::Shortcode => "shortcode",
        }
    }

    /// Returns whether this is a heading.
    pub const fn is_heading(self) -> bool {
        matches!(self, Self::Heading(_))
    }

    /// Returns whether this counts as content of a section.
    pub(crate) const fn is_content(self) -> bool {
        !matches!(self, Self::ByteOrderMark | Self::FrontMatter | Self::Heading(_))
    }

    /// Returns the kind of its text, which counters treat as prose or as code.
    pub const fn text_kind(self) -> TextKind {
        match self {
            Self::Code | Self::Esm | Self::Jsx | Self::Expression => TextKind::Code,
            _ => TextKind::Prose,
        }
    }
}

/// A top-level block of Markdown, with the blank lines after it.
///
/// ```
/// use chunkwright::{Chunker, Hierarchical, Source, Words};
///
/// let chunker = Chunker::new(Hierarchical::default(), Words::default())?;
/// let text = "# Tea\n\nBoil water first.\n";
/// let document = chunker.read(&Source::new("tea.md", text));
/// assert_eq!(document.blocks()[0].span.of(text), "# Tea\n\n");
/// # Ok::<(), chunkwright::ConfigError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Block {
    /// The kind of the block.
    pub kind: BlockKind,
    /// The bytes from the start of its first line to the start of the next block.
    pub span: Span,
    /// The columns of indentation that come from an enclosing container.
    pub(crate) indent: usize,
}
