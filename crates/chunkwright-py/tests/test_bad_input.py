"""Invalid input raises an error that names the argument, without crashes, leaks or lasting effects."""

import os
import random
import re
import subprocess
import sys

import pytest

import chunkwright

PAGE = "# Tea\n\nBoil water first.\n\n## Green\n\nLet it cool to 80 degrees.\n"


def loop():
    entries = []
    entries.append(entries)
    return entries


class Odd:
    """A value whose `repr` fails."""

    def __repr__(self):
        raise RuntimeError("no words")


class Index:
    """An integer type of another library."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value

    def __repr__(self):
        return "Index"


def test_integer_types_of_other_libraries_are_accepted():
    assert chunkwright.Chunker(max=Index(300)).config_hash == chunkwright.Chunker(max=300).config_hash


WRONG = [
    (lambda: chunkwright.chunk(1), TypeError, "text: expected a str, not int"),
    (lambda: chunkwright.chunk(b"x"), TypeError, "text: expected a str, not bytes"),
    (lambda: chunkwright.chunk(None), TypeError, "text: expected a str, not NoneType"),
    (lambda: chunkwright.chunk("a\ud800"), ValueError, "text: invalid Unicode: .*surrogates"),
    (lambda: chunkwright.chunk(PAGE, path=1), TypeError, "path: expected a str or os.PathLike, not int"),
    (lambda: chunkwright.chunk(PAGE, path="\udcff"), ValueError, "path: invalid Unicode"),
    (lambda: chunkwright.chunk(PAGE, tree=1), TypeError, "tree: expected a str, not int"),
    (lambda: chunkwright.chunk(PAGE, strategy=1), ValueError, "strategy=1: "),
    (lambda: chunkwright.chunk(PAGE, strategy="windw"), ValueError, "strategy='windw': .*did you mean `window`?"),
    (lambda: chunkwright.chunk(PAGE, stratgy="window"), ValueError, "stratgy='window': unknown option `stratgy`; did you mean `strategy`?"),
    (lambda: chunkwright.chunk(PAGE, max="many"), ValueError, "max='many': invalid value `many`: expected a positive integer"),
    (lambda: chunkwright.chunk(PAGE, max=-1), ValueError, "max=-1: invalid value `-1`: expected a positive integer"),
    (lambda: chunkwright.chunk(PAGE, max=True), ValueError, "max=True: invalid value `true`: expected a positive integer"),
    (lambda: chunkwright.chunk(PAGE, max=0), ValueError, "max=0: invalid value `0`: expected a positive integer"),
    (lambda: chunkwright.chunk(PAGE, max=10**30), ValueError, "max: 10+ does not fit in 64 bits"),
    (lambda: chunkwright.chunk(PAGE, max={1}), TypeError, "max: cannot use a value of type set"),
    (lambda: chunkwright.chunk(PAGE, max=float("nan")), ValueError, "max: expected a finite number, not nan"),
    (lambda: chunkwright.chunk(PAGE, with_="embed_text"), ValueError, "with='embed_text': .*expected a list"),
    (lambda: chunkwright.chunk(PAGE, with_=["embed_txt"]), ValueError, "did you mean `embed_text`?"),
    (lambda: chunkwright.chunk(PAGE, with_=loop()), ValueError, "with: nested more than 64 levels deep"),
    (lambda: chunkwright.chunk(PAGE, with_=["a\ud800"]), ValueError, "with: invalid Unicode"),
    (lambda: chunkwright.chunk(PAGE, window={"mx": 1}), ValueError, "window={'mx': 1}: unknown option `window.mx`; did you mean `window.max`?"),
    (lambda: chunkwright.chunk(PAGE, window={1: 1}), TypeError, "window: expected a str, not int"),
    (lambda: chunkwright.chunk(PAGE, max={"a": 1}), ValueError, "max={'a': 1}: expected a value, not a table"),
    (lambda: chunkwright.chunk(PAGE, window=1), ValueError, "window=1: `window` is a table of options"),
    (lambda: chunkwright.chunk(PAGE, overlap=10), ValueError, "overlap=10: `hierarchical` has no option `overlap`; use it with `blocks`"),
    (lambda: chunkwright.chunk(PAGE, tokenizer="gpt9"), ValueError, "tokenizer='gpt9': unknown tokenizer `gpt9`: use estimate,"),
    (lambda: chunkwright.chunk(PAGE, tokenizer="hf:/nowhere.json"), ValueError, "cannot read"),
    (lambda: chunkwright.chunk(PAGE, tokenizer=1), ValueError, "tokenizer=1: "),
    (lambda: chunkwright.chunk(PAGE, max=Odd()), RuntimeError, "no words"),
    (lambda: chunkwright.Chunker(300), TypeError, "positional"),
    (lambda: chunkwright.Chunker(**{"a\ud800": 1}), ValueError, "options: invalid Unicode: .*surrogates"),
    (lambda: chunkwright.Chunker(max=5, max_=6), ValueError, "max_=6: unknown option `max_`; did you mean `max`?"),
    (lambda: chunkwright.Chunker(max=Index(2**70)), ValueError, "max: Index does not fit in 64 bits"),
    (lambda: chunkwright.Chunker(max=Index("3")), TypeError, "max: cannot use a value of type test_bad_input.Index"),
    (lambda: chunkwright.Chunker().chunk_many(PAGE), TypeError, r"texts: expected an iterable such as a list, not str \(put it in a list\)"),
    (lambda: chunkwright.Chunker().chunk_many(1), TypeError, "texts: expected an iterable such as a list, not int"),
    (lambda: chunkwright.Chunker().chunk_many([PAGE, 1]), TypeError, r"texts\[1\]: expected a str, not int"),
    (lambda: chunkwright.Chunker().chunk_many([PAGE, "\udfff"]), ValueError, r"texts\[1\]: invalid Unicode"),
    (lambda: chunkwright.Chunker().chunk_many([PAGE], paths=[]), ValueError, r"paths: expected as many paths as texts \(1\), not 0"),
    (lambda: chunkwright.Chunker().chunk_many([PAGE], paths=[None]), TypeError, r"paths\[0\]: expected a str or os.PathLike"),
    (lambda: chunkwright.Chunker().chunk_many(1 / x for x in [0]), ZeroDivisionError, "division by zero"),
    (lambda: chunkwright.Chunker().tree(1), TypeError, "text: expected a str, not int"),
    (lambda: chunkwright.chunk_files(1), TypeError, "paths: expected an iterable such as a list, not int"),
    (lambda: chunkwright.chunk_files([1]), TypeError, r"paths\[0\]: expected a str or os.PathLike, not int"),
    (lambda: chunkwright.chunk_files(["/"], tree=1), TypeError, "tree: expected a str, not int"),
    (lambda: chunkwright.chunk_files("\ud800"), ValueError, "paths: invalid Unicode"),
    (lambda: chunkwright.chunk_files(["\ud800"]), ValueError, r"paths\[0\]: invalid Unicode"),
    (lambda: chunkwright.chunk_files([], on_error=1), TypeError, "on_error: expected a function, not int"),
    (lambda: chunkwright.Chunker().chunk_files([], on_error="x"), TypeError, "on_error: expected a function, not str"),
    (lambda: chunkwright.chunk_batch(1, text=1), TypeError, "text: expected a str, not int"),
    (lambda: chunkwright.chunk_batch(1, id="\ud800"), ValueError, "id: invalid Unicode"),
    (lambda: chunkwright.Chunker().chunk_batch(1, id=1), TypeError, "id: expected a str, not int"),
    (lambda: chunkwright.chunk_batch(1), TypeError, "batch: expected Arrow data, .*, not int"),
    (lambda: chunkwright.Chunk._restore(b"{}", False, False), ValueError, "state: not a pickled chunk"),
    (lambda: chunkwright.Chunker.from_config("/"), FileNotFoundError, "path: no chunkwright.toml in / or its parents"),
    (lambda: chunkwright.Chunker.from_config("\ud800"), ValueError, "path: invalid Unicode"),
    (lambda: chunkwright.Chunker.from_config(1), TypeError, "path: expected a str or os.PathLike, not int"),
]


@pytest.mark.parametrize("call, error, message", WRONG, ids=range(len(WRONG)))
def test_errors_name_the_invalid_argument(call, error, message):
    with pytest.raises(error) as raised:
        call()
    assert re.search(message, str(raised.value)), str(raised.value)
    assert len(chunkwright.chunk(PAGE)) == 1


def test_from_config_searches_the_directory_and_its_parents(tmp_path, monkeypatch):
    (tmp_path / "chunkwright.toml").write_text("max = 12\n")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/other.toml").write_text("max = 13\n")
    monkeypatch.chdir(tmp_path / "sub")
    found = [chunkwright.Chunker.from_config(*path) for path in [(), ("..",), (tmp_path / "sub",), ("../chunkwright.toml",)]]
    assert {chunker.config_hash for chunker in found} == {chunkwright.Chunker(max=12).config_hash}
    with pytest.raises(ValueError, match="path: other.toml is neither a directory nor a chunkwright.toml"):
        chunkwright.Chunker.from_config("other.toml")
    for missing in "none", "none/typo", "chunkwright.toml":
        with pytest.raises(FileNotFoundError, match=f"path: cannot open {missing}: no such file"):
            chunkwright.Chunker.from_config(missing)


def test_errors_in_a_configuration_file_have_a_line_and_column(tmp_path):
    (tmp_path / "chunkwright.toml").write_text('[window]\nmax = "many"\n')
    with pytest.raises(ValueError, match=r"chunkwright.toml:2:7: invalid value `many`: expected a positive integer"):
        chunkwright.Chunker.from_config(tmp_path)


class Stop(Exception):
    pass


def fail(text):
    raise Stop("unchanged")


COUNTERS = [
    (fail, Stop, "unchanged"),
    (lambda text: -1, ValueError, "tokenizer: expected the function to return 0 or more, not -1"),
    (lambda text: "3", TypeError, "tokenizer: expected the function to return int, not str"),
    (lambda text: 3.0, TypeError, "tokenizer: expected the function to return int, not float"),
    (lambda text: None, TypeError, "tokenizer: expected the function to return int, not NoneType"),
    (lambda text: 10**30, ValueError, "tokenizer: expected the function to return less than 4294967295"),
    (lambda: 1, TypeError, "positional argument"),
    (lambda text: (_ for _ in ()).throw(KeyboardInterrupt("stop")), KeyboardInterrupt, "stop"),
]


@pytest.mark.parametrize("counter, error, message", COUNTERS, ids=range(len(COUNTERS)))
def test_a_failing_tokenizer_ends_the_call(counter, error, message, tmp_path):
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


def test_a_tokenizer_failure_affects_one_call_only():
    """A tokenizer that fails intermittently affects only the calls in which it fails."""
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
def test_a_tokenizer_may_return_any_counts(strategy):
    """Splitting ends and loses nothing, however implausible the counts are."""
    text = "# A\n\n" + "Some words. More words here, and so on.\n\n" * 30 + "```\n" + "code\n" * 40 + "```\n"
    for counter in [lambda text: 0, lambda text: 4_294_967_294]:
        chunks = chunkwright.chunk(text, strategy=strategy, tokenizer=counter)
        owned = [p for chunk in chunks for p in chunk.pieces if p["kind"] in ("own", "hidden")]
        assert "".join(text[p["start"] : p["end"]] for p in owned) == text
    dice = random.Random(1)
    assert chunkwright.chunk(text, strategy=strategy, tokenizer=lambda text: dice.randrange(2000))


def test_a_tokenizer_may_call_chunk():
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


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="the system has no /proc")
def test_failures_leak_no_memory():
    """The second program keeps its texts, to prove that the measurement would notice a leak."""

    def growth(*arguments):
        command = [sys.executable, "-c", GROWTH, *arguments]
        directory = os.path.dirname(__file__)
        return int(subprocess.run(command, capture_output=True, check=True, cwd=directory).stdout)

    # Each text has 250 kB.
    assert growth("release") < 10_000_000 < 20_000_000 < growth("keep")
