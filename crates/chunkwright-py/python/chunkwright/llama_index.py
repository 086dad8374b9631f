"""Split documents in LlamaIndex."""

import asyncio
import pickle
from collections.abc import Callable, Sequence
from typing import Any

from ._excerpts import PLACE, Content, Cutter, Excerpt
from ._extras import needed
from ._native import Chunker

with needed("llama-index"):
    from llama_index.core.bridge.pydantic import Field, PrivateAttr
    from llama_index.core.node_parser import NodeParser
    from llama_index.core.node_parser.node_utils import build_nodes_from_splits, default_id_func
    from llama_index.core.schema import BaseNode, Document, MetadataMode, NodeRelationship, TextNode

__all__ = ["ChunkwrightNodeParser"]


class ChunkwrightNodeParser(NodeParser):
    """Node parser that splits Markdown with `chunkwright.Chunker`.

    Keywords that are not fields are options of `chunkwright.Chunker`, such as `max` and `tokenizer`.

    Metadata is stored, but not embedded: what is embedded is exactly the text of a node, which `max`
    limits. LLMs also see the metadata of the document, except the keys that it excludes. To show
    models more, list the keys in `embed_metadata_keys` and `llm_metadata_keys`; keys that the document
    excludes stay excluded. Tokens of embedded metadata count in addition to `max`, so reduce it
    accordingly.

    The id of a node is a UUID derived from the id of the document and the chunk's place, unless
    `id_func` is set.

    Examples:
        >>> from llama_index.core import Document
        >>> from chunkwright.llama_index import ChunkwrightNodeParser
        >>> page = Document(text="# Tea\\n\\nBoil water first.", id_="7", metadata={"file_path": "tea.md"})
        >>> [node] = ChunkwrightNodeParser(max=256).get_nodes_from_documents([page])
        >>> node.node_id, node.metadata["chunk_id"]
        ('b10fc4e4-17d3-5895-bfb3-dfa7dc08c342', 'docs:tea.md#tea')
    """

    id_func: Callable[..., str] = Field(default=default_id_func, exclude=True)
    path_key: str = Field(default="file_path", description="Key of the metadata with the path or name of a document.")
    tree: str | None = Field(default=None, description="First part of chunk ids.")
    content: Content = Field(
        default="embed_text", description="Field that becomes the text of nodes: `embed_text` or `text`."
    )
    embed_metadata_keys: list[str] = Field(
        default_factory=list, description="Metadata keys to embed. Their tokens count in addition to `max`."
    )
    llm_metadata_keys: list[str] = Field(
        default_factory=list, description="Metadata keys for LLMs, in addition to those of the document."
    )
    options: dict[str, Any] = Field(
        default_factory=dict, frozen=True, description="Options of `chunkwright.Chunker`."
    )
    _chunker: Chunker = PrivateAttr()

    def __init__(self, **keywords: Any) -> None:
        fields = {name: value for name, value in keywords.items() if name in type(self).model_fields}
        options = {name: value for name, value in keywords.items() if name not in fields}
        fields["options"] = {**fields.get("options", {}), **options}
        super().__init__(**fields)
        self._chunker = Chunker(**self.options)
        self._cutter()  # validates the fields

    @classmethod
    def class_name(cls) -> str:
        """Return the name that identifies the class in serialized form."""
        return "ChunkwrightNodeParser"

    def __getstate__(self) -> dict[str, Any]:
        pickle.dumps(self.options)  # raises if they cannot be pickled; LlamaIndex would drop them silently
        return super().__getstate__()

    def _cutter(self) -> Cutter:
        return Cutter(self._chunker, path_key=self.path_key, tree=self.tree, content=self.content)

    def _parse_nodes(self, nodes: Sequence[BaseNode], show_progress: bool = False, **_: Any) -> list[BaseNode]:
        texts = [node.get_content(metadata_mode=MetadataMode.NONE) for node in nodes]
        cut = self._cutter().excerpts(texts, [self._metadata(node) for node in nodes])
        return [node for document, excerpts in zip(nodes, cut) for node in self._nodes(document, excerpts)]

    async def _aparse_nodes(self, nodes: Sequence[BaseNode], show_progress: bool = False, **_: Any) -> list[BaseNode]:
        return await asyncio.to_thread(self._parse_nodes, nodes, show_progress)

    def _metadata(self, document: BaseNode) -> dict[str, Any]:
        """Return the metadata that nodes inherit from a document."""
        names = document.metadata if self.include_metadata else document.metadata.keys() & {self.path_key}
        return {name: document.metadata[name] for name in names}

    def _nodes(self, document: BaseNode, excerpts: list[Excerpt]) -> list[TextNode]:
        def id_of(i: int, doc: BaseNode) -> str:
            return excerpts[i].uuid(doc.node_id)

        id_func = id_of if self.id_func is default_id_func else self.id_func
        nodes = build_nodes_from_splits([excerpt.content for excerpt in excerpts], document, id_func=id_func)
        for node, excerpt in zip(nodes, excerpts):
            node.metadata = excerpt.metadata
            node.start_char_idx, node.end_char_idx = excerpt.start, excerpt.end
            keys = [*dict.fromkeys((*excerpt.metadata, *PLACE))]
            node.excluded_embed_metadata_keys = self._excluded_from_embedding(document, keys)
            node.excluded_llm_metadata_keys = self._excluded_from_llm(document, keys)
        self._relate_to_parents(nodes, excerpts)
        return nodes

    def _excluded_from_embedding(self, document: BaseNode, keys: list[str]) -> list[str]:
        hidden = [key for key in keys if key not in self.embed_metadata_keys]
        return [*dict.fromkeys((*document.excluded_embed_metadata_keys, *hidden))]

    def _excluded_from_llm(self, document: BaseNode, keys: list[str]) -> list[str]:
        shown = {*document.metadata.keys() - PLACE, *self.llm_metadata_keys}
        if self.content == "text":
            shown.add("breadcrumb")
        hidden = [key for key in keys if key not in shown]
        return [*dict.fromkeys((*document.excluded_llm_metadata_keys, *hidden))]

    @staticmethod
    def _relate_to_parents(nodes: list[TextNode], excerpts: list[Excerpt]) -> None:
        by_id = {excerpt.chunk.id: node for node, excerpt in zip(nodes, excerpts)}
        for node, excerpt in zip(nodes, excerpts):
            parent = by_id.get(excerpt.chunk.parent_id or "")
            if parent is not None:
                node.relationships[NodeRelationship.PARENT] = parent.as_related_node_info()

    def _postprocess_parsed_nodes(
        self, nodes: list[BaseNode], parent_doc_map: dict[str, Document]
    ) -> list[BaseNode]:
        # LlamaIndex searches for the text of each node, and may find an earlier occurrence.
        texts = [node for node in nodes if isinstance(node, TextNode)]
        spans = [(node.start_char_idx, node.end_char_idx) for node in texts]
        nodes = super()._postprocess_parsed_nodes(nodes, parent_doc_map)
        for node, (start, end) in zip(texts, spans):
            node.start_char_idx, node.end_char_idx = start, end
        return nodes
