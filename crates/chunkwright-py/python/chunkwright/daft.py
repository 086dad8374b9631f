"""Chunks on Daft."""

from itertools import accumulate
from typing import Any

from ._batches import Cut
from ._extras import needed

with needed("daft"):
    import daft
    import pyarrow

__all__ = ["chunk_frame", "chunk_lists"]


def chunk_frame(
    frame: daft.DataFrame, text: str = "text", id: str = "id", *, tree: str | None = None, **options: Any
) -> daft.DataFrame:
    """The chunks of a data frame, as `chunkwright.chunk_batch` makes them; workers do the work."""
    lists = chunk_lists(daft.col(text), daft.col(id), tree=tree, **options).alias("chunk")
    chunks = frame.select(lists).explode("chunk", ignore_empty_and_null=True)
    return chunks.select(daft.col("chunk").unnest())


def chunk_lists(
    text: daft.Expression, id: daft.Expression, *, tree: str | None = None, **options: Any
) -> daft.Expression:
    """The chunks of each row: a list of structs, which have the columns of `chunkwright.chunk_batch` as fields."""
    cut = Cut("text", "id", tree, options)
    schema = cut.schema()

    @daft.func.batch(return_dtype=daft.DataType.from_arrow_type(pyarrow.list_(pyarrow.struct(schema))))
    def chunks(text: daft.Series, id: daft.Series) -> pyarrow.Array:
        pages = pyarrow.table({"text": text.to_arrow(), "id": id.to_arrow()})
        rows = [cut(pages.slice(row, 1)) for row in range(len(pages))]
        structs = pyarrow.Table.from_batches(rows, schema).to_struct_array().combine_chunks()
        return pyarrow.ListArray.from_arrays(list(accumulate(map(len, rows), initial=0)), structs)

    return chunks(text, id)
