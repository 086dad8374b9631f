"""Frameworks embed exactly `embed_text`, so no text that they embed exceeds the limit."""

import random

import pytest
from haystack import Document as HaystackDocument
from haystack import Pipeline
from haystack.components.embedders import MockDocumentEmbedder
from langchain_core.documents import Document as LangChainDocument
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore
from llama_index.core import Document as LlamaIndexDocument
from llama_index.core import MockEmbedding, VectorStoreIndex
from llama_index.core.utils import get_tokenizer

import chunkwright
from chunkwright.haystack import ChunkwrightSplitter
from chunkwright.langchain import ChunkwrightTextSplitter
from chunkwright.llama_index import ChunkwrightNodeParser

#: The tokenizer `cl100k` is also that of LlamaIndex, which counts independently.
OPTIONS = {"max": 256, "tokenizer": "cl100k"}
WORDS = "boil water wait until the kettle `--temp` shows 80 °C, then pour **slowly** über 茶 https://tea.example/a?b=1".split()


def generated_page(number):
    """Return a page with front matter, nested sections, tables, code and payloads."""
    pick = random.Random(number)

    def words(most):
        return " ".join(pick.choices(WORDS, k=pick.randint(1, most)))

    def block():
        return pick.choice(
            [
                lambda: words(120),
                lambda: "\n".join(f"{'  ' * (n % 3)}- {words(25)}" for n in range(pick.randint(1, 12))),
                lambda: f"```sh\n{chr(10).join(words(12) for _ in range(pick.randint(1, 40)))}\n```",
                lambda: "| Leaf | Time |\n|---|---|\n" + "\n".join(f"| {words(9)} | {words(3)} |" for _ in range(30)),
                lambda: f"![{words(3)}](data:image/png;base64,{pick.randbytes(900).hex()})",
                lambda: f"<!-- {words(80)} -->\n\n{words(40)}",
            ]
        )()

    tags = "\n".join(f"  - {words(4)}".replace("`", "").replace("*", "") for _ in range(20))
    sections = "\n\n".join(f"{'#' * pick.randint(2, 5)} {words(6)}\n\n{block()}\n\n{block()}" for _ in range(12))
    return f"---\ntitle: Page {number}\nreviewers:\n{tags}\n---\n\n{block()}\n\n{sections}\n"


PAGES = {f"drinks/page-{number}.md": generated_page(number) for number in range(100)}
CHUNKS = [chunk for chunks in chunkwright.Chunker(**OPTIONS).chunk_many(PAGES.values(), paths=PAGES) for chunk in chunks]


def embedded_by_langchain():
    class Recorder(Embeddings):
        def embed_documents(self, texts):
            embedded.extend(texts)
            return [[1.0] for _ in texts]

        def embed_query(self, text):
            raise NotImplementedError

    embedded = []
    pages = [LangChainDocument(text, metadata={"source": path, "team": path * 9}) for path, text in PAGES.items()]
    InMemoryVectorStore(Recorder()).add_documents(ChunkwrightTextSplitter(**OPTIONS).split_documents(pages))
    return embedded


def embedded_by_llama_index():
    class Recorder(MockEmbedding):
        def _get_text_embedding(self, text):
            embedded.append(text)
            return super()._get_text_embedding(text)

    embedded = []
    pages = [
        LlamaIndexDocument(text=text, metadata={"file_path": path, "team": path * 9}) for path, text in PAGES.items()
    ]
    VectorStoreIndex.from_documents(
        pages, transformations=[ChunkwrightNodeParser(**OPTIONS)], embed_model=Recorder(embed_dim=1)
    )
    return embedded


def embedded_by_haystack():
    def record(text):
        embedded.append(text)
        return [1.0]

    embedded = []
    pages = [HaystackDocument(content=text, meta={"file_path": path, "team": path * 9}) for path, text in PAGES.items()]
    pipeline = Pipeline()
    pipeline.add_component("splitter", ChunkwrightSplitter(**OPTIONS))
    pipeline.add_component("embedder", MockDocumentEmbedder(embedding_fn=record))
    pipeline.connect("splitter", "embedder")
    pipeline.run({"splitter": {"documents": pages}})
    return embedded


@pytest.mark.parametrize("embedded_by", [embedded_by_langchain, embedded_by_llama_index, embedded_by_haystack])
def test_every_embedded_text_is_within_the_limit(embedded_by):
    embedded = embedded_by()
    tokens = [len(get_tokenizer()(text)) for text in embedded]
    assert [text for text, count in zip(embedded, tokens) if count > OPTIONS["max"]] == []
    assert embedded == [chunk.embed_text for chunk in CHUNKS]
    assert tokens == [chunk.tokens for chunk in CHUNKS]


def test_the_pages_have_texts_over_the_limit():
    assert len(CHUNKS) > 2000
    assert sum(len(get_tokenizer()(chunk.text)) > OPTIONS["max"] for chunk in CHUNKS) > 20
    assert max(chunk.tokens for chunk in CHUNKS) == OPTIONS["max"]
