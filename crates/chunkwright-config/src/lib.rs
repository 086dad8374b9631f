//! Reads `chunkwright.toml` and command-line flags, and builds chunkers from them.
//!
//! Every option is declared once, as a field of [`chunkwright::ConfigTable`], [`Running`],
//! [`Indexing`] or [`Tuning`]. Its name, default and checks follow from the declaration.
//! [`Settings`] merges the file with flags and knows where each value was set. [`Chunkers`] holds
//! the chunkers for all paths.

mod chunkers;
mod error;
mod file;
mod keys;
mod layers;
mod origin;
mod running;
mod search;
mod settings;

pub use chunkers::Chunkers;
pub use error::Error;
pub use file::FILE_NAME;
pub use keys::choices;
pub use origin::{Origin, Spot};
pub use running::Running;
pub use search::{Indexing, Keywords, Language, Merging, Order, Ranking, Tuning, Weights};
pub use settings::{Listed, Settings};
