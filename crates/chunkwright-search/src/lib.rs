//! An embedded index over trees of Markdown: every heading can be found, and what is found is
//! merged along the tree into answers that fit a budget.
//!
//! [`update`] brings an index up to date with the files of one or several trees. A [`Snapshot`] of
//! it can be [searched](Snapshot::search), asked for a node by its [id](Snapshot::get), and
//! [listed](Snapshot::list). [`merge`] and [`query`] are the two parts that need no index.

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
mod lock;
pub mod merge;
mod options;
mod outline;
pub mod query;
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
pub use options::Request;
pub use update::{Report, Step, Tree, Update, Watch, update, update_watched};
