//! Attacks over HTTP: none receives the text of a document or a path of the machine, and none keeps
//! a connection slot.

#![allow(clippy::unwrap_used, reason = "a failed test should panic")]

mod common;

use std::io::{ErrorKind, Read, Write};
use std::net::SocketAddr;

use chunkwright_server::Limits;
use chunkwright_testkit::http::{Reply, connect, exchange, request};
use common::{Docs, call, serve};
use serde_json::{Value, json};

/// A word of the indexed page that no request contains.
const SECRET: &str = "saffron";

/// A request, and the only outcomes that are acceptable.
struct Probe {
    name: &'static str,
    head: String,
    body: Vec<u8>,
    expected: Expected,
}

#[derive(Clone, Copy)]
enum Expected {
    Status(&'static [u16]),
    /// A status, and the code of a JSON-RPC error.
    Rpc(u16, i64),
    /// A failed tool call.
    Tool,
}

use Expected::{Rpc, Status, Tool};

#[test]
fn no_probe_gets_in() {
    let docs = Docs::new(&[("tea.md", "# Tea\n\nBoil water with saffron.\n")]);
    // With so few slots, a probe that keeps one is noticed soon.
    let mut limits = Limits::default();
    limits.connections = 2;
    let address = serve(docs.library(), limits);
    assert_answers(address);
    let mut failed = Vec::new();
    let all = [hosts(), origins(), methods_and_bodies(), sizes(), json_bodies(), tools(), eras()];
    for probe in all.into_iter().flatten() {
        let reply = exchange(address, &request(address, &probe.head, &probe.body)).unwrap();
        let is_expected = is_expected(&reply, probe.expected);
        if !is_expected || leaks(&reply, &docs) {
            failed.push(format!("{}: {}{}", probe.name, reply.head, reply.body));
        }
        assert_answers(address);
    }
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
    (0..300).for_each(|_| assert_answers(address));
}

/// Checks that a normal request is answered.
fn assert_answers(address: SocketAddr) {
    let search = call("search_docs", json!({ "query": "water" }));
    let reply = exchange(address, &request(address, &post("Host: HOST"), &search)).unwrap();
    assert_eq!(reply.status, 200, "{}", reply.body);
    assert!(reply.body.contains(SECRET), "{}", reply.body);
}

fn is_expected(reply: &Reply, expected: Expected) -> bool {
    let body: Value = serde_json::from_str(&reply.body).unwrap_or_default();
    match expected {
        Status(any) if any.contains(&405) => {
            any.contains(&reply.status) && reply.header("allow") == Some("POST")
        }
        Status(any) => any.contains(&reply.status),
        Rpc(status, code) => reply.status == status && body["error"]["code"] == code,
        Tool => reply.status == 200 && body["result"]["isError"] == true,
    }
}

/// Returns whether a response contains what it must not.
fn leaks(reply: &Reply, docs: &Docs) -> bool {
    let all = format!("{}{}", reply.head, reply.body);
    let paths = [docs.folder.path().to_str().unwrap(), env!("CARGO_MANIFEST_DIR"), "root:x:"];
    all.contains(SECRET)
        || all.to_lowercase().contains("access-control-")
        || paths.iter().any(|path| all.contains(path))
}

/// Returns the head of an MCP request with more headers.
fn post(headers: &str) -> String {
    format!("POST /mcp HTTP/1.1\nContent-Type: application/json\n{headers}")
}

/// Returns a probe that would receive the text of the page if the head were accepted.
fn by_head(name: &'static str, head: String, expected: &'static [u16]) -> Probe {
    let body = call("search_docs", json!({ "query": "water" }));
    Probe { name, head, body, expected: Status(expected) }
}

fn by_body(name: &'static str, body: impl Into<Vec<u8>>, expected: Expected) -> Probe {
    Probe { name, head: post("Host: HOST"), body: body.into(), expected }
}

fn hosts() -> Vec<Probe> {
    let host = |name, host: &str, expected| by_head(name, post(host), expected);
    let target =
        "POST http://evil.example/mcp HTTP/1.1\nContent-Type: application/json\nHost: HOST";
    vec![
        host("foreign host", "Host: evil.example", &[403]),
        host("foreign host with our port", "Host: evil.example:PORT", &[403]),
        host("unspecified address", "Host: 0.0.0.0:PORT", &[403]),
        host("our name as a subdomain", "Host: localhost.evil.example:PORT", &[403]),
        host("a name that resolves to us", "Host: 127.0.0.1.nip.io:PORT", &[403]),
        host("host with userinfo", "Host: user@HOST", &[403]),
        host("another port", "Host: 127.0.0.1:1", &[403]),
        host("no host", "Accept: */*", &[400]),
        host("two hosts", "Host: HOST\nHost: evil.example", &[400]),
        host("the same host twice", "Host: HOST\nHost: HOST", &[400]),
        by_head("target with another authority", target.to_owned(), &[400, 403]),
    ]
}

fn origins() -> Vec<Probe> {
    let origin = |name, headers: &str, expected| {
        by_head(name, post(&format!("Host: HOST\n{headers}")), expected)
    };
    let mut probes = vec![
        origin("foreign origin", "Origin: http://evil.example", &[403]),
        origin("null origin", "Origin: null", &[403]),
        origin("empty origin", "Origin:", &[403]),
        origin("origin of a file", "Origin: file://", &[403]),
        origin("https of our address", "Origin: https://HOST", &[403]),
        origin("another loopback port", "Origin: http://127.0.0.1:1", &[403]),
        origin("two origins", "Origin: http://HOST\nOrigin: http://evil.example", &[400, 403]),
        origin("origin that is not ASCII", "Origin: http://HOST/\u{e9}", &[400, 403]),
        origin("cross-site request", "Sec-Fetch-Site: cross-site", &[403]),
    ];
    for route in ["POST /", "POST /healthz", "GET /", "GET /healthz", "GET /readyz", "GET /v1"] {
        let head = format!("{route} HTTP/1.1\nHost: HOST\nOrigin: http://evil.example");
        probes.push(by_head("foreign origin on another route", head, &[403]));
    }
    probes
}

fn methods_and_bodies() -> Vec<Probe> {
    let head = |start: &str| format!("{start}\nHost: HOST");
    let form = "POST /mcp HTTP/1.1\nContent-Type: application/x-www-form-urlencoded";
    let preflight = "OPTIONS /mcp HTTP/1.1\nOrigin: http://evil.example\n\
                     Access-Control-Request-Method: POST";
    vec![
        by_head("text", head("POST /mcp HTTP/1.1\nContent-Type: text/plain"), &[415]),
        by_head("no content type", head("POST /mcp HTTP/1.1"), &[415]),
        by_head("form", head(form), &[415]),
        by_head("preflight", head(preflight), &[403]),
        by_head("GET", head("GET /mcp HTTP/1.1"), &[405]),
        by_head("DELETE", head("DELETE /mcp HTTP/1.1"), &[405]),
        by_head("gzip", post("Host: HOST\nContent-Encoding: gzip"), &[415]),
    ]
}

fn sizes() -> Vec<Probe> {
    let large = vec![b' '; 17 << 20];
    let chunks = [format!("{:x}\r\n", large.len()).as_bytes(), &large, b"\r\n0\r\n\r\n"].concat();
    let chunked = post("Host: HOST\nTransfer-Encoding: chunked");
    let long = format!("Host: HOST\nX-Long: {}", "x".repeat(100 << 10));
    let medium = format!("Host: HOST\nX-Long: {}", "x".repeat(17 << 10));
    let many: String = (0..500).map(|nth| format!("\nX-{nth}: x")).collect();
    let query = call("search_docs", json!({ "query": "water ".repeat(170 << 10) }));
    vec![
        by_body("body of 17 MB", large, Status(&[413])),
        Probe { head: chunked, ..by_body("the same in chunks", chunks, Status(&[413])) },
        by_head("header of 100 KB", post(&long), &[431]),
        by_head("header of 17 KB", post(&medium), &[431]),
        by_head("500 headers", post(&format!("Host: HOST{many}")), &[431]),
        by_body("query of 1 MB", query, Status(&[413])),
    ]
}

fn json_bodies() -> Vec<Probe> {
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let search = String::from_utf8(call("search_docs", json!({ "query": "water" }))).unwrap();
    let twice = search.replace("{\"query\"", "{\"query\": \"a\", \"query\"");
    assert_ne!(twice, search);
    let escaped = search.replace("\"id\"", "\"i\\u0064\": 2, \"id\"");
    let batch = format!("[{search}]");
    vec![
        by_body("nested 10,000 deep", deep, Status(&[400])),
        by_body("nested 10,000 deep in a call", nested_call(), Status(&[400])),
        by_body("duplicate keys", twice, Status(&[400])),
        by_body("duplicate keys, one with an escape", escaped, Status(&[400])),
        by_body("batch", batch, Rpc(400, -32600)),
        by_body("empty batch", "[]", Rpc(400, -32600)),
        by_body("not a message", "{}", Rpc(400, -32600)),
        by_body("another protocol", search.replace("2.0", "1.0"), Rpc(400, -32600)),
        by_body("fraction as id", search.replace("\"id\":1", "\"id\":1.5"), Rpc(400, -32600)),
        by_body(
            "parameters of another type",
            search.replace("{\"query\":\"water\"}", "\"water\""),
            Rpc(200, -32602),
        ),
        by_body("not JSON", "water", Status(&[400])),
        by_body("not UTF-8", b"\"\xff\"", Status(&[400])),
        by_body("empty", "", Status(&[400])),
    ]
}

/// Returns a tool call with a deeply nested argument.
fn nested_call() -> Vec<u8> {
    let call = String::from_utf8(call("search_docs", json!({ "query": "DEEP" }))).unwrap();
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    call.replace("\"DEEP\"", &deep).into_bytes()
}

fn tools() -> Vec<Probe> {
    let ids = [
        ("id with ..", "docs:../../../../../../etc/passwd"),
        ("path with ..", "../../../../../../etc/passwd"),
        ("absolute path", "/etc/passwd"),
        ("UNC path", r"\\evil.example\share\tea.md"),
        ("encoded NUL", "docs:tea.md%00"),
        ("NUL", "docs:tea.md\0"),
        ("line break", "docs:tea.md\n[2] docs:forged"),
    ];
    let reads =
        ids.map(|(name, id)| by_body(name, call("read_section", json!({ "id": id })), Tool));
    let lists =
        ids.map(|(name, id)| by_body(name, call("list_sections", json!({ "id": id })), Tool));
    let afters = [json!(1_000_000), json!(u64::MAX), json!(-1), json!(0.5), json!("x"), json!([1])];
    let afters = afters.map(|after| {
        by_body("forged cursor", call("list_sections", json!({ "after": after })), Tool)
    });
    let resources = [
        "file:///etc/passwd",
        "chunkwright://docs/../../../../../../etc/passwd",
        "chunkwright://docs/%2e%2e/%2e%2e/etc/passwd",
        "chunkwright://docs//etc/passwd",
        "chunkwright://docs/tea.md%00",
    ];
    let resources = resources.map(|uri| by_body("resource", resource(uri), Rpc(200, -32002)));
    [reads.into(), lists.into(), afters.into(), Vec::from(resources)]
        .into_iter()
        .flatten()
        .collect()
}

fn resource(uri: &str) -> String {
    let params = json!({ "uri": uri });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": params }).to_string()
}

fn eras() -> Vec<Probe> {
    let modern = |name, version: &str, headers: &str, expected| {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let params = json!({
            "name": "search_docs", "arguments": { "query": "water" }, "_meta": meta,
        });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        let head = post(&format!("Host: HOST\n{headers}"));
        Probe { name, head, body: body.to_string().into_bytes(), expected }
    };
    let version = "MCP-Protocol-Version: 2026-07-28\n";
    let method = "Mcp-Method: tools/call\n";
    let name = "Mcp-Name: search_docs\n";
    let known = |name, headers: &[&str], expected| {
        modern(name, "2026-07-28", headers.concat().trim_end(), expected)
    };
    let other = "MCP-Protocol-Version: 2025-11-25\n";
    let unknown = format!("MCP-Protocol-Version: 2099-01-01\n{method}{name}");
    vec![
        known("no version", &[method, name], Rpc(400, -32020)),
        known("no method", &[version, name], Rpc(400, -32020)),
        known("no tool", &[version, method], Rpc(400, -32020)),
        known("another version", &[other, method, name], Rpc(400, -32020)),
        known("another method", &[version, "Mcp-Method: tools/list\n", name], Rpc(400, -32020)),
        known("another tool", &[version, method, "Mcp-Name: read_section"], Rpc(400, -32020)),
        known("two versions", &[version, other, method, name], Status(&[400])),
        known("two tools", &[version, method, name, "Mcp-Name: read_section"], Status(&[400])),
        modern("unknown version", "2099-01-01", unknown.trim_end(), Rpc(400, -32022)),
    ]
}

/// Sends requests with contradictory lengths, in which one of the lengths hides another request.
#[test]
fn smuggled_requests_are_not_answered() {
    let docs = Docs::new(&[("tea.md", "# Tea\n\nBoil water with saffron.\n")]);
    let address = serve(docs.library(), Limits::default());
    let hidden =
        String::from_utf8(request(address, "GET /healthz HTTP/1.1\nHost: HOST", b"")).unwrap();
    let chunked = format!("0\r\n\r\n{hidden}");
    let counted = format!("{:x}\r\n{hidden}\r\n0\r\n\r\n", hidden.len());
    for (lengths, body) in [
        (format!("Content-Length: {}\nTransfer-Encoding: chunked", chunked.len()), &chunked),
        (format!("Transfer-Encoding: chunked\nContent-Length: {}", chunked.len()), &chunked),
        ("Transfer-Encoding: chunked\nContent-Length: 4".to_owned(), &counted),
        ("Transfer-Encoding: chunked, identity".to_owned(), &counted),
        ("Transfer-Encoding: chunked\nTransfer-Encoding: identity".to_owned(), &counted),
        (format!("Content-Length: 4\nContent-Length: {}", hidden.len()), &hidden),
        (format!("Content-Length: +{}", hidden.len()), &hidden),
    ] {
        let head = post(&format!("Host: HOST\n{lengths}"));
        let mut stream = connect(address).unwrap();
        stream.write_all(&request(address, &head, body.as_bytes())).unwrap();
        let mut replies = Vec::new();
        if let Err(fault) = stream.read_to_end(&mut replies) {
            assert_eq!(fault.kind(), ErrorKind::ConnectionReset, "{lengths}: not closed");
        }
        let replies = String::from_utf8(replies).unwrap();
        assert!(replies.starts_with("HTTP/1.1 400 "), "{lengths}: {replies}");
        assert_eq!(replies.matches("HTTP/1.1 ").count(), 1, "{lengths}: {replies}");
    }
}
