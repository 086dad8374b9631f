"""The Haystack component returns the chunks of `Chunker`, and works in pipelines."""

import asyncio
import uuid

import pytest
from haystack import Document, Pipeline
from haystack.components.retrievers import SentenceWindowRetriever
from haystack.components.writers import DocumentWriter
from haystack.core.errors import SerializationError
from haystack.document_stores.in_memory import InMemoryDocumentStore

import chunkwright
from chunkwright.haystack import ChunkwrightSplitter
from pages import OPTIONS, PAGES, chunks_of, is_verbatim

TEA = "# Tée\n\nBoil water first.\n\n## Green\n\nLet it cool to 80 °C.\n"
SOURCES = [Document(content=text, id=name, meta={"file_path": name}) for name, text in PAGES.items()]


def splitter(**keywords):
    return ChunkwrightSplitter(max=12, tokenizer="words:1", **keywords)


@pytest.mark.parametrize("options", OPTIONS)
def test_documents_match_the_chunks(options):
    documents = ChunkwrightSplitter(content="text", **options).run(documents=SOURCES)["documents"]
    chunks = chunks_of(options)
    assert [document.content for document in documents] == [chunk.text for chunk in chunks]
    assert [document.meta["chunk_id"] for document in documents] == [chunk.id for chunk in chunks]
    assert len({document.id for document in documents}) == len(documents)
    for document, chunk in zip(documents, chunks):
        page, start = PAGES[document.meta["source_id"]], document.meta.get("split_idx_start")
        assert (start is not None) == is_verbatim(chunk)
        assert start is None or page[start:].startswith(document.content)


def test_meta_contains_the_location():
    source = Document(content=TEA, id="7", meta={"file_path": "drinks/tea.md", "author": "Ada"})
    [first, second] = splitter(content="text").run(documents=[source, Document(content=None)])["documents"]
    assert [first.id, second.id] == [str(uuid.uuid5(chunkwright.NAMESPACE, name)) for name in ("7#te", "7#green")]
    told = {
        "author": "Ada",
        "file_path": "drinks/tea.md",
        "chunk_id": "docs:drinks/tea.md#green",
        "parent_id": "docs:drinks/tea.md#te",
        "breadcrumb": "tea.md › Tée › Green",
        "source_id": "7",
        "split_id": 1,
        "split_idx_start": 26,
        "page_number": 1,
        "byte_start": 27,
    }
    assert told.items() <= second.meta.items()


def test_page_numbers_count_form_feeds():
    book = "# Tea\n\nBoil water first.\n\n\f\n\n## Green\n\nLet it cool to 80 °C.\n\n\f\f\n\n## Black\n\nPour it at once."
    for first in [{}, {"page_number": 1}, {"page_number": 7}]:
        chunks = splitter().run(documents=[Document(content=book, meta=first)])["documents"]
        start = first.get("page_number", 1)
        assert [chunk.meta["page_number"] - start for chunk in chunks] == [0, 1, 3]
    plain = Document(content="One two three four.\n\n\fLet it cool to 80 °C.")
    chunks = ChunkwrightSplitter(max=6, tokenizer="words:1", context="none").run(documents=[plain])["documents"]
    assert [chunk.meta["page_number"] for chunk in chunks] == [1, 2]
    [chunk] = ChunkwrightSplitter().run(documents=[Document(content=TEA, meta={"page_number": "iv"})])["documents"]
    assert chunk.meta["page_number"] == "iv"


def test_sentence_windows_contain_whole_chunks():
    store = InMemoryDocumentStore()
    chunks = ChunkwrightSplitter(max=100).run(documents=SOURCES)["documents"]
    store.write_documents(chunks)
    retriever = SentenceWindowRetriever(store, window_size=1)
    for chunk in chunks[::7]:
        found = retriever.run(retrieved_documents=[chunk])
        [window] = found["context_windows"]
        assert chunk in found["context_documents"]
        assert all(document.content in window for document in found["context_documents"])


def pipeline_with(component, store):
    pipeline = Pipeline()
    pipeline.add_component("splitter", component)
    pipeline.add_component("writer", DocumentWriter(store))
    pipeline.connect("splitter", "writer")
    return pipeline


def test_a_pipeline_can_be_serialized():
    store = InMemoryDocumentStore()
    pipeline = pipeline_with(splitter(tree="wiki", content="embed_text"), store)
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=["chunkwright.haystack", "haystack"])
    assert again.to_dict() == pipeline.to_dict()
    source = Document(content=TEA, meta={"file_path": "tea.md"})
    assert pipeline.run({"splitter": {"documents": [source]}}) == {"writer": {"documents_written": 2}}
    [green] = store.filter_documents({"field": "meta.anchor", "operator": "==", "value": "green"})
    assert green.content == "Tée\n\n## Green\n\nLet it cool to 80 °C."
    assert green.meta["chunk_id"] == "wiki:tea.md#green"


def words(text):
    return len(text.split())


def test_a_tokenizer_function_can_be_serialized():
    pipeline = pipeline_with(ChunkwrightSplitter(max=12, tokenizer=words), InMemoryDocumentStore())
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=["chunkwright.haystack", "haystack", __name__])
    assert again.to_dict() == pipeline.to_dict()
    restored = again.get_component("splitter").run(documents=SOURCES)
    assert restored == ChunkwrightSplitter(max=12, tokenizer=words).run(documents=SOURCES)
    with pytest.raises(SerializationError, match="lambdas"):
        ChunkwrightSplitter(tokenizer=lambda text: len(text)).to_dict()


def test_an_async_pipeline_writes_the_same_documents():
    source = Document(content=TEA, meta={"file_path": "tea.md"})
    stores = [InMemoryDocumentStore(), InMemoryDocumentStore()]
    pipeline_with(splitter(), stores[0]).run({"splitter": {"documents": [source]}})
    asyncio.run(pipeline_with(splitter(), stores[1]).run_async({"splitter": {"documents": [source]}}))
    assert stores[0].filter_documents() == stores[1].filter_documents()
    assert asyncio.run(splitter().run_async(documents=SOURCES)) == splitter().run(documents=SOURCES)


def test_invalid_options_are_rejected():
    with pytest.raises(ValueError, match="unknown option `chunk_size`"):
        ChunkwrightSplitter(chunk_size=100)
    with pytest.raises(ValueError, match="content='markdown'"):
        ChunkwrightSplitter(content="markdown")
