from collections.abc import Callable, Iterable, Iterator
from os import PathLike
from typing import Any, Literal, TypeAlias, final, overload
from uuid import UUID

from typing_extensions import Unpack

from ._errors import FileError
from ._options import AnswerOptions, ChunkerOptions, CuttingOptions, IndexOptions, Strategy

_Path: TypeAlias = str | PathLike[str]

__all__ = [
    "NAMESPACE",
    "Chunk",
    "Chunker",
    "FileChunks",
    "Index",
    "Node",
    "RecordBatch",
    "chunk",
    "chunk_batch",
    "chunk_files",
    "diff",
    "update_index",
    "__version__",
    "_restore_chunker",
]

NAMESPACE: UUID
__version__: str

@final
class Chunk:

    r"""A chunk of a document, with its location, headings and token count.

    Embed `embed_text` and show `text`. Offsets count bytes of UTF-8, not characters. Chunks are
    immutable and hashable, and can be pickled. They are equal if all their fields are.

    Examples:
        >>> import chunkwright
        >>> [chunk] = chunkwright.chunk("# Tea\n\nBoil water first.", path="tea.md")
        >>> chunk.id
        'docs:tea.md#tea'
        >>> chunk.line_start, chunk.line_end
        (1, 3)
        >>> chunk.text
        '# Tea\n\nBoil water first.'
    """

    # The fields of a record:
    @property
    def id(self) -> str:
        """Stable id: `tree:path#anchor`, ending in `~2`, `~3`, … for further chunks of a section."""
    @property
    def doc_id(self) -> str:
        """Id of the document: `tree:path`."""
    @property
    def parent_id(self) -> str | None:
        """Id of the parent section, even if no chunk has it, or `doc_id`; no value at depth 0."""
    @property
    def path(self) -> str:
        """Path of the document in its tree, with `/` on every platform."""
    @property
    def url(self) -> str | None:
        """URL of the document, if known."""
    @property
    def anchor(self) -> str | None:
        """Slug of the section's heading; no value at depth 0."""
    @property
    def strategy(self) -> str:
        """Name of the strategy."""
    @property
    def position(self) -> int:
        """Index of the chunk in the document, from 0; in `tree`, index of its node."""
    @property
    def depth(self) -> int:
        """Level of the section's heading; 0 before the first heading."""
    @property
    def title(self) -> str:
        """Heading of the section; at depth 0, `document_title`."""
    @property
    def document_title(self) -> str:
        """Title in front matter, else the first heading of level 1, else the file name."""
    @property
    def breadcrumb(self) -> list[str]:
        """File name (in `tree`, document title) and headings that lead to the chunk."""
    @property
    def text(self) -> str:
        """Text of the chunk, for display."""
    @property
    def tokens(self) -> int:
        """Number of tokens in `embed_text`."""
    @property
    def byte_start(self) -> int:
        """Offset of the first own byte in the document's UTF-8."""
    @property
    def byte_end(self) -> int:
        """Offset after the last own byte."""
    @property
    def line_start(self) -> int:
        """First own line that is not blank, counted from 1."""
    @property
    def line_end(self) -> int:
        """Last own line that is not blank."""
    @property
    def block_start(self) -> int:
        """Index of the first block."""
    @property
    def block_end(self) -> int:
        """Index after the last block."""
    @property
    def content_hash(self) -> str:
        """Hash of `text`, in hexadecimal."""
    @property
    def metadata(self) -> dict[str, Any]:
        """Front matter of the document. If it exceeds 4 KB, only the first chunk has it."""
    @property
    def notes(self) -> list[dict[str, Any]]:
        """Notes on anything unusual, each with `kind` and `message`; those of kind `cut` also with `block` and `line`."""
    @property
    def embed_text(self) -> str:
        """Text to embed: a context line, a blank line, and `text`."""
    @property
    def pieces(self) -> list[dict[str, Any]]:
        """Pieces of the text, each with `kind`, and either `start` and `end` or `text`."""
    @property
    def uuid(self) -> UUID:
        """UUID of the id, for stores that require one: `uuid.uuid5(chunkwright.NAMESPACE, chunk.id)`."""
    def to_dict(self, *, flat: bool = False, embed_text: bool = False) -> dict[str, Any]:
        """Return the record of the chunk, as `chunkwright chunk` writes it in JSON.

        It contains `embed_text` and `pieces` only if the option `with_` requests them.

        Args:
            flat: Whether to return only strings, numbers and booleans, for stores that accept nothing
                else. The breadcrumb is joined with ` › `, each key of the front matter becomes
                `metadata_KEY`, other lists and dicts become JSON, and keys without a value are left
                out.
            embed_text: Whether to include `embed_text`.
        """

    def _repr_html_(self) -> str:
        """Return an HTML card with the chunk, for notebooks."""

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Node:

    """A node in the outline of a document: the document itself, or a heading with content.

    `Chunker.tree` returns the outline of a text.
    """

    @property
    def id(self) -> str:
        """Id: `tree:path` of the document, or `tree:path#anchor` of a heading."""
    @property
    def position(self) -> int:
        """Position in the document, in reading order, counted from 0."""
    @property
    def depth(self) -> int:
        """Level of the heading; 0 for the document."""
    @property
    def title(self) -> str:
        """Text of the heading, or title of the document."""
    @property
    def anchor(self) -> str | None:
        """Slug of the heading; None for the document."""
    @property
    def breadcrumb(self) -> list[str]:
        """Title of the document, followed by the headings that lead to the node."""
    @property
    def byte_start(self) -> int:
        """Offset of the first byte of the heading line in the document's UTF-8."""
    @property
    def byte_end(self) -> int:
        """Offset after the last byte of the node and all nodes below it."""
    @property
    def text(self) -> str:
        """Source text of the heading, the body and all nodes below."""
    @property
    def body(self) -> str:
        """Source text between the heading and the first node below."""
    @property
    def children(self) -> list[Node]:
        """Nodes directly below."""

