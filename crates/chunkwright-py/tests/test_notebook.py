"""The notebook of the tutorial has the steps of its page, and the output of a Jupyter kernel."""

import os

import nbformat

from common import ROOT
from notebook import execute, generate, printed

PAGE = "docs/tutorials/vector-store.md"
NOTEBOOK = "examples/notebooks/vector-store.ipynb"


def test_the_notebook_follows_the_page_and_shows_its_output(tmp_path, monkeypatch):
    # Startup files and history of the user do not belong in the output.
    for name in ["IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "TMPDIR"]:
        directory = tmp_path / name
        directory.mkdir()
        monkeypatch.setenv(name, str(directory))
    notebook, shown = generate(PAGE, NOTEBOOK)
    execute(notebook, (ROOT / NOTEBOOK).parent)
    for cell, output in shown:
        assert printed(cell) == output, cell.source
    nbformat.validate(notebook)
    found = nbformat.writes(notebook) + "\n"
    if os.environ.get("UPDATE_DOCS"):
        (ROOT / NOTEBOOK).write_text(found, encoding="utf-8")
    else:
        assert found == (ROOT / NOTEBOOK).read_text(encoding="utf-8"), "run again with UPDATE_DOCS=1"
