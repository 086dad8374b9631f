"""Documents of a framework come in, as texts with metadata; what the framework makes of each chunk goes out."""

import copy
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ._native import Chunk, Chunker

Content = Literal["text", "embed_text"]

#: Fields of the record that are metadata, since nothing else could tell them.
FIELDS = (
    "parent_id",
    "breadcrumb",
    "anchor",
    "depth",
    "position",
    "tokens",
    "byte_start",
    "byte_end",
    "line_start",
    "line_end",
    "content_hash",
)
#: All metadata that only a chunk has. Its id has a name of its own: `id` is the framework's.
PLACE = ("chunk_id", *FIELDS)


@dataclass(frozen=True)
class Excerpt:
    """A chunk, as frameworks want it."""

    chunk: Chunk
    content: str
    #: Where it is in the text of its document, in characters.
    start: int
    end: int
    metadata: dict[str, Any]

    def id_below(self, document_id: str) -> str:
        """The place of the chunk, below the id that its document has in the framework."""
        place = self.chunk.id.removeprefix(self.chunk.doc_id).removeprefix("#")
        return f"{document_id}#{place}"


class Cutter:
    """A chunker, and how it meets the documents of a framework."""

    def __init__(self, chunker: Chunker, *, path_key: str, tree: str | None, content: Content) -> None:
        if content not in ("text", "embed_text"):
            raise ValueError(f"content={content!r}: it is 'text' or 'embed_text'")
        self.chunker = chunker
        self.path_key = path_key
        self.tree = tree
        self.content = content

    def contents(self, text: str) -> list[str]:
        return [getattr(chunk, self.content) for chunk in self.chunker.chunk(text, tree=self.tree)]

    def excerpts(self, texts: Sequence[str], metadatas: Sequence[Mapping[str, Any]]) -> Iterator[list[Excerpt]]:
        """The excerpts of each text."""
        paths = [str(metadata.get(self.path_key) or "-") for metadata in metadatas]
        cut = self.chunker.chunk_many(texts, paths=paths, tree=self.tree)
        for text, metadata, chunks in zip(texts, metadatas, cut):
            yield [
                Excerpt(chunk, getattr(chunk, self.content), start, end, metadata_of(chunk, metadata))
                for chunk, (start, end) in zip(chunks, spans(text, chunks))
            ]


def spans(text: str, chunks: Sequence[Chunk]) -> Iterator[tuple[int, int]]:
    """Where each chunk is in the text, in characters.

    That is where its text is. If it is not in there as it is, since a head of a table was repeated or
    a fence closed, it is where its own part is.
    """
    places = characters(text, [at for chunk in chunks for at in (chunk.byte_start, chunk.byte_end)])
    for chunk in chunks:
        start, end = places[chunk.byte_start], places[chunk.byte_end]
        end = start + len(text[start:end].rstrip())
        # A chunk may begin with what the one before ends with, so its end is what is sure.
        shown = max(end - len(chunk.text.rstrip()), 0)
        yield (shown, shown + len(chunk.text)) if text.startswith(chunk.text, shown) else (start, end)


def characters(text: str, offsets: Sequence[int]) -> dict[int, int]:
    """How many characters there are before each offset, which counts bytes."""
    if text.isascii():
        return {offset: offset for offset in offsets}
    data, before, count, found = text.encode(), 0, 0, {}
    for offset in sorted(offsets):
        count += len(data[before:offset].decode())
        before = offset
        found[offset] = count
    return found


def metadata_of(chunk: Chunk, document: Mapping[str, Any]) -> dict[str, Any]:
    """What its document tells wins over front matter; what only the chunk knows wins over both."""
    page = {**chunk.metadata, "url": chunk.url}
    kept = {key: copy.deepcopy(value) for key, value in document.items() if key not in PLACE}
    place = {"chunk_id": chunk.id} | {name: getattr(chunk, name) for name in FIELDS}
    place["breadcrumb"] = " › ".join(chunk.breadcrumb)
    return {**plain(page), **kept, **plain(place)}


def plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """Only text, numbers and truth values, since many vector stores take nothing else; the rest as JSON."""
    return {
        key: value if isinstance(value, str | int | float) else json.dumps(value, ensure_ascii=False)
        for key, value in values.items()
        if value is not None
    }
