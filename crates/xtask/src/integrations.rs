//! Tests the Python package with the supported frameworks and engines, installed from PyPI.

use std::process::Command;

use anyhow::Result;

use crate::python::{environment, install_wheel, pip_install};
use crate::steps::{Steps, root, target};

/// Python packages that the tests need. Spark does not support pandas 3 yet.
const PYTHON_PACKAGES: &[&str] = &["pytest", "mypy", "pyright", "maturin", "pandas<3"];

/// The package with the extras of all adapters, in the versions that its metadata requires.
const EVERY_EXTRA: &str = "chunkwright[langchain,llama-index,haystack,spark,daft,ray]";

pub(crate) fn run(steps: &mut Steps) -> Result<()> {
    let python = environment(steps, &target().join("venv-integrations"), PYTHON_PACKAGES)?;
    install_wheel(steps, &python, "dev")?;
    let mut install = pip_install(&python);
    install.arg(EVERY_EXTRA);
    steps.run("frameworks and engines", install)?;
    let mut pytest = Command::new(&python);
    pytest.args(["-m", "pytest", "-q", "-p", "no:cacheprovider"]).current_dir(root());
    pytest.arg("crates/chunkwright-py/integrations");
    steps.run("tests of frameworks and engines", pytest)
}
