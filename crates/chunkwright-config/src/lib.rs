//! Reads `chunkwright.toml` and command-line flags, and builds chunkers from them.
//!
//! Every option is declared once, as a documented field of [`chunkwright::ConfigTable`],
//! [`Processing`], [`Indexing`] or [`Tuning`]. Its name, aliases, type, default and description follow
//! from the field: see [`declared`] and [`schema()`]. [`Settings`] merges the file with flags and
//! knows where each value was set. [`Chunkers`] holds the chunkers for all paths.
//!
//! No library merges the layers. figment (0.10) and config (0.15) know the file that a value comes
//! from, but not its line, and they merge by name, while `max` is an option of the strategy that a
//! later layer may choose; what they would replace is the insertion into one map in `layers`.

mod chunkers;
mod declared;
mod error;
mod file;
mod keys;
mod kind;
mod layers;
mod names;
mod origin;
mod processing;
mod schema;
mod search;
mod settings;

pub use chunkers::Chunkers;
pub use declared::{Declared, declared};
pub use error::Error;
pub use file::FILE_NAME;
pub use keys::choices;
pub use origin::{Origin, Spot};
pub use processing::Processing;
pub use schema::schema;
pub use search::{Indexing, Keywords, Language, Merging, Order, Ranking, Tuning, Weights};
pub use settings::{EffectiveOption, Settings};
