//! Both generations of the protocol, over standard input and output and over HTTP: with `initialize`
//! up to 2025-11-25, and without since 2026-07-28.

#![cfg(feature = "server")]
#![allow(clippy::unwrap_used, reason = "a failed test should panic")]

#[path = "common/agent.rs"]
mod agent;
#[path = "common/kitchen.rs"]
mod kitchen;

use agent::{MODERN, Server, Session, initialize, legacy, modern, post};
use kitchen::kitchen;
use serde_json::{Value, json};
use tempfile::TempDir;

const VERSIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// One generation of the protocol.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Era {
    Legacy,
    Modern,
}

use Era::{Legacy, Modern};

/// The two ways to a server.
struct Doors {
    stdio: Session,
    http: Server,
    _folder: TempDir,
}

impl Doors {
    fn open(era: Era) -> Self {
        let folder = kitchen();
        let stdio = match era {
            Legacy => Session::initialized(folder.path(), &["--index", "ix"]),
            Modern => Session::start(folder.path(), &["--index", "ix"]),
        };
        let http = Server::start(folder.path(), &["--index", "ix"]);
        Self { stdio, http, _folder: folder }
    }

    /// Returns the answer to a request, which must be the same for both.
    fn ask(&mut self, request: &Value) -> Value {
        let reply = self.http.post(request);
        assert_eq!(reply.header("content-type"), Some("application/json"), "{}", reply.body);
        assert_eq!(reply.header("mcp-session-id"), None);
        let http: Value = serde_json::from_str(&reply.body).unwrap();
        let stdio = self.stdio.ask(request);
        assert_eq!(http, stdio, "{request}");
        assert_eq!((&http["jsonrpc"], &http["id"]), (&json!("2.0"), &request["id"]));
        http
    }
}

fn message(era: Era, method: &str, params: &Value) -> Value {
    match era {
        Legacy => legacy(method, params),
        Modern => modern(method, params),
    }
}

#[test]
fn initialize_agrees_on_the_requested_revision_but_never_on_the_first_without_it() {
    let folder = kitchen();
    let http = Server::start(folder.path(), &["--index", "ix"]);
    let known = VERSIONS.map(|version| (version, version));
    let others = [(MODERN, "2025-11-25"), ("2099-01-01", "2025-11-25"), ("", "2025-11-25")];
    for (wanted, expected) in known.into_iter().chain(others) {
        let request = initialize(wanted);
        let mut stdio = Session::start(folder.path(), &["--index", "ix"]);
        let http: Value = serde_json::from_str(&http.post(&request).body).unwrap();
        let stdio = stdio.ask(&request);
        assert_eq!(http, stdio, "{wanted}");
        let result = &http["result"];
        assert_eq!(result["protocolVersion"], expected, "{wanted}");
        assert_eq!(result["serverInfo"]["name"], "chunkwright");
        let instructions = result["instructions"].as_str().unwrap();
        assert!(instructions.contains("search_docs"), "{instructions}");
    }
}

#[test]
fn discover_offers_all_revisions_before_and_after_other_requests() {
    let mut doors = Doors::open(Modern);
    for _ in 0..2 {
        let result = &doors.ask(&modern("server/discover", &json!({})))["result"];
        let offered = result["supportedVersions"].as_array().unwrap();
        for version in VERSIONS.iter().chain([&MODERN]) {
            assert!(offered.contains(&json!(version)), "{offered:?}");
        }
        assert!(result["instructions"].as_str().unwrap().contains("search_docs"));
        assert_eq!(result["resultType"], "complete");
        doors.ask(&modern("tools/list", &json!({})));
    }
}

#[test]
fn a_client_may_discover_and_then_initialize() {
    let folder = kitchen();
    let mut session = Session::start(folder.path(), &["--index", "ix"]);
    session.ask(&modern("server/discover", &json!({})));
    let answer = session.ask(&initialize("2025-11-25"));
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
    assert!(session.ask(&legacy("tools/list", &json!({})))["result"]["tools"].is_array());
}

#[test]
fn every_list_is_answered() {
    for era in [Legacy, Modern] {
        let mut doors = Doors::open(era);
        for (method, field, expected) in [
            ("tools/list", "tools", &["search_docs", "read_section", "list_sections"][..]),
            ("prompts/list", "prompts", &[]),
            ("resources/list", "resources", &[]),
            ("resources/templates/list", "resourceTemplates", &["page"]),
        ] {
            let answer = doors.ask(&message(era, method, &json!({})));
            let items = answer["result"][field].as_array().expect(method);
            let names: Vec<&Value> = items.iter().map(|item| &item["name"]).collect();
            assert_eq!(names, expected, "{era:?} {method}");
            let is_modern = answer["result"]["resultType"] == "complete";
            assert_eq!(is_modern, era == Modern, "{answer}");
        }
    }
}

