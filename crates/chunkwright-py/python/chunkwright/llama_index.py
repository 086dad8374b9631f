"""Split documents in LlamaIndex."""

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

    Examples:
        >>> from llama_index.core import Document
        >>> from chunkwright.llama_index import ChunkwrightNodeParser
        >>> page = Document(text="# Tea\\n\\nBoil water first.", id_="7", metadata={"file_path": "tea.md"})
        >>> [node] = ChunkwrightNodeParser(max=256).get_nodes_from_documents([page])
        >>> node.node_id, node.metadata["chunk_id"]
        ('7#tea', 'docs:tea.md#tea')
    """

    id_func: Callable[..., str] = Field(default=default_id_func, exclude=True)
    path_key: str = Field(default="file_path", description="Key of the metadata with the path or name of a document.")
    tree: str | None = Field(default=None, description="First part of chunk ids.")
    content: Content = Field(default="text", description="Field that becomes the text of nodes: `text` or `embed_text`.")
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

    def _metadata(self, document: BaseNode) -> dict[str, Any]:
        """Return the metadata that nodes inherit from a document."""
        names = document.metadata if self.include_metadata else document.metadata.keys() & {self.path_key}
        return {name: document.metadata[name] for name in names}

    def _nodes(self, document: BaseNode, excerpts: list[Excerpt]) -> list[TextNode]:
        def id_of(i: int, doc: BaseNode) -> str:
            return excerpts[i].id_below(doc.node_id)

        id_func = id_of if self.id_func is default_id_func else self.id_func
        nodes = build_nodes_from_splits([excerpt.content for excerpt in excerpts], document, id_func=id_func)
        unseen = [name for name in PLACE if name != "breadcrumb" or self.content == "embed_text"]
        for node, excerpt in zip(nodes, excerpts):
            node.metadata = excerpt.metadata
            node.start_char_idx, node.end_char_idx = excerpt.start, excerpt.end
            node.excluded_embed_metadata_keys = [*node.excluded_embed_metadata_keys, *unseen]
            node.excluded_llm_metadata_keys = [*node.excluded_llm_metadata_keys, *unseen]
        self._relate_to_parents(nodes, excerpts)
        return nodes

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
