//! Indexed pages, and a server on a free port.

#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "each test uses a part; a failed test should panic"
)]

use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::thread;

use chunkwright_search::{LiveIndex, Tree, Tuning, Update, update};
use chunkwright_server::{Access, Library, Limits, listen};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A folder with a tree of pages, `docs`, and its index.
pub(crate) struct Docs {
    pub(crate) folder: TempDir,
}

impl Docs {
    pub(crate) fn new(pages: &[(&str, &str)]) -> Self {
        let docs = Self { folder: TempDir::new().unwrap() };
        for (path, text) in pages {
            let path = docs.root().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        docs.update(vec![Tree::at(docs.root())]);
        docs
    }

    /// Indexes other trees instead.
    pub(crate) fn of(trees: Vec<Tree>) -> Self {
        let docs = Self { folder: TempDir::new().unwrap() };
        docs.update(trees);
        docs
    }

    fn update(&self, trees: Vec<Tree>) {
        update(&self.index(), &Update::of(trees)).unwrap();
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("docs")
    }

    pub(crate) fn index(&self) -> PathBuf {
        self.folder.path().join("index")
    }

    pub(crate) fn library(&self) -> Library {
        Library::new(LiveIndex::at(self.index()), Tuning::default(), |_| {})
    }
}

/// Serves a library in the background.
pub(crate) fn serve(library: Library, limits: Limits) -> SocketAddr {
    let listener = listen((Ipv4Addr::LOCALHOST, 0).into(), &Access::default()).unwrap();
    let listener = listener.with_limits(limits);
    let address = listener.address();
    thread::spawn(move || listener.serve(library).unwrap());
    address
}

/// Returns a `tools/call` message.
pub(crate) fn call(tool: &str, arguments: Value) -> Vec<u8> {
    let params = json!({ "name": tool, "arguments": arguments });
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    message.to_string().into_bytes()
}
