"""`diff` returns the plan that the command prints."""

import json

import pytest

import chunkwright
from common import STRATEGIES, flags, run

SECTION = "## Example\n\nThe {} example is about {}, which is not about anything else at all.\n\n"
SECTIONS = [SECTION.format(n, n * 7) for n in range(12)]
OLD = {"a.md": "# Page\n\n" + "".join(SECTIONS), "b.md": "---\ntag: old\n---\n# Same\n\nText.\n", "c.md": "# Moves\n\nAs it is.\n"}
NEW = {
    "a.md": "# Page\n\n" + SECTION.format("new", 0) + "".join(SECTIONS[:9]),
    "b.md": "---\ntag: new\n---\n# Same\n\nText.\n",
    "deep/c.md": "# Moves\n\nAs it is.\n",
}


LIMITS = {
    "hierarchical": {"max": 60},
    "window": {"max": 60, "min": 20, "min_deeper": 30},
    "blocks": {"max": 60, "target": 40, "min": 10},
}


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_plans_match_the_command(strategy, tmp_path):
    options = {"strategy": strategy, **LIMITS}
    versions = []
    for name, pages in ("old", OLD), ("new", NEW):
        (tmp_path / name).mkdir()
        for page, text in pages.items():
            (tmp_path / name / page).parent.mkdir(exist_ok=True)
            (tmp_path / name / page).write_text(text)
        versions.append(list(chunkwright.chunk_files(tmp_path / name, tree="docs", **options)))
    expected = json.loads(run("diff", "old", "new", "--json", "--tree", "docs", *flags(options), cwd=tmp_path))
    del expected["config_hash"]
    assert expected["move"] and expected["update"] and expected["delete"] and expected["upsert"]
    assert chunkwright.diff(*versions) == expected
    dicts = [[chunk.to_dict() for chunk in chunkwright.chunk_files(tmp_path / name, tree="docs", with_=["embed_text"], **options)] for name in ("old", "new")]
    assert chunkwright.diff(*dicts) == expected
    assert chunkwright.diff(versions[0], dicts[1]) == expected


def test_versions_that_cannot_be_compared_are_rejected():
    chunks = chunkwright.chunk("# A\n\na")
    wrong = [
        (([1], []), ValueError, r"old\[0\]: not a record: expected a JSON object"),
        (([], [{"id": "x"}]), ValueError, r"new\[0\]: not a record: `doc_id` is missing"),
        ((chunks * 2, []), ValueError, "old: duplicate id docs:-#a"),
        ((chunks, chunkwright.chunk("# A\n\na", strategy="tree")), ValueError, "new: .*split with hierarchical before, now with tree"),
        ((1, []), TypeError, "old: expected an iterable such as a list, not int"),
        (("text", []), TypeError, "old: expected an iterable such as a list, not str"),
    ]
    for versions, error, message in wrong:
        with pytest.raises(error, match=message):
            chunkwright.diff(*versions)
    assert chunkwright.diff([], []) == {"summary": dict.fromkeys(chunkwright.diff(chunks, chunks)["summary"], 0), "move": [], "upsert": [], "update": [], "delete": []}
