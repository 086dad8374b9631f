//! The Python package in the frameworks and on the engines that it fits into, as they come from PyPI.

use std::process::Command;

use anyhow::Result;

use crate::steps::{install_package, python, root, step, target};

/// Python packages that the tests need. Spark does not go with the third pandas yet.
const PYTHON_PACKAGES: &[&str] = &["pytest", "mypy", "maturin", "pandas<3"];

/// The package with all that its adapters need, in versions that it names itself.
const EVERY_EXTRA: &str = "chunkwright[langchain,llama-index,haystack,spark,daft,ray]";

pub(crate) fn run() -> Result<()> {
    let python = python(&target().join("venv-integrations"), PYTHON_PACKAGES)?;
    install_package(&python, "dev")?;
    let mut install = Command::new(&python);
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", EVERY_EXTRA]);
    step("frameworks and engines", install)?;
    let mut pytest = Command::new(&python);
    pytest.args(["-m", "pytest", "-q", "-p", "no:cacheprovider"]).current_dir(root());
    pytest.arg("crates/chunkwright-py/integrations");
    step("frameworks and engines: tests", pytest)
}
