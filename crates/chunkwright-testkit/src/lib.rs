//! Shared code of tests, fuzz targets and benchmarks: checks of the [`laws`] that hold for every
//! chunk, generators of [`hostile`] pages, and a client for malformed [`http`] requests.

pub mod hostile;
pub mod http;
pub mod laws;
