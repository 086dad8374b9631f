"""Splits the documents of frameworks, and prepares the content, offsets and metadata of their chunks."""

import copy
import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ._native import NAMESPACE, Chunk, Chunker

Content = Literal["text", "embed_text"]

#: Fields of the record that become metadata.
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
#: All metadata keys of a chunk. Its id is `chunk_id`, because frameworks use `id` for their own.
PLACE = ("chunk_id", *FIELDS)


@dataclass(frozen=True)
class Excerpt:
    """A chunk with what frameworks need: content, character offsets and flat metadata."""

    chunk: Chunk
    content: str
    #: Offsets in the text of the document, in characters.
    start: int
    end: int
    metadata: dict[str, Any]

    def uuid(self, document_id: str) -> str:
        """Return a UUID derived from the chunk id, with `document_id` in place of the document's part.

        Some stores accept only UUIDs as ids, and others limit their length or characters.
        """
        place = self.chunk.id.removeprefix(self.chunk.doc_id)
        return str(uuid.uuid5(NAMESPACE, document_id + place))


class Cutter:
    """A chunker for the documents of a framework."""

    def __init__(self, chunker: Chunker, *, path_key: str, tree: str | None, content: Content) -> None:
        if content not in ("text", "embed_text"):
            raise ValueError(f"content={content!r}: expected 'text' or 'embed_text'")
        self.chunker = chunker
        self.path_key = path_key
        self.tree = tree
        self.content = content

    def path(self, metadata: Mapping[str, Any]) -> str:
        """Return the path of a document, or an empty string if its metadata has none."""
        return str(metadata.get(self.path_key) or "")

    def contents(self, text: str) -> list[str]:
        return [getattr(chunk, self.content) for chunk in self.chunker.chunk(text, tree=self.tree)]

    def excerpts(self, texts: Sequence[str], metadatas: Sequence[Mapping[str, Any]]) -> Iterator[list[Excerpt]]:
        """Yield the excerpts of each text."""
        paths = [self.path(metadata) or "-" for metadata in metadatas]
        cut = self.chunker.chunk_many(texts, paths=paths, tree=self.tree)
        for text, metadata, chunks in zip(texts, metadatas, cut):
            yield [
                Excerpt(chunk, getattr(chunk, self.content), start, end, metadata_of(chunk, metadata))
                for chunk, (start, end) in zip(chunks, spans(text, chunks))
            ]


def spans(text: str, chunks: Sequence[Chunk]) -> Iterator[tuple[int, int]]:
    """Yield the range of each chunk in the text, in characters.

    The range covers the text of the chunk. If that text does not occur verbatim, because a table
    header was repeated or a code fence closed, the range covers the chunk's own part of the source.
    """
    places = characters(text, [at for chunk in chunks for at in (chunk.byte_start, chunk.byte_end)])
    for chunk in chunks:
        start, end = places[chunk.byte_start], places[chunk.byte_end]
        end = start + len(text[start:end].rstrip())
        # With overlap, a chunk starts before `byte_start`; only its end is known.
        shown = max(end - len(chunk.text.rstrip()), 0)
        yield (shown, shown + len(chunk.text)) if text.startswith(chunk.text, shown) else (start, end)


def characters(text: str, offsets: Sequence[int]) -> dict[int, int]:
    """Return the character offset of each byte offset."""
    if text.isascii():
        return {offset: offset for offset in offsets}
    data, before, count, found = text.encode(), 0, 0, {}
    for offset in sorted(offsets):
        count += len(data[before:offset].decode())
        before = offset
        found[offset] = count
    return found


def metadata_of(chunk: Chunk, document: Mapping[str, Any]) -> dict[str, Any]:
    """Merge metadata: fields of the chunk take precedence over the document's, and those over front matter."""
    page = {**chunk.metadata, "url": chunk.url}
    kept = {key: copy.deepcopy(value) for key, value in document.items() if key not in PLACE}
    place = {"chunk_id": chunk.id} | {name: getattr(chunk, name) for name in FIELDS}
    place["breadcrumb"] = " › ".join(chunk.breadcrumb)
    return {**plain(page), **kept, **plain(place)}


def plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """Keep strings, numbers and booleans, the only types many vector stores accept; encode the rest as JSON."""
    return {
        key: value if isinstance(value, str | int | float) else json.dumps(value, ensure_ascii=False)
        for key, value in values.items()
        if value is not None
    }
