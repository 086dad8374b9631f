"""Chunks on Ray Data."""

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
    """The chunks of a dataset, as `chunkwright.chunk_batch` makes them; workers do the work."""
    cut = Cut(text, id, tree, options)

    def chunks(batch: pyarrow.Table) -> pyarrow.Table:
        return pyarrow.table(cut(batch))

    return dataset.map_batches(chunks, batch_format="pyarrow", zero_copy_batch=True)
