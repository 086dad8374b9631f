//! Prepares what a cargo feature needs at compile time.

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a build script's way to talk")]

#[cfg(feature = "openai")]
mod openai;

fn main() {
    println!("cargo::rerun-if-changed=build");
    #[cfg(feature = "openai")]
    openai::write_tables();
}
