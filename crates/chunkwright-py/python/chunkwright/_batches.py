"""Splits Arrow batches in the workers of distributed engines."""

from collections.abc import Iterator
from typing import Any

from ._native import Chunker, RecordBatch

#: Maximum rows to split at once. Engines pass up to 131,072 rows, whose chunks could exceed the limit of one result.
ROWS = 1024


class Cut:
    """A function from batches of texts to batches of chunks, picklable so that engines can send it to workers."""

    def __init__(self, text: str, id: str, tree: str | None, options: dict[str, Any]) -> None:
        # Engines keep every core busy with tasks, so a task uses one thread.
        given: dict[str, Any] = {"jobs": 1, **options}
        self.chunker = Chunker(**given)
        self.text = text
        self.id = id
        self.tree = tree

    def __call__(self, batch: Any) -> RecordBatch:
        return self.chunker.chunk_batch(batch, self.text, self.id, tree=self.tree)

    def parts(self, batch: Any) -> Iterator[Any]:
        """Yield the chunks as pyarrow batches, at least one."""
        for start in range(0, max(batch.num_rows, 1), ROWS):
            yield self(batch.slice(start, ROWS)).to_pyarrow()

    def schema(self) -> Any:
        """Return the pyarrow schema of the chunks."""
        import pyarrow

        names = pyarrow.schema({self.text: pyarrow.string(), self.id: pyarrow.string()})
        return self(names.empty_table()).to_pyarrow().schema
