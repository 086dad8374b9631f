"""Shared by several tests: the command, the corpus, and the options to split it with."""

import json
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "crates/chunkwright-py/python/chunkwright"
CORPUS = ROOT / "crates/chunkwright/tests/corpus"
COMMAND = os.environ.get("CHUNKWRIGHT", str(ROOT / "target/debug/chunkwright"))
STRATEGIES = ["hierarchical", "window", "blocks", "tree"]

#: Limits for every strategy, small enough to split every page.
SMALL = {
    "hierarchical": {"max": 100},
    "window": {"max": 100, "min": 50, "min_deeper": 60},
    "blocks": {"max": 100, "target": 60, "min": 20},
}


def run(*arguments, **options):
    done = subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, check=True, **options)
    return done.stdout


def flags(options):
    """Yield the flags of the command for options."""
    for name, value in options.items():
        if isinstance(value, dict):
            yield from flags({f"{name}.{inner}": value for inner, value in value.items()})
        else:
            yield from ("--set", f"{name.rstrip('_')}={json.dumps(value)}")


def records(directory, options):
    """Return the records that the command writes."""
    lines = run("chunk", directory, "--format", "jsonl", "--quiet", *flags(options)).split(b"\n")
    return [json.loads(line) for line in lines if line]
