"""Check that Parquet and JSON lines contain the same records, with readers that are not ours."""

import json
import os
import pathlib
import subprocess

import duckdb
import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
CORPUS = ROOT / "crates/chunkwright/tests/corpus"
COMMAND = os.environ.get("CHUNKWRIGHT", str(ROOT / "target/debug/chunkwright"))

LIMITS = ["--set", "hierarchical.max=100", "--set", "window.max=100", "--set", "window.min=50",
          "--set", "window.min_deeper=60", "--set", "blocks.max=100", "--set", "blocks.target=60",
          "--set", "blocks.min=20"]


def chunk(output, *arguments):
    subprocess.run([COMMAND, "chunk", str(CORPUS), "-o", str(output), *LIMITS, *arguments], check=True)


def rows(path):
    """Return the rows of a table as records, without nulls and with parsed metadata."""
    table = duckdb.sql(f"from read_parquet('{path}', file_row_number=true) order by file_row_number")
    names = table.columns[:-1]
    for values in table.fetchall():
        record = {name: value for name, value in zip(names, values) if value is not None or name == "parent_id"}
        if "metadata" in record:
            record["metadata"] = json.loads(record["metadata"])
        for piece in record.get("pieces", []) + record.get("notes", []):
            for name in [name for name, value in piece.items() if value is None]:
                del piece[name]
        yield record


@pytest.mark.parametrize("fields", [[], ["--with", "embed_text"], ["--with", "embed_text,pieces"]], ids=" ".join)
@pytest.mark.parametrize("strategy", ["hierarchical", "window", "blocks", "tree"])
def test_a_table_contains_the_same_records_as_json_lines(tmp_path, strategy, fields):
    chunk(tmp_path / "chunks.jsonl", "--strategy", strategy, *fields)
    chunk(tmp_path / "chunks.parquet", "--strategy", strategy, *fields)
    lines = (tmp_path / "chunks.jsonl").read_bytes().split(b"\n")[:-1]
    expected = [json.loads(line) for line in lines]
    found = list(rows(tmp_path / "chunks.parquet"))
    assert len(expected) > 300
    assert [list(record) for record in found] == [list(record) for record in expected]
    assert found == expected


def test_a_table_contains_its_provenance(tmp_path):
    chunk(tmp_path / "chunks.json")
    chunk(tmp_path / "chunks.parquet")
    told = duckdb.sql(f"select key, value from parquet_kv_metadata('{tmp_path}/chunks.parquet')")
    told = {bytes(key).decode(): bytes(value).decode() for key, value in told.fetchall()}
    version = subprocess.run([COMMAND, "--version"], capture_output=True, check=True).stdout.decode()
    assert told["chunkwright.generator"] == version.strip()
    assert told["chunkwright.config_hash"] == json.loads((tmp_path / "chunks.json").read_bytes())["config_hash"]
