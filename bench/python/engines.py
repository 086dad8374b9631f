"""Compare Spark, Daft, Ray Data and plain Python with the command on the same pages.

Prints a table and updates bench.json. The pages are copied until they have 400 MB. The command reads files and writes
JSON lines; the others read and write Parquet. Starting the engines is not measured. Every run of an engine follows a
run of the command, so that a slow phase of the machine affects both.
"""

import argparse
import multiprocessing
import os
import pathlib
import resource
import secrets
import shutil
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor

from peers import EXTENSIONS, named, save

BYTES = 400_000_000
ROUNDS = 2
#: Parquet files, each of which becomes a task, and bytes of text per file at most.
FILES = 16
TASK_BYTES = BYTES // FILES
WORKERS = 2
TOKENIZERS = ["estimate", "o200k"]


def main():
    args = arguments()
    out = args.out / "engines"
    shutil.rmtree(out, ignore_errors=True)
    pages, size = copies(args.directory, out)
    print(f"# Engines\n\n{pages} pages, {size / 1e6:.0f} MB, {WORKERS} workers, the best of {ROUNDS} rounds\n", flush=True)
    contenders = {"Python, one thread": Python, f"{named('daft')}, one process": Daft, named("pyspark"): Spark, named("ray"): Ray}
    rows = []
    for name, contender in contenders.items():
        rows.append({"name": name, **race(contender, args.command, out, size)})
    rows.insert(0, the_command(rows, size))
    print(table(rows))
    save(args.out, "engines", {"pages": pages, "bytes": size, "workers": WORKERS, "contenders": rows})


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--command", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    return parser.parse_args()


def copies(directory, out):
    """Write copies of the pages as files and as Parquet, and return their number and bytes."""
    import pyarrow
    import pyarrow.parquet

    paths = sorted(path for path in directory.rglob("*") if path.suffix in EXTENSIONS)
    texts = {str(path.relative_to(directory)): path.read_bytes().decode() for path in paths}
    ids, bodies, size = [], [], 0
    while size < BYTES:
        copy = len(ids) // len(texts)
        for name, text in texts.items():
            ids.append(f"{copy}/{name}")
            bodies.append(text)
            size += len(text.encode())
    for id, text in zip(ids, bodies):
        path = out / "pages" / id
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    (out / "parquet").mkdir()
    # Neighbors are in different files, so that the files have about the same size.
    for nth in range(FILES):
        part = pyarrow.table({"id": ids[nth::FILES], "text": bodies[nth::FILES]})
        pyarrow.parquet.write_table(part, out / "parquet" / f"{nth}.parquet")
    return len(ids), size


def race(contender, command, out, size):
    """Run the command and a contender in turn, and return the best costs of both."""
    with contender(out) as running:
        running.split("words")
        best = {}
        for _ in range(ROUNDS):
            for tokenizer in TOKENIZERS:
                for name, run in ("command", lambda: run_command(command, out, tokenizer)), ("cost", lambda: running.split(tokenizer)):
                    cost = run()
                    known = best.setdefault((name, tokenizer), cost)
                    best[name, tokenizer] = {"cpu": min(known["cpu"], cost["cpu"]), "memory": max(known["memory"], cost["memory"])}
    row = {}
    for tokenizer in TOKENIZERS:
        cost, beside = best["cost", tokenizer], best["command", tokenizer]
        row[tokenizer] = {**cost, **rates(cost, size), "command": beside, "of_command": beside["cpu"] / cost["cpu"]}
    return row


def the_command(rows, size):
    """Return the row of the command, from its best run beside any contender."""
    row = {"name": "`chunkwright chunk`"}
    for tokenizer in TOKENIZERS:
        runs = [other[tokenizer]["command"] for other in rows]
        cost = {"cpu": min(run["cpu"] for run in runs), "memory": max(run["memory"] for run in runs)}
        row[tokenizer] = {**cost, **rates(cost, size), "of_command": 1.0}
    return row


def rates(cost, size):
    per_second = size / cost["cpu"]
    return {"mb_per_core_second": per_second / 1e6, "core_hours_per_tb": 1e12 / per_second / 3600}


def run_command(command, out, tokenizer):
    arguments = [str(command), "chunk", str(out / "pages"), "--tokenizer", tokenizer, "--format", "jsonl", "--quiet"]
    process = os.posix_spawn(arguments[0], [*arguments, "-o", str(out / "chunks.jsonl")], os.environ)
    _, status, usage = os.wait4(process, 0)
    assert status == 0, f"{arguments} failed"
    return {"cpu": usage.ru_utime + usage.ru_stime, "memory": usage.ru_maxrss * 1024}


class InAProcess:
    """Runs a function in a new process, and measures the CPU time of the work and the memory of the process."""

    def __init__(self, out):
        self.out = out

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def split(self, tokenizer):
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as executor:
            return executor.submit(measured, self.work, self.out, tokenizer).result()


