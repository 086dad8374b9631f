"""What the documentation shows of frameworks and engines runs, and adapters are well typed."""

import subprocess
import sys

import ray

from snippets import check_types, check_what_is_printed

PAGE = "docs/how-to/use-with-frameworks.md"


def test_snippets_print_what_is_shown(spark, ray_cluster, tmp_path, monkeypatch):
    with ray.init(ray_cluster, log_to_driver=False):
        check_what_is_printed(PAGE, tmp_path, monkeypatch)


def test_snippets_are_well_typed(tmp_path):
    check_types([PAGE], tmp_path)


def test_adapters_are_well_typed():
    command = [sys.executable, "-m", "mypy", "--strict", "--disable-error-code", "import-untyped", "-p", "chunkwright"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
