"""The documentation keeps its word: what it shows in Python runs, prints what it shows, and is well typed."""

import pytest

from snippets import check_types, check_what_is_printed

PAGES = ["README.md", "docs/reference/python.md", "docs/tutorials/vector-store.md"]


@pytest.mark.parametrize("page", PAGES)
def test_snippets_print_what_is_shown(page, tmp_path, monkeypatch):
    check_what_is_printed(page, tmp_path, monkeypatch)


def test_snippets_are_well_typed(tmp_path):
    check_types(PAGES, tmp_path)
