"""Python returns the records that the command writes, for every page, strategy and set of options."""

import pathlib

import pytest

import chunkwright
from common import CORPUS, ROOT, SMALL, STRATEGIES, records

OPTIONS = {
    "defaults": {},
    "small": SMALL,
    "all fields": {"with_": ["embed_text", "pieces"], "tokenizer": "o200k", **SMALL},
    "other": {
        "tokenizer": "words:1.3",
        "context": "none",
        "frontmatter": "include",
        "mdx": "on",
        "repeat_table_headers": False,
        "split_oversized": False,
        "slugs": "ascii",
        "url_base": "https://example.org/x",
    },
}


@pytest.mark.parametrize("directory", [CORPUS, ROOT / "docs"], ids=lambda path: path.name)
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_records_match_the_command(directory, strategy, options):
    options = {"strategy": strategy, **options}
    expected = records(directory, options)
    chunker = chunkwright.Chunker(**options)
    files = [chunk.to_dict() for chunk in chunker.chunk_files(directory)]
    assert len(files) > 30
    assert files == expected
    assert [list(record) for record in files] == [list(record) for record in expected]

    pages = list(dict.fromkeys(record["path"] for record in expected))
    texts = [(directory / page).read_bytes().decode() for page in pages]
    many = chunker.chunk_many(texts, paths=pages, tree=directory.name)
    assert [chunk.to_dict() for chunks in many for chunk in chunks] == expected
    one = [chunkwright.chunk(text, path=page, tree=directory.name, **options) for page, text in zip(pages, texts)]
    assert one == many


def test_a_text_without_a_path_is_split_like_standard_input(tmp_path):
    import json

    from common import run

    text = (ROOT / "docs/examples/guide.md").read_bytes()
    lines = run("chunk", "-", "--format", "jsonl", input=text).split(b"\n")
    expected = [json.loads(line) for line in lines if line]
    assert [chunk.to_dict() for chunk in chunkwright.chunk(text.decode())] == expected


def test_a_configuration_file_has_the_same_effect_as_for_the_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "chunkwright.toml").write_text(
        'max = 60\n[trees.x]\npath = "docs"\n[[override]]\npaths = ["blog/**"]\nstrategy = "window"\nmax = 90\nmin = 40\n'
    )
    pages = {"a.md": "guide.md", "blog/b.md": "guide.md"}
    for page, example in pages.items():
        (tmp_path / "docs" / page).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "docs" / page).write_bytes((ROOT / "docs/examples" / example).read_bytes())
    expected = records("docs", {})
    assert {record["strategy"] for record in expected} == {"hierarchical", "window"}
    chunker = chunkwright.Chunker.from_config()
    assert [chunk.to_dict() for chunk in chunker.chunk_files("docs")] == expected
    texts = [pathlib.Path("docs", page).read_text() for page in pages]
    many = chunker.chunk_many(texts, paths=list(pages), tree="x")
    assert [chunk.to_dict() for chunks in many for chunk in chunks] == expected
