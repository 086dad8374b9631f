"""Check that a vector store that applies a plan as documented contains the new version."""

import hashlib
import json
import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMMAND = os.environ.get("CHUNKWRIGHT", str(ROOT / "target/debug/chunkwright"))
LIMITS = ["--set", "hierarchical.max=60", "--set", "window.max=60", "--set", "window.min=20",
          "--set", "window.min_deeper=30", "--set", "blocks.max=60", "--set", "blocks.target=40",
          "--set", "blocks.min=10"]
SCRIPT = re.search(r"```python\n(.*?)```", (ROOT / "docs/how-to/sync-a-vector-store.md").read_text(), re.S).group(1)


def embed(text):
    return hashlib.sha256(text.encode()).hexdigest()


class Store:
    def __init__(self, records):
        self.rows = {record["id"]: (embed(record["embed_text"]), record) for record in records}

    def vectors(self, ids):
        return [self.rows[id][0] for id in ids]

    def put(self, id, vector, record):
        self.rows[id] = (vector, record)

    def set_record(self, id, record):
        self.put(id, self.rows[id][0], record)

    def delete(self, ids):
        for id in ids:
            del self.rows[id]


def run(*arguments):
    return subprocess.run([COMMAND, *arguments], capture_output=True, check=True).stdout


def records(directory, options):
    lines = run("chunk", directory, "--format", "jsonl", "--with", "embed_text", *options).split(b"\n")
    return [json.loads(line) for line in lines if line]


@pytest.mark.parametrize("strategy", ["hierarchical", "window", "blocks", "tree"])
def test_applying_a_plan_yields_the_new_version(tmp_path, monkeypatch, strategy):
    monkeypatch.chdir(tmp_path)
    options = [*LIMITS, "--tree", "docs", "--strategy", strategy]
    for version in ("old", "new"):
        for folder in ("", "deep"):
            (tmp_path / version / folder).mkdir(parents=True, exist_ok=True)
    section = "## Example\n\nThe {} example is about {}, which is not about anything else at all.\n\n"
    sections = [section.format(n, n * 7) for n in range(12)]
    (tmp_path / "old/a.md").write_text("# Page\n\n" + "".join(sections))
    (tmp_path / "new/a.md").write_text("# Page\n\n" + section.format("new", 0) + "".join(sections[:9]))
    (tmp_path / "old/deep/b.md").write_text("---\ntag: old\n---\n# Same\n\nText.\n")
    (tmp_path / "new/deep/b.md").write_text("---\ntag: new\n---\n# Same\n\nText.\n")
    (tmp_path / "old/c.md").write_text("# Moves\n\nAs it is.\n")
    (tmp_path / "new/deep/c.md").write_text("# Moves\n\nAs it is.\n")

    store, expected = Store(records("old", options)), Store(records("new", options))
    pathlib.Path("plan.json").write_bytes(run("diff", "old", "new", "--json", *options))
    exec(SCRIPT, {"store": store, "embed": embed})

    assert store.rows == expected.rows
    plan = json.loads(pathlib.Path("plan.json").read_bytes())
    assert plan["move"] and plan["update"] and plan["delete"]
    assert strategy != "tree" or [record["id"] for record in plan["upsert"]] == ["docs:a.md#example"]
