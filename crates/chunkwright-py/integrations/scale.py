"""Generated documents, the records that the command writes for them, and workers to kill during a job."""

import contextlib
import json
import os
import pathlib
import random
import signal
import threading
import time
from collections import Counter

import pyarrow
import pyarrow.parquet

import chunkwright
from common import run

DOCUMENTS = 100_000
#: Parquet files of the documents, each of which becomes a task.
FILES = 16
WORKERS = 2
#: Options that split most documents into several chunks.
OPTIONS = {"max": 128, "tokenizer": "estimate"}

WORDS = "water leaf steam kettle cup minute bitter sweet green black pour filter grind roast taste clay spoon".split()

#: A line per job, printed after the tests.
REPORT = []


def generate(documents):
    """Return a table of different documents of 60 bytes to 5 KB, the same every time."""
    dice = random.Random(7)
    sentences = [" ".join(dice.choices(WORDS, k=dice.randint(5, 18))).capitalize() + "." for _ in range(500)]
    blocks = [block(dice, sentences) for _ in range(2000)]
    ids, texts = [], []
    for nth in range(documents):
        parts = [f"# Document {nth}"]
        if nth % 10 == 0:
            parts.insert(0, f'---\ntitle: Number {nth}\ntags: [tea, "{nth % 7}"]\n---')
        if nth % 1000 == 0:
            # Has to be cut in the middle of a word, which is reported in a note.
            parts.append("tea" * 400)
        for section in range(dice.randint(1, 3)):
            parts.append(f"## {dice.choice(WORDS).capitalize()} {section} · č")
            parts += dice.choices(blocks, k=dice.randint(1, 3))
        ids.append(f"{nth % 100:02}/{nth:06}.md")
        texts.append("\n\n".join(parts) + "\n")
    return pyarrow.table({"id": ids, "text": texts})


def block(dice, sentences):
    """Return a paragraph, a list, a code block or a table."""
    kind = dice.randrange(6)
    if kind < 3:
        return " ".join(dice.choices(sentences, k=dice.randint(1, 5)))
    lines = dice.choices(sentences, k=dice.randint(2, 6))
    if kind == 3:
        return "\n".join(f"- {line}" for line in lines)
    if kind == 4:
        return "\n".join(["```py", *(f"print({line!r})" for line in lines), "```"])
    return "\n".join(["| step | text |", "| --- | --- |", *(f"| {nth} | {line} |" for nth, line in enumerate(lines))])


class Corpus:
    """Documents as Parquet, and the chunks that the command writes for the same documents as files."""

    def __init__(self, directory, documents):
        self.table = generate(documents)
        self.documents = documents
        self.parquet = directory / "parquet"
        self.parquet.mkdir()
        rows = -(-documents // FILES)
        for nth in range(FILES):
            pyarrow.parquet.write_table(self.table.slice(nth * rows, rows), self.parquet / f"{nth}.parquet")
        files = directory / "docs"
        write_files(self.table, files)
        start = time.perf_counter()
        flags = [f"--{name}={value}" for name, value in OPTIONS.items()]
        run("chunk", files, "--format=jsonl", "--quiet", "-o", directory / "chunks.jsonl", *flags)
        report("chunkwright chunk", documents, time.perf_counter() - start)
        with open(directory / "chunks.jsonl", encoding="utf-8") as lines:
            self.chunks = table_of(lines)

    def check(self, made, keeps_missing_lists=True):
        """Check that the rows are the records of the command: none lost, none twice, all columns equal.

        PyIceberg 0.12.0 reads and writes missing lists as empty ones.
        """
        lost, more = differences(self.chunks["id"], made["id"])
        assert not lost and not more, f"{len(lost)} chunks lost, {len(more)} too many, such as {[*lost, *more][:3]}"
        made = made.sort_by([("path", "ascending"), ("position", "ascending")])
        for name in self.chunks.column_names:
            expected = self.chunks[name].combine_chunks()
            if name == "notes" and not keeps_missing_lists:
                expected = pyarrow.ListArray.from_arrays(expected.offsets, expected.values, expected.type)
            assert made[name].cast(expected.type).combine_chunks().equals(expected), name


def write_files(table, directory):
    """Write each document to a file of its own."""
    ids = table["id"].to_pylist()
    for name in {pathlib.PurePath(id).parent for id in ids}:
        (directory / name).mkdir(parents=True)
    for id, text in zip(ids, table["text"].to_pylist()):
        (directory / id).write_bytes(text.encode())


def table_of(lines):
    """Return records as a table with the columns of `chunk_batch`, in the order of paths and positions."""
    schema = chunkwright.chunk_batch(pyarrow.table({"id": [""], "text": [""]})).to_pyarrow().schema
    batches, records = [], []
    for line in lines:
        record = json.loads(line)
        assert record.keys() <= set(schema.names)
        if "metadata" in record:
            record["metadata"] = json.dumps(record["metadata"], ensure_ascii=False, separators=(",", ":"))
        records.append(record)
        if len(records) == 10_000:
            batches.append(pyarrow.RecordBatch.from_pylist(records, schema))
            records = []
    batches.append(pyarrow.RecordBatch.from_pylist(records, schema))
    return pyarrow.Table.from_batches(batches).sort_by([("path", "ascending"), ("position", "ascending")])


def differences(expected, made):
    expected, made = Counter(expected.to_pylist()), Counter(made.to_pylist())
    return expected - made, made - expected


def report(name, documents, seconds, workers=1):
    REPORT.append(f"{name}: {documents:,} documents, {workers} workers, {seconds:.1f} s".replace("1 workers", "1 process"))


@contextlib.contextmanager
def kill(find):
    """Kill the first process that `find` returns while the block runs, as a machine that fails would."""
    killed, is_over = [], threading.Event()

    def watch():
        while not is_over.wait(0.02):
            if process := find():
                os.kill(process, signal.SIGKILL)
                killed.append(process)
                return

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield killed
    finally:
        is_over.set()
        watcher.join()
    assert killed, "the job ended before a worker could be killed"


def processes(part):
    """Return the processes started by this one, directly or not, whose command line contains `part`."""
    parents, found = {}, []
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            if part in (entry / "cmdline").read_bytes().decode(errors="replace"):
                found.append(int(entry.name))

    def is_ours(process):
        while process in parents:
            process = parents[process]
            if process == os.getpid():
                return True
        return False

    return sorted(filter(is_ours, found))
