//! Fault injection: makes the n-th system call fail, and checks that nothing is lost and the failure
//! is reported.

#![allow(clippy::unwrap_used, reason = "a failed test should panic")]
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod index;
mod injector;
mod outputs;
#[path = "../common/pages.rs"]
mod pages;
mod reading;
