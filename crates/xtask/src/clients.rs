//! Tests the MCP server with real clients and the official conformance suite, installed from npm and
//! PyPI.

use std::fs;
use std::process::Command;

use anyhow::{Result, ensure};

use crate::python::environment;
use crate::steps::{Steps, root, target};
use crate::test;

/// The Python SDK, in the version that the tests passed with. `package.json` pins the other clients.
const PYTHON_PACKAGES: &[&str] = &["pytest", "mcp==2.3.0"];

pub(crate) fn run(steps: &mut Steps) -> Result<()> {
    let is_supported = cfg!(all(target_os = "linux", target_arch = "x86_64"));
    ensure!(is_supported, "the clients are installed for Linux on x86-64 only");
    steps.run("command", test::build())?;
    let python = environment(steps, &target().join("venv-clients"), PYTHON_PACKAGES)?;
    let tests = root().join("crates/chunkwright-server/clients");
    let packages = target().join("clients");
    fs::create_dir_all(&packages)?;
    for name in ["package.json", "visit.mjs"] {
        fs::copy(tests.join(name), packages.join(name))?;
    }
    let mut install = Command::new("npm");
    install.args(["install", "--silent", "--no-package-lock", "--ignore-scripts", "--prefix"]);
    install.arg(&packages);
    steps.run("clients", install)?;
    let mut pytest = Command::new(&python);
    pytest.args(["-m", "pytest", "-q", "-p", "no:cacheprovider"]).arg(&tests).current_dir(root());
    pytest.env("CHUNKWRIGHT", target().join("debug/chunkwright"));
    pytest.env("CLIENTS", &packages);
    steps.run("tests with clients", pytest)
}
