"""The LlamaIndex node parser returns the chunks of `Chunker`, and works in pipelines."""

import asyncio
import pickle
import uuid

import pytest
from llama_index.core import Document, MockEmbedding, VectorStoreIndex
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.node_parser import NodeParser
from llama_index.core.schema import MetadataMode, NodeRelationship
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores import SimpleVectorStore
from llama_index.core.vector_stores.utils import node_to_metadata_dict

import chunkwright
from chunkwright.llama_index import ChunkwrightNodeParser
from pages import OPTIONS, PAGES, chunks_of, is_verbatim

TEA = "---\ntags: [hot, green]\n---\n# Tée\n\nBoil water first.\n\n## Green\n\nLet it cool to 80 °C.\n"
SOURCES = [Document(text=text, id_=name, metadata={"file_path": name}) for name, text in PAGES.items()]


def parser(**keywords):
    return ChunkwrightNodeParser(max=12, tokenizer="words:1", **keywords)


def tea(**metadata):
    return Document(text=TEA, id_="tea", metadata={"file_path": "drinks/tea.md", **metadata})


def related(node, relationship):
    found = node.relationships.get(relationship)
    return found and found.node_id


@pytest.mark.parametrize("options", OPTIONS)
def test_nodes_match_the_chunks(options):
    nodes = ChunkwrightNodeParser(content="text", **options).get_nodes_from_documents(SOURCES)
    chunks = chunks_of(options)
    assert [node.text for node in nodes] == [chunk.text for chunk in chunks]
    assert [node.metadata["chunk_id"] for node in nodes] == [chunk.id for chunk in chunks]
    assert len({node.node_id for node in nodes}) == len(nodes)
    for node, chunk in zip(nodes, chunks):
        page = PAGES[node.ref_doc_id]
        if is_verbatim(chunk):
            assert page[node.start_char_idx : node.end_char_idx] == node.text
        else:
            own = page.encode()[chunk.byte_start : chunk.byte_end].decode()
            assert page[node.start_char_idx : node.end_char_idx] == own.rstrip()


def test_offsets_are_exact_for_repeated_text():
    twice = Document(text="One two three yes.\n\nyes.\n")
    nodes = ChunkwrightNodeParser(max=4, tokenizer="words:1", context="none").get_nodes_from_documents([twice])
    assert [(node.text, node.start_char_idx) for node in nodes] == [("One two three yes.", 0), ("yes.", 20)]


@pytest.mark.parametrize("options", OPTIONS)
def test_nodes_link_to_their_neighbors_and_parent(options):
    nodes = ChunkwrightNodeParser(**options).get_nodes_from_documents(SOURCES)
    by_id = {node.metadata["chunk_id"]: node for node in nodes}
    for before, node, after in zip([None, *nodes], nodes, [*nodes[1:], None]):
        beside = [other and other.ref_doc_id == node.ref_doc_id and other.node_id or None for other in (before, after)]
        assert [related(node, NodeRelationship.PREVIOUS), related(node, NodeRelationship.NEXT)] == beside
        parent = by_id.get(node.metadata.get("parent_id"))
        assert related(node, NodeRelationship.PARENT) == (parent and parent.node_id)
        assert related(node, NodeRelationship.SOURCE) == node.ref_doc_id


def test_ids_are_derived_from_the_id_of_the_document():
    nodes = parser().get_nodes_from_documents([tea(), Document(text="Before.\n\n# After\n", id_="other")])
    names = ["tea#te", "tea#green", "other"]
    assert [node.node_id for node in nodes] == [str(uuid.uuid5(chunkwright.NAMESPACE, name)) for name in names]
    numbered = parser(id_func=lambda i, doc: f"{doc.node_id}-{i}")
    assert [node.node_id for node in numbered.get_nodes_from_documents([tea()])] == ["tea-0", "tea-1"]


def test_only_the_text_is_embedded():
    [_, green] = parser().get_nodes_from_documents([tea(author="Ada")])
    assert green.get_content(MetadataMode.EMBED) == "Tée\n\n## Green\n\nLet it cool to 80 °C."
    [_, green] = parser(content="text").get_nodes_from_documents([tea(author="Ada")])
    assert green.get_content(MetadataMode.EMBED) == "## Green\n\nLet it cool to 80 °C."


