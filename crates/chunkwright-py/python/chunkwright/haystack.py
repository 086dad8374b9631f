"""Split documents in Haystack pipelines."""

import asyncio
from typing import Any

from ._excerpts import Content, Cutter, Excerpt
from ._extras import needed
from ._native import Chunker

with needed("haystack"):
    from haystack import Document, component, default_from_dict, default_to_dict
    from haystack.utils import deserialize_callable, serialize_callable

__all__ = ["ChunkwrightSplitter"]


@component
class ChunkwrightSplitter:
    """Component that splits Markdown documents with `chunkwright.Chunker`.

    Args:
        path_key: Key of `meta` with the path or name of a document.
        tree: First part of chunk ids; `docs` by default.
        content: Field that becomes the content: `embed_text`, which starts with the headings above
            the chunk and is what `max` limits, or `text`, the Markdown as written.
        **options: Options of `chunkwright.Chunker`, such as `max` and `tokenizer`.

    Examples:
        >>> from haystack import Document
        >>> from chunkwright.haystack import ChunkwrightSplitter
        >>> page = Document(content="# Tea\\n\\nBoil water first.", id="7", meta={"file_path": "tea.md"})
        >>> [chunk] = ChunkwrightSplitter(max=256).run(documents=[page])["documents"]
        >>> chunk.id, chunk.meta["chunk_id"]
        ('b10fc4e4-17d3-5895-bfb3-dfa7dc08c342', 'docs:tea.md#tea')
    """

    def __init__(
        self,
        *,
        path_key: str = "file_path",
        tree: str | None = None,
        content: Content = "embed_text",
        **options: Any,
    ) -> None:
        self._parameters = {"path_key": path_key, "tree": tree, "content": content, **options}
        self._cutter = Cutter(Chunker(**options), path_key=path_key, tree=tree, content=content)

    def to_dict(self) -> dict[str, Any]:
        """Serialize the component. A function as `tokenizer` is stored by its import path."""
        parameters = dict(self._parameters)
        if callable(parameters.get("tokenizer")):
            parameters["tokenizer"] = {"function": serialize_callable(parameters["tokenizer"])}
        return default_to_dict(self, **parameters)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "ChunkwrightSplitter":
        """Restore a component from `to_dict`."""
        parameters = dict(data.get("init_parameters", {}))
        if isinstance(parameters.get("tokenizer"), dict):
            parameters["tokenizer"] = deserialize_callable(parameters["tokenizer"]["function"])
        return default_from_dict(cls, {**data, "init_parameters": parameters})

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Split documents into chunks.

        Args:
            documents: Documents to split. One without text yields no chunks.

        Returns:
            A dict with the chunks as `documents`. The id of a chunk is a UUID derived from the id of
            its document and the chunk's place. Its `meta` extends that of the document, and contains
            `source_id`, `split_id` and `page_number` like the output of Haystack's own splitters. It
            contains `split_idx_start` if the content occurs verbatim at this offset.
        """
        cut = self._cutter.excerpts([d.content or "" for d in documents], [d.meta for d in documents])
        chunks = [
            _chunk(document, number, excerpt)
            for document, excerpts in zip(documents, cut)
            for number, excerpt in enumerate(excerpts)
        ]
        return {"documents": chunks}

    @component.output_types(documents=list[Document])
    async def run_async(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Split documents into chunks in a thread.

        Args:
            documents: Documents to split. One without text yields no chunks.

        Returns:
            The same as `run`.
        """
        return await asyncio.to_thread(self.run, documents)


def _chunk(document: Document, number: int, excerpt: Excerpt) -> Document:
    text = document.content or ""
    meta = {**excerpt.metadata, "source_id": document.id, "split_id": number}
    # SentenceWindowRetriever takes the offset and the length of the content for a range of the source.
    if text.startswith(excerpt.content, excerpt.start):
        meta["split_idx_start"] = excerpt.start
    first_page = document.meta.get("page_number", 1)
    if isinstance(first_page, int):
        meta["page_number"] = first_page + _page_breaks(text, excerpt.start)
    return Document(id=excerpt.uuid(document.id), content=excerpt.content, meta=meta)


def _page_breaks(text: str, start: int) -> int:
    """Count the form feeds before a chunk, and those that it starts with."""
    while text.startswith("\f", start):
        start += 1
    return text.count("\f", 0, start)
