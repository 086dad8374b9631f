"""Cuts Markdown into chunks for retrieval: each within a token limit, each with its place in the document."""

from ._errors import FileError, FilesError
from ._native import Chunk, Chunker, FileChunks, Node, RecordBatch, chunk, chunk_batch, chunk_files

__all__ = [
    "Chunk",
    "Chunker",
    "FileChunks",
    "FileError",
    "FilesError",
    "Node",
    "RecordBatch",
    "chunk",
    "chunk_batch",
    "chunk_files",
]
