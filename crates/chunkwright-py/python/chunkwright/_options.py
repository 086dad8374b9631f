"""Types of all options, for type checkers and editors. The configuration guide explains each option."""

from collections.abc import Callable
from typing import Any, Literal, Protocol, TypeAlias, TypedDict

Strategy = Literal["hierarchical", "window", "blocks", "tree"]
Overlap = int | Literal["none", "low", "medium", "high"]
Table = dict[str, Any]


class HuggingFaceTokenizer(Protocol):
    """A `tokenizers.Tokenizer`."""

    def to_str(self, pretty: bool = False) -> str: ...
    def no_truncation(self) -> None: ...


class FastTokenizer(Protocol):
    """A tokenizer of `transformers` that is based on `tokenizers`."""

    @property
    def backend_tokenizer(self) -> HuggingFaceTokenizer: ...


class TiktokenEncoding(Protocol):
    """A `tiktoken.Encoding`."""

    name: str

    def encode_ordinary(self, text: str) -> list[int]: ...


Tokenizer: TypeAlias = str | Callable[[str], int] | HuggingFaceTokenizer | FastTokenizer | TiktokenEncoding


class ReadingOptions(TypedDict, total=False):
    """Options for parsing documents."""

    input_format: Literal["markdown", "mdx", "text"] | None
    mdx: Literal["auto", "on", "off"] | None
    slugs: Literal["ascii", "unicode"] | None
    shortcodes: Table | None
    url_base: str | None
    max_file_size: int | None
    jobs: int | None


class OtherNames(TypedDict, total=False):
    """Accepted aliases, as other tools name these options."""

    hardCap: int | None
    hard_cap: int | None
    maxTokens: int | None
    max_tokens: int | None
    targetTokens: int | None
    target_tokens: int | None
    minTokens: int | None
    min_tokens: int | None
    minTokensDeeper: int | None
    min_tokens_deeper: int | None
    overlapTokens: Overlap | None
    overlap_tokens: Overlap | None


class CuttingOptions(ReadingOptions, OtherNames, total=False):
    """All options of a chunker except `strategy`."""

    tokenizer: Tokenizer | None
    bias: Literal["balanced", "prose", "code", "prose-heavy", "code-heavy"] | None
    context: Literal["title", "breadcrumb", "path", "none"] | None
    frontmatter: Literal["metadata", "include", "strip"] | None
    repeat_table_headers: bool | None
    split_oversized: bool | list[str] | None
    with_: list[str] | None
    # Options of the chosen strategy, followed by tables with the options of each strategy.
    target: int | None
    max: int | None
    min: int | None
    min_deeper: int | None
    tail: Literal["keep", "merge", "drop"] | None
    parents: bool | None
    lookahead: bool | None
    size: Literal["small", "medium", "large"] | None
    overlap: Overlap | None
    overlap_scope: Literal["section", "document"] | None
    mode: Literal["heading", "paragraph", "hybrid", "heading-aware"] | None
    heading_depth: int | None
    hierarchical: Table | None
    window: Table | None
    blocks: Table | None


class ChunkerOptions(CuttingOptions, total=False):
    """All options of a chunker."""

    strategy: Strategy | None


class IndexOptions(ReadingOptions, total=False):
    """Options of `update_index`."""

    index: Table | None


class AnswerOptions(TypedDict, total=False):
    """Options of `Index`."""

    search: Table | None
