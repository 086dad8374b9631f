"""Split documents in LangChain, and store them under ids that survive edits.

Run it in the root of the repository, with the extra `langchain`: python examples/python/langchain_splitter.py
"""

import pathlib

from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.vectorstores import InMemoryVectorStore

from chunkwright.langchain import ChunkwrightTextSplitter

folder = pathlib.Path("docs/examples")
pages = [Document(page.read_text(), metadata={"source": page.name}) for page in sorted(folder.glob("*.md"))]

splitter = ChunkwrightTextSplitter(max=200)
chunks = splitter.split_documents(pages)

# Replace the embedding by that of your model. Adding the next version of a chunk replaces this one.
store = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))
store.add_documents(chunks)

# The fake embedding finds only exact text.
[found] = store.similarity_search(chunks[-1].page_content, k=1)
print(len(chunks), "chunks")
print(found.metadata["chunk_id"], "|", found.metadata["breadcrumb"], "|", found.metadata["tokens"], "tokens")

# Output:
# 7 chunks
# docs:long-table.md#exit-codes~2 | long-table.md › Exit codes | 88 tokens
