"""Agents and tools that connect to MCP servers."""

import json
import os
import subprocess
import urllib.request

import pytest
from conftest import COMMAND, PACKAGES, run_node

CLAUDE = PACKAGES / "node_modules/@anthropic-ai/claude-code-linux-x64/claude"
INSPECTOR = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"

# The first message of Codex.
CODEX = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {"elicitation": {}},
        "clientInfo": {"name": "codex-mcp-client", "title": "Codex", "version": "0.165.0"},
    },
}


def test_inspector_finds_no_fault_in_the_tools(server):
    listed = run_node(INSPECTOR, "--cli", *server, "--method", "tools/list", "--strict")
    assert listed.returncode == 0, listed.stderr
    assert len(json.loads(listed.stdout)["tools"]) == 3


def test_inspector_calls_a_tool(server):
    call = ["--method", "tools/call", "--tool-name", "search_docs", "--tool-arg", "query=passphrase"]
    called = run_node(INSPECTOR, "--cli", *server, *call)
    assert called.returncode == 0, called.stderr
    assert "examples:guide.md" in json.loads(called.stdout)["content"][0]["text"]


def test_codex_gets_the_version_that_it_asks_for_on_stdio(stdio):
    request = json.dumps(CODEX) + "\n"
    served = subprocess.run(stdio, input=request, capture_output=True, text=True, timeout=60)
    assert served.returncode == 0, served.stderr
    check_codex(json.loads(served.stdout))


def test_codex_gets_the_version_that_it_asks_for_over_http(url):
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    request = urllib.request.Request(url, json.dumps(CODEX).encode(), headers)
    with urllib.request.urlopen(request, timeout=60) as response:
        assert response.headers["Content-Type"] == "application/json"
        check_codex(json.load(response))


def check_codex(answer):
    assert answer["id"] == 0
    assert answer["result"]["protocolVersion"] == "2025-06-18"
    assert answer["result"]["serverInfo"]["name"] == "chunkwright"


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_claude_code_connects(transport, index, url, tmp_path):
    environment = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "DISABLE_AUTOUPDATER": "1"}

    def claude(*arguments):
        ran = subprocess.run(
            [CLAUDE, "mcp", *arguments],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout

    if transport == "stdio":
        # The line that chunkwright prints, as a user pastes it.
        config = [COMMAND, "mcp", "--print-config", "claude", "--index", index]
        line = subprocess.run(config, check=True, capture_output=True, text=True).stdout
        program = tmp_path / "bin/claude"
        program.parent.mkdir()
        program.symlink_to(CLAUDE)
        path = f"{program.parent}:{environment['PATH']}"
        subprocess.run(line, shell=True, check=True, env=environment | {"PATH": path}, cwd=tmp_path)
    else:
        claude("add", "--transport", "http", "chunkwright", url)
    listed = claude("list")
    assert "chunkwright: " in listed and "Connected" in listed, listed
