//! Configuration of chunkwright: `chunkwright.toml`, command-line flags and their defaults.
//!
//! Every option is declared once, as a field of [`chunkwright::ConfigTable`], [`Running`],
//! [`Indexing`] or [`Tuning`]. Names, defaults and checks follow from there. [`Settings`] merges
//! the file with flags and knows where each value was set; [`Chunkers`] holds the chunker for each
//! path.

mod chunkers;
mod error;
mod file;
mod keys;
mod layers;
mod origin;
mod running;
mod search;
mod settings;

pub use chunkers::{Chunkers, chunker};
pub use error::Error;
pub use file::FILE_NAME;
pub use keys::choices;
pub use origin::{Origin, Spot};
pub use running::{Field, Running};
pub use search::{Indexing, Keywords, Language, Merging, Order, Ranking, Tuning, Weights};
pub use settings::{Listed, Settings};
