//! Everything that must pass, what fails fastest first.

use std::process::Command;
use std::time::Instant;

use anyhow::Result;

use crate::recipe;
use crate::steps::{cargo, install_package, python, root, say, step, target};

/// Python packages that the tests need.
const PYTHON_PACKAGES: &[&str] = &["pytest", "duckdb", "polars", "pyarrow", "mypy", "maturin"];

/// What to leave out.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Leave out the Python tests.
    #[arg(long)]
    no_python: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let start = Instant::now();
    step("format", cargo(&["fmt", "--all", "--check"]))?;
    let lints =
        ["clippy", "--workspace", "--all-targets", "--all-features", "--", "-D", "warnings"];
    step("lints", cargo(&lints))?;
    step("Rust tests and doc tests", cargo(&["test", "--workspace", "--all-features"]))?;
    recipe::run()?;
    step("the benchmarks, without the peers", benchmarks())?;
    step("the fuzz targets", fuzz_targets())?;
    if !args.no_python {
        python_tests()?;
    }
    say(&format!("all passed in {} s", start.elapsed().as_secs()));
    Ok(())
}

/// What sees whether the crate `bench`, which is no part of the workspace, still fits.
fn benchmarks() -> Command {
    let mut check = cargo(&["check", "--locked", "--manifest-path", "bench/Cargo.toml"]);
    check.args(["--no-default-features", "--features", "search", "--bins", "--target-dir"]);
    check.arg(target());
    check
}

/// What sees whether the crate `fuzz`, which is no part of the workspace, still fits.
fn fuzz_targets() -> Command {
    let mut check = cargo(&["check", "--locked", "--manifest-path", "fuzz/Cargo.toml"]);
    check.args(["--no-default-features", "--target-dir"]).arg(target());
    check
}

/// The Python tests, in a virtual environment below `target`, against the command that the Rust
/// tests have built.
fn python_tests() -> Result<()> {
    let python = python(&target().join("venv"), PYTHON_PACKAGES)?;
    install_package(&python, "dev")?;
    let mut pytest = Command::new(&python);
    pytest.args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]).current_dir(root());
    pytest.arg("crates/chunkwright-py/tests");
    pytest.env("CHUNKWRIGHT", target().join("debug/chunkwright"));
    step("Python tests", pytest)
}
