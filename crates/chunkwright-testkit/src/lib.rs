//! Shared code of tests, fuzz targets and benchmarks: checks of the [`laws`] that hold for every
//! chunk, and generators of [`hostile`] pages.

pub mod hostile;
pub mod laws;
