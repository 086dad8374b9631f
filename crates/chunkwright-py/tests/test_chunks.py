"""Chunks, chunkers and outlines as Python objects."""

import copy
import json
import pickle
import re
import threading
import uuid

import pytest

import chunkwright
from common import CORPUS, SMALL

TEA = "---\ntitle: On tea\ntags: [hot, 0.1]\n---\n# Tea\n\nBoil water first.\n\n## Green\n\nLet it cool to 80 degrees.\n"


def cut(**options):
    return chunkwright.chunk(TEA, path="tea.md", max=12, tokenizer="words:1", **options)


def test_a_chunk_has_its_location_and_headings():
    tea, green = cut()
    assert green.id == "docs:tea.md#green"
    assert green.breadcrumb == ["tea.md", "Tea", "Green"]
    assert green.text == "## Green\n\nLet it cool to 80 degrees."
    assert green.embed_text == f"On… › Tea\n\n{green.text}"
    assert TEA.encode()[green.byte_start : green.byte_end].decode().strip() == green.text
    assert tea.metadata == {"title": "On tea", "tags": ["hot", 0.1]}
    assert tea.notes == [] and tea.url is None
    assert repr(green) == (
        "Chunk(id='docs:tea.md#green', tokens=11, lines=9-11, "
        "text='## Green\\n\\nLet it cool to 80 degrees.')"
    )


def test_every_field_of_the_record_is_an_attribute():
    for chunk in chunkwright.chunk_files(CORPUS, with_=["embed_text", "pieces"], url_base="x", **SMALL):
        for name, value in chunk.to_dict().items():
            assert getattr(chunk, name) == value, name


def test_the_record_contains_requested_fields():
    assert not {"embed_text", "pieces"} & set(cut()[0].to_dict())
    assert list(cut(with_=["embed_text"])[0].to_dict())[-1] == "embed_text"
    assert list(cut(**{"with": ["embed_text", "pieces"]})[0].to_dict())[-2:] == ["embed_text", "pieces"]


def test_a_chunk_has_a_uuid_that_is_derived_from_its_id():
    assert str(chunkwright.NAMESPACE) == "82df2fc1-844b-54cc-b3f4-6c4fff8f4980"
    assert chunkwright.NAMESPACE == uuid.uuid5(uuid.NAMESPACE_URL, "https://github.com/chunkwright/chunkwright")
    chunks = list(chunkwright.chunk_files(CORPUS, **SMALL))
    assert [chunk.uuid for chunk in chunks] == [uuid.uuid5(chunkwright.NAMESPACE, chunk.id) for chunk in chunks]
    assert str(cut()[1].uuid) == "87ea9757-290f-5c65-921d-9ed5dda6101d"


def test_a_flat_record_has_only_strings_numbers_and_booleans():
    kinds = set()
    for chunk in chunkwright.chunk_files(CORPUS, with_=["pieces"], url_base="x", **SMALL):
        record, flat = chunk.to_dict(), chunk.to_dict(flat=True)
        kinds.update(type(value) for value in flat.values())
        assert flat.pop("breadcrumb") == " › ".join(record.pop("breadcrumb"))
        for name in ("notes", "pieces"):
            assert json.loads(flat.pop(name, "null")) == record.pop(name, None)
        metadata = {key: value for key, value in record.pop("metadata", {}).items() if value is not None}
        for key, value in metadata.items():
            shown = flat.pop(f"metadata_{key}")
            assert (json.loads(shown) if isinstance(value, list | dict) else shown) == value
        assert flat == {name: value for name, value in record.items() if value is not None}
    assert kinds == {str, int, float, bool}


def test_the_flat_record_of_a_page_with_front_matter():
    page = "---\ntitle: Tea\ntags: [hot, 1]\nby: {name: Ann}\ndraft: false\nrank: 0.5\nnone: ~\na.b: 2024-01-01\n---\nBoil."
    [chunk] = chunkwright.chunk(page, path="tea.md")
    flat = chunk.to_dict(flat=True)
    assert {name: value for name, value in flat.items() if name.startswith("metadata")} == {
        "metadata_title": "Tea",
        "metadata_tags": '["hot",1]',
        "metadata_by": '{"name":"Ann"}',
        "metadata_draft": False,
        "metadata_rank": 0.5,
        "metadata_a.b": "2024-01-01",
    }
    assert not {"parent_id", "anchor", "url", "notes", "metadata"} & set(flat)


def test_a_record_contains_embed_text_on_request():
    for flat in (False, True):
        for options in ({}, {"with_": ["embed_text"]}):
            record = cut(**options)[1].to_dict(embed_text=True, flat=flat)
            assert record.pop("embed_text") == cut()[1].embed_text
            assert record == cut()[1].to_dict(flat=flat)
    with pytest.raises(TypeError):
        cut()[0].to_dict(True)


def test_chunks_of_the_same_text_are_equal():
    assert cut() == cut()
    assert len({*cut(), *cut()}) == 2
    assert cut()[0] != cut()[1] != "a text"
    other = chunkwright.chunk(TEA.replace("80", "70"), path="tea.md", max=12, tokenizer="words:1")
    assert other[0] == cut()[0] and other[1] != cut()[1]


