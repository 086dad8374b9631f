//! x
pub mod analyze;
pub mod merge;
pub mod query;
