"""Split texts with Ray Data."""

from typing import Any

from ._batches import Cut
from ._extras import needed

with needed("ray"):
    import pyarrow
    from ray.data import Dataset

__all__ = ["chunk_dataset"]


def chunk_dataset(
    dataset: Dataset, text: str = "text", id: str = "id", *, tree: str | None = None, **options: Any
) -> Dataset:
    """Split the texts of a dataset into chunks, on the workers.

    Args:
        dataset: A dataset with one row per text.
        text: Name of the column with the texts.
        id: Name of the column with the path or name of each text, as strings or integers.
        tree: First part of chunk ids; `docs` by default.
        **options: Options of `chunkwright.Chunker`, such as `max` and `tokenizer`.

    Returns:
        A dataset with one row per chunk, and the columns of `chunkwright.chunk_batch`.

    Examples:
        >>> import ray
        >>> from chunkwright.ray import chunk_dataset
        >>> pages = ray.data.from_items([{"id": "tea.md", "text": "# Tea\\n\\nBoil water first."}])
        >>> [row["id"] for row in chunk_dataset(pages, max=256).take_all()]
        ['docs:tea.md#tea']
    """
    cut = Cut(text, id, tree, options)

    def chunks(batch: pyarrow.Table) -> pyarrow.Table:
        return pyarrow.Table.from_batches(cut.parts(batch))

    return dataset.map_batches(chunks, batch_format="pyarrow", zero_copy_batch=True)
