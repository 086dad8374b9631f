//! Development tasks, run as `cargo xtask TASK`.

mod bench;
mod instructions;
mod laws;
mod steps;
mod test;

use clap::Parser;

/// Development tasks.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Task {
    /// Everything that must pass: format, lints, tests of Rust and Python.
    Test(test::Args),
    /// Check the laws over Markdown of your own.
    Laws(laws::Args),
    /// What chunkwright costs, next to its parts and its peers.
    Bench(bench::Args),
    /// Count the instructions of the hot path, and fail if they have grown.
    Instructions(instructions::Args),
}

fn main() -> anyhow::Result<()> {
    match Task::parse() {
        Task::Test(args) => test::run(&args),
        Task::Laws(args) => laws::run(&args),
        Task::Bench(args) => bench::run(&args),
        Task::Instructions(args) => instructions::run(&args),
    }
}
