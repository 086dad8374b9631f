"""Split documents in LangChain."""

from collections.abc import Callable, Iterable
from typing import Any

from ._excerpts import Content, Cutter
from ._extras import needed
from ._native import Chunker

with needed("langchain"):
    from langchain_core.documents import Document
    from langchain_text_splitters import TextSplitter

__all__ = ["ChunkwrightTextSplitter"]


class ChunkwrightTextSplitter(TextSplitter):
    """Text splitter that splits Markdown with `chunkwright.Chunker`.

    Args:
        path_key: Key of the metadata with the path or name of a document.
        tree: First part of chunk ids; `docs` by default.
        content: Field that becomes the content: `text`, or `embed_text`, which starts with the
            headings above the chunk.
        length_function: Function that counts tokens, the same as the option `tokenizer`.
        add_start_index: Whether to add `start_index`, the offset of the chunk in characters, to the
            metadata.
        **options: Options of `chunkwright.Chunker`, such as `max` and `tokenizer`.

    Examples:
        >>> from chunkwright.langchain import ChunkwrightTextSplitter
        >>> splitter = ChunkwrightTextSplitter(max=256)
        >>> [chunk] = splitter.create_documents(["# Tea\\n\\nBoil water first."], [{"source": "tea.md"}])
        >>> chunk.metadata["chunk_id"]
        'docs:tea.md#tea'
    """

    def __init__(
        self,
        *,
        path_key: str = "source",
        tree: str | None = None,
        content: Content = "text",
        length_function: Callable[[str], int] | None = None,
        add_start_index: bool = True,
        **options: Any,
    ) -> None:
        super().__init__(chunk_overlap=0, add_start_index=add_start_index)
        if length_function is not None:
            if "tokenizer" in options:
                raise ValueError("cannot use both length_function and tokenizer: they set the same option")
            options["tokenizer"] = length_function
        self._cutter = Cutter(Chunker(**options), path_key=path_key, tree=tree, content=content)

    def split_text(self, text: str) -> list[str]:
        """Split a text, and return the content of its chunks."""
        return self._cutter.contents(text)

    def create_documents(self, texts: list[str], metadatas: list[dict[Any, Any]] | None = None) -> list[Document]:
        """Split texts, and return their chunks as documents.

        Args:
            texts: Texts to split.
            metadatas: Metadata of each text, which its chunks inherit.
        """
        return self.split_documents(
            Document(text, metadata=metadata)
            for text, metadata in zip(texts, metadatas or [{}] * len(texts), strict=True)
        )

    def split_documents(self, documents: Iterable[Document]) -> list[Document]:
        """Split documents, and return their chunks as documents.

        Chunks inherit the metadata of their document. If it has an id, they have ids that start with it.
        """
        documents = list(documents)
        start_index = ["start_index"] if self._add_start_index else []
        cut = self._cutter.excerpts([d.page_content for d in documents], [d.metadata for d in documents])
        return [
            Document(
                excerpt.content,
                id=document.id and excerpt.id_below(document.id),
                metadata={**excerpt.metadata, **dict.fromkeys(start_index, excerpt.start)},
            )
            for document, excerpts in zip(documents, cut)
            for excerpt in excerpts
        ]