@final
class RecordBatch:

    r"""A table of chunks, one row per chunk.

    It implements the Arrow PyCapsule interface, so libraries such as pyarrow, polars and DuckDB
    read it without copying the data.

    Examples:
        >>> import chunkwright, polars
        >>> pages = polars.DataFrame({"id": ["tea.md"], "text": ["# Tea\n\nBoil water first."]})
        >>> batch = chunkwright.chunk_batch(pages)
        >>> polars.DataFrame(batch)["id"].to_list()
        ['docs:tea.md#tea']
    """

    @property
    def num_rows(self) -> int:
        """Number of chunks."""
    @property
    def column_names(self) -> list[str]:
        """Names of the columns, in order."""
    @property
    def counts(self) -> list[int]:
        """Number of chunks of each row of the input, in order.

        Repeat the other columns of the input by these numbers to add them to the chunks.
        """

    def to_pyarrow(self) -> Any:
        """Return the table as a `pyarrow.RecordBatch`, without copying the data.

        Raises:
            ImportError: If pyarrow is not installed.
        """

    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> Any: ...
    def __arrow_c_array__(self, requested_schema: Any | None = None) -> tuple[Any, Any]: ...
    def __arrow_c_stream__(self, requested_schema: Any | None = None) -> Any: ...

@final
class FileChunks(Iterator[Chunk]):

    """Iterator over the chunks of files, returned by `chunk_files`.

    It works only in the process that created it: iterating in a forked process raises
    `RuntimeError`.
    """

    def __iter__(self) -> FileChunks: ...
    def __next__(self) -> Chunk: ...

