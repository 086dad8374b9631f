"""The stub says what there is, and what the documentation shows is well typed."""

import re
import subprocess
import sys

from common import ROOT
from test_docs import PAGES, SNIPPET


def test_the_stub_says_what_there_is():
    # Which methods stand behind operators is a matter of the interpreter.
    done = subprocess.run([sys.executable, "-m", "mypy.stubtest", "chunkwright"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_what_is_shown_is_well_typed(tmp_path):
    for page in PAGES:
        code = "".join(snippet["code"] for snippet in SNIPPET.finditer((ROOT / page).read_text()))
        (tmp_path / (re.sub(r"\W", "_", page) + ".py")).write_text(code)
    command = [sys.executable, "-m", "mypy", "--strict", "--allow-untyped-defs", "--allow-untyped-calls",
               "--disable-error-code", "import-untyped", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout
