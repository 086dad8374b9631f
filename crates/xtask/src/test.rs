//! Everything that must pass, what fails fastest first.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::recipe;

/// Python packages that the tests need.
const PYTHON_PACKAGES: &[&str] = &["pytest"];

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
    if !args.no_python {
        python()?;
    }
    say(&format!("all passed in {} s", start.elapsed().as_secs()));
    Ok(())
}

/// The Python tests, in a virtual environment below `target`, against the command as it is built.
fn python() -> Result<()> {
    step("the command", cargo(&["build", "--bin", "chunkwright"]))?;
    let venv = target().join("venv");
    let python = venv.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    if !python.exists() {
        let mut make = Command::new(if cfg!(windows) { "python" } else { "python3" });
        make.args(["-m", "venv"]).arg(&venv);
        step("a virtual environment", make)?;
    }
    let mut install = Command::new(&python);
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    install.args(PYTHON_PACKAGES);
    step("Python packages", install)?;
    let mut pytest = Command::new(&python);
    pytest.args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]).current_dir(root());
    pytest.env("CHUNKWRIGHT", target().join("debug/chunkwright"));
    step("Python tests", pytest)
}

fn cargo(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO"));
    command.args(args).current_dir(root());
    command
}

/// Says what is done, and does it.
pub(crate) fn step(what: &str, mut command: Command) -> Result<()> {
    say(what);
    let status = command.status().with_context(|| format!("{what}: cannot run {command:?}"))?;
    if !status.success() {
        bail!("{what}: failed ({status}): {command:?}");
    }
    Ok(())
}

fn say(what: &str) {
    println!("── {what}");
}

pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).map_or_else(|| here.to_owned(), Path::to_owned)
}

pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}
