// Connects a TypeScript client to a server, uses everything that the server offers, and prints what
// it received as JSON.
//
// Usage: node visit.mjs sdk|client legacy|auto|VERSION (URL | COMMAND [ARGUMENT]...)

const [library, mode, ...server] = process.argv.slice(2);

async function clientAndTransport() {
  const about = { name: "visit", version: "1" };
  const isHttp = server[0].startsWith("http");
  const [command, ...args] = server;
  if (library === "sdk") {
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const http = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
    const stdio = await import("@modelcontextprotocol/sdk/client/stdio.js");
    const transport = isHttp
      ? new http.StreamableHTTPClientTransport(new URL(command))
      : new stdio.StdioClientTransport({ command, args });
    return [new Client(about), transport];
  }
  const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
  const versionNegotiation = { mode: ["legacy", "auto"].includes(mode) ? mode : { pin: mode } };
  const transport = isHttp
    ? new StreamableHTTPClientTransport(new URL(command))
    : new StdioClientTransport({ command, args });
  return [new Client(about, { versionNegotiation }), transport];
}

/** Returns the code of the error that a request fails with. */
async function code(request) {
  try {
    await request;
    return null;
  } catch (error) {
    return error.code ?? String(error);
  }
}

const [client, transport] = await clientAndTransport();
await client.connect(transport);
const call = (name, args) => client.callTool({ name, arguments: args });
const found = await call("search_docs", { query: "read a secret", max_tokens: 500 });
const refused = await call("read_section", { id: "docs:../../../etc/passwd" });
const resource = await client.readResource({ uri: "chunkwright://examples/guide.md" });

console.log(
  JSON.stringify({
    version: client.getNegotiatedProtocolVersion?.() ?? transport.protocolVersion ?? null,
    instructions: client.getInstructions() ?? null,
    tools: (await client.listTools()).tools.map((tool) => tool.name),
    templates: (await client.listResourceTemplates()).resourceTemplates.map((t) => t.uriTemplate),
    resources: (await client.listResources()).resources.length,
    prompts: (await client.listPrompts()).prompts.length,
    found: found.content.map((block) => block.text),
    structured: found.structuredContent ?? null,
    refused: [refused.isError, refused.content[0].text],
    resource: resource.contents[0].text,
    unknown_tool: await code(call("write_docs", {})),
    unknown_resource: await code(client.readResource({ uri: "chunkwright://examples/no.md" })),
  }),
);
await client.close();
