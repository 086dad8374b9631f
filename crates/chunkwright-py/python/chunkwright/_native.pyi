from collections.abc import Callable, Iterable, Iterator
from os import PathLike
from typing import Any, Literal, TypeAlias, final, overload

from typing_extensions import Unpack

from ._errors import FileError
from ._options import AnswerOptions, ChunkerOptions, CuttingOptions, IndexOptions, Strategy

_Path: TypeAlias = str | PathLike[str]

__all__ = [
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

__version__: str

@final
class Chunk:
    @property
    def id(self) -> str: ...
    @property
    def doc_id(self) -> str: ...
    @property
    def parent_id(self) -> str | None: ...
    @property
    def path(self) -> str: ...
    @property
    def url(self) -> str | None: ...
    @property
    def anchor(self) -> str | None: ...
    @property
    def strategy(self) -> str: ...
    @property
    def position(self) -> int: ...
    @property
    def depth(self) -> int: ...
    @property
    def title(self) -> str: ...
    @property
    def document_title(self) -> str: ...
    @property
    def breadcrumb(self) -> list[str]: ...
    @property
    def text(self) -> str: ...
    @property
    def tokens(self) -> int: ...
    @property
    def byte_start(self) -> int: ...
    @property
    def byte_end(self) -> int: ...
    @property
    def line_start(self) -> int: ...
    @property
    def line_end(self) -> int: ...
    @property
    def block_start(self) -> int: ...
    @property
    def block_end(self) -> int: ...
    @property
    def content_hash(self) -> str: ...
    @property
    def metadata(self) -> dict[str, Any]: ...
    @property
    def notes(self) -> list[dict[str, Any]]: ...
    @property
    def embed_text(self) -> str: ...
    @property
    def pieces(self) -> list[dict[str, Any]]: ...
    def to_dict(self) -> dict[str, Any]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Node:
    @property
    def id(self) -> str: ...
    @property
    def position(self) -> int: ...
    @property
    def depth(self) -> int: ...
    @property
    def title(self) -> str: ...
    @property
    def anchor(self) -> str | None: ...
    @property
    def breadcrumb(self) -> list[str]: ...
    @property
    def byte_start(self) -> int: ...
    @property
    def byte_end(self) -> int: ...
    @property
    def text(self) -> str: ...
    @property
    def body(self) -> str: ...
    @property
    def children(self) -> list[Node]: ...

@final
class RecordBatch:
    @property
    def num_rows(self) -> int: ...
    @property
    def column_names(self) -> list[str]: ...
    def to_pyarrow(self) -> Any: ...
    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> Any: ...
    def __arrow_c_array__(self, requested_schema: Any | None = None) -> tuple[Any, Any]: ...
    def __arrow_c_stream__(self, requested_schema: Any | None = None) -> Any: ...

@final
class FileChunks(Iterator[Chunk]):
    def __iter__(self) -> FileChunks: ...
    def __next__(self) -> Chunk: ...

@final
class Chunker:
    def __new__(cls, **options: Unpack[ChunkerOptions]) -> Chunker: ...
    @staticmethod
    def from_config(path: _Path = ".", **options: Unpack[ChunkerOptions]) -> Chunker: ...
    @property
    def config_hash(self) -> str: ...
    def chunk(
        self, text: str, *, path: _Path | None = None, tree: str | None = None
    ) -> list[Chunk]: ...
    def chunk_many(
        self,
        texts: Iterable[str],
        *,
        paths: Iterable[_Path] | None = None,
        tree: str | None = None,
    ) -> list[list[Chunk]]: ...
    def chunk_files(
        self,
        paths: _Path | Iterable[_Path],
        *,
        tree: str | None = None,
        root: _Path | None = None,
        on_error: Callable[[FileError], object] | None = None,
    ) -> FileChunks: ...
    def chunk_batch(
        self,
        batch: Any,
        text: str = "text",
        id: str = "id",
        *,
        tree: str | None = None,
        root: _Path | None = None,
    ) -> RecordBatch: ...
    def tree(
        self, text: str, *, path: _Path | None = None, tree: str | None = None
    ) -> Node: ...

@final
class Index:
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
    ) -> dict[str, Any]: ...
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
    ) -> str: ...
    def get(self, id: str, *, whole: bool = False) -> dict[str, Any]: ...
    def list(
        self, id: str | None = None, *, recursive: bool = False
    ) -> list[dict[str, Any]]: ...
    def status(self) -> dict[str, Any]: ...

def update_index(
    path: _Path,
    trees: _Path | Iterable[_Path] | dict[str, _Path],
    *,
    rebuild: bool = False,
    **options: Unpack[IndexOptions],
) -> dict[str, Any]: ...
def diff(
    old: Iterable[Chunk | dict[str, Any]], new: Iterable[Chunk | dict[str, Any]]
) -> dict[str, Any]: ...
def _restore_chunker(
    options: dict[str, Any] | None, config: str | PathLike[str] | None, effect: str
) -> Chunker: ...
def chunk(
    text: str,
    *,
    path: _Path | None = None,
    tree: str | None = None,
    strategy: Strategy = "hierarchical",
    **options: Unpack[CuttingOptions],
) -> list[Chunk]: ...
def chunk_files(
    paths: _Path | Iterable[_Path],
    *,
    tree: str | None = None,
    root: _Path | None = None,
    on_error: Callable[[FileError], object] | None = None,
    **options: Unpack[ChunkerOptions],
) -> FileChunks: ...
def chunk_batch(
    batch: Any,
    text: str = "text",
    id: str = "id",
    *,
    tree: str | None = None,
    root: _Path | None = None,
    **options: Unpack[ChunkerOptions],
) -> RecordBatch: ...
