"""What engines cut, and which of their processes did it."""

import os
import time

import pyarrow

import chunkwright
from pages import PAGES

TABLE = pyarrow.table({"id": list(PAGES), "text": list(PAGES.values())})
#: All columns that there can be.
OPTIONS = {"max": 100, "with_": ["embed_text", "pieces"]}


def rows(table):
    """The rows in an order that no engine can change."""
    return sorted(table.to_pylist(), key=lambda row: (row["path"], row["position"]))


def expected(**options):
    return rows(chunkwright.chunk_batch(TABLE, **options).to_pyarrow())


def counter_that_signs(directory):
    """A counter that leaves the number of its process, and begins when two processes have done so."""

    def words(text):
        sheet = directory / str(os.getpid())
        if not sheet.exists():
            sheet.touch()
            until = time.monotonic() + 60
            while len(os.listdir(directory)) < 2 and time.monotonic() < until:
                time.sleep(0.05)
        return len(text.split())

    return words


def processes(directory):
    """The processes that counted."""
    return {int(name) for name in os.listdir(directory)}
