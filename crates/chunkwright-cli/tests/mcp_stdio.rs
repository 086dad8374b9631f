//! The life of `chunkwright mcp`: it answers everything, survives garbage, and ends with its input.

#![cfg(feature = "server")]
#![allow(clippy::unwrap_used, reason = "a failed test should panic")]

#[path = "common/agent.rs"]
mod agent;
#[path = "common/kitchen.rs"]
mod kitchen;

use std::collections::BTreeSet;
use std::path::Path;

use agent::{Session, call, initialize, legacy, modern, text};
use kitchen::{KETTLE, folder, index, kitchen, run, said};
use serde_json::{Value, json};

fn session(folder: &Path) -> Session {
    Session::start(folder, &["--index", "ix"])
}

fn lines(messages: &[Value]) -> String {
    messages.iter().map(|message| format!("{message}\n")).collect()
}

#[test]
fn ends_with_its_input() {
    let folder = kitchen();
    let discover = modern("server/discover", &json!({}));
    let list = modern("tools/list", &json!({}));
    for (name, input, answers) in [
        ("nothing", String::new(), 0),
        ("an empty line", "\n".to_owned(), 0),
        ("half a message", r#"{"jsonrpc":"2.0","id":1,"#.to_owned(), 0),
        ("a handshake", lines(&[initialize("2025-06-18")]), 1),
        ("a probe", format!("{discover}\n"), 1),
        ("a session", lines(&[initialize("2025-06-18"), legacy("tools/list", &json!({}))]), 2),
        ("a modern session", lines(&[discover, list]), 2),
    ] {
        let mut session = session(folder.path());
        session.write(input.as_bytes());
        let (messages, log, code) = session.end();
        assert_eq!((messages.len(), &*log, code), (answers, "", Some(0)), "{name}");
    }
}

#[test]
fn answers_all_requests_before_it_ends() {
    let folder = kitchen();
    let mut session = session(folder.path());
    let requests: Vec<Value> = (0..2_000)
        .map(|id| {
            let mut request = call("search_docs", &json!({ "query": "vinegar or a lid" }));
            request["id"] = json!(id);
            request
        })
        .collect();
    session.write(lines(&[initialize("2025-06-18")]).as_bytes());
    session.write(lines(&requests).as_bytes());
    let (messages, log, code) = session.end();
    assert_eq!((&*log, code), ("", Some(0)));
    let answers = messages.iter().filter(|message| message["result"]["content"].is_array());
    let ids: BTreeSet<u64> = answers.map(|answer| answer["id"].as_u64().unwrap()).collect();
    assert_eq!(ids.len(), requests.len());
}

#[test]
fn answers_a_last_message_without_a_line_break() {
    let folder = kitchen();
    for request in [initialize("2025-06-18"), modern("tools/list", &json!({}))] {
        let mut session = session(folder.path());
        session.write(request.to_string().as_bytes());
        let (messages, _, code) = session.end();
        assert_eq!((messages.len(), code), (1, Some(0)), "{request}");
    }
}

#[test]
fn does_not_wait_for_cancelled_requests() {
    let folder = kitchen();
    let mut session = Session::initialized(folder.path(), &["--index", "ix"]);
    let cancel = json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 7 },
    });
    session.write(lines(&[call("list_sections", &json!({})), cancel]).as_bytes());
    let (messages, _, code) = session.end();
    assert!(messages.len() <= 1, "{messages:?}");
    assert_eq!(code, Some(0));
}

#[test]
fn survives_garbage() {
    let folder = kitchen();
    let notification = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let response = json!({ "jsonrpc": "2.0", "id": 1, "result": {} });
    let batch = format!("[{},{}]\n", initialize("2025-06-18"), legacy("tools/list", &json!({})));
    let deep = format!("{}{}\n", "[".repeat(100_000), "]".repeat(100_000));
    let garbage: [(&str, Vec<u8>); 13] = [
        ("text", b"hello\n".to_vec()),
        ("empty lines", b"\n\r\n \n\t\n".to_vec()),
        ("invalid UTF-8", b"\"\xff\xfe\"\n".to_vec()),
        ("NUL", b"\0\0\0\n".to_vec()),
        ("half a message", b"{\"jsonrpc\": \"2.0\", \n".to_vec()),
        ("other JSON", b"17\n\"a\"\nnull\n{}\n".to_vec()),
        ("another protocol", b"{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}\n".to_vec()),
        ("a null id", b"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}\n".to_vec()),
        ("an early notification", lines(&[notification]).into_bytes()),
        ("a response", lines(&[response]).into_bytes()),
        ("a batch", batch.into_bytes()),
        ("deep nesting", deep.into_bytes()),
        ("a line of 20 MB", [&vec![b'x'; 20 << 20][..], b"\n"].concat()),
    ];
    for is_initialized in [false, true] {
        for (name, bytes) in &garbage {
            let mut session = match is_initialized {
                true => Session::initialized(folder.path(), &["--index", "ix"]),
                false => session(folder.path()),
            };
            session.write(bytes);
            if !is_initialized {
                session.send(&initialize("2025-06-18"));
            }
            session.send(&call("search_docs", &json!({ "query": "vinegar" })));
            let answer = loop {
                let message = session.receive();
                if message["result"]["content"].is_array() {
                    break message;
                }
            };
            assert!(text(&answer).contains("limescale"), "{name}: {answer}");
            let (_, log, code) = session.end();
            assert_eq!((&*log, code), ("", Some(0)), "{name}");
        }
    }
}

#[test]
fn reads_lines_that_end_with_crlf() {
    let folder = kitchen();
    let mut session = session(folder.path());
    let requests = [initialize("2025-06-18"), legacy("tools/list", &json!({}))];
    session.write(lines(&requests).replace('\n', "\r\n").as_bytes());
    let (messages, _, code) = session.end();
    assert_eq!((messages.len(), code), (2, Some(0)));
}

#[test]
fn refuses_a_batch() {
    let folder = kitchen();
    let mut session = Session::initialized(folder.path(), &["--index", "ix"]);
    let list = legacy("tools/list", &json!({}));
    session.write(format!("[{list},{list}]\n").as_bytes());
    let (messages, _, _) = session.end();
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert_eq!(messages[0]["error"]["code"], -32600);
}

#[test]
fn starts_without_an_index_and_uses_it_once_there_is_one() {
    for arguments in [&["--index", "ix"][..], &[]] {
        let folder = folder(&[("docs/kettle.md", KETTLE)]);
        let mut session = Session::initialized(folder.path(), arguments);
        let search = call("search_docs", &json!({ "query": "vinegar" }));
        let list = call("list_sections", &json!({}));
        for request in [&search, &list] {
            let answer = session.ask(request);
            assert_eq!(answer["result"]["isError"], true, "{answer}");
            assert!(text(&answer).contains("`chunkwright index PATH`"), "{answer}");
        }
        match arguments {
            [] => {
                let output = run(folder.path(), &["index", "docs"]);
                assert!(output.status.success(), "{}", said(&output));
            }
            _ => index(folder.path()),
        }
        let answer = session.ask(&search);
        assert!(text(&answer).contains("limescale"), "{arguments:?}: {answer}");
        let (_, log, code) = session.end();
        assert!(log.contains("warning: "), "{log}");
        assert_eq!(code, Some(0));
    }
}
