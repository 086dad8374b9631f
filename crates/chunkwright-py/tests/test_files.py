"""Files are cut as they are asked for, and one that cannot be read stops no other."""

import os
import pathlib
import time

import pytest

import chunkwright


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "docs").mkdir()
    for name in "abcd":
        (tmp_path / "docs" / f"{name}.md").write_text(f"# {name}\n\nText of {name}.\n")
    (tmp_path / "docs/b.md").write_bytes(b"# b\xff")
    return tmp_path / "docs"


def test_one_bad_file_stops_no_other(folder):
    found = []
    with pytest.raises(chunkwright.FilesError) as raised:
        for chunk in chunkwright.chunk_files([folder, folder / "none.md"]):
            found.append(chunk.path)
    assert found == ["a.md", "c.md", "d.md"]
    missing, broken = raised.value.errors
    assert isinstance(broken, chunkwright.FileError)
    assert (pathlib.Path(broken.path), broken.reason) == (folder / "b.md", "not UTF-8 at byte 3")
    assert str(broken) == f"{folder / 'b.md'}: not UTF-8 at byte 3"
    assert missing.reason == "no such file or directory"
    assert str(raised.value).startswith("2 files were left out:\n  ")


def test_errors_can_be_collected(folder):
    errors = []
    chunks = list(chunkwright.chunk_files(folder, on_error=errors.append))
    assert [chunk.id for chunk in chunks] == ["docs:a.md#a", "docs:c.md#c", "docs:d.md#d"]
    assert [error.reason for error in errors] == ["not UTF-8 at byte 3"]


def test_an_error_of_the_function_passes_through(folder):
    def stop(error):
        raise error

    with pytest.raises(chunkwright.FileError, match="not UTF-8"):
        list(chunkwright.chunk_files(folder, on_error=stop))


def test_files_are_read_as_they_are_asked_for(tmp_path):
    for n in range(300):
        (tmp_path / f"{n:03}.md").write_text(f"# {n}\n\n" + f"Text {n}. " * 2000)
    chunks = chunkwright.chunk_files(tmp_path, jobs=2, tree="x")
    first = next(chunks)
    assert first.doc_id == "x:000.md"
    # Nobody can be so far ahead: what is gone now was not read.
    for n in range(200, 300):
        (tmp_path / f"{n:03}.md").unlink()
    seen = set()
    with pytest.raises(chunkwright.FilesError) as raised:
        for chunk in chunks:
            seen.add(chunk.path)
    assert len(raised.value.errors) == 100
    assert len(seen) == 200


@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="the system does not tell")
def test_a_round_that_is_not_finished_leaves_nothing_behind(tmp_path):
    for n in range(50):
        (tmp_path / f"{n:03}.md").write_text(f"# {n}\n\n" + f"Text {n}. " * 2000)

    def held():
        return [len(os.listdir(f"/proc/self/{what}")) for what in ("task", "fd")]

    before = held()
    rounds = [chunkwright.chunk_files(tmp_path, **options) for options in [{}, {"tokenizer": len}] for _ in range(10)]
    assert {next(chunks).path for chunks in rounds} == {"000.md"}
    assert held() > before
    del rounds
    # A thread ends after the file it is at.
    until = time.monotonic() + 30
    while held() != before and time.monotonic() < until:
        os.sched_yield()
    assert held() == before


def test_no_files_are_no_chunks(tmp_path):
    assert list(chunkwright.chunk_files(tmp_path)) == []
    assert list(chunkwright.chunk_files([])) == []
