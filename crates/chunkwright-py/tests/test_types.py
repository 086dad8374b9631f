"""The stub says what there is."""

import json
import subprocess
import sys

import chunkwright
from chunkwright import _options
from common import run


def test_the_stub_says_what_there_is():
    # Modules in Python are their own stubs, and some need what is not there.
    command = [sys.executable, "-m", "mypy.stubtest", "chunkwright._native"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_checkers_know_every_option():
    declared = [_options.ChunkerOptions, _options.IndexOptions, _options.AnswerOptions]
    known = {name.removesuffix("_") for options in declared for name in options.__annotations__}
    # Titles of shortcodes have no fixed names, and are listed only where there are any.
    known -= {"shortcodes", *_options.OtherNames.__annotations__}
    assert known == {part for name in json.loads(run("config", "--json")) for part in parts(name)}


def test_other_names_are_accepted():
    strategies = {"Deeper": "window", "deeper": "window", "verlap": "blocks"}
    for name in _options.OtherNames.__annotations__:
        strategy = next((s for part, s in strategies.items() if part in name), "hierarchical")
        known = {"strategy": strategy, name: 300}
        bare = {"hard": "max", "max": "max", "target": "target", "overlap": "overlap"}
        bare = next((b for start, b in bare.items() if name.lower().startswith(start)), "min")
        bare = "min_deeper" if strategy == "window" else bare
        ours = {"strategy": strategy, bare: 300}
        assert chunkwright.Chunker(**known).config_hash == chunkwright.Chunker(**ours).config_hash


def test_shortcodes_have_titles():
    page = '# A\n\nText.\n\n## {{% heading "whatsnext" %}}\n\nMore.\n'
    titles = {"heading": {"whatsnext": "What's next"}}
    chunks = chunkwright.chunk(page, strategy="tree", shortcodes=titles)
    assert [chunk.title for chunk in chunks] == ["A", "What's next"]


def parts(name):
    """The table of an option, and its bare name, if strategies have it."""
    table, _, bare = name.partition(".")
    return [table] if table in ("index", "search") or not bare else [table, bare]


def test_checkers_find_what_is_wrong(tmp_path):
    page = tmp_path / "wrong.py"
    page.write_text("""
import chunkwright
chunkwright.Chunker(stratgy="window")
chunkwright.Chunker(max="many")
chunkwright.chunk("text", tokenizer=str.upper)
chunkwright.Index("index", max=3)
chunkwright.Chunker(strategy="window", max=300, tokenizer=len)
""")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path), str(page)]
    told = subprocess.run(command, capture_output=True, text=True).stdout
    assert [line.split(":")[1] for line in told.splitlines() if ": error:" in line] == ["3", "4", "5", "6"], told
