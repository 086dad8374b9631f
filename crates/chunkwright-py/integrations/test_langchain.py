"""The LangChain text splitter returns the chunks of `Chunker`, and works with vector stores."""

import asyncio
import copy
import pickle
import uuid

import pytest
from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.indexing import InMemoryRecordManager, index
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_text_splitters import TextSplitter

import chunkwright
from chunkwright.langchain import ChunkwrightTextSplitter
from pages import OPTIONS, PAGES, chunks_of, is_verbatim

TEA = "---\ntags: [hot, green]\nauthor: Ada\n---\n# Tée\n\nBoil water first.\n\n## Green\n\nLet it cool to 80 °C.\n"
SPLITTER = ChunkwrightTextSplitter(max=12, tokenizer="words:1")
SOURCES = [Document(text, metadata={"source": name}) for name, text in PAGES.items()]


@pytest.mark.parametrize("options", OPTIONS)
def test_documents_match_the_chunks(options):
    splitter = ChunkwrightTextSplitter(content="text", **options)
    documents = splitter.split_documents(SOURCES)
    chunks = chunks_of(options)
    assert [document.page_content for document in documents] == [chunk.text for chunk in chunks]
    assert [document.metadata["chunk_id"] for document in documents] == [chunk.id for chunk in chunks]
    for document, chunk in zip(documents, chunks):
        page, start = PAGES[document.metadata["source"]], document.metadata["start_index"]
        if is_verbatim(chunk):
            assert page[start:].startswith(document.page_content)
        else:
            assert len(page[:start].encode()) == chunk.byte_start


@pytest.mark.parametrize("options", OPTIONS)
def test_all_split_methods_agree(options):
    splitter = ChunkwrightTextSplitter(**options)
    documents = splitter.split_documents(SOURCES)
    assert splitter.transform_documents(SOURCES) == documents
    assert asyncio.run(splitter.atransform_documents(SOURCES)) == documents
    assert splitter.create_documents(list(PAGES.values()), [source.metadata for source in SOURCES]) == documents
    page = PAGES["large-mixed-page.md"]
    assert splitter.split_text(page) == [document.page_content for document in splitter.create_documents([page])]


def test_metadata_contains_the_location():
    source = {"source": "drinks/tea.md", "author": "Grace", "nested": {"kept": True}}
    before = copy.deepcopy(source)
    [first, second] = SPLITTER.create_documents([TEA], [source])
    assert second.metadata == {
        "source": "drinks/tea.md",
        "author": "Grace",
        "nested": {"kept": True},
        "tags": '["hot", "green"]',
        "chunk_id": "docs:drinks/tea.md#green",
        "parent_id": "docs:drinks/tea.md#te",
        "breadcrumb": "tea.md › Tée › Green",
        "anchor": "green",
        "depth": 2,
        "position": 1,
        "tokens": 9,
        "byte_start": TEA.encode().index(b"## Green"),
        "byte_end": len(TEA.encode()),
        "line_start": 9,
        "line_end": 11,
        "content_hash": second.metadata["content_hash"],
        "start_index": TEA.index("## Green"),
    }
    assert source == before
    first.metadata["nested"]["kept"] = False
    assert second.metadata["nested"]["kept"]


def uuids(*names):
    return [str(uuid.uuid5(chunkwright.NAMESPACE, name)) for name in names]


def test_ids_are_derived_from_the_chunk_id():
    chunks = SPLITTER.create_documents([TEA], [{"source": "tea.md"}])
    assert [chunk.id for chunk in chunks] == uuids("docs:tea.md#te", "docs:tea.md#green")
    for document in SPLITTER.split_documents(SOURCES):
        assert [document.id] == uuids(document.metadata["chunk_id"])


def test_ids_are_derived_from_the_id_of_the_document():
    chunks = SPLITTER.split_documents([Document(TEA, id="7", metadata={"source": "tea.md"})])
    assert [chunk.id for chunk in chunks] == uuids("7#te", "7#green")


