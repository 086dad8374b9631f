//! Development tasks, run as `cargo xtask TASK`.

mod bench;
mod fuzz;
mod hostile;
mod instructions;
mod integrations;
mod laws;
mod recipe;
mod steps;
mod test;

use std::process::ExitCode;

use clap::Parser;

/// Development tasks.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Task {
    /// Everything that must pass: format, lints, tests of Rust and Python.
    Test(test::Args),
    /// Check the laws over Markdown of your own.
    Laws(laws::Args),
    /// Follow the recipe for a new strategy in a copy of the project.
    Recipe,
    /// What chunkwright costs, next to its parts and its peers.
    Bench(bench::Args),
    /// Let the fuzz targets look for input that breaks something.
    Fuzz(fuzz::Args),
    /// Show how the cost of hostile pages grows, and fail if it grows too fast.
    Hostile(hostile::Args),
    /// Run the Python package in the frameworks and on the engines that it fits into.
    Integrations,
    /// Count the instructions of the hot path, and fail if they have grown.
    Instructions(instructions::Args),
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("── failed: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> anyhow::Result<()> {
    match Task::parse() {
        Task::Test(args) => test::run(&args),
        Task::Laws(args) => laws::run(&args),
        Task::Recipe => recipe::run(),
        Task::Bench(args) => bench::run(&args),
        Task::Fuzz(args) => fuzz::run(&args),
        Task::Hostile(args) => hostile::run(&args),
        Task::Integrations => integrations::run(),
        Task::Instructions(args) => instructions::run(&args),
    }
}
