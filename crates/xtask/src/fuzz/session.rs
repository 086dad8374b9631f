//! One target at work: its name comes in, what it tells goes out.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::Instant;

use anyhow::{Context, Result};

use super::{out, seeds};
use crate::steps::root;

/// How the rows of the table begin.
pub(super) const HEAD: &str = "\
| target | minutes | executions | cov | ft | corpus | findings |
|---|---|---|---|---|---|---|";

/// Seconds that an input may take, and megabytes.
const LIMITS: [&str; 2] = ["-timeout=20", "-rss_limit_mb=2048"];

/// How long a finding is made smaller, in seconds.
const SHRINKING: &str = "-max_total_time=60";

/// What became of a target.
pub(super) struct Session {
    name: String,
    /// How long it looked: less than asked for if it found something.
    minutes: f64,
    executions: String,
    coverage: String,
    features: String,
    corpus: usize,
    /// The smallest input that still breaks something.
    smallest: Option<PathBuf>,
}

impl Session {
    /// Lets a target look for so long. It goes on from what it knew at the end of the last run.
    pub(super) fn run(name: &str, minutes: f64) -> Result<Self> {
        let [corpus, found] = ["corpus", "findings"].map(|folder| out().join(folder).join(name));
        fs::create_dir_all(&corpus)?;
        fs::create_dir_all(&found)?;
        let log = out().join(format!("{name}.log"));
        let mut command = program(name, &found);
        command.arg(format!("-max_total_time={}", (minutes * 60.0).ceil()));
        command.args(["-print_final_stats=1", "-max_len=4096", "-reload=0"]);
        command.arg(format!("-dict={}", dictionary(name).display()));
        command.arg(&corpus).arg(seeds::folder(name));
        let start = Instant::now();
        let status = logged(command, &log)?;
        let minutes = start.elapsed().as_secs_f64() / 60.0;
        let told = String::from_utf8_lossy(&fs::read(&log)?).into_owned();
        let smallest = if status.success() { None } else { shrunk(name, &told, &found)? };
        let last = told.lines().rev().find(|line| line.contains(" cov: ")).unwrap_or_default();
        Ok(Self {
            name: name.to_owned(),
            minutes,
            executions: after(&told, "stat::number_of_executed_units:"),
            coverage: after(last, " cov:"),
            features: after(last, " ft:"),
            corpus: fs::read_dir(&corpus)?.count(),
            smallest,
        })
    }

    /// A row of the table.
    pub(super) fn row(&self) -> String {
        let Self { name, minutes, executions, coverage, features, corpus, smallest } = self;
        let findings = usize::from(smallest.is_some());
        format!(
            "| {name} | {minutes:.1} | {executions} | {coverage} | {features} | {corpus} | {findings} |"
        )
    }

    /// What was found, and how to see it again.
    pub(super) fn finding(&self) -> Option<String> {
        let path = self.smallest.as_ref()?;
        let input = fs::read(path).unwrap_or_default();
        let (name, program) = (&self.name, binary(&self.name));
        let log = out().join(format!("{name}.log"));
        Some(format!(
            "{name}: {} bytes: \"{}\"\n  why: {}\n  again: {} {}",
            input.len(),
            input.escape_ascii(),
            log.display(),
            program.display(),
            path.display(),
        ))
    }
}

/// The word after a name.
fn after(text: &str, name: &str) -> String {
    let found = text.rsplit_once(name).and_then(|(_, rest)| rest.split_whitespace().next());
    found.unwrap_or("?").to_owned()
}

/// Where a target is built: below the name of the machine, whatever that is.
fn binary(name: &str) -> PathBuf {
    let folders = fs::read_dir(out()).into_iter().flatten().flatten();
    let mut paths = folders.map(|folder| folder.path().join("release").join(name));
    paths.find(|path| path.exists()).unwrap_or_else(|| name.into())
}

fn program(name: &str, found: &Path) -> Command {
    let mut command = Command::new(binary(name));
    command.args(LIMITS).arg(format!("-artifact_prefix={}/", found.display()));
    command
}

fn dictionary(name: &str) -> PathBuf {
    let kind = if matches!(name, "query" | "config") { name } else { "markdown" };
    root().join("fuzz").join(kind).with_extension("dict")
}

/// Runs a command; all it says goes to a file.
fn logged(mut command: Command, log: &Path) -> Result<ExitStatus> {
    let file = File::create(log)?;
    command.stdout(file.try_clone()?).stderr(file);
    command.status().with_context(|| format!("cannot run {command:?}"))
}

/// Makes the input that a target has just told of as small as a minute allows.
fn shrunk(name: &str, told: &str, found: &Path) -> Result<Option<PathBuf>> {
    let written = "Test unit written to ";
    let Some(input) = told.lines().find_map(|line| line.split_once(written)) else {
        return Ok(Some(found.to_owned()));
    };
    let (input, smallest) = (PathBuf::from(input.1.trim()), found.join("smallest"));
    fs::copy(&input, &smallest)?;
    let mut command = program(name, found);
    command.args(["-minimize_crash=1", SHRINKING]);
    command.arg(format!("-exact_artifact_path={}", smallest.display())).arg(&input);
    logged(command, &out().join(format!("{name}.shrinking.log")))?;
    Ok(Some(smallest))
}
