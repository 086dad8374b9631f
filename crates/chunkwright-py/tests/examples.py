"""Runs the programs in `examples/python`.

The comment at the end of a program contains its output. `UPDATE_DOCS=1` rewrites it.
"""

import os
import subprocess
import sys

from common import ROOT

DIRECTORY = ROOT / "examples/python"
MARK = "# Output:\n"


def check_what_is_printed(program):
    command = [sys.executable, DIRECTORY / program]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", env=os.environ | {"PYTHONUTF8": "1"})
    assert done.returncode == 0, done.stderr
    comment = "".join(f"# {line}".rstrip() + "\n" for line in done.stdout.splitlines())
    text = (DIRECTORY / program).read_text(encoding="utf-8")
    [code, shown] = text.split(MARK)
    if os.environ.get("UPDATE_DOCS"):
        (DIRECTORY / program).write_text(code + MARK + comment, encoding="utf-8")
    else:
        assert shown == comment


def check_types(programs):
    command = [sys.executable, "-m", "mypy", "--strict", f"--cache-dir={os.devnull}", *(str(DIRECTORY / program) for program in programs)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
