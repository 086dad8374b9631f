"""Split documents in Haystack pipelines."""

from typing import Any

from ._excerpts import Content, Cutter
from ._extras import needed
from ._native import Chunker

with needed("haystack"):
    from haystack import Document, component, default_from_dict, default_to_dict

__all__ = ["ChunkwrightSplitter"]


@component
class ChunkwrightSplitter:
    """Component that splits Markdown documents with `chunkwright.Chunker`.

    Args:
        path_key: Key of `meta` with the path or name of a document.
        tree: First part of chunk ids; `docs` by default.
        content: Field that becomes the content: `text`, or `embed_text`, which starts with the
            headings above the chunk.
        **options: Options of `chunkwright.Chunker`, such as `max` and `tokenizer`.

    Examples:
        >>> from haystack import Document
        >>> from chunkwright.haystack import ChunkwrightSplitter
        >>> page = Document(content="# Tea\\n\\nBoil water first.", id="7", meta={"file_path": "tea.md"})
        >>> [chunk] = ChunkwrightSplitter(max=256).run(documents=[page])["documents"]
        >>> chunk.id, chunk.meta["chunk_id"]
        ('7#tea', 'docs:tea.md#tea')
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
        """Serialize the component."""
        return default_to_dict(self, **self._parameters)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "ChunkwrightSplitter":
        """Restore a component from `to_dict`."""
        return default_from_dict(cls, data)

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Split documents into chunks.

        Args:
            documents: Documents to split. One without text yields no chunks.

        Returns:
            A dict with the chunks as `documents`. Their `meta` extends that of their document.
        """
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