#[test]
fn a_tool_answers_with_one_text() {
    for era in [Legacy, Modern] {
        let mut doors = Doors::open(era);
        for (tool, arguments, expected, is_error) in [
            ("search_docs", json!({ "query": "vinegar" }), "limescale", false),
            ("read_section", json!({ "id": "kettle.md" }), "limescale", false),
            ("list_sections", json!({}), "docs", false),
            ("read_section", json!({ "id": "kettel.md" }), "did you mean", true),
            ("search_docs", json!({ "query": "a", "limit": 3 }), "unknown argument `limit`", true),
        ] {
            let params = json!({ "name": tool, "arguments": arguments });
            let answer = doors.ask(&message(era, "tools/call", &params));
            assert!(agent::text(&answer).contains(expected), "{answer}");
            assert_eq!(answer["result"]["isError"], is_error, "{answer}");
            assert_eq!(answer["result"]["structuredContent"], Value::Null);
        }
    }
}

#[test]
fn a_resource_is_a_page_and_an_unknown_one_an_error_of_its_era() {
    for (era, code) in [(Legacy, -32002), (Modern, -32602)] {
        let mut doors = Doors::open(era);
        let mut read =
            |uri: &str| doors.ask(&message(era, "resources/read", &json!({ "uri": uri })));
        let page = read("chunkwright://docs/more/pot.md");
        let contents = page["result"]["contents"].as_array().unwrap();
        assert!(contents[0]["text"].as_str().unwrap().contains("two handles"), "{page}");
        for uri in ["chunkwright://docs/no.md", "chunkwright://docs/../ix/index/meta.json", "x:y"] {
            let answer = read(uri);
            assert_eq!(answer["error"]["code"], code, "{era:?}: {answer}");
        }
    }
}

#[test]
fn unknown_methods_and_tools_and_wrong_parameters_are_errors() {
    for era in [Legacy, Modern] {
        let mut doors = Doors::open(era);
        let unknown = doors.ask(&message(era, "tools/rewrite", &json!({})));
        assert_eq!(unknown["error"]["code"], -32601, "{era:?}: {unknown}");
        if era == Modern {
            // The revision of 2026-07-28 has no handshake.
            let unknown = doors.ask(&message(era, "initialize", &json!({})));
            assert_eq!(unknown["error"]["code"], -32601, "{unknown}");
        }
        for params in [
            json!({ "name": "delete_docs", "arguments": {} }),
            json!({ "name": "search_docs", "arguments": "vinegar" }),
            json!({ "arguments": {} }),
        ] {
            let wrong = doors.ask(&message(era, "tools/call", &params));
            assert_eq!(wrong["error"]["code"], -32602, "{era:?}: {wrong}");
        }
    }
}

#[test]
fn a_ping_is_answered_before_and_after_initialize() {
    let folder = kitchen();
    let mut session = Session::start(folder.path(), &["--index", "ix"]);
    let ping = legacy("ping", &json!({}));
    assert_eq!(session.ask(&ping)["result"], json!({}));
    session.ask(&initialize("2025-06-18"));
    assert_eq!(session.ask(&ping)["result"], json!({}));
}

#[test]
fn http_accepts_notifications_and_ignores_sessions() {
    let folder = kitchen();
    let http = Server::start(folder.path(), &["--index", "ix"]);
    let notification = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let reply = http.post(&notification);
    assert_eq!((reply.status, &*reply.body), (202, ""));
    let session = "\nMCP-Session-Id: 1868a90c\nLast-Event-ID: 3\nMCP-Protocol-Version: 2025-06-18";
    let reply = post(http.address, &legacy("tools/list", &json!({})), session);
    assert_eq!((reply.status, reply.header("mcp-session-id")), (200, None), "{}", reply.body);
    for accept in ["*/*", "application/json", "text/event-stream", "text/html"] {
        let header = format!("\nAccept: {accept}");
        let reply = post(http.address, &legacy("tools/list", &json!({})), &header);
        assert_eq!(reply.status, 200, "{accept}");
        assert_eq!(reply.header("content-type"), Some("application/json"), "{accept}");
    }
}
