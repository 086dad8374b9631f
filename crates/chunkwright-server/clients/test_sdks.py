"""The official SDKs, in both eras of the protocol."""

import asyncio
import json

import pytest
from conftest import check, run_node
from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters

MODERN, LEGACY = "2026-07-28", "2025-11-25"


async def visit(server, mode):
    """Use everything that the server offers with the Python SDK."""

    async def code(request):
        try:
            await request
        except MCPError as error:
            return error.code

    command, *arguments = server
    if arguments:
        server = StdioServerParameters(command=command, args=arguments)
    else:
        server = command
    async with Client(server, mode=mode) as client:
        found = await client.call_tool("search_docs", {"query": "read a secret", "max_tokens": 500})
        refused = await client.call_tool("read_section", {"id": "docs:../../../etc/passwd"})
        resource = await client.read_resource("chunkwright://examples/guide.md")
        templates = await client.list_resource_templates()
        return {
            "version": client.protocol_version,
            "instructions": client.instructions,
            "tools": [tool.name for tool in (await client.list_tools()).tools],
            "templates": [one.uri_template for one in templates.resource_templates],
            "resources": len((await client.list_resources()).resources),
            "prompts": len((await client.list_prompts()).prompts),
            "found": [block.text for block in found.content],
            "structured": found.structured_content,
            "refused": [refused.is_error, refused.content[0].text],
            "resource": resource.contents[0].text,
            "unknown_tool": await code(client.call_tool("write_docs", {})),
            "unknown_resource": await code(client.read_resource("chunkwright://examples/no.md")),
        }


@pytest.mark.parametrize(
    ("mode", "version"), [("auto", MODERN), ("legacy", LEGACY), (MODERN, MODERN)]
)
def test_python(server, mode, version):
    received = asyncio.run(visit(server, mode))
    assert received["version"] == version
    check(received)


@pytest.mark.parametrize(
    ("library", "mode", "version"),
    [
        ("sdk", "legacy", LEGACY),
        ("client", "legacy", LEGACY),
        ("client", "auto", MODERN),
        ("client", MODERN, MODERN),
    ],
)
def test_typescript(server, library, mode, version):
    visited = run_node("visit.mjs", library, mode, *server)
    assert visited.returncode == 0, visited.stderr
    received = json.loads(visited.stdout)
    # On standard input and output, version 1 of the SDK does not report it.
    assert received["version"] in (version, None if library == "sdk" else version)
    check(received)
