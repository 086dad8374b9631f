"""The LlamaIndex node parser returns the chunks of `Chunker`, and works in pipelines."""

import pickle

import pytest
from llama_index.core import Document, MockEmbedding, VectorStoreIndex
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.node_parser import NodeParser
from llama_index.core.schema import MetadataMode, NodeRelationship
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores import SimpleVectorStore
from llama_index.core.vector_stores.utils import node_to_metadata_dict

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
    nodes = ChunkwrightNodeParser(**options).get_nodes_from_documents(SOURCES)
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


def test_ids_start_with_the_id_of_the_document():
    nodes = parser().get_nodes_from_documents([tea(), Document(text="Before.\n\n# After\n", id_="other")])
    assert [node.node_id for node in nodes] == ["tea#te", "tea#green", "other#"]
    numbered = parser(id_func=lambda i, doc: f"{doc.node_id}-{i}")
    assert [node.node_id for node in numbered.get_nodes_from_documents([tea()])] == ["tea-0", "tea-1"]


def test_models_see_the_breadcrumb_and_the_document_metadata():
    [_, green] = parser().get_nodes_from_documents([tea(author="Ada")])
    told = "file_path: drinks/tea.md\ntags: [\"hot\", \"green\"]\nauthor: Ada\nbreadcrumb: tea.md › Tée › Green"
    assert sorted(green.get_metadata_str(MetadataMode.EMBED).split("\n")) == sorted(told.split("\n"))
    assert sorted(green.get_metadata_str(MetadataMode.LLM).split("\n")) == sorted(told.split("\n"))
    [_, green] = parser(content="embed_text", include_metadata=False).get_nodes_from_documents([tea(author="Ada")])
    assert green.text == "Tée\n\n## Green\n\nLet it cool to 80 °C."
    assert "author" not in green.metadata and "breadcrumb" not in green.get_metadata_str(MetadataMode.EMBED)


def test_metadata_is_flat_for_vector_stores():
    for node in ChunkwrightNodeParser(max=100).get_nodes_from_documents(SOURCES):
        assert node_to_metadata_dict(node, flat_metadata=True)["chunk_id"] == node.metadata["chunk_id"]


def test_a_parser_can_be_serialized_and_pickled():
    made = parser(tree="wiki", content="embed_text", path_key="file_name", include_prev_next_rel=False)
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
    assert {scored.node.node_id for scored in found} == {"tea#te", "tea#green"}


def test_fields_can_be_changed_but_options_cannot():
    parser = ChunkwrightNodeParser(max=12, tokenizer="words:1")
    parser.tree = "wiki"
    [node] = parser.get_nodes_from_documents([Document(text="Text.")])
    assert node.metadata["chunk_id"].startswith("wiki:")
    with pytest.raises(ValueError, match="frozen"):
        parser.options = {}
