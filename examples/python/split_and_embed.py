"""Split a folder, embed the chunks, and find the best one for a question.

Run it in the root of the repository: python examples/python/split_and_embed.py
"""

import math
import re
import zlib

import chunkwright


def embed(text: str) -> list[float]:
    """Hash words into 64 buckets. Replace this function with your embedding model."""
    vector = [0.0] * 64
    for word in re.findall(r"\w+", text.lower()):
        vector[zlib.crc32(word.encode()) % 64] += 1.0
    length = math.hypot(*vector) or 1.0
    return [value / length for value in vector]


# Set `tokenizer` to that of your model, and no chunk is truncated.
chunks = list(chunkwright.chunk_files("docs/examples", max=120, tokenizer="o200k"))
vectors = [embed(chunk.embed_text) for chunk in chunks]

question = embed("How do I read a secret from the terminal?")
scores = [sum(a * b for a, b in zip(question, vector)) for vector in vectors]
best = chunks[scores.index(max(scores))]

print(f"{len(chunks)} chunks, at most {max(chunk.tokens for chunk in chunks)} tokens")
print(f"{best.path}:{best.line_start} {' › '.join(best.breadcrumb)}")

# Output:
# 10 chunks, at most 120 tokens
# guide.md:17 guide.md › Kettle guide › Use
