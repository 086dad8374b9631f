//! Clients of `chunkwright mcp` and `chunkwright serve`.

#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "each test uses a part; a failed test should panic"
)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use chunkwright_testkit::http::{Reply, exchange, request};
use serde_json::{Value, json};

/// Maximum time to wait for anything, so that a test fails instead of waiting forever.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// The first revision without `initialize`.
pub(crate) const MODERN: &str = "2026-07-28";

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chunkwright"));
    command.args(arguments).current_dir(folder);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Passes lines on as they arrive.
fn lines(from: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let lines = BufReader::new(from).split(b'\n').map_while(Result::ok);
        lines.into_iter().try_for_each(|line| sender.send(line))
    });
    receiver
}

fn wait(child: &mut Child, most: Duration) -> Option<ExitStatus> {
    let begun = Instant::now();
    while begun.elapsed() < most {
        if let Some(status) = child.try_wait().unwrap() {
            return Some(status);
        }
        thread::sleep(Duration::from_millis(5));
    }
    None
}

/// A run of `chunkwright mcp`.
pub(crate) struct Session {
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<Vec<u8>>,
    log: Receiver<Vec<u8>>,
}

impl Session {
    pub(crate) fn start(folder: &Path, arguments: &[&str]) -> Self {
        let mut child = command(folder, &[&["mcp"], arguments].concat()).spawn().unwrap();
        let input = child.stdin.take();
        let output = lines(child.stdout.take().unwrap());
        let log = lines(child.stderr.take().unwrap());
        Self { child, input, output, log }
    }

    /// Starts a run and agrees on 2025-06-18.
    pub(crate) fn initialized(folder: &Path, arguments: &[&str]) -> Self {
        let mut session = Self::start(folder, arguments);
        session.ask(&initialize("2025-06-18"));
        session.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        session
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) {
        self.input.as_mut().unwrap().write_all(bytes).unwrap();
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.write(format!("{message}\n").as_bytes());
    }

    /// Returns the next message. Every line of the output must be one.
    pub(crate) fn receive(&mut self) -> Value {
        let line = self.output.recv_timeout(PATIENCE).expect("a message");
        serde_json::from_slice(&line).expect("a JSON message")
    }

    pub(crate) fn ask(&mut self, message: &Value) -> Value {
        self.send(message);
        self.receive()
    }

    /// Closes the input. Returns the remaining messages, the log, and the exit code.
    pub(crate) fn end(mut self) -> (Vec<Value>, String, Option<i32>) {
        drop(self.input.take());
        let status =
            wait(&mut self.child, PATIENCE).expect("the server ends at the end of its input");
        let messages = self.output.iter().map(|line| serde_json::from_slice(&line).unwrap());
        let log = self.log.iter().map(|line| String::from_utf8(line).unwrap() + "\n");
        (messages.collect(), log.collect(), status.code())
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A run of `chunkwright serve` on a free port.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
}

impl Server {
    pub(crate) fn start(folder: &Path, arguments: &[&str]) -> Self {
        let arguments = [&["serve", "--port", "0"], arguments].concat();
        let mut child = command(folder, &arguments).spawn().unwrap();
        let log = lines(child.stderr.take().unwrap());
        let address = loop {
            let line = log.recv_timeout(PATIENCE).expect("the address of the server");
            let line = String::from_utf8(line).unwrap();
            if let Some((_, rest)) = line.split_once(" at http://") {
                break rest.split('/').next().unwrap().parse().unwrap();
            }
        };
        // The server must not wait for a reader of its log.
        thread::spawn(move || log.into_iter().for_each(drop));
        Self { child, address }
    }

    #[cfg(unix)]
    pub(crate) fn signal(&self, name: &str) {
        let mut kill = Command::new("kill");
        assert!(kill.args([name, &self.child.id().to_string()]).status().unwrap().success());
    }

    /// Waits until the server ends. Returns its exit code, or `None` if it does not end in time.
    pub(crate) fn exit_code(&mut self, most: Duration) -> Option<i32> {
        wait(&mut self.child, most).and_then(|status| status.code())
    }

    pub(crate) fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Posts a message with the headers that its revision requires.
    pub(crate) fn post(&self, message: &Value) -> Reply {
        post(self.address, message, "")
    }

    pub(crate) fn get(&self, path: &str) -> Reply {
        let head = format!("GET {path} HTTP/1.1\nHost: HOST");
        exchange(self.address, &request(self.address, &head, b"")).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Posts a message with the headers that its revision requires, and more.
pub(crate) fn post(address: SocketAddr, message: &Value, headers: &str) -> Reply {
    let mut head =
        format!("POST /mcp HTTP/1.1\nHost: HOST\nContent-Type: application/json{headers}");
    let params = &message["params"];
    if params["_meta"].is_object() {
        head += &format!("\nMCP-Protocol-Version: {MODERN}");
        head += &format!("\nMcp-Method: {}", message["method"].as_str().unwrap());
        let name = params["name"].as_str().or(params["uri"].as_str());
        head.extend(name.map(|name| format!("\nMcp-Name: {name}")));
    }
    exchange(address, &request(address, &head, message.to_string().as_bytes())).unwrap()
}

/// Returns a request of the revisions with `initialize`.
pub(crate) fn legacy(method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params })
}

/// Returns a request of 2026-07-28.
pub(crate) fn modern(method: &str, params: &Value) -> Value {
    let mut message = legacy(method, params);
    message["params"]["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    message
}

/// Returns the first message of Codex 0.165, which asks for 2025-06-18.
pub(crate) fn initialize(version: &str) -> Value {
    json!({
        "jsonrpc": "2.0",
        "id": 0,
        "method": "initialize",
        "params": {
            "protocolVersion": version,
            "capabilities": { "elicitation": {} },
            "clientInfo": { "name": "codex-mcp-client", "title": "Codex", "version": "0.165.0" },
        },
    })
}

/// Returns a request that calls a tool.
pub(crate) fn call(tool: &str, arguments: &Value) -> Value {
    legacy("tools/call", &json!({ "name": tool, "arguments": arguments }))
}

/// Returns the text of a tool's answer.
pub(crate) fn text(answer: &Value) -> &str {
    let content = answer["result"]["content"].as_array().expect("a result");
    assert_eq!(content.len(), 1, "{answer}");
    content[0]["text"].as_str().unwrap()
}
