"""`chunk_batch` exchanges tables with any Arrow library."""

import json
import subprocess
import sys

import duckdb
import polars
import pyarrow
import pytest

import chunkwright
from common import CORPUS, SMALL, STRATEGIES, records

PAGES = sorted(page for page in CORPUS.iterdir() if not page.name.startswith("."))
TABLE = {"text": [page.read_bytes().decode() for page in PAGES], "id": [page.name for page in PAGES]}


def plain(rows):
    """Yield the rows of a table as records, without nulls and with metadata parsed."""
    for row in rows:
        record = {name: value for name, value in row.items() if value is not None or name == "parent_id"}
        if "metadata" in record:
            record["metadata"] = json.loads(record["metadata"])
        for piece in record.get("pieces", []) + record.get("notes", []):
            for name in [name for name, value in piece.items() if value is None]:
                del piece[name]
        yield record


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_rows_match_the_records_of_the_command(strategy):
    options = {"strategy": strategy, "with_": ["embed_text", "pieces"], **SMALL}
    batch = chunkwright.chunk_batch(pyarrow.table(TABLE), tree="corpus", **options)
    rows = pyarrow.record_batch(batch).to_pylist()
    assert list(plain(rows)) == [record for record in records(CORPUS, options)]


def enums():
    pages = pyarrow.table(TABLE)  # duckdb looks up the variable by name
    duckdb.sql("drop type if exists texts; create type texts as enum (select distinct text from pages)")
    return duckdb.sql("select 'x' as more, text::texts as text, id from pages")


IN = {
    "pyarrow batch": lambda: pyarrow.record_batch(TABLE),
    "pyarrow table": lambda: pyarrow.concat_tables([pyarrow.table(TABLE).slice(0, 7), pyarrow.table(TABLE).slice(7)]),
    "large strings": lambda: pyarrow.table({name: pyarrow.array(values, pyarrow.large_string()) for name, values in TABLE.items()}),
    "string views": lambda: pyarrow.table({name: pyarrow.array(values, pyarrow.string_view()) for name, values in TABLE.items()}),
    "a struct array": lambda: pyarrow.record_batch(TABLE).to_struct_array(),
    "polars": lambda: polars.DataFrame(TABLE),
    "duckdb": lambda: duckdb.from_arrow(pyarrow.table(TABLE)),
    "dictionaries": lambda: pyarrow.table({name: pyarrow.array(values).dictionary_encode() for name, values in TABLE.items()}),
    "polars categories": lambda: polars.DataFrame(TABLE, schema=dict.fromkeys(TABLE, polars.Categorical)),
    "duckdb enums": enums,
    "polars and nothing": lambda: polars.DataFrame({"nothing": [None] * len(PAGES), **TABLE}),
    "a part of a struct array": lambda: pyarrow.concat_tables([MORE, pyarrow.table(TABLE), MORE]).combine_chunks().to_struct_array().chunk(0).slice(2, len(PAGES)),
    "a part of a batch": lambda: pyarrow.concat_tables([MORE, pyarrow.table(TABLE), MORE]).combine_chunks().to_batches()[0].slice(2, len(PAGES)),
}
MORE = pyarrow.table({"text": ["# No\n\none", "# Two"], "id": ["no", "two"]})
EXPECTED = chunkwright.chunk_batch(pyarrow.record_batch(TABLE), **SMALL)


@pytest.mark.parametrize("table", IN.values(), ids=IN)
def test_accepts_tables_of_any_library(table):
    batch = chunkwright.Chunker(**SMALL).chunk_batch(table())
    assert pyarrow.record_batch(batch) == pyarrow.record_batch(EXPECTED)


def test_any_library_can_read_the_result():
    rows = pyarrow.record_batch(EXPECTED).to_pylist()
    assert EXPECTED.to_pyarrow().to_pylist() == rows
    assert pyarrow.table(EXPECTED).to_pylist() == rows
    assert polars.DataFrame(EXPECTED).to_dicts() == rows
    chunks = EXPECTED  # duckdb looks up the variable by name
    found = duckdb.sql("select id, tokens from chunks").fetchall()
    assert found == [(row["id"], row["tokens"]) for row in rows]
    assert len(EXPECTED) == EXPECTED.num_rows == len(rows)
    assert EXPECTED.column_names == list(rows[0])
    assert repr(EXPECTED) == f"RecordBatch({len(rows)} rows)"