def measured(work, out, tokenizer):
    shutil.rmtree(out / "chunks", ignore_errors=True)
    job = work(out)
    start = time.process_time()
    job(tokenizer)
    return {"cpu": time.process_time() - start, "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}


class Python(InAProcess):
    @staticmethod
    def work(out):
        import chunkwright
        import pyarrow.parquet

        def split(tokenizer):
            chunker = chunkwright.Chunker(tokenizer=tokenizer, jobs=1)
            (out / "chunks").mkdir()
            for path in (out / "parquet").iterdir():
                writer = None
                for batch in pyarrow.parquet.ParquetFile(path).iter_batches(1024):
                    chunks = chunker.chunk_batch(batch).to_pyarrow()
                    writer = writer or pyarrow.parquet.ParquetWriter(out / "chunks" / path.name, chunks.schema)
                    writer.write_batch(chunks)
                writer.close()

        return split


class Daft(InAProcess):
    @staticmethod
    def work(out):
        os.environ["DO_NOT_TRACK"] = "1"
        import daft

        from chunkwright.daft import chunk_frame

        daft.set_runner_native()

        def split(tokenizer):
            pages = daft.read_parquet(str(out / "parquet" / "*.parquet"))
            chunk_frame(pages, tokenizer=tokenizer).write_parquet(str(out / "chunks"))

        return split


class Cluster:
    """An engine with worker processes: the CPU time of all its processes, and the memory of the largest worker."""

    def __init__(self, out):
        self.out = out

    def split(self, tokenizer):
        shutil.rmtree(self.out / "chunks", ignore_errors=True)
        is_over = threading.Event()
        first, last, watching, peak = Tree().cpu(), {}, 0.0, 0

        def watch():
            nonlocal watching, peak
            # Workers may end during the job, so the last sample of each counts.
            while not is_over.wait(0.2):
                tree = Tree()
                last.update(tree.cpu())
                workers = [process for process in tree.ours() if self.worker in tree.lines[process]]
                peak = max([peak, *(tree.memory(worker) for worker in workers)])
            watching = time.thread_time()

        watcher = threading.Thread(target=watch)
        watcher.start()
        self.work(tokenizer)
        is_over.set()
        watcher.join()
        last.update(Tree().cpu())
        cpu = sum(seconds - first.get(process, 0) for process, seconds in last.items()) - watching
        return {"cpu": cpu, "memory": peak}


class Spark(Cluster):
    worker = "CoarseGrainedExecutorBackend"

    def __enter__(self):
        os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
        from pyspark.sql import SparkSession

        builder = SparkSession.builder.master(f"local-cluster[{WORKERS},1,1024]").config("spark.ui.enabled", "false")
        builder = builder.config("spark.ui.showConsoleProgress", "false")
        self.session = builder.config("spark.sql.files.maxPartitionBytes", TASK_BYTES).getOrCreate()
        return self

    def __exit__(self, *error):
        self.session.stop()

    def work(self, tokenizer):
        from chunkwright.spark import chunk_frame

        pages = self.session.read.parquet(str(self.out / "parquet"))
        chunk_frame(pages, tokenizer=tokenizer).write.parquet(str(self.out / "chunks"))


class Ray(Cluster):
    worker = "->MapBatches(chunks)"

    def __enter__(self):
        os.environ.update(RAY_USAGE_STATS_ENABLED="0", RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex(32))
        os.environ.update(RAY_DATA_PARQUET_BIN_PACKING_BYTES=str(TASK_BYTES))
        import logging

        import ray
        from ray.cluster_utils import Cluster as Nodes

        self.nodes = Nodes()
        for _ in range(WORKERS):
            self.nodes.add_node(num_cpus=1, object_store_memory=200 * 1024 * 1024)
        self.nodes.wait_for_nodes()
        ray.init(self.nodes.address, log_to_driver=False, logging_level="error")
        ray.data.DataContext.get_current().enable_progress_bars = False
        logging.getLogger("ray.data").setLevel(logging.ERROR)
        return self

    def __exit__(self, *error):
        import ray

        ray.shutdown()
        self.nodes.shutdown()

    def work(self, tokenizer):
        import ray

        from chunkwright.ray import chunk_dataset

        pages = ray.data.read_parquet(str(self.out / "parquet"))
        chunk_dataset(pages, tokenizer=tokenizer).write_parquet(str(self.out / "chunks"))


class Tree:
    """The processes of the system, read from proc(5)."""

    def __init__(self):
        self.stats, self.lines = {}, {}
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                stat = (entry / "stat").read_text().rpartition(")")[2].split()
                self.lines[int(entry.name)] = (entry / "cmdline").read_bytes().decode(errors="replace")
            except OSError:
                continue
            self.stats[int(entry.name)] = stat

    def ours(self, root=None):
        """Yield a process, by default this one, and all processes started by it, directly or not."""
        root = root or os.getpid()
        for process in self.stats:
            ancestor = process
            while ancestor != root and ancestor in self.stats:
                ancestor = int(self.stats[ancestor][1])
            if ancestor == root:
                yield process

    def cpu(self):
        """Return the CPU seconds of each of our processes."""
        tick = os.sysconf("SC_CLK_TCK")
        return {process: sum(map(int, self.stats[process][11:13])) / tick for process in self.ours()}

    def memory(self, root):
        """Return the resident bytes of a process and all processes started by it."""
        return sum(int(self.stats[process][21]) for process in self.ours(root)) * os.sysconf("SC_PAGE_SIZE")


def table(rows):
    names = " | ".join(f"`{tokenizer}`: MB per core second | ÷ command | core hours per TB" for tokenizer in TOKENIZERS)
    head = f"| | {names} | memory per worker |\n| --- |{' --: |' * (3 * len(TOKENIZERS) + 1)}\n"
    lines = []
    for row in rows:
        cells = [f"{row[t]['mb_per_core_second']:.1f} | {row[t]['of_command']:.2f}× | {row[t]['core_hours_per_tb']:.1f}" for t in TOKENIZERS]
        memory = max(row[tokenizer]["memory"] for tokenizer in TOKENIZERS)
        lines.append(f"| {row['name']} | {' | '.join(cells)} | {memory / 1e6:.0f} MB |\n")
    return head + "".join(lines)


if __name__ == "__main__":
    main()
