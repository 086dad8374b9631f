//! Steps of a task: commands come in; what they do is said, and they must succeed.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// Says what is done, and does it.
pub(crate) fn step(what: &str, mut command: Command) -> Result<()> {
    say(what);
    let status = command.status().with_context(|| format!("{what}: cannot run {command:?}"))?;
    if !status.success() {
        bail!("{what}: failed ({status}): {command:?}");
    }
    Ok(())
}

pub(crate) fn say(what: &str) {
    println!("── {what}");
}

pub(crate) fn cargo(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO"));
    command.args(args).current_dir(root());
    command
}

/// The Python of a virtual environment that has these packages; both are made if need be.
pub(crate) fn python(venv: &Path, packages: &[&str]) -> Result<PathBuf> {
    let python = venv.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    if !python.exists() {
        let mut make = Command::new(if cfg!(windows) { "python" } else { "python3" });
        make.args(["-m", "venv"]).arg(venv);
        step("a virtual environment", make)?;
    }
    let mut install = Command::new(&python);
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    install.args(packages);
    step("Python packages", install)?;
    Ok(python)
}

/// Builds the Python package with a profile of cargo, and installs it where maturin is.
pub(crate) fn install_package(python: &Path, profile: &str) -> Result<()> {
    let wheels = target().join("wheels").join(profile);
    let mut build = Command::new(python);
    build.args(["-m", "maturin", "build", "--quiet", "--profile", profile, "--manifest-path"]);
    build.arg(root().join("crates/chunkwright-py/Cargo.toml"));
    build.arg("--interpreter").arg(python).arg("--out").arg(&wheels);
    step("the Python package", build)?;
    let mut install = Command::new(python);
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    install.args(["--force-reinstall", "--no-deps", "--no-index", "chunkwright", "--find-links"]);
    install.arg(&wheels);
    step("installing it", install)
}

pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).map_or_else(|| here.to_owned(), Path::to_owned)
}

pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}
