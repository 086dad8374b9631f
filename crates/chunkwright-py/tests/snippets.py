"""Snippets of a page of documentation, run in order as one program.

A `text` fence right after a snippet is what it prints. `UPDATE_DOCS=1` writes the output anew.
"""

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys

from common import ROOT

SNIPPET = re.compile(r"^```python\n(?P<code>.*?)^```\n(?:\n```text\n(?P<output>.*?)^```\n)?", re.S | re.M)


def check_what_is_printed(page, directory, monkeypatch):
    """Runs a page in a directory that has a copy of `docs`."""
    shutil.copytree(ROOT / "docs", directory / "docs")
    monkeypatch.chdir(directory)
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


def check_types(pages, directory):
    """Asks mypy about the snippets of each page."""
    for page in pages:
        code = "".join(snippet["code"] for snippet in SNIPPET.finditer((ROOT / page).read_text()))
        (directory / (re.sub(r"\W", "_", page) + ".py")).write_text(code)
    command = [sys.executable, "-m", "mypy", "--strict", "--allow-untyped-defs", "--allow-untyped-calls",
               "--disable-error-code", "import-untyped", str(directory)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=directory)
    assert done.returncode == 0, done.stdout
