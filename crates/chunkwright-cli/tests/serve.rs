//! The life of `chunkwright serve`: when it refuses to start, and how it stops.

#![cfg(all(feature = "server", unix))]
#![allow(clippy::unwrap_used, reason = "a failed test should panic")]

#[path = "common/agent.rs"]
mod agent;
#[path = "common/kitchen.rs"]
mod kitchen;

use std::fs;
use std::io::Write;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use agent::{PATIENCE, Server, call, post, text};
use chunkwright_testkit::http::{connect, receive, request};
use kitchen::{KETTLE, folder, index, kitchen, run, said};
use serde_json::{Value, json};

/// Number of connections that a server accepts at the same time.
const SEATS: usize = 256;

const HEAD: &str = "POST /mcp HTTP/1.1\nHost: HOST\nContent-Type: application/json";

fn search() -> Value {
    call("search_docs", &json!({ "query": "vinegar" }))
}

/// Takes all seats of a server: idle, within a head, within a body, and after a response.
fn full_house(server: &Server) -> Vec<TcpStream> {
    let body = search().to_string().into_bytes();
    let whole = request(server.address, HEAD, &body);
    let connect = |nth: usize| {
        let mut client = connect(server.address).unwrap();
        // A server that accepts connections in order has a seat for all of them if it answers the
        // last.
        let sent = match nth {
            last if last == SEATS - 1 => whole.len(),
            _ => [0, 20, whole.len() - 9, whole.len()][nth % 4],
        };
        client.write_all(&whole[..sent]).unwrap();
        if sent == whole.len() {
            assert_eq!(receive(&mut client).unwrap().status, 200);
        }
        client
    };
    (0..SEATS).map(connect).collect()
}

#[test]
fn signals_stop_a_server_whose_seats_are_all_taken() {
    let folder = kitchen();
    for signal in ["-TERM", "-INT"] {
        let mut server = Server::start(folder.path(), &["--index", "ix"]);
        let mut clients = full_house(&server);
        // More clients wait for a seat.
        clients.extend((0..20).map(|_| connect(server.address).unwrap()));
        server.signal(signal);
        let begun = Instant::now();
        assert_eq!(server.exit_code(PATIENCE), Some(0), "{signal}");
        assert!(begun.elapsed() < Duration::from_secs(5), "{signal}: {:?}", begun.elapsed());
    }
}

#[test]
fn a_request_under_way_is_answered_after_the_signal() {
    let folder = kitchen();
    let mut server = Server::start(folder.path(), &["--index", "ix"]);
    let whole = request(server.address, HEAD, search().to_string().as_bytes());
    let mut client = connect(server.address).unwrap();
    let (start, end) = whole.split_at(whole.len() - 9);
    client.write_all(start).unwrap();
    // The server accepts connections in order.
    assert_eq!(server.get("/healthz").status, 200);
    server.signal("-TERM");
    while TcpStream::connect(server.address).is_ok() {}
    client.write_all(end).unwrap();
    let reply = receive(&mut client).unwrap();
    assert!(reply.body.contains("limescale"), "{}", reply.body);
    assert_eq!(server.exit_code(PATIENCE), Some(0));
}

#[test]
fn a_signal_stops_an_idle_server() {
    let folder = kitchen();
    let mut server = Server::start(folder.path(), &["--index", "ix"]);
    assert_eq!(server.get("/readyz").status, 200);
    server.signal("-TERM");
    assert_eq!(server.exit_code(Duration::from_secs(5)), Some(0));
}

#[test]
fn reports_a_port_that_is_in_use() {
    let folder = kitchen();
    let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let output = run(folder.path(), &["serve", "--index", "ix", "--port", &port]);
    assert_eq!(output.status.code(), Some(2));
    let expected = format!(
        "error: cannot listen on 127.0.0.1:{port}: the port is in use (choose another with --port)\n"
    );
    assert_eq!(said(&output), expected);
}

#[test]
fn refuses_to_start_beyond_loopback_without_a_token_and_a_host() {
    let folder = kitchen();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("token", "correct-horse-battery\n");
    write("short", "secret\n");
    write("words", "correct horse battery\n");
    let token = ["--token-file", "token"];
    let host = ["--allow-host", "docs.example.com"];
    for (arguments, expected) in [
        (vec![], "a token (--token-file) is required"),
        (host.to_vec(), "a token (--token-file) is required"),
        (token.to_vec(), "the name that clients use (--allow-host) is required"),
        ([&host[..], &["--token-file", "short"]].concat(), "at least 16"),
        ([&host[..], &["--token-file", "words"]].concat(), "no white space"),
        ([&host[..], &["--token-file", "none"]].concat(), "cannot read none"),
        ([&token[..], &["--allow-host", "*"]].concat(), "invalid host `*`"),
        ([&token[..], &["--allow-host", "http://docs"]].concat(), "invalid host `http://docs`"),
    ] {
        for address in ["0.0.0.0", "::", "192.0.2.1"] {
            let all =
                [&["serve", "--index", "ix", "--port", "0", "--host", address], &arguments[..]];
            let output = run(folder.path(), &all.concat());
            assert_eq!(output.status.code(), Some(2), "{all:?}");
            assert!(said(&output).contains(expected), "{all:?}: {}", said(&output));
        }
    }
}

#[test]
fn a_token_protects_documents_on_loopback_too() {
    let folder = kitchen();
    fs::write(folder.path().join("token"), "correct-horse-battery\n").unwrap();
    let server = Server::start(folder.path(), &["--index", "ix", "--token-file", "token"]);
    for (header, status) in [
        ("", 401),
        ("\nAuthorization: Bearer correct-horse-batterx", 401),
        ("\nAuthorization: Basic Y29ycmVjdC1ob3JzZS1iYXR0ZXJ5", 401),
        ("\nAuthorization: Bearer correct-horse-battery", 200),
    ] {
        let reply = post(server.address, &search(), header);
        assert_eq!(reply.status, status, "{header}");
        assert_eq!(reply.body.contains("limescale"), status == 200, "{header}");
    }
    assert_eq!([server.get("/healthz").status, server.get("/readyz").status], [200, 401]);
}

#[test]
fn starts_without_an_index_and_uses_it_once_there_is_one() {
    for arguments in [&["--index", "ix"][..], &[]] {
        let folder = folder(&[("docs/kettle.md", KETTLE)]);
        let server = Server::start(folder.path(), arguments);
        let ask = || -> Value { serde_json::from_str(&server.post(&search()).body).unwrap() };
        let answer = ask();
        assert!(text(&answer).contains("`chunkwright index PATH`"), "{answer}");
        assert_eq!(server.get("/readyz").status, 503);
        match arguments {
            [] => {
                let output = run(folder.path(), &["index", "docs"]);
                assert!(output.status.success(), "{}", said(&output));
            }
            _ => index(folder.path()),
        }
        let answer = ask();
        assert!(text(&answer).contains("limescale"), "{arguments:?}: {answer}");
        assert_eq!(server.get("/readyz").status, 200);
    }
}