@final
class Chunker:

    r"""A splitter that parses its options once, for use with any number of texts.

    Chunkers are immutable, safe to share between threads, and can be pickled.

    Args:
        **options: Options such as `strategy`, `max` and `tokenizer`, with the names they have in
            `chunkwright.toml`.

    Raises:
        ValueError: If an option is unknown or invalid.

    Examples:
        >>> import chunkwright
        >>> chunker = chunkwright.Chunker(max=256)
        >>> [chunk] = chunker.chunk("# Tea\n\nBoil water first.", path="tea.md")
        >>> chunk.id
        'docs:tea.md#tea'
    """

    def __new__(cls, **options: Unpack[ChunkerOptions]) -> Chunker: ...
    @staticmethod
    def from_config(path: _Path = ".", **options: Unpack[ChunkerOptions]) -> Chunker:
        """Return a chunker with the options of the nearest `chunkwright.toml`.

        Overrides in the file apply to the paths they name.

        Args:
            path: Directory to search first, before its parents; or the file itself.
            **options: Options that take precedence over those in the file.

        Raises:
            FileNotFoundError: If there is no `chunkwright.toml`.
            ValueError: If an option is unknown or invalid.
        """

    @property
    def config_hash(self) -> str:
        """Hash of all options; it changes if the same text may give different chunks."""
    def chunk(
        self, text: str, *, path: _Path | None = None, tree: str | None = None
    ) -> list[Chunk]:
        """Split a text into chunks.

        Args:
            text: Text to split.
            path: Path or name of the text. It becomes part of ids and breadcrumbs, and its extension
                selects the format. Without it, the text is Markdown and its path is `-`.
            tree: First part of ids; `docs` by default.

        Returns:
            The chunks, in document order.
        """

    def chunk_many(
        self,
        texts: Iterable[str],
        *,
        paths: Iterable[_Path] | None = None,
        tree: str | None = None,
    ) -> list[list[Chunk]]:
        r"""Split many texts on several threads.

        Args:
            texts: Texts to split.
            paths: Path or name of each text, as in `chunk`.
            tree: First part of ids; `docs` by default.

        Returns:
            A list of chunks for each text, in the order of `texts`.

        Examples:
            >>> import chunkwright
            >>> texts = ["# Tea\n\nBoil water first.", "# Coffee\n\nGrind it."]
            >>> many = chunkwright.Chunker().chunk_many(texts, paths=["tea.md", "coffee.md"])
            >>> [[chunk.id for chunk in chunks] for chunks in many]
            [['docs:tea.md#tea'], ['docs:coffee.md#coffee']]
        """

    def chunk_files(
        self,
        paths: _Path | Iterable[_Path],
        *,
        tree: str | None = None,
        root: _Path | None = None,
        on_error: Callable[[FileError], object] | None = None,
    ) -> FileChunks:
        """Split files and directories into chunks.

        Files are read and split on background threads as you iterate, so memory use does not grow
        with the number of files. A file that cannot be read does not stop the others.

        Args:
            paths: File or directory, or an iterable of them. Directories are searched recursively.
            tree: First part of ids; by default the name of `root` or of the directory.
            root: Directory that paths in ids are relative to. With it, a single file gets the same
                ids as in a run over the whole directory.
            on_error: Function to call with a `FileError` for each skipped file.

        Returns:
            An iterator over the chunks, file by file. It raises `FilesError` at the end if files were
            skipped and there is no `on_error`.

        Raises:
            ValueError: If a path is outside `root`.
        """

    def chunk_batch(
        self,
        batch: Any,
        text: str = "text",
        id: str = "id",
        *,
        tree: str | None = None,
        root: _Path | None = None,
    ) -> RecordBatch:
        """Split a column of texts in an Arrow table into a table of chunks.

        The input is read without copying, through the Arrow PyCapsule interface. Rows without text
        yield no chunks.

        Args:
            batch: Table of texts: a pyarrow table, a polars data frame, a DuckDB relation, or any
                other object with Arrow data.
            text: Name of the column with the texts.
            id: Name of the column with the path or name of each text, as strings or integers.
            tree: First part of ids; by default the name of `root`, or `docs`.
            root: Directory that the paths in the column `id` become relative to.

        Returns:
            A table with one row per chunk. The column `path` contains the ids of the input.
        """

    def tree(
        self, text: str, *, path: _Path | None = None, tree: str | None = None
    ) -> Node:
        r"""Return the outline of a text: its headings as nested nodes.

        Args:
            text: Text to parse.
            path: Path or name of the text, as in `chunk`.
            tree: First part of ids; `docs` by default.

        Returns:
            The node of the document. Its `children` are the top-level headings.

        Examples:
            >>> import chunkwright
            >>> root = chunkwright.Chunker().tree("# Tea\n\nBoil water.\n\n## Green\n\nWait.")
            >>> [tea] = root.children
            >>> tea.title, tea.body, [child.title for child in tea.children]
            ('Tea', 'Boil water.', ['Green'])
        """

