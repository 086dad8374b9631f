//! Creates Python environments, and installs the package in them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::steps::{Steps, root, target};

/// Returns the interpreter of a virtual environment with these packages, and creates it if needed.
pub(crate) fn environment(
    steps: &mut Steps,
    directory: &Path,
    packages: &[&str],
) -> Result<PathBuf> {
    let python = directory.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    if !python.exists() {
        let mut create = Command::new(if cfg!(windows) { "python" } else { "python3" });
        create.args(["-m", "venv"]).arg(directory);
        steps.run("Python environment", create)?;
    }
    let mut install = pip_install(&python);
    install.args(packages);
    steps.run("Python packages", install)?;
    Ok(python)
}

pub(crate) fn pip_install(python: &Path) -> Command {
    let mut install = Command::new(python);
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    install
}

/// Assembles the package with the extension from `cargo build --workspace`, and returns the
/// directory to import it from. A wheel would need a second build of everything: maturin builds
/// only this package, which enables different features of its dependencies.
pub(crate) fn import_path() -> Result<PathBuf> {
    let directory = target().join("python");
    let package = directory.join("chunkwright");
    if package.exists() {
        fs::remove_dir_all(&package)?;
    }
    fs::create_dir_all(&package)?;
    for entry in fs::read_dir(root().join("crates/chunkwright-py/python/chunkwright"))? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            fs::copy(entry.path(), package.join(entry.file_name()))?;
        }
    }
    let (built, name) = if cfg!(windows) {
        ("chunkwright_native.dll", "_native.pyd")
    } else if cfg!(target_os = "macos") {
        ("libchunkwright_native.dylib", "_native.abi3.so")
    } else {
        ("libchunkwright_native.so", "_native.abi3.so")
    };
    let built = target().join("debug").join(built);
    fs::copy(&built, package.join(name)).with_context(|| built.display().to_string())?;
    Ok(directory)
}

/// Builds the wheel with a cargo profile, and installs it into the environment of `python`.
pub(crate) fn install_wheel(steps: &mut Steps, python: &Path, profile: &str) -> Result<()> {
    let wheels = target().join("wheels").join(profile);
    let mut build = Command::new(python);
    // Not in `target`: the output of the profile `dist` would mix with the packages of a release.
    build.env("CARGO_TARGET_DIR", target().join("wheels"));
    build.args(["-m", "maturin", "build", "--quiet", "--profile", profile, "--manifest-path"]);
    build.arg(root().join("crates/chunkwright-py/Cargo.toml"));
    build.arg("--interpreter").arg(python).arg("--out").arg(&wheels);
    steps.run("Python wheel", build)?;
    let mut install = pip_install(python);
    install.args(["--force-reinstall", "--no-deps", "--no-index", "chunkwright", "--find-links"]);
    install.arg(&wheels);
    steps.run("wheel installation", install)
}