def test_documents_with_the_same_source_get_different_ids():
    pages = [Document(TEA, metadata={"source": "tea.pdf", "page": page}) for page in range(3)]
    chunks = SPLITTER.split_documents(pages)
    assert len({chunk.id for chunk in chunks}) == len(chunks) == 6
    assert [chunk.id for chunk in chunks] == [chunk.id for chunk in SPLITTER.split_documents(pages)]
    assert [chunk.id for chunk in chunks[:2]] == [chunk.id for chunk in SPLITTER.split_documents(pages[:1])]


def test_chunks_of_documents_without_id_and_source_have_no_id():
    assert [document.id for document in SPLITTER.create_documents([TEA, "Text."])] == [None] * 3


def test_chunks_can_be_split_again():
    [_, second] = SPLITTER.create_documents([TEA])
    [again] = SPLITTER.split_documents([second])
    assert again.page_content == second.page_content
    assert (again.metadata["start_index"], again.metadata["byte_start"]) == (0, 0)


def test_content_starts_with_the_headings_above_unless_disabled():
    [_, second] = SPLITTER.create_documents([TEA], [{"source": "tea.md"}])
    assert second.page_content == "Tée\n\n## Green\n\nLet it cool to 80 °C."
    assert SPLITTER.split_text(TEA)[1].startswith("Tée\n\n## Green")
    splitter = ChunkwrightTextSplitter(max=12, tokenizer="words:1", content="text")
    assert splitter.split_text(TEA)[1] == "## Green\n\nLet it cool to 80 °C."
    with pytest.raises(ValueError, match="content='markdown': expected 'text' or 'embed_text'"):
        ChunkwrightTextSplitter(content="markdown")


def test_behaves_like_a_text_splitter():
    assert isinstance(SPLITTER, TextSplitter)
    counted = ChunkwrightTextSplitter(max=30, length_function=len)
    assert counted.split_text("Ten chars.\n\nTen chars.\n\nTen chars.") == ["Ten chars.\n\nTen chars.", "Ten chars."]
    assert pickle.loads(pickle.dumps(SPLITTER)).split_text(TEA) == SPLITTER.split_text(TEA)
    with pytest.raises(ValueError, match="unknown option `chunk_size`"):
        ChunkwrightTextSplitter(chunk_size=100)
    with pytest.raises(ValueError, match="argument 2 is shorter"):
        SPLITTER.create_documents(["# A", "# B"], [{}])


def test_a_vector_store_replaces_chunks_with_the_same_id():
    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))
    for text in [TEA, TEA.replace("80", "70")]:
        store.add_documents(SPLITTER.create_documents([text], [{"source": "tea.md"}]))
    assert len(store.store) == 2
    [found] = store.get_by_ids(uuids("docs:tea.md#green"))
    assert found.page_content.endswith("Let it cool to 70 °C.")
    assert found.metadata["breadcrumb"] == "tea.md › Tée › Green"


def test_the_indexing_api_skips_unchanged_chunks():
    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))
    manager = InMemoryRecordManager("pages")
    manager.create_schema()
    outcomes = []
    for text in [TEA, TEA, TEA.replace("80", "70")]:
        chunks = SPLITTER.create_documents([text], [{"source": "tea.md"}])
        outcomes.append(index(chunks, manager, store, cleanup="incremental", source_id_key="source", key_encoder="sha256"))
    counts = [(done["num_added"], done["num_skipped"], done["num_deleted"]) for done in outcomes]
    assert counts == [(2, 0, 0), (0, 2, 0), (1, 1, 1)]


def test_a_loader_can_split_its_documents():
    class Loader(BaseLoader):
        def lazy_load(self):
            yield from SOURCES

    assert Loader().load_and_split(SPLITTER) == SPLITTER.split_documents(SOURCES)


def test_parameters_of_langchain_are_accepted_or_explained():
    with pytest.raises(ValueError, match=r"unknown option `chunk_size`; did you mean `max`\?"):
        ChunkwrightTextSplitter(chunk_size=1000)
    with pytest.raises(ValueError, match="cannot use both length_function and tokenizer"):
        ChunkwrightTextSplitter(length_function=len, tokenizer="chars")
    [document] = ChunkwrightTextSplitter(add_start_index=False).create_documents(["Text."])
    assert "start_index" not in document.metadata
