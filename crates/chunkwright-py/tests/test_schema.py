"""The JSON Schema of `chunkwright.toml` agrees with the command, in a validator that is not ours."""

import json
import re
import subprocess

import jsonschema
import pytest

from common import COMMAND, ROOT, run

tomllib = pytest.importorskip("tomllib", reason="needs Python 3.11")
SCHEMA = json.loads(run("config", "--schema"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

#: Errors that depend on several options or on files, which a schema cannot express.
BEYOND = re.compile("is above the maximum|is not below the maximum|invalid pattern|cannot read|has no option")

#: The first words of fences that configure other programs.
OTHERS = ("[mcp_servers",)


def examples():
    """Yield the configurations in the documentation."""
    yield "chunkwright.toml", (ROOT / "docs/examples/chunkwright.toml").read_text()
    for page in sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]):
        for fence in re.findall(r"^```toml\n(.*?)^```$", page.read_text(), re.M | re.S):
            if not fence.startswith(OTHERS):
                yield page.name, fence


def wrong():
    """Yield the wrong configurations that the Rust tests know, and their errors."""
    listed = (ROOT / "crates/chunkwright-config/tests/wrong-configurations.txt").read_text()
    for door, given, error in re.findall(r"^=== (\w+)\n(.*?)\n---\n(.*?)\n\n", listed, re.M | re.S):
        if door == "file" and "invalid TOML" not in error:
            yield given, error, load(given)
        elif door == "keywords":
            values = dict(line.split("=", 1) for line in given.splitlines())
            yield given, error, {name: json.loads(value) for name, value in values.items()}


def load(text):
    return tomllib.loads(text.removeprefix("\ufeff"))


def test_the_schema_is_valid():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"


@pytest.mark.parametrize(("page", "text"), [*examples()])
def test_accepts_every_example(page, text):
    VALIDATOR.validate(load(text))


def test_accepts_every_default_and_every_alias():
    defaults = json.loads(run("config", "--json"))
    for name, option in defaults.items():
        if option["value"] is not None:
            VALIDATOR.validate(nested(name, option["value"]))
    page = (ROOT / "docs/how-to/from-langchain.md").read_text().split("\n## Fields\n")[0]
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \| `([^`]+)` \|", page, re.M)
    assert len(rows) >= 15
    for names, value in rows:
        for name in re.findall(r"\w+", names):
            number = re.fullmatch(r"[\d.]+", value)
            VALIDATOR.validate({name: json.loads(value) if number else value})


def nested(name, value):
    table, _, rest = name.partition(".")
    return {table: nested(rest, value) if rest else value}


@pytest.mark.parametrize(("given", "error", "values"), [*wrong()])
def test_rejects_what_the_command_rejects(given, error, values):
    assert VALIDATOR.is_valid(values) == bool(BEYOND.search(error)), error


def test_needs_no_valid_file(tmp_path):
    (tmp_path / "chunkwright.toml").write_text("max = 'many'")
    done = subprocess.run([COMMAND, "config", "--schema"], capture_output=True, cwd=tmp_path, check=True)
    assert json.loads(done.stdout) == SCHEMA
