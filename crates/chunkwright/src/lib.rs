//! Cuts Markdown into chunks for retrieval.

mod counter;

pub use counter::{Bias, Scale, TextKind, TokenCounter, UnknownCounter, plain_counter};
