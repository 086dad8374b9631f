"""The pages that all adapters split, and the expected chunks."""

import chunkwright
from common import CORPUS

FILES = sorted(page for page in CORPUS.iterdir() if not page.name.startswith("."))
PAGES = {page.name: page.read_bytes().decode() for page in FILES}

#: Options that split most pages. Some of them make chunks repeat text.
OPTIONS = [
    {"max": 100},
    {"strategy": "blocks", "max": 100, "target": 60, "min": 20, "overlap": 20},
    {"strategy": "window", "max": 100, "min": 50, "min_deeper": 60},
    {"strategy": "tree"},
]


def chunks_of(options):
    """Return the chunks of all pages, page by page."""
    cut = chunkwright.Chunker(**options).chunk_many(PAGES.values(), paths=PAGES)
    return [chunk for chunks in cut for chunk in chunks]


def is_verbatim(chunk):
    """Return whether the text of a chunk occurs verbatim in its page."""
    shown = [piece for piece in chunk.pieces if piece["kind"] != "hidden"]
    in_page = all(piece["kind"] != "glue" for piece in shown)
    return in_page and all(one["end"] == next["start"] for one, next in zip(shown, shown[1:]))
