"""Files are split on demand, and one that cannot be read does not stop the others."""

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


def test_a_bad_file_does_not_stop_the_others(folder):
    found = []
    with pytest.raises(chunkwright.FilesError) as raised:
        for chunk in chunkwright.chunk_files([folder, folder / "none.md"]):
            found.append(chunk.path)
    assert found == ["a.md", "c.md", "d.md"]
    missing, broken = raised.value.errors
    assert isinstance(broken, chunkwright.FileError)
    assert (pathlib.Path(broken.path), broken.reason) == (folder / "b.md", "invalid UTF-8 at byte 3")
    assert str(broken) == f"cannot read {folder / 'b.md'}: invalid UTF-8 at byte 3"
    assert missing.reason == "no such file or directory"
    assert str(raised.value).startswith("2 files were skipped:\n  ")


def test_on_error_receives_each_error(folder):
    errors = []
    chunks = list(chunkwright.chunk_files(folder, on_error=errors.append))
    assert [chunk.id for chunk in chunks] == ["docs:a.md#a", "docs:c.md#c", "docs:d.md#d"]
    assert [error.reason for error in errors] == ["invalid UTF-8 at byte 3"]


def test_an_exception_in_on_error_propagates(folder):
    def stop(error):
        raise error

    with pytest.raises(chunkwright.FileError, match="invalid UTF-8"):
        list(chunkwright.chunk_files(folder, on_error=stop))


def test_files_are_read_on_demand(tmp_path):
    for n in range(300):
        (tmp_path / f"{n:03}.md").write_text(f"# {n}\n\n" + f"Text {n}. " * 2000)
    chunks = chunkwright.chunk_files(tmp_path, jobs=2, tree="x")
    first = next(chunks)
    assert first.doc_id == "x:000.md"
    # No thread can be this far ahead, so the deleted files have not been read.
    for n in range(200, 300):
        (tmp_path / f"{n:03}.md").unlink()
    seen = set()
    with pytest.raises(chunkwright.FilesError) as raised:
        for chunk in chunks:
            seen.add(chunk.path)
    assert len(raised.value.errors) == 100
    assert len(seen) == 200


@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="the system has no /proc")
def test_abandoned_iterators_leak_no_threads_or_files(tmp_path):
    # Enough work that no thread ends before it is counted.
    for n in range(50):
        (tmp_path / f"{n:03}.md").write_text(f"# {n}\n\n" + f"Text {n}. " * 20_000)

    def held():
        return [len(os.listdir(f"/proc/self/{what}")) for what in ("task", "fd")]

    before = held()
    rounds = [chunkwright.chunk_files(tmp_path, **options) for options in [{}, {"tokenizer": len}] for _ in range(10)]
    assert {next(chunks).path for chunks in rounds} == {"000.md"}
    assert any(now > was for now, was in zip(held(), before))
    del rounds

    def leaks():
        # Threads of earlier tests may end meanwhile.
        return [now for now, was in zip(held(), before) if now > was]

    # Each thread ends after its current file.
    until = time.monotonic() + 30
    while leaks() and time.monotonic() < until:
        os.sched_yield()
    assert not leaks()


def test_no_paths_yield_no_chunks():
    assert list(chunkwright.chunk_files([])) == []


def test_directories_without_any_file_are_reported(tmp_path, folder):
    (tmp_path / "empty").mkdir()
    with pytest.raises(chunkwright.FilesError, match="empty: no .md, .* files found"):
        list(chunkwright.chunk_files(tmp_path / "empty"))
    errors = []
    assert list(chunkwright.chunk_files(tmp_path / "empty", on_error=errors.append)) == []
    assert [error.path for error in errors] == [str(tmp_path / "empty")]
    assert len(list(chunkwright.chunk_files([tmp_path / "empty", folder / "a.md"]))) == 1


@pytest.fixture
def site(tmp_path):
    for path in "docs/index.md", "docs/reference/kubectl/_index.md", "docs/blog/news.md":
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("# Page\n\nText.\n\n## Use\n\nMore text.\n")
    (tmp_path / "chunkwright.toml").write_text(
        "url_base = 'https://example.org/'\n[[override]]\npaths = ['reference/**']\nstrategy = 'tree'\n"
        "[trees.site]\npath = 'docs'\n"
    )
    return tmp_path


PAGE = "reference/kubectl/_index.md"


def dicts(chunks):
    return [chunk.to_dict() for chunk in chunks]


def test_root_gives_a_single_file_the_ids_of_a_full_run(site):
    options = {"url_base": "https://example.org/"}
    whole = dicts(chunkwright.chunk_files(site / "docs", **options))
    page = [record for record in whole if record["path"] == PAGE]
    one = dicts(chunkwright.chunk_files(site / "docs" / PAGE, root=site / "docs", **options))
    assert one == page and one[0]["doc_id"] == f"docs:{PAGE}"
    named = dicts(chunkwright.chunk_files(site / "docs" / PAGE, root=str(site / "docs"), tree="t"))
    assert named[0]["doc_id"] == f"t:{PAGE}"
    with pytest.raises(ValueError, match="paths: .*index.md is outside the root .*blog; name a root that contains it"):
        chunkwright.chunk_files(site / "docs/index.md", root=site / "docs/blog")


def test_a_file_in_a_configured_tree_needs_no_root(site):
    chunker = chunkwright.Chunker.from_config(site)
    page = dicts(chunk for chunk in chunker.chunk_files(site / "docs") if chunk.path == PAGE)
    assert dicts(chunker.chunk_files(site / "docs" / PAGE)) == page
    assert (page[0]["doc_id"], page[0]["strategy"]) == (f"site:{PAGE}", "tree")


def test_a_file_with_an_unknown_extension_needs_a_format(tmp_path):
    file = tmp_path / "notes.rst"
    file.write_text("# A\n\nText.\n")
    with pytest.raises(chunkwright.FilesError) as raised:
        list(chunkwright.chunk_files(file))
    [error] = raised.value.errors
    assert error.reason == 'not a Markdown, MDX or text file (use input_format="markdown" to read it anyway)'
    assert [chunk.anchor for chunk in chunkwright.chunk_files(file, input_format="markdown")] == ["a"]
    assert [chunk.anchor for chunk in chunkwright.chunk_files(file, input_format="text")] == [None]


def test_input_format_overrides_the_extension():
    [chunk] = chunkwright.chunk("# A\n\nText.", path="a.md", input_format="text")
    assert chunk.anchor is None
    chunker = chunkwright.Chunker(input_format="markdown")
    assert chunker.chunk("# A\n\nText.", path="a.txt")[0].anchor == "a"
    assert chunker.tree("# A\n\nText.", path="a.txt").children[0].anchor == "a"
    assert chunker.config_hash != chunkwright.Chunker().config_hash