@final
class Index:

    """A search index, opened for reading.

    It is a snapshot: updates to the index do not show until you open it again.

    Args:
        path: Directory of the index.
        **options: `search`, a dict of ranking and merging options.

    Raises:
        FileNotFoundError: If there is no index at `path`.
        OSError: If the index cannot be read.

    Examples:
        >>> import chunkwright
        >>> report = chunkwright.update_index("index", "docs/examples")
        >>> index = chunkwright.Index("index")
        >>> answer = index.search("where are settings read from", limit=1)
        >>> [result["id"] for result in answer["results"]]
        ['examples:guide.md#settings']
    """

    def __new__(cls, path: _Path, **options: Unpack[AnswerOptions]) -> Index: ...
    @overload
    def search(
        self,
        query: str,
        *,
        limit: int | None = None,
        max_tokens: int | None = None,
        format: None = None,
        fields: Iterable[str] | None = None,
        trees: Iterable[str] | None = None,
        paths: Iterable[str] | None = None,
        where: Iterable[str] | None = None,
        merge: bool = True,
        strict: bool = False,
        explain: bool = False,
    ) -> dict[str, Any]:
        """Search the index.

        Args:
            query: Words or a question, with optional operators such as `+required`, `-excluded`,
                `"a phrase"` and `title:word`.
            limit: Maximum number of results; 10 by default, or as many as fit into `max_tokens`.
            max_tokens: Maximum tokens of the whole answer in the given format, counted with `o200k`.
            format: `"markdown"` for prompts or `"json"`, to return a string instead of a dict.
            fields: Names of the fields of each result, instead of all.
            trees: Names of the trees to search, instead of all.
            paths: Glob patterns such as `guide/**/*.md`; a document must match one of them.
            where: Conditions on front matter such as `tags=keys`; a document must meet all.
            merge: Whether to merge neighboring hits into their common section.
            strict: Whether to raise an error if the query does not parse.
            explain: Whether results explain their scores.

        Returns:
            The answer, as `chunkwright search --json` prints it. `results` contains the sections
            found, best first. `unmatched` and `coverage` show how much of the query they cover.

        Raises:
            ValueError: If the query has no words, or an argument is invalid.
        """

    @overload
    def search(
        self,
        query: str,
        *,
        limit: int | None = None,
        max_tokens: int | None = None,
        format: Literal["markdown", "json"],
        fields: Iterable[str] | None = None,
        trees: Iterable[str] | None = None,
        paths: Iterable[str] | None = None,
        where: Iterable[str] | None = None,
        merge: bool = True,
        strict: bool = False,
        explain: bool = False,
    ) -> str:
        """Search the index.

        Args:
            query: Words or a question, with optional operators such as `+required`, `-excluded`,
                `"a phrase"` and `title:word`.
            limit: Maximum number of results; 10 by default, or as many as fit into `max_tokens`.
            max_tokens: Maximum tokens of the whole answer in the given format, counted with `o200k`.
            format: `"markdown"` for prompts or `"json"`, to return a string instead of a dict.
            fields: Names of the fields of each result, instead of all.
            trees: Names of the trees to search, instead of all.
            paths: Glob patterns such as `guide/**/*.md`; a document must match one of them.
            where: Conditions on front matter such as `tags=keys`; a document must meet all.
            merge: Whether to merge neighboring hits into their common section.
            strict: Whether to raise an error if the query does not parse.
            explain: Whether results explain their scores.

        Returns:
            The answer, as `chunkwright search --json` prints it. `results` contains the sections
            found, best first. `unmatched` and `coverage` show how much of the query they cover.

        Raises:
            ValueError: If the query has no words, or an argument is invalid.
        """

    def get(self, id: str, *, whole: bool = False) -> dict[str, Any]:
        """Return a result, document or section with its full text.

        Args:
            id: Id of a result, or `path`, `path:line` or `path#anchor`.
            whole: Whether to include all sections below it.

        Raises:
            LookupError: If nothing has this id, or documents of several trees have this path.
        """

    def list(
        self, id: str | None = None, *, recursive: bool = False
    ) -> list[dict[str, Any]]:
        """List directories, documents or sections, one level at a time.

        Args:
            id: Id of the entry whose children to list; without it, the top level.
            recursive: Whether to list all levels below.

        Raises:
            LookupError: If nothing has this id.
        """

    def search_docs(
        self,
        query: str,
        *,
        max_tokens: int = 3000,
        path: str | None = None,
        tree: str | None = None,
        where: str | None = None,
    ) -> str:
        """Search for an agent: return the best sections as Markdown within a token budget.

        This is the tool `search_docs` of `chunkwright mcp`, with its arguments and limits. Each
        result is a line with its id, breadcrumb, location and size, and its text in a code fence.

        Args:
            query: Words or a question of at most 2,000 characters.
            max_tokens: Maximum tokens of the answer, at most 10,000, counted with `o200k`.
            path: Glob pattern such as `guide/**` that a document must match.
            tree: Name of the tree to search, instead of all.
            where: Condition on front matter such as `tags=keys` that a document must meet.

        Raises:
            ValueError: If the query has no words, or an argument is invalid or too large.

        Examples:
            >>> import chunkwright
            >>> report = chunkwright.update_index("index", "docs/examples")
            >>> index = chunkwright.Index("index")
            >>> print(index.search_docs("read a secret", max_tokens=120).splitlines()[0])
            [1] examples:guide.md#read-a-secret · Kettle guide › Use › Read a secret · guide.md:27-33 · 37 tokens
        """

    def read_section(
        self, id: str, *, from_line: int | None = None, max_tokens: int = 6000
    ) -> str:
        """Read a page or section for an agent, as Markdown within a token budget.

        This is the tool `read_section` of `chunkwright mcp`. A page is returned with all of its
        sections; add `+` to the id of a section for its subsections. Where the text does not fit,
        the last line says how to read on.

        Args:
            id: Id of a result, or `path`, `path:line` or `path#anchor`.
            from_line: First line to return, counted in the file.
            max_tokens: Maximum tokens of the answer, at most 10,000, counted with `o200k`.

        Raises:
            LookupError: If nothing has this id, or documents of several trees have this path.
            ValueError: If the section has no such line, or an argument is invalid or too large.
        """

    def list_sections(self, id: str | None = None, *, after: int = 0) -> str:
        """List folders and pages, or the outline of a page, for an agent.

        This is the tool `list_sections` of `chunkwright mcp`: at most 200 entries and 3,000 tokens.

        Args:
            id: Tree, folder, page or section to list; without it, the top level.
            after: Number of entries to skip.

        Raises:
            LookupError: If nothing has this id.
            ValueError: If there are not that many entries to skip.
        """

    def instructions(self) -> str:
        """Return instructions for an agent: what the documents are about, and how to use
        `search_docs`, `read_section` and `list_sections`.
        """

    def status(self) -> dict[str, Any]:
        """Verify all checksums, and return statistics about the index.

        Raises:
            OSError: If the index is damaged.
        """

