"""Chunks for Haystack."""

from typing import Any

from ._excerpts import Content, Cutter
from ._extras import needed
from ._native import Chunker

with needed("haystack"):
    from haystack import Document, component, default_from_dict, default_to_dict

__all__ = ["ChunkwrightSplitter"]


@component
class ChunkwrightSplitter:
    """Splits Markdown as `chunkwright.Chunker` does; options are its options.

    :param path_key: The key of `meta` that has a document's path or name.
    :param tree: The first part of chunk ids.
    :param content: What becomes the content: `text`, or `embed_text`, which tells the headings above it.
    """

    def __init__(
        self,
        *,
        path_key: str = "file_path",
        tree: str | None = None,
        content: Content = "text",
        **options: Any,
    ) -> None:
        self._parameters = {"path_key": path_key, "tree": tree, "content": content, **options}
        self._cutter = Cutter(Chunker(**options), path_key=path_key, tree=tree, content=content)

    def to_dict(self) -> dict[str, Any]:
        return default_to_dict(self, **self._parameters)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "ChunkwrightSplitter":
        return default_from_dict(cls, data)

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Splits documents; those without text have no chunks."""
        cut = self._cutter.excerpts([d.content or "" for d in documents], [d.meta for d in documents])
        return {
            "documents": [
                Document(
                    id=excerpt.id_below(document.id),
                    content=excerpt.content,
                    meta={
                        **excerpt.metadata,
                        "source_id": document.id,
                        "split_id": number,
                        "split_idx_start": excerpt.start,
                    },
                )
                for document, excerpts in zip(documents, cut)
                for number, excerpt in enumerate(excerpts)
            ]
        }