@pytest.mark.parametrize("copied", [lambda one: pickle.loads(pickle.dumps(one)), copy.deepcopy], ids=["pickle", "copy"])
def test_chunks_survive_pickling_and_copying(copied):
    chunks = list(chunkwright.chunk_files(CORPUS, with_=["pieces"], **SMALL))
    assert copied(chunks) == chunks
    assert [chunk.to_dict() for chunk in copied(chunks)] == [chunk.to_dict() for chunk in chunks]


def test_chunks_with_numbers_that_json_cannot_represent_are_equal_after_pickling():
    [chunk] = chunkwright.chunk("---\na: [.nan, .inf, 1.5]\n---\n\nText.")
    assert chunk.metadata == {"a": [None, None, 1.5]}
    assert pickle.loads(pickle.dumps(chunk)) == chunk


def test_attributes_cannot_be_set():
    [chunk] = chunkwright.chunk("Text.")
    for name in ["id", "metadata", "new"]:
        with pytest.raises(AttributeError, match=name):
            setattr(chunk, name, "x")


def test_a_chunker_survives_pickling_unless_its_configuration_changes(tmp_path):
    chunker = pickle.loads(pickle.dumps(chunkwright.Chunker(strategy="window", max=300, tokenizer=len)))
    assert repr(chunker) == "Chunker(strategy='window', max=300, tokenizer=<built-in function len>)"
    (tmp_path / "chunkwright.toml").write_text("max = 12\ntokenizer = 'words:1'\n")
    chunker = chunkwright.Chunker.from_config(tmp_path)
    state = pickle.dumps(chunker)
    again = pickle.loads(state)
    assert again.config_hash == chunker.config_hash
    assert again.chunk(TEA, path="tea.md") == cut()
    for other in "max = 13\n", "max = 12\ntokenizer = 'words:1'\nwith = ['pieces']\n":
        (tmp_path / "chunkwright.toml").write_text(other)
        with pytest.raises(ValueError, match="options resolve differently"):
            pickle.loads(state)


def test_a_pickled_chunker_ignores_the_working_directory(tmp_path, monkeypatch):
    (tmp_path / "chunkwright.toml").write_text("max = 12\n")
    monkeypatch.chdir(tmp_path)
    state = pickle.dumps(chunkwright.Chunker.from_config())
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/chunkwright.toml").write_text("max = 13\n")
    monkeypatch.chdir(tmp_path / "sub")
    assert pickle.loads(state).config_hash == chunkwright.Chunker(max=12).config_hash


def test_a_chunker_copies_its_options():
    window = {"max": 300}
    chunker = chunkwright.Chunker(strategy="window", window=window, with_=["pieces"])
    window["max"] = 5
    assert repr(chunker) == "Chunker(strategy='window', window={'max': 300}, with_=['pieces'])"
    assert pickle.loads(pickle.dumps(chunker)).config_hash == chunker.config_hash
    restore, (options, *rest) = chunker.__reduce__()
    assert restore(options, *rest).config_hash == chunker.config_hash
    with pytest.raises(ValueError, match="options resolve differently"):
        restore({**options, "window": window}, *rest)


def test_the_outline_has_every_heading():
    root = chunkwright.Chunker().tree(TEA, path="tea.md", tree="x")
    assert (root.id, root.title, root.depth, root.anchor) == ("x:tea.md", "On tea", 0, None)
    [tea] = root.children
    [green] = tea.children
    assert (green.id, green.anchor, green.position) == ("x:tea.md#green", "green", 2)
    assert (tea.body, green.body) == ("Boil water first.", "Let it cool to 80 degrees.")
    assert tea.text == TEA[TEA.index("# Tea") :].strip()
    assert repr(tea) == "Node(id='x:tea.md#tea', title='Tea', children=1)"


def test_chunk_many_keeps_the_order_of_texts():
    texts = [f"# Page {n}\n\n{'word ' * (n * 37 % 101)}end {n}.\n" for n in range(500)]
    for jobs in (1, 4):
        many = chunkwright.Chunker(jobs=jobs).chunk_many(iter(texts))
        assert [chunks[-1].text.split()[-1] for chunks in many] == [f"{n}." for n in range(500)]
    assert chunkwright.Chunker().chunk_many([]) == []


def test_other_threads_run_while_texts_are_split():
    """If the call held the interpreter, this thread could not count while it runs."""
    texts = [page.read_text(errors="ignore") for page in sorted(CORPUS.glob("*.md"))] * 30
    counted, done = 0, threading.Event()
    work = threading.Thread(target=lambda: (chunkwright.Chunker(jobs=1).chunk_many(texts), done.set()))
    work.start()
    while not done.wait(0.0001):
        counted += 1
    work.join()
    assert counted > 10


def test_a_python_function_counts_tokens():
    asked = []

    def words(text):
        asked.append(text)
        return len(text.split())

    assert cut() == chunkwright.chunk(TEA, path="tea.md", max=12, tokenizer=words)
    assert asked
    many = chunkwright.Chunker(max=12, tokenizer=words).chunk_many([TEA] * 3, paths=["tea.md"] * 3)
    assert many == [cut()] * 3


def test_files_are_split_with_a_python_tokenizer():
    # Unicode white space. Python's split() also splits at some control characters.
    word = re.compile(r"[^\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")
    chunker = chunkwright.Chunker(max=100, tokenizer=lambda text: len(word.findall(text)))
    chunks = list(chunker.chunk_files(CORPUS))
    assert chunks == list(chunkwright.chunk_files(CORPUS, max=100, tokenizer="words:1"))
