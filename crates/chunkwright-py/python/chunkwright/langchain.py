"""Chunks for LangChain."""

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
    """Splits Markdown as `chunkwright.Chunker` does; options are its options.

    Args:
        path_key: The key of metadata that has a document's path or name.
        tree: The first part of chunk ids.
        content: What becomes the content: `text`, or `embed_text`, which tells the headings above it.
        length_function: LangChain's word for the option `tokenizer`.
        add_start_index: Whether metadata tells where in its document a text begins, in characters.
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
                raise ValueError("length_function and tokenizer are the same: give one of them")
            options["tokenizer"] = length_function
        self._cutter = Cutter(Chunker(**options), path_key=path_key, tree=tree, content=content)

    def split_text(self, text: str) -> list[str]:
        return self._cutter.contents(text)

    def create_documents(self, texts: list[str], metadatas: list[dict[Any, Any]] | None = None) -> list[Document]:
        return self.split_documents(
            Document(text, metadata=metadata)
            for text, metadata in zip(texts, metadatas or [{}] * len(texts), strict=True)
        )

    def split_documents(self, documents: Iterable[Document]) -> list[Document]:
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
