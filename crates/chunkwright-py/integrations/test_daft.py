"""Daft produces the same chunks in one process and on a Ray cluster with two workers."""

import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor

import daft

from chunkwright.daft import chunk_frame, chunk_lists
from workers import OPTIONS, TABLE, counter_that_signs, expected, processes, rows


def in_its_own_process(function, *arguments):
    """Call a function in a new process, because Daft cannot change its runner."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as executor:
        return executor.submit(function, *arguments).result()


def use_runner(address):
    if address is None:
        daft.set_runner_native()
    else:
        daft.set_runner_ray(address)


def cut_with_all_columns(address):
    use_runner(address)
    return rows(chunk_frame(daft.from_arrow(TABLE).into_partitions(8), **OPTIONS).to_arrow())


def cut_and_sign(address, directory):
    use_runner(address)
    pages = daft.from_arrow(TABLE.rename_columns(["name", "body"])).into_partitions(8)
    chunks = chunk_frame(pages, "body", "name", tree="wiki", max=100, tokenizer=counter_that_signs(directory))
    return rows(chunks.to_arrow()), os.getpid()


def keep_other_columns(address):
    use_runner(address)
    pages = daft.from_pydict({"id": [1, 2, 3], "text": ["# A\n\na", "", "# C\n\nc"], "language": ["en", "de", "cs"]})
    chunks = pages.select("language", chunk_lists(daft.col("text"), daft.col("id")).alias("chunk"))
    return chunks.explode("chunk").select("language", daft.col("chunk")["id"]).to_pydict()


def test_one_process_produces_the_same_chunks():
    assert in_its_own_process(cut_with_all_columns, None) == expected(**OPTIONS)


def test_workers_produce_the_same_chunks(ray_cluster):
    assert in_its_own_process(cut_with_all_columns, ray_cluster) == expected(**OPTIONS)


def test_several_processes_share_the_work(ray_cluster, tmp_path):
    made, driver = in_its_own_process(cut_and_sign, ray_cluster, tmp_path)
    assert len(processes(tmp_path) - {driver}) > 1
    assert made == expected(tree="wiki", max=100, tokenizer=lambda text: len(text.split()))


def cut_nothing(address):
    use_runner(address)
    frame = chunk_frame(daft.from_arrow(TABLE.slice(0, 0)), **OPTIONS)
    return frame.to_arrow().num_rows, frame.column_names


def test_an_empty_frame_yields_no_chunks():
    assert in_its_own_process(cut_nothing, None) == (0, list(expected(**OPTIONS)[0]))


def test_chunk_lists_keeps_other_columns():
    made = in_its_own_process(keep_other_columns, None)
    assert made == {"language": ["en", "de", "cs"], "id": ["docs:1#a", None, "docs:3#c"]}
