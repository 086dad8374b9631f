//! An MCP server over a chunkwright index: read-only tools for agents.
//!
//! [`stdio`] serves one client on standard input and output. [`listen`] and [`Listener::serve`]
//! serve any number of clients over HTTP. Both answer from a [`Library`], which follows the index on
//! disk.
//!
//! ```no_run
//! use chunkwright_search::{LiveIndex, Tuning};
//! use chunkwright_server::{Library, stdio};
//!
//! let index = LiveIndex::at(".chunkwright");
//! stdio(Library::new(index, Tuning::default(), |message| eprintln!("{message}")))?;
//! # Ok::<(), chunkwright_server::Error>(())
//! ```
//!
//! No request writes to disk. Ids, paths and URIs in requests are looked up in the index, and never
//! joined to a path of the file system.

mod error;
mod http;
mod library;
mod mcp;
mod slots;
pub mod tools;
pub mod uri;

pub use error::Error;
pub use http::gate;
pub use http::limits::Limits;
pub use http::listen::{Listener, listen};
pub use http::{Access, Token};
pub use library::{Library, ToolAnswer, Updates};
pub use mcp::stdio::stdio;
