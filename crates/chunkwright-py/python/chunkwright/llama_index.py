"""Chunks for LlamaIndex."""

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
    """Parses Markdown into nodes as `chunkwright.Chunker` does; options are its options."""

    id_func: Callable[..., str] = Field(default=default_id_func, exclude=True)
    path_key: str = Field(default="file_path", description="The key of metadata that has a document's path or name.")
    tree: str | None = Field(default=None, description="The first part of chunk ids.")
    content: Content = Field(default="text", description="What becomes the text of nodes: `text` or `embed_text`.")
    options: dict[str, Any] = Field(
        default_factory=dict, frozen=True, description="All keywords that are not fields."
    )
    _chunker: Chunker = PrivateAttr()

    def __init__(self, **keywords: Any) -> None:
        fields = {name: value for name, value in keywords.items() if name in type(self).model_fields}
        options = {name: value for name, value in keywords.items() if name not in fields}
        fields["options"] = {**fields.get("options", {}), **options}
        super().__init__(**fields)
        self._chunker = Chunker(**self.options)
        self._cutter()  # tells what is wrong with the fields

    @classmethod
    def class_name(cls) -> str:
        return "ChunkwrightNodeParser"

    def __getstate__(self) -> dict[str, Any]:
        pickle.dumps(self.options)  # raises; LlamaIndex would go on without them
        return super().__getstate__()

    def _cutter(self) -> Cutter:
        return Cutter(self._chunker, path_key=self.path_key, tree=self.tree, content=self.content)

    def _parse_nodes(self, nodes: Sequence[BaseNode], show_progress: bool = False, **_: Any) -> list[BaseNode]:
        texts = [node.get_content(metadata_mode=MetadataMode.NONE) for node in nodes]
        cut = self._cutter().excerpts(texts, [self._metadata(node) for node in nodes])
        return [node for document, excerpts in zip(nodes, cut) for node in self._nodes(document, excerpts)]

    def _metadata(self, document: BaseNode) -> dict[str, Any]:
        """What of a document's metadata its nodes may have."""
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
        # LlamaIndex searches for each text, and may find another that is alike.
        texts = [node for node in nodes if isinstance(node, TextNode)]
        spans = [(node.start_char_idx, node.end_char_idx) for node in texts]
        nodes = super()._postprocess_parsed_nodes(nodes, parent_doc_map)
        for node, (start, end) in zip(texts, spans):
            node.start_char_idx, node.end_char_idx = start, end
        return nodes
