"""The stub says what there is."""

import subprocess
import sys


def test_the_stub_says_what_there_is():
    # Modules in Python are their own stubs, and some need what is not there.
    command = [sys.executable, "-m", "mypy.stubtest", "chunkwright._native"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
