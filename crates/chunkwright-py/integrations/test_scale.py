"""Engines lose and repeat nothing when a worker is killed, and read and write Parquet, Delta and Iceberg tables."""

import multiprocessing
import time
from concurrent.futures import ProcessPoolExecutor

import daft
import deltalake
import pyarrow.parquet
import pyspark
import pytest
import ray
from pyiceberg.catalog import load_catalog

import chunkwright.daft
import chunkwright.ray
import chunkwright.spark
from scale import DOCUMENTS, OPTIONS, WORKERS, Corpus, kill, processes, report

#: Bytes of a task. Without it, engines would merge the small files into one or two tasks.
TASK_BYTES = 4 << 20


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return Corpus(tmp_path_factory.mktemp("corpus"), DOCUMENTS)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return Corpus(tmp_path_factory.mktemp("small"), 5_000)


@pytest.fixture
def connection(ray_cluster, monkeypatch):
    monkeypatch.setenv("RAY_DATA_PARQUET_BIN_PACKING_BYTES", str(TASK_BYTES))
    with ray.init(ray_cluster, log_to_driver=False):
        ray.data.DataContext.get_current().enable_progress_bars = False
        yield


def test_spark_survives_the_loss_of_an_executor(spark, corpus, tmp_path):
    spark.conf.set("spark.sql.files.maxPartitionBytes", TASK_BYTES)
    tracker = spark.sparkContext.statusTracker()

    def executors():
        return processes(spark.sparkContext.applicationId)

    def busy():
        stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        if any(stage and stage.numCompletedTasks and stage.numActiveTasks == WORKERS for stage in stages):
            return executors()[0]

    assert len(executors()) == WORKERS
    start = time.perf_counter()
    with kill(busy) as killed:
        pages = spark.read.parquet(str(corpus.parquet))
        chunkwright.spark.chunk_frame(pages, **OPTIONS).write.parquet(str(tmp_path / "chunks"))
    report(f"Spark {pyspark.__version__}, one executor killed", corpus.documents, time.perf_counter() - start, WORKERS)
    assert not set(killed) & set(executors())
    corpus.check(pyarrow.parquet.read_table(tmp_path / "chunks"))


def test_ray_survives_the_loss_of_a_worker(connection, corpus, tmp_path):
    def busy():
        working = processes("->MapBatches(chunks)->Write")
        # The other worker has finished a task.
        if len(working) == WORKERS and any((tmp_path / "chunks").glob("*.parquet")):
            return working[0]

    start = time.perf_counter()
    with kill(busy):
        pages = ray.data.read_parquet(str(corpus.parquet))
        chunkwright.ray.chunk_dataset(pages, **OPTIONS).write_parquet(str(tmp_path / "chunks"))
    report(f"Ray Data {ray.__version__}, one worker killed", corpus.documents, time.perf_counter() - start, WORKERS)
    corpus.check(pyarrow.parquet.read_table(tmp_path / "chunks"))


def in_its_own_process(function, *arguments):
    """Call a function in a new process, because Daft cannot change its runner."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as executor:
        return executor.submit(function, *arguments).result()


def split_with_daft(address, pages, write, chunks):
    """Split Parquet files on a Ray cluster or in this process, and return the seconds."""
    if address:
        daft.set_runner_ray(address)
    else:
        daft.set_runner_native()
    start = time.perf_counter()
    with daft.execution_config_ctx(scan_tasks_max_size_bytes=TASK_BYTES):
        frame = daft.read_parquet(f"{pages}/*.parquet")
        getattr(chunkwright.daft.chunk_frame(frame, **OPTIONS), write)(str(chunks))
    return time.perf_counter() - start


def test_daft_needs_no_workers(corpus, tmp_path):
    seconds = in_its_own_process(split_with_daft, None, corpus.parquet, "write_parquet", tmp_path)
    report(f"Daft {daft.__version__}", corpus.documents, seconds)
    corpus.check(pyarrow.parquet.read_table(tmp_path))


def test_daft_survives_the_loss_of_a_worker(ray_cluster, corpus, tmp_path):
    def busy():
        working = processes("->UDFProject->")
        if len(working) == WORKERS and any(tmp_path.rglob("*.parquet")):
            return working[0]

    with kill(busy):
        seconds = in_its_own_process(split_with_daft, ray_cluster, corpus.parquet, "write_deltalake", tmp_path)
    report(f"Daft {daft.__version__} on Ray, one worker killed", corpus.documents, seconds, WORKERS)
    # Not the directory: files of the killed worker may remain there, but are not part of the table.
    corpus.check(deltalake.DeltaTable(tmp_path).to_pyarrow_table())


def catalog(directory):
    return load_catalog("local", **catalog_settings(directory))


def catalog_settings(directory):
    return {"type": "sql", "uri": f"sqlite:///{directory}/catalog.db", "warehouse": f"file://{directory}"}


def tables(corpus, directory):
    """Create a Delta and an Iceberg table with the documents, and an empty Iceberg table for the chunks."""
    deltalake.write_deltalake(directory / "pages", corpus.table)
    iceberg = catalog(directory)
    iceberg.create_namespace("wiki")
    iceberg.create_table("wiki.pages", corpus.table.schema).append(corpus.table)
    iceberg.create_table("wiki.chunks", corpus.chunks.schema)
    return iceberg


def test_ray_reads_and_writes_delta_and_iceberg(connection, small, tmp_path):
    iceberg = tables(small, tmp_path)
    pages = ray.data.read_delta(str(tmp_path / "pages"))
    chunkwright.ray.chunk_dataset(pages, **OPTIONS).write_delta(str(tmp_path / "chunks"))
    small.check(deltalake.DeltaTable(tmp_path / "chunks").to_pyarrow_table())

    settings = {"name": "local", **catalog_settings(tmp_path)}
    pages = ray.data.read_iceberg(table_identifier="wiki.pages", catalog_kwargs=settings)
    chunks = chunkwright.ray.chunk_dataset(pages, **OPTIONS)
    chunks.write_iceberg("wiki.chunks", catalog_kwargs=settings)
    small.check(iceberg.load_table("wiki.chunks").scan().to_arrow(), keeps_missing_lists=False)


def split_tables_with_daft(directory):
    daft.set_runner_native()
    frame = daft.read_deltalake(str(directory / "pages"))
    chunkwright.daft.chunk_frame(frame, **OPTIONS).write_deltalake(directory / "chunks")
    iceberg = catalog(directory)
    frame = daft.read_iceberg(iceberg.load_table("wiki.pages"))
    chunkwright.daft.chunk_frame(frame, **OPTIONS).write_iceberg(iceberg.load_table("wiki.chunks"))
    read = daft.read_deltalake(str(directory / "chunks")).to_arrow()
    return read, daft.read_iceberg(iceberg.load_table("wiki.chunks")).to_arrow()


def test_daft_reads_and_writes_delta_and_iceberg(small, tmp_path):
    iceberg = tables(small, tmp_path)
    delta, rows = in_its_own_process(split_tables_with_daft, tmp_path)
    small.check(delta)
    small.check(rows)
    small.check(deltalake.DeltaTable(tmp_path / "chunks").to_pyarrow_table())
    small.check(iceberg.load_table("wiki.chunks").scan().to_arrow(), keeps_missing_lists=False)
