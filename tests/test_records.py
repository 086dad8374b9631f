"""Check the records that the command writes, without any code of the library."""

import json
import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
CORPUS = ROOT / "crates/chunkwright/tests/corpus"
COMMAND = os.environ.get("CHUNKWRIGHT", str(ROOT / "target/debug/chunkwright"))
PAGES = sorted(page for page in CORPUS.iterdir() if not page.name.startswith("."))

ALWAYS = [
    "id", "doc_id", "parent_id", "path", "strategy", "position", "depth", "title",
    "document_title", "breadcrumb", "text", "tokens", "byte_start", "byte_end", "line_start",
    "line_end", "block_start", "block_end", "content_hash", "embed_text", "pieces",
]
SOMETIMES = ["url", "anchor", "metadata", "notes"]
# Unicode's white space; Python's split() also splits at some control characters.
WORD = re.compile(r"[^\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")


def chunk(*arguments):
    command = [COMMAND, "chunk", "--format", "jsonl", "--with", "embed_text,pieces", *arguments]
    done = subprocess.run(command, capture_output=True, check=True)
    return [json.loads(line) for line in done.stdout.decode().split("\n") if line]


@pytest.fixture(scope="module")
def records():
    by_path = {page.name: [] for page in PAGES}
    for record in chunk(str(CORPUS), "--tokenizer", "words:1", "--target", "60", "--max", "100"):
        by_path[record["path"]].append(record)
    return by_path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_records_contain_every_byte_at_its_offset(page, records):
    source = page.read_bytes()
    owned = b""
    for record in records[page.name]:
        shown = b""
        for piece in record["pieces"]:
            text = piece["text"].encode() if piece["kind"] == "glue" else source[piece["start"]:piece["end"]]
            owned += text if piece["kind"] in ("own", "hidden") else b""
            shown += text if piece["kind"] != "hidden" else b""
        assert record["text"] in shown.decode()
        assert not shown.decode().replace(record["text"], "", 1).strip()
        assert record["tokens"] == len(WORD.findall(record["embed_text"]))
        assert record["tokens"] <= 100 or any(n["kind"] == "oversize" for n in record["notes"])
    assert owned == source or not records[page.name]


def test_records_have_the_documented_fields_in_order(records):
    for record in (record for page in records.values() for record in page):
        assert [key for key in record if key not in SOMETIMES] == ALWAYS
        assert record["strategy"] == "hierarchical"
        assert record["doc_id"] == f"corpus:{record['path']}"
        assert record["id"].split("~")[0] == record["doc_id"] + ("#" + record["anchor"] if "anchor" in record else "")
        assert (record["depth"] == 0) == ("anchor" not in record) == (record["parent_id"] is None)
        assert record["breadcrumb"][0] == record["path"].rsplit("/")[-1]
        assert len(record["content_hash"]) == 32
        assert record.get("notes") != []


def test_output_does_not_depend_on_the_number_of_jobs():
    outputs = {
        jobs: subprocess.run(
            [COMMAND, "chunk", str(CORPUS), "--format", "jsonl", "--jobs", jobs],
            capture_output=True, check=True,
        ).stdout
        for jobs in ("1", "2", "8")
    }
    assert outputs["1"] == outputs["2"] == outputs["8"]
