//! Generates the lookup tables for the cargo feature `openai`.

#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "build scripts talk to cargo on stdout"
)]

#[cfg(feature = "openai")]
mod openai;

fn main() {
    println!("cargo::rerun-if-changed=build");
    #[cfg(feature = "openai")]
    openai::write_tables();
}