def update_index(
    path: _Path,
    trees: _Path | Iterable[_Path] | dict[str, _Path],
    *,
    rebuild: bool = False,
    **options: Unpack[IndexOptions],
) -> dict[str, Any]:
    """Create a search index, or bring it up to date.

    Only files that changed are read again.

    Args:
        path: Directory of the index.
        trees: Directory or file to index, an iterable of them, or a dict from tree names to paths.
        rebuild: Whether to build the index from scratch.
        **options: `index`, `input_format`, `mdx`, `slugs`, `url_base`, `jobs` or `max_file_size`.

    Returns:
        A dict with the number of documents `added`, `changed`, `removed` and `unchanged`, the
        reason if the index was `rebuilt`, and `errors` for files that cannot be read.

    Raises:
        FileNotFoundError: If a directory or file in `trees` does not exist.
        ValueError: If an option is unknown or invalid.
        OSError: If the index cannot be written, or another process is writing it.

    Examples:
        >>> import chunkwright
        >>> report = chunkwright.update_index("index", {"kettle": "docs/examples"})
        >>> report["added"], report["errors"]
        (4, [])
    """

def diff(
    old: Iterable[Chunk | dict[str, Any]], new: Iterable[Chunk | dict[str, Any]]
) -> dict[str, Any]:
    r"""Compare two versions of chunks, and return what to change in a vector store.

    Both versions must be split with the same options.

    Args:
        old: Chunks that are stored, or their records (`Chunk.to_dict()`).
        new: Chunks that should be stored, or their records.

    Returns:
        A dict with the following keys. Carry out the changes in this order:

        - `summary`: Number of chunks added, changed, moved, and so on, and of tokens to embed.
        - `move`: Dicts with `from`, an id in `old` whose vector can be copied, and the new
          `record`.
        - `upsert`: Records to embed and store.
        - `update`: Records to store without embedding them again.
        - `delete`: Ids to delete.

    Raises:
        ValueError: If a record is invalid, an id occurs twice, or the strategies differ.

    Examples:
        >>> import chunkwright
        >>> old = chunkwright.chunk("# Tea\n\nBoil water first.", path="tea.md")
        >>> new = chunkwright.chunk("# Tea\n\nBoil milk first.", path="tea.md")
        >>> plan = chunkwright.diff(old, new)
        >>> [record["id"] for record in plan["upsert"]], plan["delete"]
        (['docs:tea.md#tea'], [])
    """

