//! The configuration: what `chunkwright.toml` and flags say comes in; options that are sound, and
//! who said what, go out.
//!
//! Every option is declared once, as a field of [`chunkwright::ConfigTable`], [`Running`],
//! [`chunkwright_search::Indexing`] or [`chunkwright_search::Tuning`]. Names, defaults and checks
//! all follow from there.

mod chunkers;
mod error;
mod file;
mod keys;
mod layers;
mod origin;
mod running;
mod settings;

pub use chunkers::{Chunkers, chunker};
pub use error::Error;
pub use file::FILE_NAME;
pub use keys::choices;
pub use origin::{Origin, Spot};
pub use running::{Field, Running};
pub use settings::{Listed, Settings};
