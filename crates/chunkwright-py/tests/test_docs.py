"""The documentation keeps its word: what it shows in Python runs, and prints what it shows.

The snippets of a page are run in order, as one program. A `text` fence right after a snippet is what
it prints. `UPDATE_DOCS=1` writes the output anew.
"""

import contextlib
import io
import os
import re
import shutil

import pytest

from common import ROOT

PAGES = ["README.md", "docs/python.md"]
SNIPPET = re.compile(r"^```python\n(?P<code>.*?)^```\n(?:\n```text\n(?P<output>.*?)^```\n)?", re.S | re.M)


@pytest.mark.parametrize("page", PAGES)
def test_snippets_print_what_is_shown(page, tmp_path, monkeypatch):
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    monkeypatch.chdir(tmp_path)
    text = (ROOT / page).read_text()
    names = {}

    def run(snippet):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(snippet["code"], page, "exec"), names)
        shown = snippet["output"]
        if shown is None:
            assert not printed.getvalue(), snippet["code"]
            return snippet[0]
        return snippet[0].removesuffix(f"{shown}```\n") + f"{printed.getvalue()}```\n"

    found = SNIPPET.sub(run, text)
    assert names, "there are snippets"
    if os.environ.get("UPDATE_DOCS"):
        (ROOT / page).write_text(found)
    else:
        assert found == text
