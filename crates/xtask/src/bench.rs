//! Builds the benchmarks in `bench` with the profile `dist`, and runs them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};
use lexopt::{Arg, Parser};

use crate::integrations;
use crate::python::{environment, install_wheel};
use crate::steps::{Steps, cargo, root, target};

/// The peers, and the tokenizer that they use.
const PYTHON_PACKAGES: &[&str] =
    &["semantic-text-splitter", "langchain-text-splitters", "chonkie", "semchunk", "tiktoken"];

/// The peers of `--peers`, and the parser that judges them. The README states their versions.
/// `docling-slim` is docling without its models: its Markdown backend needs none.
const COMPARED_PACKAGES: &[&str] = &[
    "chonkie==1.7.0",
    "chonkie-core==0.10.2",
    "docling-core[chunking-openai]==2.104.0",
    "docling-slim[convert-core,format-html,format-markdown]==2.143.0",
    // docling-core 2.104.0 imports it without requiring it.
    "huggingface-hub==2.4.0",
    "langchain-core==1.7.2",
    "langchain-text-splitters==1.1.3",
    "markdown-it-py==4.3.0",
    "marko==2.2.4",
    "semantic-text-splitter==0.33.1",
    "semchunk==3.2.5",
    "tiktoken==0.12.0",
];

#[derive(Clone, Copy, Default)]
enum Suite {
    #[default]
    Library,
    Guarantees,
    PythonPeers,
    PythonPackage,
    Engines,
    Command,
    Search,
    Mcp,
    Profiles,
    Startup,
}

pub(crate) fn run(mut args: Parser) -> Result<()> {
    let (mut kind, mut directory, mut comparison) = (None, None, PeerOptions::default());
    while let Some(arg) = args.next()? {
        let chosen = match arg {
            Arg::Long("peers") => Suite::Guarantees,
            Arg::Long("python") => Suite::PythonPeers,
            Arg::Long("package") => Suite::PythonPackage,
            Arg::Long("engines") => Suite::Engines,
            Arg::Long("cli") => Suite::Command,
            Arg::Long("search") => Suite::Search,
            Arg::Long("mcp") => Suite::Mcp,
            Arg::Long("profiles") => Suite::Profiles,
            Arg::Long("startup") => Suite::Startup,
            Arg::Long("corpus") => {
                comparison.corpus = Some(args.value()?);
                continue;
            }
            Arg::Long("update") => {
                comparison.update = true;
                continue;
            }
            Arg::Value(path) if directory.is_none() => {
                directory = Some(PathBuf::from(path));
                continue;
            }
            other => return Err(other.unexpected().into()),
        };
        if kind.replace(chosen).is_some() {
            bail!(
                "use only one of --peers, --python, --package, --engines, --cli, --search, --mcp, \
                 --profiles and --startup"
            );
        }
    }
    let kind = kind.unwrap_or_default();
    if comparison != PeerOptions::default() && !matches!(kind, Suite::Guarantees) {
        bail!("--corpus and --update need --peers");
    }
    measure(&mut Steps::default(), kind, directory.as_deref(), &comparison)
}

/// The options of `--peers`.
#[derive(Default, PartialEq)]
struct PeerOptions {
    /// The name of the pages in the README.
    corpus: Option<OsString>,
    /// Whether to write the results to the repository.
    update: bool,
}

/// Compares what chunkwright guarantees with what its peers do.
fn compare(steps: &mut Steps, options: &PeerOptions, directory: Option<&Path>) -> Result<()> {
    let command = command(steps)?;
    // A separate environment: the other benchmarks take the newest versions.
    let python = environment(steps, &out().join("venv-peers"), COMPARED_PACKAGES)?;
    let mut guarantees = script(steps, &python, "guarantees.py", directory)?;
    guarantees.arg("--command").arg(command);
    if let Some(corpus) = &options.corpus {
        guarantees.arg("--corpus").arg(corpus);
    }
    if options.update {
        guarantees.arg("--update").arg(root());
    }
    steps.run("comparison with peers", guarantees)
}