def test_the_schema_has_no_unsigned_integers():
    schema = pyarrow.schema(EXPECTED)
    assert "uint" not in str(schema)
    assert {str(field.type) for field in schema if field.name.endswith(("_start", "_end"))} == {"int64"}


def test_the_result_outlives_its_input():
    batch = pyarrow.record_batch(chunkwright.chunk_batch(pyarrow.record_batch(TABLE), **SMALL))
    assert batch == pyarrow.record_batch(EXPECTED)
    batch.validate(full=True)


def test_rows_without_text_yield_no_chunks():
    table = pyarrow.table({"body": ["# A\n\na", None, "", "# B\n\nb"], "n": [1, None, 3, 4]})
    batch = pyarrow.record_batch(chunkwright.chunk_batch(table, "body", "n"))
    assert batch["path"].to_pylist() == ["1", "4"]
    assert batch["id"].to_pylist() == ["docs:1#a", "docs:4#b"]
    assert chunkwright.chunk_batch(table, "body", "n").counts == [1, 0, 0, 1]
    empty = chunkwright.chunk_batch(table.slice(0, 0), "body", "n")
    assert pyarrow.record_batch(empty).schema == batch.schema and len(empty) == 0


def test_counts_are_the_chunks_of_each_row():
    texts = ["# A\n\na\n\n# B\n\nb", "", "# C\n\nc " * 100_000, "# D\n\nd"]
    table = pyarrow.table({"text": texts, "id": ["same"] * 4})
    chunker = chunkwright.Chunker(max=12)
    expected = [len(chunker.chunk(text, path="same")) for text in texts]
    assert expected[1] == 0 and expected[2] > 1
    assert chunker.chunk_batch(table).counts == expected
    twice = pyarrow.concat_tables([table, table])
    assert chunker.chunk_batch(twice).counts == expected * 2
    assert chunker.chunk_batch(table.slice(0, 0)).counts == []


def test_null_values_and_empty_dictionaries_yield_no_chunks():
    nothing = [None, None]
    for table in pyarrow.table({"text": nothing, "id": nothing}), polars.DataFrame({"text": nothing, "id": nothing}):
        assert len(chunkwright.chunk_batch(table)) == 0
    words = pyarrow.array(["# A", None, "# A"]).dictionary_encode()
    for table in {"text": words, "id": [1, None, 2]}, {"text": words, "id": pyarrow.array([1, None, 2]).dictionary_encode()}:
        assert pyarrow.table(chunkwright.chunk_batch(pyarrow.table(table)))["path"].to_pylist() == ["1", "2"]
    empty = pyarrow.DictionaryArray.from_arrays(pyarrow.array([None], pyarrow.int8()), pyarrow.array([], pyarrow.string()))
    assert len(chunkwright.chunk_batch(pyarrow.table({"text": empty, "id": ["a"]}))) == 0


