"""Split Markdown into chunks for retrieval, and search them.

Every chunk stays within a token limit and knows its location in the source.

Examples:
    >>> import chunkwright
    >>> for chunk in chunkwright.chunk("# Tea\\n\\nBoil water first.", path="tea.md"):
    ...     print(chunk.id, chunk.line_start)
    docs:tea.md#tea 1
"""

from ._errors import FileError, FilesError
from ._native import (
    NAMESPACE,
    Chunk,
    Chunker,
    FileChunks,
    Index,
    Node,
    RecordBatch,
    __version__,
    chunk,
    chunk_batch,
    chunk_files,
    diff,
    update_index,
)

__all__ = [
    "NAMESPACE",
    "Chunk",
    "Chunker",
    "FileChunks",
    "FileError",
    "FilesError",
    "Index",
    "Node",
    "RecordBatch",
    "__version__",
    "chunk",
    "chunk_batch",
    "chunk_files",
    "diff",
    "update_index",
]
