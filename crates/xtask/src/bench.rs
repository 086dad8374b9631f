//! Benchmarks: builds the crate `bench`, which is no part of the workspace, and runs it.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::steps::{cargo, install_package, python, root, step, target};

/// The peers, and what they count with.
const PYTHON_PACKAGES: &[&str] =
    &["semantic-text-splitter", "langchain-text-splitters", "chonkie", "semchunk", "tiktoken"];

/// What to measure.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Markdown of your own instead of made pages.
    directory: Option<PathBuf>,
    /// Python libraries instead of Rust ones.
    #[arg(long)]
    python: bool,
    /// The Python package next to the library and to LangChain.
    #[arg(long, conflicts_with = "python")]
    package: bool,
    /// The command over many files instead of the library.
    #[arg(long, conflicts_with = "python")]
    cli: bool,
    /// The index and searching, next to the bare engine.
    #[arg(long, conflicts_with_all = ["python", "package", "cli"])]
    search: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    if args.search {
        let features = ["--no-default-features", "--features", "search", "--bin", "search"];
        step("building the benchmark", build(&features))?;
        return step("search", bench("search", &[], args.directory.as_deref()));
    }
    let directory = args.directory.as_deref();
    if args.package {
        let bins = ["--no-default-features", "--bin", "chunkwright-bench", "--bin", "threads"];
        step("building the benchmarks", build(&bins))?;
        return package(directory);
    }
    step("building the benchmarks", build(&["--bins"]))?;
    if args.python {
        return python_peers(directory);
    }
    if args.cli {
        let mut cli = bench("chunkwright-bench", &["cli"], directory);
        cli.arg("--command").arg(command()?);
        return step("the command over many files", cli);
    }
    step("speed", bench("chunkwright-bench", &["speed"], directory))?;
    step("memory", bench("memory", &[], directory))?;
    step("growth", bench("chunkwright-bench", &["growth"], None))
}

/// Builds something of the crate `bench`.
pub(crate) fn build(what: &[&str]) -> Command {
    let mut build = cargo(&["build", "--release", "--locked", "--manifest-path"]);
    build.arg(root().join("bench/Cargo.toml")).arg("--target-dir").arg(out()).args(what);
    build
}

/// Where a program of the crate `bench` is built.
pub(crate) fn program(name: &str) -> PathBuf {
    out().join("release").join(name)
}

/// Where benchmarks are built, and where results go.
pub(crate) fn out() -> PathBuf {
    target().join("bench")
}

fn bench(name: &str, args: &[&str], directory: Option<&Path>) -> Command {
    let mut bench = Command::new(program(name));
    bench.arg("--out").arg(out()).args(args).args(directory);
    bench
}

/// The command, built as users have it.
fn command() -> Result<PathBuf> {
    step("building the command", cargo(&["build", "--release", "--bin", "chunkwright"]))?;
    Ok(target().join("release/chunkwright"))
}

fn python_peers(directory: Option<&Path>) -> Result<()> {
    let command = command()?;
    let python = python(&out().join("venv"), PYTHON_PACKAGES)?;
    let mut peers = script(&python, "peers.py", directory)?;
    peers.arg("--command").arg(command);
    step("Python peers", peers)
}

fn package(directory: Option<&Path>) -> Result<()> {
    let packages = [PYTHON_PACKAGES, &["maturin"]].concat();
    let python = python(&out().join("venv"), &packages)?;
    install_package(&python, "release")?;
    let mut race = script(&python, "package.py", directory)?;
    race.arg("--threads").arg(program("threads"));
    step("the Python package", race)
}

/// A script that measures on a directory, or on made pages.
fn script(python: &Path, name: &str, directory: Option<&Path>) -> Result<Command> {
    // tiktoken would fetch it from the network.
    let vocabulary = out().join("vocabulary");
    let mut write = bench("chunkwright-bench", &["vocabulary"], None);
    write.arg(&vocabulary);
    step("the vocabulary", write)?;
    let pages = out().join("pages");
    if directory.is_none() {
        let mut write = bench("chunkwright-bench", &["pages"], None);
        write.arg(&pages);
        step("made pages", write)?;
    }
    let mut script = Command::new(python);
    script.arg(root().join("bench/python").join(name)).arg(directory.unwrap_or(&pages));
    script.arg("--out").arg(out()).env("TIKTOKEN_CACHE_DIR", vocabulary);
    Ok(script)
}