def test_paths_become_relative_to_a_root(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ids = ["docs/a.md", str(tmp_path / "docs/r/b.md"), "docs/r/../c.txt"]
    table = pyarrow.table({"text": ["# A\n\na", "# B\n\nb", "# C\n\nc"], "id": ids})
    batch = pyarrow.table(chunkwright.chunk_batch(table, root="docs"))
    assert batch["path"].to_pylist() == ["a.md", "r/b.md", "c.txt"]
    assert batch["id"].to_pylist() == ["docs:a.md#a", "docs:r/b.md#b", "docs:c.txt"]
    batch = pyarrow.table(chunkwright.chunk_batch(table, root=tmp_path, tree="t", input_format="markdown"))
    assert batch["id"].to_pylist() == ["t:docs/a.md#a", "t:docs/r/b.md#b", "t:docs/c.txt#c"]
    with pytest.raises(ValueError, match="id: row 0: docs/a.md is outside the root docs/r; name a root that contains it"):
        chunkwright.chunk_batch(table, root="docs/r")


def test_one_column_may_be_both_text_and_id():
    batch = chunkwright.chunk_batch(pyarrow.table({"text": ["a"]}), id="text")
    assert pyarrow.table(batch)["path"].to_pylist() == ["a"]


class Capsules:
    """Returns the same capsules each time."""

    def __init__(self, rows):
        self.capsules = rows.__arrow_c_array__()

    def __arrow_c_array__(self, requested_schema=None):
        return self.capsules


class Stream:
    def __init__(self, rows):
        self.capsule = rows.__arrow_c_stream__()

    def __arrow_c_stream__(self, requested_schema=None):
        return self.capsule


@pytest.mark.parametrize("taken", [Capsules(pyarrow.record_batch(TABLE)), Stream(pyarrow.table(TABLE))], ids=["array", "stream"])
def test_arrow_data_can_be_consumed_only_once(taken):
    assert pyarrow.record_batch(chunkwright.chunk_batch(taken, **SMALL)) == pyarrow.record_batch(EXPECTED)
    with pytest.raises(ValueError, match="batch: the Arrow (array|stream) has already been consumed"):
        chunkwright.chunk_batch(taken)


def test_data_consumed_by_another_library_is_rejected():
    taken = Capsules(pyarrow.record_batch(TABLE))
    pyarrow.record_batch(taken)
    with pytest.raises(ValueError, match="batch: the Arrow array has already been consumed"):
        chunkwright.chunk_batch(taken)


def test_null_rows_are_rejected():
    rows = pyarrow.array([{"text": "# A", "id": "a"}, None, {"text": "# C", "id": "c"}])
    for given in rows, pyarrow.chunked_array([rows]):
        with pytest.raises(ValueError, match="batch: contains a null row"):
            chunkwright.chunk_batch(given)
    for given in rows.slice(2), pyarrow.chunked_array([rows.slice(2)]):
        assert pyarrow.table(chunkwright.chunk_batch(given))["path"].to_pylist() == ["c"]


def test_a_failing_stream_is_reported():
    def batches():
        yield pyarrow.record_batch({"text": ["a"], "id": ["a"]})
        raise OSError("connection lost")

    reader = pyarrow.RecordBatchReader.from_batches(pyarrow.schema({"text": "string", "id": "string"}), batches())
    with pytest.raises(ValueError, match="batch: cannot read the Arrow stream: .*connection lost"):
        chunkwright.chunk_batch(reader)


def broken():
    data = pyarrow.py_buffer(b"a\xff")
    text = pyarrow.Array.from_buffers(pyarrow.string(), 1, [None, pyarrow.py_buffer(bytes([0, 0, 0, 0, 2, 0, 0, 0])), data])
    return pyarrow.record_batch({"text": text, "id": ["a"]})


WRONG = [
    ({"text": ["a"]}, ValueError, "id: no column `id`; the columns are text"),
    ({"id": ["a"]}, ValueError, "text: no column `text`; the columns are id"),
    ({"text": [1], "id": ["a"]}, TypeError, "text: expected a column of strings, not Int64"),
    ({"text": ["a"], "id": [1.5]}, TypeError, "id: expected a column of strings or integers, not Float64"),
    ({"text": ["a", "b"], "id": ["a", None]}, ValueError, "id: row 1 has a text, but its id is null"),
]


@pytest.mark.parametrize("table, error, message", WRONG, ids=range(len(WRONG)))
def test_errors_name_the_invalid_column(table, error, message):
    with pytest.raises(error, match=message):
        chunkwright.chunk_batch(pyarrow.table(table))


def test_invalid_data_is_rejected():
    with pytest.raises(ValueError, match="text: invalid Arrow data: .*UTF"):
        chunkwright.chunk_batch(broken())
    with pytest.raises(TypeError, match="batch: expected a table or an array of structs, not Int64"):
        chunkwright.chunk_batch(pyarrow.array([1]))


def test_no_other_package_is_imported():
    code = "import sys, chunkwright; chunkwright.chunk('# A'); print({'pyarrow', 'polars', 'numpy'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout == b"set()\n"
