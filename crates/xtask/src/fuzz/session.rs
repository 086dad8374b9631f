//! Runs one fuzz target, and extracts the results from its log.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::Instant;

use anyhow::{Context, Result};

use super::{out, seeds};
use crate::steps::root;

/// The header of the table of results.
pub(super) const HEAD: &str = "\
| target | minutes | executions | cov | ft | corpus | findings |
|---|---|---|---|---|---|---|";

/// Limits per input, in seconds and megabytes.
const LIMITS: [&str; 2] = ["-timeout=20", "-rss_limit_mb=2048"];

/// The time to shrink a finding, in seconds.
const SHRINKING: &str = "-max_total_time=60";

/// The results of a target.
pub(super) struct Session {
    name: String,
    /// The time it ran: less than requested if it found something.
    minutes: f64,
    executions: String,
    coverage: String,
    features: String,
    corpus: usize,
    /// The smallest input that still fails.
    smallest: Option<PathBuf>,
}

impl Session {
    /// Runs a target for some minutes, starting with the corpus of the last run.
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

    /// Returns a row of the table.
    pub(super) fn row(&self) -> String {
        let Self { name, minutes, executions, coverage, features, corpus, smallest } = self;
        let findings = usize::from(smallest.is_some());
        format!(
            "| {name} | {minutes:.1} | {executions} | {coverage} | {features} | {corpus} | {findings} |"
        )
    }

    /// Describes the failing input, and how to reproduce the failure.
    pub(super) fn finding(&self) -> Option<String> {
        let path = self.smallest.as_ref()?;
        let input = fs::read(path).unwrap_or_default();
        let (name, program) = (&self.name, binary(&self.name));
        let log = out().join(format!("{name}.log"));
        Some(format!(
            "{name}: {} bytes: \"{}\"\n  log: {}\n  reproduce: {} {}",
            input.len(),
            input.escape_ascii(),
            log.display(),
            program.display(),
            path.display(),
        ))
    }
}

/// Returns the word after the last occurrence of a name.
fn after(text: &str, name: &str) -> String {
    let found = text.rsplit_once(name).and_then(|(_, rest)| rest.split_whitespace().next());
    found.unwrap_or("?").to_owned()
}

/// Returns the path of a target. It is in a directory named after the platform.
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
    let own = root().join("fuzz").join(name).with_extension("dict");
    if own.exists() { own } else { own.with_file_name("markdown.dict") }
}

/// Runs a command with its output redirected to a file.
fn logged(mut command: Command, log: &Path) -> Result<ExitStatus> {
    let file = File::create(log)?;
    command.stdout(file.try_clone()?).stderr(file);
    command.status().with_context(|| format!("cannot run {command:?}"))
}

/// Shrinks the failing input that a log names, for at most a minute.
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
