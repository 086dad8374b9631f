"""After each recipe for a vector store, the store contains exactly the chunks of the folder."""

import json
import math
import pathlib
import shutil
import uuid

import pytest

import chunkwright
from common import CORPUS, ROOT
from snippets import SNIPPET

FOLDER = pathlib.Path("docs/examples")


@pytest.fixture(scope="module")
def recipes(tmp_path_factory):
    """Run the page with the recipes, and return its names."""
    directory = tmp_path_factory.mktemp("recipes")
    shutil.copytree(ROOT / "docs/examples", directory / FOLDER)
    page = (ROOT / "docs/how-to/use-a-vector-store.md").read_text()
    names = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(directory)
        exec("".join(snippet["code"] for snippet in SNIPPET.finditer(page)), names)
        yield names


def chroma(recipes):
    found = recipes["collection"].get(include=["metadatas", "documents", "embeddings"])
    rows = zip(found["ids"], found["metadatas"], found["documents"], found["embeddings"], strict=True)
    return {id: ({**metadata, "embed_text": text}, vector) for id, metadata, text, vector in rows}


def qdrant(recipes):
    points, _ = recipes["qdrant"].scroll("chunks", limit=1_000_000, with_vectors=True)
    return {uuid.UUID(point.id): (point.payload, point.vector) for point in points}


def lance(recipes):
    rows = recipes["table"].to_arrow().to_pylist()
    return {row["id"]: (json.loads(row["record"]), row["vector"]) for row in rows}


def postgres(recipes):
    rows = recipes["postgres"].execute("select id, record, vector from chunks").fetchall()
    return {id: (record, vector.to_list()) for id, record, vector in rows}


#: Function of each recipe, its argument, a function that reads the store, and whether ids are UUIDs.
STORES = {
    "Chroma": ("sync_chroma", "collection", chroma, False),
    "Qdrant": ("sync_qdrant", "qdrant", qdrant, True),
    "LanceDB": ("sync_lance", "table", lance, False),
    "pgvector": ("sync_postgres", "postgres", postgres, True),
}


@pytest.fixture(params=STORES)
def store(request, recipes, monkeypatch):
    """A store that contains the first version of the folder."""
    store = Store(request.param, recipes, monkeypatch)
    shutil.rmtree(FOLDER)
    shutil.copytree(CORPUS, FOLDER)
    for name, text in FIRST.items():
        (FOLDER / name).write_text(text)
    store.sync()
    store.check()
    return store


class Store:
    def __init__(self, name, recipes, monkeypatch):
        function, argument, self.read, self.has_uuids = STORES[name]
        self.recipes = recipes
        self.monkeypatch = monkeypatch
        self.recipe = lambda: recipes[function](recipes[argument])
        self.is_flat = name == "Chroma"
        # It normalizes vectors if it compares their angles.
        self.normalizes = name == "Qdrant"

    def sync(self):
        """Run the recipe, and return the texts that it embedded."""
        texts = []
        with self.monkeypatch.context() as patch:
            embed = self.recipes["embed"]
            patch.setitem(self.recipes, "embed", lambda batch: texts.extend(batch) or embed(batch))
            self.recipe()
        return texts

    def check(self):
        """Check that ids, records and vectors are those of the folder."""
        found, chunks = self.read(self.recipes), new_chunks()
        assert set(found) == {chunk.uuid if self.has_uuids else chunk.id for chunk in chunks}
        for chunk in chunks:
            record, vector = found[chunk.uuid if self.has_uuids else chunk.id]
            assert record == chunk.to_dict(flat=self.is_flat, embed_text=True)
            assert list(vector) == pytest.approx(self.vector(chunk.embed_text), rel=1e-6)

    def vector(self, text):
        [vector] = self.recipes["embed"]([text])
        length = math.hypot(*vector) if self.normalizes else 1
        return [value / length for value in vector]


def new_chunks():
    return list(chunkwright.chunk_files(FOLDER, max=100))


SECTIONS = "# {0}\n\nThe first page about {0}.\n\n## More\n\nEverything else about {0} is here.\n"
FRONT_MATTER = "---\nweight: 1.0\nratio: 0.25\ncount: 3\ndraft: false\nempty:\ntags: [a, b]\nnested: {a: [1, {b: null}]}\n---\n"
FIRST = {
    "it's.md": SECTIONS.format("quotes"),
    "one.md": "# Same\n\nThe first of two pages with the same heading.\n",
    "two.md": "# Same\n\nThe second of them.\n",
    "keys.md": FRONT_MATTER + SECTIONS.format("keys"),
    "gone.md": SECTIONS.format("gone"),
    "gone's.md": SECTIONS.format("quotes that go"),
    "old.md": SECTIONS.format("renaming"),
    "NUL.md": SECTIONS.format("\0"),
}


def edit():
    """Turn the folder into the second version."""
    # These pages have the same heading, so their chunks swap ids.
    (FOLDER / "one.md").write_text(FIRST["two.md"])
    (FOLDER / "two.md").write_text(FIRST["one.md"])
    # A key of the front matter is removed, and a value changes its type.
    (FOLDER / "keys.md").write_text("---\nratio: high\ncount: 3\n---\n" + SECTIONS.format("keys"))
    (FOLDER / "gone.md").unlink()
    (FOLDER / "gone's.md").unlink()
    (FOLDER / "old.md").rename(FOLDER / "it's new.md")
    # Both copies take their vectors from the same chunks.
    for copy in "copy.md", "copy's.md":
        (FOLDER / copy).write_text(FIRST["it's.md"])
    (FOLDER / "it's.md").write_text(FIRST["it's.md"].replace("Everything else", "The rest"))
    (FOLDER / "added.md").write_text(SECTIONS.format("adding"))
    # All chunks after the new section move to different lines.
    faq = FOLDER / "faq.md"
    faq.write_text("# A new section\n\nWith a sentence.\n\n" + faq.read_text())


def test_an_edit_embeds_only_new_texts(store):
    old = {chunk.embed_text for chunk in new_chunks()}
    edit()
    embedded = store.sync()
    store.check()
    assert sorted(embedded) == sorted(chunk.embed_text for chunk in new_chunks() if chunk.embed_text not in old)
    assert 0 < len(embedded) < 10


def test_a_second_run_changes_nothing(store):
    with store.monkeypatch.context() as patch:
        batches, items = store.recipes["batches"], []
        patch.setitem(store.recipes, "batches", lambda batch: items.extend(batch) or batches(batch))
        store.recipe()
    assert not items


def test_an_interrupted_run_can_be_repeated(store):
    edit()
    with store.monkeypatch.context() as patch:
        patch.setitem(store.recipes, "embed", lambda texts: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            store.recipe()
    store.sync()
    store.check()


def test_an_unreadable_file_changes_nothing(store):
    before = store.read(store.recipes)
    (FOLDER / "gone.md").write_bytes(b"# Not UTF-8: \xff")
    with pytest.raises(chunkwright.FilesError):
        store.recipe()
    after = store.read(store.recipes)
    assert {id: record for id, (record, _) in after.items()} == {id: record for id, (record, _) in before.items()}


def test_a_smaller_folder_leaves_nothing_else_in_the_store(store):
    shutil.rmtree(FOLDER)
    FOLDER.mkdir()
    (FOLDER / "one.md").write_text(FIRST["one.md"])
    assert store.sync() == []
    store.check()
