"""The stub and the option types match the extension."""

import ast
import functools
import inspect
import json
import operator
import subprocess
import sys
import typing

import chunkwright
from chunkwright import _native, _options
from common import PACKAGE, run


def test_the_stub_matches_the_extension():
    # Only the extension: modules in Python have inline types, and adapters need packages that are not installed.
    command = [sys.executable, "-m", "mypy.stubtest", "chunkwright._native"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_the_package_is_well_typed():
    """The integration tests check the adapters, which need the packages they adapt."""
    modules = sorted(str(path) for path in PACKAGE.glob("_*.py*"))
    command = [sys.executable, "-m", "mypy", "--strict", "--disable-error-code", "import-untyped", *modules]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def documented(body, owner):
    """Yield the public classes and functions of a stub, each with its counterpart in the extension."""
    for node in body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("__"):
            found = getattr(owner, node.name)
            yield node, found
            yield from documented(node.body, found) if isinstance(node, ast.ClassDef) else ()


def test_docstrings_in_the_stub_match_the_extension():
    """Editors show those of the stub, `help()` those of the extension."""
    for node, found in documented(ast.parse((PACKAGE / "_native.pyi").read_text()).body, _native):
        assert ast.get_docstring(node) == inspect.getdoc(found), node.name


def test_every_option_has_a_type():
    schema = json.loads(run("config", "--schema"))
    # The first two are set only in the file. `tree` is another argument, and the strategy has no options.
    expected = {name: option for name, option in schema["properties"].items() if name not in ("trees", "override", "tree")}
    # These are set in the table `search`.
    for name in schema["properties"]["search"]["properties"]["merging"]["properties"]:
        expected.pop(name, None)
    declared = {}
    for options in (_options.ChunkerOptions, _options.IndexOptions, _options.AnswerOptions):
        declared |= {name.removesuffix("_"): kind for name, kind in typing.get_type_hints(options).items()}
    assert declared.keys() == expected.keys()
    for name, option in expected.items():
        assert name == "tokenizer" or declared[name] == kind(option, schema) | None, name


def kind(option, schema):
    """Return the type of the values that a schema accepts."""
    if "$ref" in option:
        for part in option["$ref"].removeprefix("#/").split("/"):
            schema = schema[part]
        return kind(schema, schema)
    if names := [name for one in [option, *option.get("oneOf", [])] for name in one.get("enum", [one.get("const")]) if name]:
        return typing.Literal[tuple(names)]
    if "anyOf" in option:
        return functools.reduce(operator.or_, (kind(one, schema) for one in option["anyOf"]))
    kinds = {"boolean": bool, "integer": int, "number": float, "string": str, "array": list[str], "object": _options.Table}
    return kinds[option["type"]]


def test_aliases_of_options_are_accepted():
    strategies = {"Deeper": "window", "deeper": "window", "verlap": "blocks"}
    for name in _options.OtherNames.__annotations__:
        strategy = next((s for part, s in strategies.items() if part in name), "hierarchical")
        known = {"strategy": strategy, name: 300}
        bare = {"hard": "max", "max": "max", "target": "target", "overlap": "overlap"}
        bare = next((b for start, b in bare.items() if name.lower().startswith(start)), "min")
        bare = "min_deeper" if strategy == "window" else bare
        ours = {"strategy": strategy, bare: 300}
        assert chunkwright.Chunker(**known).config_hash == chunkwright.Chunker(**ours).config_hash


def test_shortcodes_can_be_given_titles():
    page = '# A\n\nText.\n\n## {{% heading "whatsnext" %}}\n\nMore.\n'
    titles = {"heading": {"whatsnext": "What's next"}}
    chunks = chunkwright.chunk(page, strategy="tree", shortcodes=titles)
    assert [chunk.title for chunk in chunks] == ["A", "What's next"]


def test_type_checkers_find_invalid_options(tmp_path):
    page = tmp_path / "wrong.py"
    page.write_text("""
import chunkwright, tiktoken, tokenizers
chunkwright.Chunker(stratgy="window")
chunkwright.Chunker(max="many")
chunkwright.chunk("text", tokenizer=str.upper)
chunkwright.Index("index", max=3)
chunkwright.Chunker(tokenizer=tiktoken)
chunkwright.Chunker(strategy="window", max=300, tokenizer=len)
chunkwright.Chunker(tokenizer=tokenizers.Tokenizer.from_file("tokenizer.json"))
chunkwright.Chunker(tokenizer=tiktoken.get_encoding("o200k_base"))
""")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path), str(page)]
    told = subprocess.run(command, capture_output=True, text=True).stdout
    assert [line.split(":")[1] for line in told.splitlines() if ": error:" in line] == ["3", "4", "5", "6", "7"], told
