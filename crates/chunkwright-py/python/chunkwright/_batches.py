"""Batches of an engine's worker come in, as Arrow; batches of chunks go out."""

from typing import Any

from ._native import Chunker


class Cut:
    """What cuts batches; it can be sent to workers."""

    def __init__(self, text: str, id: str, tree: str | None, options: dict[str, Any]) -> None:
        # Engines run a task on every core, so a task has one thread.
        self.chunker = Chunker(**{"jobs": 1, **options})
        self.text = text
        self.id = id
        self.tree = tree

    def __call__(self, batch: Any) -> Any:
        return self.chunker.chunk_batch(batch, self.text, self.id, tree=self.tree).to_pyarrow()

    def schema(self) -> Any:
        """The columns of chunks, as pyarrow has them."""
        import pyarrow

        names = pyarrow.schema({self.text: pyarrow.string(), self.id: pyarrow.string()})
        return self(names.empty_table()).schema
