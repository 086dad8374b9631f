"""What is wrong is told by name, crashes nothing, leaves nothing behind, and does no lasting harm."""

import os
import random
import re
import subprocess
import sys

import pytest

import chunkwright

PAGE = "# Tea\n\nBoil water first.\n\n## Green\n\nWait until it has 80 degrees.\n"


def loop():
    entries = []
    entries.append(entries)
    return entries


class Odd:
    """A value whose representation cannot be had."""

    def __repr__(self):
        raise RuntimeError("no words")


class Index:
    """A whole number that is no int, as other libraries have them."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value

    def __repr__(self):
        return "Index"


def test_what_is_like_an_int_is_one():
    assert chunkwright.Chunker(max=Index(300)).config_hash == chunkwright.Chunker(max=300).config_hash


WRONG = [
    (lambda: chunkwright.chunk(1), TypeError, "text: it takes a str, not int"),
    (lambda: chunkwright.chunk(b"x"), TypeError, "text: it takes a str, not bytes"),
    (lambda: chunkwright.chunk(None), TypeError, "text: it takes a str, not NoneType"),
    (lambda: chunkwright.chunk("a\ud800"), ValueError, "text: not valid Unicode: .*surrogates"),
    (lambda: chunkwright.chunk(PAGE, path=1), TypeError, "path: it takes a str or a path, not int"),
    (lambda: chunkwright.chunk(PAGE, path="\udcff"), ValueError, "path: not valid Unicode"),
    (lambda: chunkwright.chunk(PAGE, tree=1), TypeError, "tree: it takes a str, not int"),
    (lambda: chunkwright.chunk(PAGE, strategy=1), ValueError, "strategy=1: "),
    (lambda: chunkwright.chunk(PAGE, strategy="windw"), ValueError, "strategy='windw': .*did you mean `window`?"),
    (lambda: chunkwright.chunk(PAGE, stratgy="window"), ValueError, "stratgy='window': unknown option `stratgy`; did you mean `strategy`?"),
    (lambda: chunkwright.chunk(PAGE, max="many"), ValueError, "max='many': invalid value `many`: expected a positive integer"),
    (lambda: chunkwright.chunk(PAGE, max=-1), ValueError, "max=-1: invalid value `-1`: expected a positive integer"),
    (lambda: chunkwright.chunk(PAGE, max=True), ValueError, "max=True: invalid value `true`: expected a positive integer"),
    (lambda: chunkwright.chunk(PAGE, max=0), ValueError, "max=0: invalid value `0`: expected a positive integer"),
    (lambda: chunkwright.chunk(PAGE, max=10**30), ValueError, "max: 10+ is too large"),
    (lambda: chunkwright.chunk(PAGE, max={1}), TypeError, "max: it takes no value of type set"),
    (lambda: chunkwright.chunk(PAGE, max=float("nan")), ValueError, "max: nan is no number"),
    (lambda: chunkwright.chunk(PAGE, with_="embed_text"), ValueError, "with='embed_text': .*expected a list"),
    (lambda: chunkwright.chunk(PAGE, with_=["embed_txt"]), ValueError, "did you mean `embed_text`?"),
    (lambda: chunkwright.chunk(PAGE, with_=loop()), ValueError, "with: it nests too deep"),
    (lambda: chunkwright.chunk(PAGE, with_=["a\ud800"]), ValueError, "with: not valid Unicode"),
    (lambda: chunkwright.chunk(PAGE, window={"mx": 1}), ValueError, "window={'mx': 1}: unknown option `window.mx`; did you mean `window.max`?"),
    (lambda: chunkwright.chunk(PAGE, window={1: 1}), TypeError, "window: it takes a str, not int"),
    (lambda: chunkwright.chunk(PAGE, max={"a": 1}), ValueError, "max={'a': 1}: expected a value, not a table"),
    (lambda: chunkwright.chunk(PAGE, window=1), ValueError, "window=1: `window` is a table of options"),
    (lambda: chunkwright.chunk(PAGE, overlap=10), ValueError, "overlap=10: `hierarchical` has no option `overlap`; use it with `blocks`"),
    (lambda: chunkwright.chunk(PAGE, tokenizer="gpt9"), ValueError, "tokenizer='gpt9': unknown tokenizer `gpt9`: use estimate,"),
    (lambda: chunkwright.chunk(PAGE, tokenizer="hf:/nowhere.json"), ValueError, "cannot read"),
    (lambda: chunkwright.chunk(PAGE, tokenizer=1), ValueError, "tokenizer=1: "),
    (lambda: chunkwright.chunk(PAGE, max=Odd()), RuntimeError, "no words"),
    (lambda: chunkwright.Chunker(300), TypeError, "positional"),
    (lambda: chunkwright.Chunker(**{"a\ud800": 1}), ValueError, "options: not valid Unicode: .*surrogates"),
    (lambda: chunkwright.Chunker(max=5, max_=6), ValueError, "max_=6: unknown option `max_`; did you mean `max`?"),
    (lambda: chunkwright.Chunker(max=Index(2**70)), ValueError, "max: Index is too large"),
    (lambda: chunkwright.Chunker(max=Index("3")), TypeError, "max: it takes no value of type test_bad_input.Index"),
    (lambda: chunkwright.Chunker().chunk_many(PAGE), TypeError, "texts: it takes several, not one str"),
    (lambda: chunkwright.Chunker().chunk_many(1), TypeError, "texts: it takes several, not one int"),
    (lambda: chunkwright.Chunker().chunk_many([PAGE, 1]), TypeError, r"texts\[1\]: it takes a str, not int"),
    (lambda: chunkwright.Chunker().chunk_many([PAGE, "\udfff"]), ValueError, r"texts\[1\]: not valid Unicode"),
    (lambda: chunkwright.Chunker().chunk_many([PAGE], paths=[]), ValueError, "paths: 0 for 1 texts"),
    (lambda: chunkwright.Chunker().chunk_many([PAGE], paths=[None]), TypeError, r"paths\[0\]: it takes a str or a path"),
    (lambda: chunkwright.Chunker().chunk_many(1 / x for x in [0]), ZeroDivisionError, "division by zero"),
    (lambda: chunkwright.Chunker().tree(1), TypeError, "text: it takes a str, not int"),
    (lambda: chunkwright.chunk_files(1), TypeError, "paths: it takes several, not one int"),
    (lambda: chunkwright.chunk_files([1]), TypeError, r"paths\[0\]: it takes a str or a path, not int"),
    (lambda: chunkwright.chunk_files(["/"], tree=1), TypeError, "tree: it takes a str, not int"),
    (lambda: chunkwright.chunk_files("\ud800"), ValueError, "paths: not valid Unicode"),
    (lambda: chunkwright.chunk_files(["\ud800"]), ValueError, r"paths\[0\]: not valid Unicode"),
    (lambda: chunkwright.chunk_files([], on_error=1), TypeError, "on_error: it takes a function, not int"),
    (lambda: chunkwright.Chunker().chunk_files([], on_error="x"), TypeError, "on_error: it takes a function, not str"),
    (lambda: chunkwright.chunk_batch(1, text=1), TypeError, "text: it takes a str, not int"),
    (lambda: chunkwright.chunk_batch(1, id="\ud800"), ValueError, "id: not valid Unicode"),
    (lambda: chunkwright.Chunker().chunk_batch(1, id=1), TypeError, "id: it takes a str, not int"),
    (lambda: chunkwright.chunk_batch(1), TypeError, "batch: it takes data in Arrow, not int"),
    (lambda: chunkwright.Chunk._restore(b"{}", False, False), ValueError, "state: not a chunk"),
    (lambda: chunkwright.Chunker.from_config("/"), FileNotFoundError, "path: no chunkwright.toml in / or above it"),
    (lambda: chunkwright.Chunker.from_config("\ud800"), ValueError, "path: not valid Unicode"),
    (lambda: chunkwright.Chunker.from_config(1), TypeError, "path: it takes a str or a path, not int"),
]


@pytest.mark.parametrize("call, error, message", WRONG, ids=range(len(WRONG)))
def test_what_is_wrong_is_told_by_name(call, error, message):
    with pytest.raises(error) as raised:
        call()
    assert re.search(message, str(raised.value)), str(raised.value)
    assert len(chunkwright.chunk(PAGE)) == 1


def test_a_configuration_is_looked_for_where_it_may_be(tmp_path, monkeypatch):
    (tmp_path / "chunkwright.toml").write_text("max = 12\n")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/other.toml").write_text("max = 13\n")
    monkeypatch.chdir(tmp_path / "sub")
    found = [chunkwright.Chunker.from_config(*path) for path in [(), ("..",), (tmp_path / "sub",), ("../chunkwright.toml",)]]
    assert {chunker.config_hash for chunker in found} == {chunkwright.Chunker(max=12).config_hash}
    with pytest.raises(ValueError, match="path: other.toml: not a directory, nor a chunkwright.toml"):
        chunkwright.Chunker.from_config("other.toml")
    for missing in "none", "none/typo", "chunkwright.toml":
        with pytest.raises(FileNotFoundError, match=f"path: {missing}: no such file"):
            chunkwright.Chunker.from_config(missing)


def test_a_file_that_is_wrong_is_shown_with_the_place(tmp_path):
    (tmp_path / "chunkwright.toml").write_text('[window]\nmax = "many"\n')
    with pytest.raises(ValueError, match=r"chunkwright.toml:2:7: invalid value `many`: expected a positive integer"):
        chunkwright.Chunker.from_config(tmp_path)


class Stop(Exception):
    pass


def fail(text):
    raise Stop("as it is")


COUNTERS = [
    (fail, Stop, "as it is"),
    (lambda text: -1, ValueError, "tokenizer: it must not return less than 0: -1"),
    (lambda text: "3", TypeError, "tokenizer: it must return an int, not str"),
    (lambda text: 3.0, TypeError, "tokenizer: it must return an int, not float"),
    (lambda text: None, TypeError, "tokenizer: it must return an int, not NoneType"),
    (lambda text: 10**30, ValueError, "tokenizer: it must return less than 4294967295"),
    (lambda: 1, TypeError, "positional argument"),
    (lambda text: (_ for _ in ()).throw(KeyboardInterrupt("stop")), KeyboardInterrupt, "stop"),
]


@pytest.mark.parametrize("counter, error, message", COUNTERS, ids=range(len(COUNTERS)))
def test_a_counter_that_fails_is_told(counter, error, message, tmp_path):
    (tmp_path / "a.md").write_text(PAGE)
    chunker = chunkwright.Chunker(tokenizer=counter)
    calls = [
        lambda: chunker.chunk(PAGE),
        lambda: chunker.chunk_many([PAGE] * 3),
        lambda: list(chunker.chunk_files(tmp_path)),
        lambda: chunkwright.chunk(PAGE, tokenizer=counter),
    ]
    for call in calls:
        with pytest.raises(error, match=message):
            call()
    assert len(chunkwright.chunk(PAGE)) == 1


def test_a_failure_is_that_of_one_call():
    """A counter that fails now and then fails those calls only."""
    wrong = False

    def words(text):
        if wrong:
            raise Stop
        return len(text.split())

    chunker = chunkwright.Chunker(tokenizer=words)
    expected = chunker.chunk(PAGE)
    wrong = True
    with pytest.raises(Stop):
        chunker.chunk(PAGE)
    wrong = False
    assert chunker.chunk(PAGE) == expected


@pytest.mark.parametrize("strategy", ["hierarchical", "window", "blocks", "tree"])
def test_a_counter_may_count_as_it_likes(strategy):
    """However odd the numbers are, it ends."""
    text = "# A\n\n" + "Some words. More words here, and so on.\n\n" * 30 + "```\n" + "code\n" * 40 + "```\n"
    for counter in [lambda text: 0, lambda text: 4_294_967_294]:
        chunks = chunkwright.chunk(text, strategy=strategy, tokenizer=counter)
        owned = [p for chunk in chunks for p in chunk.pieces if p["kind"] in ("own", "hidden")]
        assert "".join(text[p["start"] : p["end"]] for p in owned) == text
    dice = random.Random(1)
    assert chunkwright.chunk(text, strategy=strategy, tokenizer=lambda text: dice.randrange(2000))


def test_a_counter_may_cut_texts_itself():
    def nested(text):
        with pytest.raises(Stop):
            chunkwright.chunk(text, tokenizer=fail)
        return sum(chunk.tokens for chunk in chunkwright.chunk(text, tokenizer="words:1")) if text.strip() else 0

    assert chunkwright.chunk(PAGE, tokenizer=nested)


GROWTH = """
import os, sys
import pytest
import chunkwright
from test_bad_input import Stop, WRONG, fail

kept = []

def round():
    for call, error, _ in WRONG:
        with pytest.raises(error):
            call()
    text = "# A\\n\\n" + "word " * 50_000 + str(len(kept))
    with pytest.raises(Stop):
        chunkwright.chunk(text, tokenizer=fail)
    kept.append(text if sys.argv[1] == "keep" else None)

def pages():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1])

for _ in range(20):
    round()
before = pages()
for _ in range(150):
    round()
print((pages() - before) * os.sysconf("SC_PAGE_SIZE"))
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="the system does not tell")
def test_failures_leave_nothing_behind():
    """The second program keeps its texts, to show what that would look like."""

    def growth(*arguments):
        command = [sys.executable, "-c", GROWTH, *arguments]
        directory = os.path.dirname(__file__)
        return int(subprocess.run(command, capture_output=True, check=True, cwd=directory).stdout)

    # A text has 250 kB.
    assert growth("let go") < 10_000_000 < 20_000_000 < growth("keep")