fn measure(
    steps: &mut Steps,
    kind: Suite,
    directory: Option<&Path>,
    comparison: &PeerOptions,
) -> Result<()> {
    match kind {
        Suite::Guarantees => compare(steps, comparison, directory),
        Suite::Library => {
            steps.run("benchmarks", build("dist", &["--bins", "--features", "peers"]))?;
            steps.run("speed", bench("chunkwright-bench", &["speed"], directory))?;
            steps.run("memory", bench("memory", &[], directory))?;
            steps.run("growth", bench("chunkwright-bench", &["growth"], None))
        }
        Suite::PythonPeers => {
            let command = command(steps)?;
            let python = environment(steps, &out().join("venv"), PYTHON_PACKAGES)?;
            let mut peers = script(steps, &python, "peers.py", directory)?;
            peers.arg("--command").arg(command);
            steps.run("Python peers", peers)
        }
        Suite::PythonPackage => {
            steps.run("benchmarks", build("dist", &["--bin", "threads"]))?;
            let packages = [PYTHON_PACKAGES, &["maturin"]].concat();
            let python = environment(steps, &out().join("venv"), &packages)?;
            install_wheel(steps, &python, "dist")?;
            let mut race = script(steps, &python, "package.py", directory)?;
            race.arg("--threads").arg(program("threads"));
            steps.run("Python package", race)
        }
        Suite::Engines => {
            let command = command(steps)?;
            let python = integrations::engines(steps, "dist")?;
            let mut race = script(steps, &python, "engines.py", directory)?;
            race.arg("--command").arg(command);
            steps.run("engines", race)
        }
        Suite::Startup => {
            steps.run("benchmarks", build("dist", &["--bin", "chunkwright-bench"]))?;
            let command = command(steps)?;
            let python = environment(steps, &out().join("venv"), &["maturin"])?;
            install_wheel(steps, &python, "dist")?;
            let mut startup = bench("chunkwright-bench", &["startup"], directory);
            startup.arg("--command").arg(command).arg("--python").arg(python);
            steps.run("start-up", startup)
        }
        Suite::Command => {
            steps.run("benchmarks", build("dist", &["--bin", "chunkwright-bench"]))?;
            let command = command(steps)?;
            let mut cli = bench("chunkwright-bench", &["cli"], directory);
            cli.arg("--command").arg(command);
            steps.run("command on many files", cli)
        }
        Suite::Mcp => {
            steps.run("benchmarks", build("dist", &["--bin", "chunkwright-bench"]))?;
            let command = command(steps)?;
            let mut mcp = bench("chunkwright-bench", &["mcp"], directory);
            mcp.arg("--command").arg(command);
            steps.run("search over MCP", mcp)
        }
        Suite::Search => {
            steps.run("benchmarks", build("dist", &["--bin", "search"]))?;
            steps.run("search", bench("search", &[], directory))
        }
        Suite::Profiles => profiles(steps, directory),
    }
}

/// Compares the command built with `dist` with the one built with `release`.
fn profiles(steps: &mut Steps, directory: Option<&Path>) -> Result<()> {
    steps.run("benchmarks", build("dist", &["--bin", "chunkwright-bench"]))?;
    let dist = command(steps)?;
    steps.run("release", cargo(&["build", "--locked", "--release", "--bin", "chunkwright"]))?;
    let mut race = bench("chunkwright-bench", &["profiles"], directory);
    race.arg("--dist").arg(dist).arg("--release").arg(target().join("release/chunkwright"));
    steps.run("dist and release", race)
}

/// Returns the command that builds targets of the crate `bench`.
pub(crate) fn build(profile: &str, what: &[&str]) -> Command {
    let mut build = cargo(&["build", "--locked", "--package", "chunkwright-bench"]);
    build.args(["--profile", profile, "--target-dir"]).arg(out()).args(what);
    // Valgrind finds the function to measure by its symbol.
    build.env("CARGO_PROFILE_DIST_STRIP", "none");
    build
}

/// Returns the path of a program of the crate `bench`.
pub(crate) fn program(name: &str) -> PathBuf {
    out().join("dist").join(name)
}

/// Returns the directory of benchmarks and their results.
pub(crate) fn out() -> PathBuf {
    target().join("bench")
}

fn bench(name: &str, args: &[&str], directory: Option<&Path>) -> Command {
    let mut bench = Command::new(program(name));
    bench.arg("--out").arg(out()).args(args).args(directory);
    bench
}

/// Builds the command with the profile `dist`.
fn command(steps: &mut Steps) -> Result<PathBuf> {
    let mut build = cargo(&["build", "--locked", "--profile", "dist", "--bin", "chunkwright"]);
    build.arg("--target-dir").arg(out());
    steps.run("command", build)?;
    Ok(program("chunkwright"))
}

/// Prepares a script that measures a directory, or generated pages.
fn script(
    steps: &mut Steps,
    python: &Path,
    name: &str,
    directory: Option<&Path>,
) -> Result<Command> {
    steps.run("benchmarks", build("dist", &["--bin", "chunkwright-bench"]))?;
    // Otherwise tiktoken would download the vocabulary.
    let vocabulary = out().join("vocabulary");
    let mut write = bench("chunkwright-bench", &["vocabulary"], None);
    write.arg(&vocabulary);
    steps.run("vocabulary", write)?;
    let pages = out().join("pages");
    if directory.is_none() {
        let mut write = bench("chunkwright-bench", &["pages"], None);
        write.arg(&pages);
        steps.run("generated pages", write)?;
    }
    let mut script = Command::new(python);
    script.arg(root().join("bench/python").join(name)).arg(directory.unwrap_or(&pages));
    script.arg("--out").arg(out()).env("TIKTOKEN_CACHE_DIR", vocabulary);
    Ok(script)
}
