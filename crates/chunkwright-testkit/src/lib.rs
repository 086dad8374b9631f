//! What tests, fuzzing and benchmarks share: the [`laws`] that every chunk obeys, and
//! [`hostile`] pages that are slow, deep or large.

pub mod hostile;
pub mod laws;
