//! Slow and greedy clients: they lose their connection or are refused, and all others are served.

#![allow(clippy::unwrap_used, reason = "a failed test should panic")]

mod common;

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Condvar, Mutex};
use std::thread;
use std::time::Duration;

use chunkwright_search::{LiveIndex, Tuning};
use chunkwright_server::{Library, Limits};
use chunkwright_testkit::http::{Reply, connect, exchange, receive, request};
use common::{Docs, call, serve};
use serde_json::json;

/// A time limit that a test can wait for.
const SHORT: Duration = Duration::from_millis(500);

fn docs() -> Docs {
    Docs::new(&[("tea.md", &format!("# Tea\n\n{}", "Boil water.\n".repeat(2_500)))])
}

/// Returns limits with one that is short, and a single connection: another client is answered only
/// after the slow one has lost its own.
fn one_seat(shorten: impl Fn(&mut Limits)) -> Limits {
    let mut limits = Limits::default();
    limits.connections = 1;
    for time in [&mut limits.head_time, &mut limits.body_time, &mut limits.write_time] {
        *time = Duration::from_secs(1_000);
    }
    shorten(&mut limits);
    limits
}

fn ask(address: SocketAddr) -> Reply {
    exchange(address, &request(address, "GET /readyz HTTP/1.1\nHost: HOST", b"")).unwrap()
}

#[test]
fn the_limits_are_the_documented_ones() {
    let limits = Limits::default();
    let seconds = [limits.head_time, limits.body_time, limits.request_time, limits.write_time];
    assert_eq!(seconds.map(|time| time.as_secs()), [10, 10, 30, 30]);
    assert_eq!((limits.connections, limits.stop_time.as_secs()), (256, 4));
}

/// Checks that a client loses its connection after it has sent some bytes and received others.
fn assert_loses_connection(shorten: fn(&mut Limits), sent: &str, received: &str) {
    let docs = docs();
    let address = serve(docs.library(), one_seat(shorten));
    let mut client = connect(address).unwrap();
    client.write_all(sent.replace("HOST", &address.to_string()).as_bytes()).unwrap();
    assert_eq!(ask(address).status, 200);
    let mut all = String::new();
    client.read_to_string(&mut all).unwrap();
    assert!(all.starts_with(received), "{all}");
}

#[test]
fn a_client_that_says_nothing_loses_its_connection() {
    assert_loses_connection(|limits| limits.head_time = SHORT, "", "");
}

#[test]
fn a_client_that_is_idle_after_a_response_loses_its_connection() {
    let sent = "GET /healthz HTTP/1.1\r\nHost: HOST\r\n\r\n";
    assert_loses_connection(|limits| limits.head_time = SHORT, sent, "HTTP/1.1 200 ");
}

#[test]
fn a_header_that_never_ends_loses_its_connection() {
    let sent = "GET /healthz HTTP/1.1\r\nHost: HOST\r\nX-Long: ";
    assert_loses_connection(|limits| limits.head_time = SHORT, sent, "");
}

#[test]
fn a_body_that_never_ends_loses_its_connection() {
    let head = "POST /mcp HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json";
    let sent = format!("{head}\r\nContent-Length: 100\r\n\r\n{{");
    assert_loses_connection(|limits| limits.body_time = SHORT, &sent, "HTTP/1.1 408 ");
}

#[test]
fn a_client_that_sends_a_byte_at_a_time_loses_its_connection() {
    let docs = docs();
    let address = serve(docs.library(), one_seat(|limits| limits.head_time = SHORT));
    let mut client = connect(address).unwrap();
    // The time between two bytes.
    client.set_read_timeout(Some(SHORT / 5)).unwrap();
    thread::scope(|scope| {
        scope.spawn(|| while client.write_all(b"x").is_ok() && is_open(&mut client) {});
        assert_eq!(ask(address).status, 200);
    });
}

/// Reads a byte. Returns whether the connection is still open.
fn is_open(client: &mut TcpStream) -> bool {
    match client.read(&mut [0]) {
        Ok(bytes) => bytes > 0,
        Err(fault) => matches!(fault.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut),
    }
}

