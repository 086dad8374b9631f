//! Runs the development tasks: `cargo xtask TASK`.

mod audit;
mod bench;
mod clients;
mod dist;
mod fuzz;
mod instructions;
mod integrations;
mod python;
mod recipe;
mod site;
mod steps;
mod test;

use std::process::ExitCode;

use anyhow::{Result, bail};
use lexopt::{Arg, Parser};

use crate::steps::{Steps, cargo};

const HELP: &str = "\
Run a development task

Usage: cargo xtask TASK [OPTIONS]

Tasks that every change must pass:
  test           Check format and lints, run all Rust and Python tests
                   --no-python    Skip the Python tests
  recipe         Follow the recipes of CONTRIBUTING.md in a copy of the project
  python         Run the Python tests

Tasks to run when a change affects what they check:
  audit          Check licenses, sources, packages to publish and workflows
                   --semver REV   Compare the public API with an earlier commit
  bench          Measure chunkwright, its parts and its peers [DIR]
                   --peers        Compare the guarantees of chunkwright and its peers
                     --corpus S     Name of the pages in the table
                     --update       Write the table to README.md
                   --python       Compare the command with Python peers
                   --package      Compare the Python package with LangChain
                   --engines      Compare Spark, Daft and Ray with the command
                   --cli          Measure the command on many files
                   --search       Compare the index with the bare engine
                   --mcp          Compare searches over MCP with the library
                   --profiles     Compare the profiles dist and release
                   --startup      Measure processes that have little to do
  clients        Run real MCP clients and the conformance suite against the server
  dist           Build the packages of a release, install them and try them
  fuzz           Search for inputs that break a guarantee [TARGET...]
                   --minutes N    Minutes per target [default: 1]
  hostile        Check that the cost of hostile pages grows linearly (see --help)
  instructions   Count the instructions of the hot path, and fail if they grew
                   --update       Record the counts instead
  integrations   Run the Python package in frameworks, engines and vector stores
  laws           Check the laws on your own Markdown (see --help)
  site           Build the documentation as a website, and check its links
";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("── failed: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let mut args = Parser::from_env();
    let task = match args.next()? {
        None | Some(Arg::Short('h') | Arg::Long("help")) => {
            print!("{HELP}");
            return Ok(());
        }
        Some(Arg::Value(task)) => task.to_string_lossy().into_owned(),
        Some(other) => return Err(other.unexpected().into()),
    };
    match task.as_str() {
        "test" => test::run(args),
        "recipe" => alone(args, recipe::run),
        "python" => alone(args, test::python),
        "audit" => audit::run(args),
        "bench" => bench::run(args),
        "clients" => alone(args, clients::run),
        "dist" => alone(args, dist::run),
        "fuzz" => fuzz::run(args),
        "hostile" | "laws" => check(&task, args),
        "instructions" => instructions::run(args),
        "integrations" => alone(args, integrations::run),
        "site" => alone(args, site::run),
        _ => bail!("unknown task `{task}`; run `cargo xtask` for a list"),
    }
}

/// Runs a task that takes no options.
fn alone(mut args: Parser, task: fn(&mut Steps) -> Result<()>) -> Result<()> {
    if let Some(other) = args.next()? {
        return Err(other.unexpected().into());
    }
    task(&mut Steps::default())
}

/// Runs a check that is a separate program, because it needs the library.
fn check(name: &str, mut args: Parser) -> Result<()> {
    let mut run = cargo(&["run", "--release", "--package", "chunkwright-checks", "--bin", name]);
    run.arg("--").args(args.raw_args()?);
    Steps::default().run(name, run)
}
