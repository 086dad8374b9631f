"""Python in the documentation runs, prints the output shown, and is well typed."""

import pytest

from snippets import check_examples, check_types, check_what_is_printed

PAGES = [
    "README.md",
    "docs/how-to/use-in-a-python-agent.md",
    "docs/reference/mcp.md",
    "docs/reference/python.md",
    "docs/tutorials/vector-store.md",
]


@pytest.mark.parametrize("page", PAGES)
def test_snippets_print_the_output_shown(page, tmp_path, monkeypatch):
    check_what_is_printed(page, tmp_path, monkeypatch)


@pytest.mark.parametrize("module", ["__init__.py", "_native.pyi"])
def test_examples_in_docstrings_print_the_output_shown(module, tmp_path, monkeypatch):
    check_examples(module, tmp_path, monkeypatch)


def test_snippets_are_well_typed(tmp_path):
    check_types(PAGES, tmp_path)
