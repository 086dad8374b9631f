"""Work in progress can be interrupted, dropped, and abandoned at exit."""

import gc
import signal
import subprocess
import sys
import threading
import time
import weakref

import pytest

import chunkwright
from common import CORPUS

PAGES = [page.read_text(errors="ignore") for page in sorted(CORPUS.glob("*.md"))]


def script(code, *arguments):
    """Run code in a separate process, which must exit with status 0."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, f"{done.returncode}: {done.stderr}"


def test_a_program_may_exit_while_files_are_split():
    code = """
import sys, threading, chunkwright
def slow(text):
    threading.Event().wait(0.001)
    return len(text)
chunks = chunkwright.chunk_files(sys.argv[1], tokenizer=slow)
next(chunks)
"""
    for _ in range(10):
        script(code, CORPUS)


def test_iterating_in_a_forked_process_raises_instead_of_waiting():
    code = """
import os, signal, sys, chunkwright
chunks = chunkwright.chunk_files(sys.argv[1])
next(chunks)
child = os.fork()
if not child:
    signal.alarm(20)
    try:
        for chunk in chunks: pass
    except RuntimeError as error:
        os._exit("call chunk_files here" not in str(error))
    os._exit(2)
assert os.waitpid(child, 0)[1] == 0
assert len(list(chunks)) > 10
"""
    script(code, CORPUS)


class Owner:
    """Part of reference cycles through a tokenizer and an error handler."""

    def __init__(self, folder):
        self.chunker = chunkwright.Chunker(tokenizer=self.count)
        assert self.chunker.chunk("# A\n\na")
        self.counted = self.chunker.chunk_files(folder)
        self.told = chunkwright.chunk_files(folder, on_error=self.tell)
        next(self.counted), next(self.told)

    def count(self, text):
        return len(text)

    def tell(self, error):
        pass


def test_reference_cycles_are_collected():
    owner = weakref.ref(Owner(CORPUS))
    gc.collect()
    assert owner() is None


class Stop(Exception):
    pass


def stop(*_):
    raise Stop


def seconds(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def batch(texts):
    import pyarrow

    return pyarrow.table({"text": texts, "id": [str(n) for n in range(len(texts))]})


def version(texts):
    """Return the chunks of every tenth text."""
    texts = texts[::10]
    many = chunkwright.Chunker(max=30).chunk_many(texts, paths=[str(n) for n in range(len(texts))])
    return [chunk for chunks in many for chunk in chunks]


LONG = {
    "many": (lambda texts: texts, chunkwright.Chunker(jobs=2).chunk_many),
    "counted": (lambda texts: texts, chunkwright.Chunker(tokenizer=len).chunk_many),
    "batch": (batch, chunkwright.chunk_batch),
    "chunks": (version, lambda version: chunkwright.diff(version, version)),
    "records": (lambda texts: [chunk.to_dict() for chunk in version(texts)], lambda version: chunkwright.diff(version, version)),
}


@pytest.mark.parametrize("prepare, work", LONG.values(), ids=LONG)
def test_a_signal_interrupts_a_long_call(prepare, work):
    """Fails if signals are checked only at the end."""
    part, whole = prepare(PAGES * 10), prepare(PAGES * 200)
    a_part = max(seconds(lambda: work(part)), 0.1)
    before = signal.signal(signal.SIGALRM, stop)
    start = time.perf_counter()
    signal.setitimer(signal.ITIMER_REAL, a_part)
    try:
        with pytest.raises(Stop):
            work(whole)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert time.perf_counter() - start < 8 * a_part


def test_other_threads_run_while_versions_are_compared():
    """If the call held the interpreter, this thread could count only a few times while it runs."""
    chunks, counted, done = version(PAGES * 100), 0, threading.Event()
    work = threading.Thread(target=lambda: (chunkwright.diff(chunks, chunks), done.set()))
    work.start()
    while not done.wait(0.0001):
        counted += 1
    work.join()
    assert counted > 200
