//! Builds the fuzz targets in `fuzz` with a nightly compiler, and runs each for a given time.

mod seeds;
mod session;

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};
use lexopt::{Arg, Parser, ValueExt};

use crate::steps::{Steps, cargo, root, say, target};
use session::Session;

pub(crate) fn run(mut args: Parser) -> Result<()> {
    let (mut minutes, mut chosen) = (1.0, Vec::new());
    while let Some(arg) = args.next()? {
        match arg {
            Arg::Long("minutes") => minutes = args.value()?.parse()?,
            Arg::Value(name) => chosen.push(name.string()?),
            other => return Err(other.unexpected().into()),
        }
    }
    let all = targets()?;
    if let Some(unknown) = chosen.iter().find(|name| !all.contains(name)) {
        bail!("unknown target `{unknown}`: expected {}", all.join(", "));
    }
    if chosen.is_empty() {
        chosen = all;
    }
    let steps = &mut Steps::default();
    install(steps)?;
    steps.run("fuzz targets", build())?;
    let mut sessions = Vec::new();
    for name in &chosen {
        say(&format!("{name}, {minutes} minutes"));
        seeds::write(name)?;
        let session = Session::run(name, minutes)?;
        println!("{}", session.row());
        sessions.push(session);
    }
    println!("\n{}", session::HEAD);
    sessions.iter().for_each(|session| println!("{}", session.row()));
    let findings: Vec<String> = sessions.iter().filter_map(Session::finding).collect();
    if !findings.is_empty() {
        bail!("{} targets failed\n\n{}", findings.len(), findings.join("\n\n"));
    }
    Ok(())
}

/// Returns the names of all targets in the manifest.
fn targets() -> Result<Vec<String>> {
    let path = root().join("fuzz/Cargo.toml");
    let manifest = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let bins = manifest.split("[[bin]]\n").skip(1);
    let names = bins.filter_map(|bin| bin.strip_prefix("name = \"")?.split('"').next());
    Ok(names.map(str::to_owned).collect())
}

/// Installs a nightly compiler and `cargo fuzz` if they are missing.
fn install(steps: &mut Steps) -> Result<()> {
    let works =
        |command: &mut Command| command.output().is_ok_and(|output| output.status.success());
    if !works(Command::new("rustc").args(["+nightly", "--version"])) {
        let mut install = Command::new("rustup");
        install.args(["toolchain", "install", "nightly", "--profile", "minimal"]);
        steps.run("nightly compiler", install)?;
    }
    if !works(&mut cargo(&["fuzz", "--version"])) {
        steps.run("cargo fuzz", cargo(&["install", "cargo-fuzz", "--locked"]))?;
    }
    Ok(())
}

/// Builds all targets with debug assertions. Without unsafe code, there is no use for a sanitizer.
fn build() -> Command {
    // Through rustup: `cargo xtask` runs on the stable toolchain.
    let mut build = Command::new("rustup");
    build.args([
        "run",
        "nightly",
        "cargo",
        "fuzz",
        "build",
        "--sanitizer",
        "none",
        "--features",
        "engine",
    ]);
    build
        .arg("--fuzz-dir")
        .arg(root().join("fuzz"))
        .arg("--target-dir")
        .arg(out())
        .current_dir(root());
    build.env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO_TARGET_DIR");
    build
}

/// Returns the directory of the built targets, seeds, corpora and findings.
fn out() -> PathBuf {
    target().join("fuzz")
}
