"""The Haystack component returns the chunks of `Chunker`, and works in pipelines."""

import pytest
from haystack import Document, Pipeline
from haystack.components.writers import DocumentWriter
from haystack.document_stores.in_memory import InMemoryDocumentStore

from chunkwright.haystack import ChunkwrightSplitter
from pages import OPTIONS, PAGES, chunks_of, is_verbatim

TEA = "# Tée\n\nBoil water first.\n\n## Green\n\nLet it cool to 80 °C.\n"
SOURCES = [Document(content=text, id=name, meta={"file_path": name}) for name, text in PAGES.items()]


def splitter(**keywords):
    return ChunkwrightSplitter(max=12, tokenizer="words:1", **keywords)


@pytest.mark.parametrize("options", OPTIONS)
def test_documents_match_the_chunks(options):
    documents = ChunkwrightSplitter(**options).run(documents=SOURCES)["documents"]
    chunks = chunks_of(options)
    assert [document.content for document in documents] == [chunk.text for chunk in chunks]
    assert [document.meta["chunk_id"] for document in documents] == [chunk.id for chunk in chunks]
    assert len({document.id for document in documents}) == len(documents)
    for document, chunk in zip(documents, chunks):
        page, start = PAGES[document.meta["source_id"]], document.meta["split_idx_start"]
        if is_verbatim(chunk):
            assert page[start:].startswith(document.content)
        else:
            assert len(page[:start].encode()) == chunk.byte_start


def test_meta_contains_the_location():
    source = Document(content=TEA, id="7", meta={"file_path": "drinks/tea.md", "author": "Ada"})
    [first, second] = splitter().run(documents=[source, Document(content=None)])["documents"]
    assert (first.id, second.id) == ("7#te", "7#green")
    told = {
        "author": "Ada",
        "file_path": "drinks/tea.md",
        "chunk_id": "docs:drinks/tea.md#green",
        "parent_id": "docs:drinks/tea.md#te",
        "breadcrumb": "tea.md › Tée › Green",
        "source_id": "7",
        "split_id": 1,
        "split_idx_start": 26,
        "byte_start": 27,
    }
    assert told.items() <= second.meta.items()


def test_a_pipeline_can_be_serialized():
    store = InMemoryDocumentStore()
    pipeline = Pipeline()
    pipeline.add_component("splitter", splitter(tree="wiki", content="embed_text"))
    pipeline.add_component("writer", DocumentWriter(store))
    pipeline.connect("splitter", "writer")
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=["chunkwright.haystack", "haystack"])
    assert again.to_dict() == pipeline.to_dict()
    source = Document(content=TEA, meta={"file_path": "tea.md"})
    assert pipeline.run({"splitter": {"documents": [source]}}) == {"writer": {"documents_written": 2}}
    [green] = store.filter_documents({"field": "meta.anchor", "operator": "==", "value": "green"})
    assert green.content == "Tée\n\n## Green\n\nLet it cool to 80 °C."
    assert green.meta["chunk_id"] == "wiki:tea.md#green"


def test_invalid_options_are_rejected():
    with pytest.raises(ValueError, match="unknown option `chunk_size`"):
        ChunkwrightSplitter(chunk_size=100)
    with pytest.raises(ValueError, match="content='markdown'"):
        ChunkwrightSplitter(content="markdown")
