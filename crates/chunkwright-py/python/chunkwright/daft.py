"""Split texts with Daft."""

from itertools import accumulate
from typing import Any

from ._batches import ROWS, Cut
from ._extras import needed

with needed("daft"):
    import daft
    import pyarrow

__all__ = ["chunk_frame", "chunk_lists"]


def chunk_frame(
    frame: daft.DataFrame, text: str = "text", id: str = "id", *, tree: str | None = None, **options: Any
) -> daft.DataFrame:
    """Split the texts of a data frame into chunks, on the workers.

    Args:
        frame: A data frame with one row per text.
        text: Name of the column with the texts.
        id: Name of the column with the path or name of each text, as strings or integers.
        tree: First part of chunk ids; `docs` by default.
        **options: Options of `chunkwright.Chunker`, such as `max` and `tokenizer`.

    Returns:
        A data frame with one row per chunk, and the columns of `chunkwright.chunk_batch`.

    Examples:
        >>> import daft
        >>> from chunkwright.daft import chunk_frame
        >>> pages = daft.from_pydict({"id": ["tea.md"], "text": ["# Tea\\n\\nBoil water first."]})
        >>> chunk_frame(pages, max=256).select("id").to_pydict()
        {'id': ['docs:tea.md#tea']}
    """
    lists = chunk_lists(daft.col(text), daft.col(id), tree=tree, **options).alias("chunk")
    chunks = frame.select(lists).explode("chunk", ignore_empty_and_null=True)
    return chunks.select(daft.col("chunk").unnest())


def chunk_lists(
    text: daft.Expression, id: daft.Expression, *, tree: str | None = None, **options: Any
) -> daft.Expression:
    """Return an expression with the chunks of each row, which keeps the other columns of the data frame.

    Args:
        text: Expression of the texts.
        id: Expression of the path or name of each text, as strings or integers.
        tree: First part of chunk ids; `docs` by default.
        **options: Options of `chunkwright.Chunker`, such as `max` and `tokenizer`.

    Returns:
        An expression of lists of structs. The fields are the columns of `chunkwright.chunk_batch`.

    Examples:
        >>> import daft
        >>> from chunkwright.daft import chunk_lists
        >>> pages = daft.from_pydict({"id": ["tea.md"], "text": ["# Tea\\n\\nBoil water first."], "language": ["en"]})
        >>> chunks = pages.select("language", chunk_lists(daft.col("text"), daft.col("id")).alias("chunk"))
        >>> chunks.explode("chunk").select("language", daft.col("chunk")["id"]).to_pydict()
        {'language': ['en'], 'id': ['docs:tea.md#tea']}
    """
    cut = Cut("text", "id", tree, options)
    lists = daft.DataType.from_arrow_type(pyarrow.list_(pyarrow.struct(cut.schema())))

    @daft.func.batch(return_dtype=lists, batch_size=ROWS)
    def chunks(text: daft.Series, id: daft.Series) -> pyarrow.Array:
        made = cut(pyarrow.table({"text": text.to_arrow(), "id": id.to_arrow()}))
        ends = list(accumulate(made.counts, initial=0))
        return pyarrow.ListArray.from_arrays(ends, made.to_pyarrow().to_struct_array())

    return chunks(text, id)
