"""Ray Data produces the same chunks on two workers."""

import os

import pyarrow
import pytest
import ray

from chunkwright.ray import chunk_dataset
from workers import OPTIONS, TABLE, counter_that_signs, expected, processes, rows


@pytest.fixture(scope="module", autouse=True)
def connection(ray_cluster):
    ray.init(ray_cluster, log_to_driver=False)
    yield
    ray.shutdown()


def table(dataset):
    return pyarrow.concat_tables(dataset.iter_batches(batch_size=None, batch_format="pyarrow"))


def test_workers_produce_the_same_chunks():
    pages = ray.data.from_arrow(TABLE).repartition(8)
    assert rows(table(chunk_dataset(pages, **OPTIONS))) == expected(**OPTIONS)


def test_several_processes_share_the_work(tmp_path):
    pages = ray.data.from_arrow(TABLE.rename_columns(["name", "body"])).repartition(8)
    chunks = chunk_dataset(pages, "body", "name", tree="wiki", max=100, tokenizer=counter_that_signs(tmp_path))
    made = rows(table(chunks))
    assert len(processes(tmp_path) - {os.getpid()}) > 1
    assert made == expected(tree="wiki", max=100, tokenizer=lambda text: len(text.split()))


def test_an_empty_dataset_yields_no_chunks():
    assert chunk_dataset(ray.data.from_arrow(TABLE).limit(0), **OPTIONS).count() == 0
