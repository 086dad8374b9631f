//! An embedded search index for directories of Markdown.
//!
//! Every heading of a document is a *node* that can be found by its title, its heading path and its
//! text. Hits that belong together are merged along the document's outline, and an answer can be
//! limited to a number of tokens.
//!
//! [`update`] brings an index up to date with the files of one or several directories. A
//! [`Snapshot`] opens it for reading, to [search](Snapshot::search) it, to [get](Snapshot::get) a
//! node by its id, and to [list](Snapshot::list) its contents.
//!
//! ```
//! use std::fs;
//!
//! use chunkwright_search::{Request, Snapshot, Tree, Update, update};
//!
//! let dir = tempfile::tempdir()?;
//! let docs = dir.path().join("docs");
//! fs::create_dir(&docs)?;
//! fs::write(docs.join("tea.md"), "# Tea\n\nBoil water.\n\n## Green\n\nSteep at 80 °C.\n")?;
//!
//! let index = dir.path().join("index");
//! update(&index, &Update::of(vec![Tree::at(&docs)]))?;
//!
//! let answer = Snapshot::open(&index)?.search("steep", &Request::default())?;
//! assert_eq!(answer.results[0].id, "docs:tea.md#green");
//! assert_eq!(answer.results[0].text, "## Green\n\nSteep at 80 °C.");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod agent;
mod analyze;
pub mod answer;
mod assemble;
mod browse;
mod budget;
mod compile;
mod confidence;
mod directory;
mod documents;
mod error;
mod excluded;
mod explain;
mod filter;
mod forest;
mod index;
mod live;
mod lock;
mod merge;
mod options;
mod outline;
mod page;
mod query;
mod rank;
mod reason;
pub mod render;
mod resolve;
mod runs;
mod schema;
mod search;
mod snippet;
mod status;
mod update;

pub use answer::Answer;
pub use chunkwright_config::{Indexing, Language, Merging, Order, Ranking, Tuning, Weights};
pub use error::Error;
pub use filter::Filter;
pub use index::Snapshot;
pub use live::LiveIndex;
pub use options::Request;
pub use update::{Report, Step, Tree, Update, update, update_watched};
