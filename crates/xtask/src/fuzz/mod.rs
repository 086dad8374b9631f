//! Fuzzing: builds the crate `fuzz`, which is no part of the workspace, and lets each target look
//! for input that breaks something.

mod seeds;
mod session;

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::steps::{cargo, root, say, step, target};
use session::Session;

/// What to look at, and for how long.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Minutes for each target.
    #[arg(long, default_value_t = 1.0)]
    minutes: f64,
    /// Targets; all of them, if none is named.
    targets: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let all = targets()?;
    if let Some(unknown) = args.targets.iter().find(|name| !all.contains(name)) {
        bail!("unknown target `{unknown}`: use {}", all.join(", "));
    }
    let chosen = if args.targets.is_empty() { &all } else { &args.targets };
    install()?;
    step("building the targets", build())?;
    let mut sessions = Vec::new();
    for name in chosen {
        say(&format!("{name}, {} minutes", args.minutes));
        seeds::write(name)?;
        let session = Session::run(name, args.minutes)?;
        println!("{}", session.row());
        sessions.push(session);
    }
    println!("\n{}", session::HEAD);
    sessions.iter().for_each(|session| println!("{}", session.row()));
    let findings: Vec<String> = sessions.iter().filter_map(Session::finding).collect();
    if !findings.is_empty() {
        bail!("{} found something\n\n{}", findings.len(), findings.join("\n\n"));
    }
    Ok(())
}

/// The names of all targets, as the manifest lists them.
fn targets() -> Result<Vec<String>> {
    let path = root().join("fuzz/Cargo.toml");
    let manifest = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let manifest: toml::Table = manifest.parse()?;
    let bins = manifest.get("bin").and_then(toml::Value::as_array).into_iter().flatten();
    let names = bins.filter_map(|bin| bin.get("name").and_then(toml::Value::as_str));
    Ok(names.map(str::to_owned).collect())
}

/// Gets a nightly compiler and `cargo fuzz`, if they are not there.
fn install() -> Result<()> {
    let works =
        |command: &mut Command| command.output().is_ok_and(|output| output.status.success());
    if !works(Command::new("rustc").args(["+nightly", "--version"])) {
        let mut install = Command::new("rustup");
        install.args(["toolchain", "install", "nightly", "--profile", "minimal"]);
        step("a nightly compiler", install)?;
    }
    if !works(&mut cargo(&["fuzz", "--version"])) {
        step("cargo fuzz", cargo(&["install", "cargo-fuzz", "--locked"]))?;
    }
    Ok(())
}

/// Builds all targets, with debug assertions. There is no unsafe code to be watched by a sanitizer.
fn build() -> Command {
    // Through rustup: the compiler of this task is not the one that is needed.
    let mut build = Command::new("rustup");
    build.args(["run", "nightly", "cargo", "fuzz", "build", "--sanitizer", "none", "--fuzz-dir"]);
    build.arg(root().join("fuzz")).arg("--target-dir").arg(out()).current_dir(root());
    build.env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO_TARGET_DIR");
    build
}

/// Where targets are built, and where seeds, corpora and findings are.
fn out() -> PathBuf {
    target().join("fuzz")
}
