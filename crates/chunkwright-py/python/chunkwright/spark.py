"""Split texts with Spark."""

from collections.abc import Iterator
from itertools import chain
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
    """Split the texts of a data frame into chunks, on the executors.

    Args:
        frame: A data frame with one row per text.
        text: Name of the column with the texts.
        id: Name of the column with the path or name of each text, as strings or integers.
        tree: First part of chunk ids; `docs` by default.
        **options: Options of `chunkwright.Chunker`, such as `max` and `tokenizer`.

    Returns:
        A data frame with one row per chunk, and the columns of `chunkwright.chunk_batch`.

    Examples:
        >>> from pyspark.sql import SparkSession
        >>> from chunkwright.spark import chunk_frame
        >>> spark = SparkSession.builder.getOrCreate()
        >>> pages = spark.createDataFrame([("tea.md", "# Tea\\n\\nBoil water first.")], ["id", "text"])
        >>> [row.id for row in chunk_frame(pages, max=256).collect()]
        ['docs:tea.md#tea']
    """
    cut = Cut(text, id, tree, options)

    def chunks(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        return chain.from_iterable(map(cut.parts, batches))

    return frame.select(text, id).mapInArrow(chunks, from_arrow_schema(cut.schema()))
