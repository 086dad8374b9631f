//! The system fails at the n-th call, for every n: nothing is lost, and what happened is told.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must stop")]
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod index;
mod injector;
mod outputs;
#[path = "../common/pages.rs"]
mod pages;
mod reading;