def _restore_chunker(
    options: dict[str, Any] | None, config: str | PathLike[str] | None, effect: str
) -> Chunker:
    """Restore a pickled chunker.

    Raises:
        ValueError: If its options take effect differently here than where it was pickled.
    """

def chunk(
    text: str,
    *,
    path: _Path | None = None,
    tree: str | None = None,
    strategy: Strategy = "hierarchical",
    **options: Unpack[CuttingOptions],
) -> list[Chunk]:
    r"""Split a text into chunks.

    To split many texts with the same options, use a `Chunker`.

    Args:
        text: Text to split.
        path: Path or name of the text. It becomes part of ids and breadcrumbs, and its extension
            selects the format. Without it, the text is Markdown and its path is `-`.
        tree: First part of ids; `docs` by default.
        strategy: `hierarchical`, `window`, `blocks` or `tree`.
        **options: Other options such as `max` and `tokenizer`, with the names they have in
            `chunkwright.toml`. Write an option that is a Python keyword with a trailing
            underscore: `with_`.

    Returns:
        The chunks, in document order.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If an option is unknown or invalid, or if the text has a lone surrogate.

    Examples:
        >>> import chunkwright
        >>> text = "# Tea\n\nBoil water first.\n\n## Green\n\nLet it cool to 80 degrees.\n"
        >>> for chunk in chunkwright.chunk(text, path="tea.md", max=12, tokenizer="words:1"):
        ...     print(chunk.id, chunk.tokens)
        docs:tea.md#tea 5
        docs:tea.md#green 9
    """

def chunk_files(
    paths: _Path | Iterable[_Path],
    *,
    tree: str | None = None,
    root: _Path | None = None,
    on_error: Callable[[FileError], object] | None = None,
    **options: Unpack[ChunkerOptions],
) -> FileChunks:
    """Split files and directories into chunks.

    Files are read and split on background threads as you iterate, so memory use does not grow
    with the number of files. A file that cannot be read does not stop the others.

    Args:
        paths: File or directory, or an iterable of them. Directories are searched recursively.
        tree: First part of ids; by default the name of `root` or of the directory.
        root: Directory that paths in ids are relative to. With it, a single file gets the same
            ids as in a run over the whole directory.
        on_error: Function to call with a `FileError` for each skipped file.
        **options: Options such as `strategy`, `max` and `tokenizer`, with the names they have in
            `chunkwright.toml`.

    Returns:
        An iterator over the chunks, file by file. It raises `FilesError` at the end if files were
        skipped and there is no `on_error`.

    Raises:
        ValueError: If a path is outside `root`, or an option is invalid.

    Examples:
        >>> import chunkwright
        >>> chunks = chunkwright.chunk_files("docs/examples", max=256)
        >>> next(chunks).id
        'examples:front-matter.md'
    """

def chunk_batch(
    batch: Any,
    text: str = "text",
    id: str = "id",
    *,
    tree: str | None = None,
    root: _Path | None = None,
    **options: Unpack[ChunkerOptions],
) -> RecordBatch:
    r"""Split a column of texts in an Arrow table into a table of chunks.

    The input is read without copying, through the Arrow PyCapsule interface. Rows without text
    yield no chunks.

    Args:
        batch: Table of texts: a pyarrow table, a polars data frame, a DuckDB relation, or any
            other object with Arrow data.
        text: Name of the column with the texts.
        id: Name of the column with the path or name of each text, as strings or integers.
        tree: First part of ids; by default the name of `root`, or `docs`.
        root: Directory that the paths in the column `id` become relative to.
        **options: Options such as `strategy`, `max` and `tokenizer`, with the names they have in
            `chunkwright.toml`.

    Returns:
        A table with one row per chunk. The column `path` contains the ids of the input.

    Raises:
        TypeError: If `batch` has no Arrow data, or a column has the wrong type.
        ValueError: If a column is missing, a text has no id, or an option is invalid.

    Examples:
        >>> import chunkwright, pyarrow
        >>> pages = pyarrow.table({"id": ["tea.md"], "text": ["# Tea\n\nBoil water first."]})
        >>> batch = chunkwright.chunk_batch(pages)
        >>> batch.to_pyarrow()["id"].to_pylist()
        ['docs:tea.md#tea']
    """
