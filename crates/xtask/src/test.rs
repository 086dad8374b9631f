//! Runs all tests and lints that every change must pass, the quickest first.

use std::fs;
use std::process::Command;

use anyhow::Result;
use lexopt::{Arg, Parser};

use crate::python::{environment, import_path};
use crate::recipe;
use crate::steps::{Clock, Steps, cargo, root, say, target};

/// Python packages that the tests need.
const PYTHON_PACKAGES: &[&str] = &[
    "pytest",
    "jsonschema",
    "duckdb",
    "polars",
    "pyarrow",
    "mypy",
    "tiktoken",
    "tokenizers",
    "nbclient",
    "ipykernel",
    "tqdm",
];

pub(crate) fn run(mut args: Parser) -> Result<()> {
    let mut with_python = true;
    while let Some(arg) = args.next()? {
        match arg {
            Arg::Long("no-python") => with_python = false,
            other => return Err(other.unexpected().into()),
        }
    }
    let start = Clock::start();
    let steps = &mut Steps::default();
    steps.run("format", cargo(&["fmt", "--all", "--check"]))?;
    steps.run("lints", lints())?;
    steps.run("build", build())?;
    let skipped = target().join("skipped");
    fs::write(&skipped, "")?;
    let mut tests = cargo(&["test", "--workspace"]);
    tests.env("CHUNKWRIGHT_SKIPPED", &skipped);
    steps.run("Rust tests and doc tests", tests)?;
    recipe::run(steps)?;
    if with_python {
        python_tests(steps)?;
    }
    steps.summary();
    let skipped = fs::read_to_string(skipped)?;
    print!("{skipped}");
    let count = match skipped.lines().count() {
        0 => String::new(),
        count => format!(", {count} SKIPPED"),
    };
    say(&format!("all passed{count} in {}", start.elapsed()));
    Ok(())
}

/// Runs only the Python tests.
pub(crate) fn python(steps: &mut Steps) -> Result<()> {
    steps.run("build", build())?;
    python_tests(steps)
}

/// Lints every target. The fuzz targets are behind a feature, since they do not link without the
/// fuzzing engine.
fn lints() -> Command {
    let features = ["--features", "chunkwright-fuzz/targets"];
    let mut clippy = cargo(&["clippy", "--workspace", "--all-targets"]);
    clippy.args(features).args(["--", "-D", "warnings"]);
    clippy
}

/// Builds the whole workspace in one run, so that the tests, the command and the Python extension
/// share dependencies instead of building them with different features.
pub(crate) fn build() -> Command {
    cargo(&["build", "--workspace", "--all-targets"])
}

/// Runs the Python tests with the extension and the command from [`build`].
fn python_tests(steps: &mut Steps) -> Result<()> {
    let python = environment(steps, &target().join("venv"), PYTHON_PACKAGES)?;
    let mut pytest = Command::new(&python);
    pytest.args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]).current_dir(root());
    pytest.arg("crates/chunkwright-py/tests");
    pytest.env("CHUNKWRIGHT", target().join("debug/chunkwright"));
    pytest.env("PYTHONPATH", import_path()?);
    steps.run("Python tests", pytest)
}
