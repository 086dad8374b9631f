"""Split documents in LangChain."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from ._excerpts import Content, Cutter, Excerpt
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
        content: Field that becomes the content: `embed_text`, which starts with the headings above
            the chunk and is what `max` limits, or `text`, the Markdown as written.
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
        >>> chunk.id  # uuid.uuid5(chunkwright.NAMESPACE, "docs:tea.md#tea")
        '4f29320d-8c77-50b6-aaa6-a8b7e6bee6af'
    """

    def __init__(
        self,
        *,
        path_key: str = "source",
        tree: str | None = None,
        content: Content = "embed_text",
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

        Chunks inherit the metadata of their document. Their `id` is a UUID derived from `chunk_id`,
        or from the id of the document if it has one, so the same chunk always has the same id.
        Split documents with the same path in one call: the second one gets different ids. Chunks of
        a document without id and path have no id.
        """
        documents = list(documents)
        cut = self._cutter.excerpts([d.page_content for d in documents], [d.metadata for d in documents])
        seen: Counter[str] = Counter()
        chunks = []
        for document, excerpts in zip(documents, cut):
            document_id = self._document_id(document, excerpts)
            if document_id:
                seen[document_id] += 1
                if seen[document_id] > 1:
                    document_id = f"{document_id}\n{seen[document_id]}"
            chunks += [self._chunk(excerpt, document_id) for excerpt in excerpts]
        return chunks

    def _document_id(self, document: Document, excerpts: list[Excerpt]) -> str | None:
        if document.id or not excerpts or not self._cutter.path(document.metadata):
            return document.id
        return excerpts[0].chunk.doc_id

    def _chunk(self, excerpt: Excerpt, document_id: str | None) -> Document:
        start = {"start_index": excerpt.start} if self._add_start_index else {}
        return Document(
            excerpt.content,
            id=document_id and excerpt.uuid(document_id),
            metadata={**excerpt.metadata, **start},
        )
