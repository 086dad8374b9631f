"""Snippets and docstrings for frameworks and engines run as shown, and adapters are well typed."""

import os
import pathlib
import subprocess
import sys

import pytest
import ray

import chunkwright
from snippets import check_examples, check_types, check_what_is_printed

PAGES = ["docs/how-to/use-with-frameworks.md", "docs/how-to/run-on-spark.md", "docs/how-to/run-at-scale.md", "docs/how-to/from-langchain.md"]


@pytest.fixture(scope="module")
def connection(ray_cluster):
    """Connect to Ray once for all tests, because Daft keeps the connection it finds first."""
    with ray.init(ray_cluster, log_to_driver=False):
        yield


@pytest.mark.parametrize("page", PAGES)
def test_snippets_print_the_output_shown(page, spark, connection, tmp_path, monkeypatch):
    check_what_is_printed(page, tmp_path, monkeypatch)


@pytest.mark.parametrize("module", ["daft.py", "haystack.py", "langchain.py", "llama_index.py", "ray.py", "spark.py"])
def test_examples_in_docstrings_print_the_output_shown(module, spark, connection, tmp_path, monkeypatch):
    check_examples(module, tmp_path, monkeypatch)


def test_snippets_are_well_typed(tmp_path):
    check_types(PAGES, tmp_path)


def test_adapters_are_well_typed():
    command = [sys.executable, "-m", "mypy", "--strict", "--disable-error-code", "import-untyped", "-p", "chunkwright"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def pyright(*arguments):
    """Run pyright, which finds installed packages with the first Python on `PATH`."""
    path = f"{pathlib.Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    command = [sys.executable, "-m", "pyright", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PATH": path})
    assert done.returncode == 0, done.stdout


def test_pyright_finds_no_errors():
    pyright(str(pathlib.Path(chunkwright.__file__).parent))


def test_every_public_symbol_has_a_type():
    pyright("--verifytypes", "chunkwright", "--ignoreexternal")
