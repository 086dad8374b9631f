"""Runs the snippets of documentation pages and the examples of docstrings.

The snippets of a page run in order, as one program. A `text` fence right after a snippet contains its output; it may be
longer than three backticks.
`UPDATE_DOCS=1` rewrites the output.
"""

import ast
import contextlib
import doctest
import io
import os
import re
import shutil
import subprocess
import sys

from common import PACKAGE, ROOT

SNIPPET = re.compile(
    r"^```python\n(?P<code>.*?)^```\n(?:\n(?P<fence>`{3,})text\n(?P<output>.*?)^(?P=fence)\n)?", re.S | re.M
)


def check_what_is_printed(page, directory, monkeypatch):
    """Run the snippets of a page in a directory with a copy of `docs`."""
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
        end = f"{snippet['fence']}\n"
        return snippet[0].removesuffix(shown + end) + printed.getvalue() + end

    found = SNIPPET.sub(run, text)
    assert names, f"no snippets in {page}"
    if os.environ.get("UPDATE_DOCS"):
        (ROOT / page).write_text(found)
    else:
        assert found == text


def docstrings(module):
    """Yield each class and function of a module that has a docstring, and the module itself."""
    for node in ast.walk(ast.parse((PACKAGE / module).read_text())):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node):
            yield node


def check_examples(module, directory, monkeypatch):
    """Run the examples in the docstrings of a module, each on its own, in a directory with a copy of `docs`."""
    shutil.copytree(ROOT / "docs", directory / "docs")
    monkeypatch.chdir(directory)
    runner, report = doctest.DocTestRunner(), io.StringIO()
    for node in docstrings(module):
        name = getattr(node, "name", module)
        examples = doctest.DocTestParser().get_doctest(ast.get_docstring(node), {}, name, module, node.body[0].lineno)
        runner.run(examples, out=report.write)
    assert runner.tries, f"no examples in {module}"
    assert not runner.failures, report.getvalue()


def check_types(pages, directory):
    """Check the snippets of each page with mypy."""
    for page in pages:
        code = "".join(snippet["code"] for snippet in SNIPPET.finditer((ROOT / page).read_text()))
        (directory / (re.sub(r"\W", "_", page) + ".py")).write_text(code)
    command = [sys.executable, "-m", "mypy", "--strict", "--allow-untyped-defs", "--allow-untyped-calls",
               "--disable-error-code", "import-untyped", str(directory)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=directory)
    assert done.returncode == 0, done.stdout
