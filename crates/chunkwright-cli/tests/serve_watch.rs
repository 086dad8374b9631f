//! `chunkwright serve --watch` reports what it cannot read, and goes on.

#![allow(clippy::unwrap_used, reason = "a failed test should panic")]

#[path = "common/kitchen.rs"]
mod kitchen;

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use chunkwright_testkit::http;
use kitchen::{KETTLE, POT, command, folder};

/// A server that is stopped at the end of a test.
struct Server {
    process: Child,
    lines: Receiver<String>,
    address: SocketAddr,
}

impl Server {
    fn start(folder: &Path) -> Self {
        let mut command = command(folder, &["serve", "docs", "--watch", "--port", "0"]);
        let mut process = command.stderr(Stdio::piped()).spawn().unwrap();
        let printed = BufReader::new(process.stderr.take().unwrap());
        let (sender, lines) = channel();
        thread::spawn(move || {
            printed.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        let address = SocketAddr::from(([127, 0, 0, 1], 0));
        let mut server = Self { process, lines, address };
        let greeting = server.wait_for("For other agents, open http://");
        server.address = greeting.rsplit('/').next().unwrap().parse().unwrap();
        server
    }

    /// Waits for a line with this start, and returns it.
    fn wait_for(&self, start: &str) -> String {
        loop {
            let line = self.lines.recv_timeout(Duration::from_secs(60)).expect(start);
            if line.starts_with(start) {
                return line;
            }
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

#[test]
fn reports_a_page_that_it_cannot_read() {
    let folder = folder(&[("docs/kettle.md", KETTLE)]);
    let server = Server::start(folder.path());
    fs::write(folder.path().join("docs/broken.md"), b"# \xff\n").unwrap();
    let warning = server.wait_for("warning: ");
    assert!(warning.starts_with("warning: cannot read docs/broken.md: invalid UTF-8"), "{warning}");
    fs::write(folder.path().join("docs/pot.md"), POT).unwrap();
    server.wait_for("2 files: 1 new, 1 unchanged");
}

#[test]
fn keeps_the_index_if_the_directory_disappears() {
    let folder = folder(&[("docs/kettle.md", KETTLE)]);
    let [docs, moved] = ["docs", "moved"].map(|name| folder.path().join(name));
    let server = Server::start(folder.path());
    fs::rename(&docs, &moved).unwrap();
    server.wait_for("warning: cannot update the index: no index in docs/.chunkwright");
    assert!(!docs.exists());
    let ready = http::request(server.address, "GET /readyz HTTP/1.1\nHost: HOST", b"");
    let ready = http::exchange(server.address, &ready).unwrap();
    assert_eq!(ready.status, 503);
    assert!(ready.body.contains("answers are from the last good state"), "{}", ready.body);
    fs::rename(&moved, &docs).unwrap();
    fs::write(docs.join("pot.md"), POT).unwrap();
    server.wait_for("2 files: 1 new, 1 unchanged");
}
