"""Cuts Markdown into chunks for retrieval: each within a token limit, each with its place in the document."""

from ._errors import FileError, FilesError
from ._native import (
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