#[test]
fn a_client_that_reads_a_byte_at_a_time_loses_its_connection() {
    let docs = docs();
    let address = serve(docs.library(), one_seat(|limits| limits.write_time = SHORT));
    let mut client = connect(address).unwrap();
    let head = "POST /mcp HTTP/1.1\nHost: HOST\nContent-Type: application/json";
    let read = call("read_section", json!({ "id": "tea.md", "max_tokens": 10_000 }));
    let read = request(address, head, &read);
    let mut writer = client.try_clone().unwrap();
    let is_served = AtomicBool::new(false);
    thread::scope(|scope| {
        // The operating system buffers the first responses.
        scope.spawn(move || while writer.write_all(&read).is_ok() {});
        scope.spawn(|| {
            while !is_served.load(SeqCst) && is_open(&mut client) {
                thread::sleep(SHORT / 5);
            }
        });
        assert_eq!(ask(address).status, 200);
        is_served.store(true, SeqCst);
    });
}

#[test]
fn idle_connections_do_not_keep_others_waiting() {
    let docs = docs();
    let mut limits = Limits::default();
    limits.head_time = SHORT;
    let address = serve(docs.library(), limits);
    let idle: Vec<TcpStream> = (0..300).map(|_| connect(address).unwrap()).collect();
    assert_eq!(ask(address).status, 200);
    drop(idle);
    for _ in 0..300 {
        assert_eq!(ask(address).status, 200);
    }
}

/// A library whose answers wait until the test lets them go on.
#[derive(Clone, Default)]
struct Brake {
    is_released: Arc<(Mutex<bool>, Condvar)>,
}

impl Brake {
    fn library(&self) -> Library {
        let brake = self.clone();
        // The missing index is logged by the first answer, for which all others wait.
        let log = move |_: &str| {
            let (is_released, changed) = &*brake.is_released;
            let held = changed.wait_while(is_released.lock().unwrap(), |released| !*released);
            drop(held);
        };
        Library::new(LiveIndex::at("no-such-index"), Tuning::default(), log)
    }

    fn release(&self) {
        *self.is_released.0.lock().unwrap() = true;
        self.is_released.1.notify_all();
    }
}

fn search(address: SocketAddr) -> Vec<u8> {
    let head = "POST /mcp HTTP/1.1\nHost: HOST\nContent-Type: application/json";
    request(address, head, &call("search_docs", json!({ "query": "tea" })))
}

#[test]
fn requests_beyond_the_queue_are_refused_until_there_is_room() {
    let brake = Brake::default();
    let address = serve(brake.library(), Limits::default());
    let mut waiting = Vec::new();
    // Every request that is not refused waits.
    let refused = loop {
        let mut client = connect(address).unwrap();
        client.write_all(&search(address)).unwrap();
        client.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
        match client.peek(&mut [0]) {
            Ok(_) => break receive(&mut client).unwrap(),
            Err(_) => waiting.push(client),
        }
        assert!(waiting.len() < 250, "no request was refused");
    };
    assert_eq!((refused.status, refused.header("retry-after")), (503, Some("1")));
    assert!(waiting.len() >= 64, "only {} requests may wait", waiting.len());
    brake.release();
    for mut client in waiting {
        client.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        assert_eq!(receive(&mut client).unwrap().status, 200);
    }
    assert_eq!(exchange(address, &search(address)).unwrap().status, 200);
}

#[test]
fn a_request_that_takes_too_long_is_answered() {
    let brake = Brake::default();
    let mut limits = Limits::default();
    limits.request_time = SHORT;
    let address = serve(brake.library(), limits);
    let late = exchange(address, &search(address)).unwrap();
    assert_eq!((late.status, late.header("retry-after")), (503, Some("1")));
    // It still uses a core, so that no client can use all of them by giving up.
    brake.release();
    assert_eq!(exchange(address, &search(address)).unwrap().status, 200);
}
