"""Chunks on Spark."""

from collections.abc import Iterator
from typing import Any

from ._batches import Cut
from ._extras import needed

with needed("spark"):
    import pyarrow
    from pyspark.sql import DataFrame
    from pyspark.sql.pandas.types import from_arrow_schema

__all__ = ["chunk_frame"]


def chunk_frame(
    frame: DataFrame, text: str = "text", id: str = "id", *, tree: str | None = None, **options: Any
) -> DataFrame:
    """The chunks of a data frame, as `chunkwright.chunk_batch` makes them; executors do the work."""
    cut = Cut(text, id, tree, options)

    def chunks(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        return map(cut, batches)

    return frame.select(text, id).mapInArrow(chunks, from_arrow_schema(cut.schema()))