def test_llms_see_the_metadata_of_the_document():
    [_, green] = parser().get_nodes_from_documents([tea(author="Ada", tokens=7)])
    assert green.get_metadata_str(MetadataMode.LLM) == "file_path: drinks/tea.md\nauthor: Ada"
    [_, green] = parser(content="text").get_nodes_from_documents([tea()])
    assert green.get_metadata_str(MetadataMode.LLM) == "file_path: drinks/tea.md\nbreadcrumb: tea.md › Tée › Green"
    [_, green] = parser(include_metadata=False).get_nodes_from_documents([tea(author="Ada")])
    assert "author" not in green.metadata


def test_keys_that_the_document_excludes_stay_excluded():
    page = tea(author="Ada", draft="no", version="7")
    page.excluded_embed_metadata_keys = ["draft", "absent"]
    page.excluded_llm_metadata_keys = ["version", "missing"]
    shown = {"embed_metadata_keys": ["author", "draft", "tags"], "llm_metadata_keys": ["version", "tags"]}
    [_, green] = parser(**shown).get_nodes_from_documents([page])
    assert green.get_metadata_str(MetadataMode.EMBED) == 'author: Ada\ntags: ["hot", "green"]'
    seen = 'file_path: drinks/tea.md\nauthor: Ada\ndraft: no\ntags: ["hot", "green"]'
    assert green.get_metadata_str(MetadataMode.LLM) == seen
    assert green.excluded_embed_metadata_keys[:2] == ["draft", "absent"]
    assert green.excluded_llm_metadata_keys[:2] == ["version", "missing"]
    assert page.excluded_embed_metadata_keys == ["draft", "absent"]


def test_a_node_can_be_split_again():
    [_, green] = parser().get_nodes_from_documents([tea(author="Ada")])
    [again] = parser()([green])
    assert again.get_content(MetadataMode.EMBED) == again.text == f"tea\n\n{green.text}"


def test_async_methods_return_the_same_nodes():
    made = parser()
    nodes = made.get_nodes_from_documents(SOURCES)
    assert asyncio.run(made.aget_nodes_from_documents(SOURCES)) == nodes
    assert asyncio.run(made.acall(SOURCES)) == nodes


def test_metadata_is_flat_for_vector_stores():
    for node in ChunkwrightNodeParser(max=100).get_nodes_from_documents(SOURCES):
        assert node_to_metadata_dict(node, flat_metadata=True)["chunk_id"] == node.metadata["chunk_id"]


def test_a_parser_can_be_serialized_and_pickled():
    made = parser(tree="wiki", content="text", embed_metadata_keys=["tags"], include_prev_next_rel=False)
    for again in [
        ChunkwrightNodeParser.from_dict(made.to_dict()),
        ChunkwrightNodeParser.from_json(made.to_json()),
        pickle.loads(pickle.dumps(made)),
    ]:
        assert again.to_dict() == made.to_dict()
        assert [node.text for node in again([tea()])] == [node.text for node in made([tea()])]
    with pytest.raises((AttributeError, pickle.PicklingError)):
        pickle.dumps(ChunkwrightNodeParser(tokenizer=lambda text: len(text)))


def test_invalid_options_are_rejected():
    assert isinstance(parser(), NodeParser)
    with pytest.raises(ValueError, match="unknown option `chunk_size`"):
        ChunkwrightNodeParser(chunk_size=100)
    with pytest.raises(ValueError, match="embed_text"):
        ChunkwrightNodeParser(content="markdown")


def test_a_pipeline_skips_unchanged_documents():
    pipeline = IngestionPipeline(
        transformations=[parser(), MockEmbedding(embed_dim=4)],
        docstore=SimpleDocumentStore(),
        vector_store=SimpleVectorStore(),
    )
    assert len(pipeline.run(documents=[tea()])) == 2
    assert pipeline.run(documents=[tea()]) == []


def test_an_index_accepts_the_nodes():
    index = VectorStoreIndex.from_documents(
        [tea()], transformations=[parser()], embed_model=MockEmbedding(embed_dim=4)
    )
    found = index.as_retriever(similarity_top_k=2).retrieve("water")
    assert {scored.node.metadata["chunk_id"] for scored in found} == {"docs:drinks/tea.md#te", "docs:drinks/tea.md#green"}


def test_fields_can_be_changed_but_options_cannot():
    parser = ChunkwrightNodeParser(max=12, tokenizer="words:1")
    parser.tree = "wiki"
    [node] = parser.get_nodes_from_documents([Document(text="Text.")])
    assert node.metadata["chunk_id"].startswith("wiki:")
    with pytest.raises(ValueError, match="frozen"):
        parser.options = {}
