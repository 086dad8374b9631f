//! Runs the steps of a task, and prints the command and the time of each.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// The completed steps of a task.
#[derive(Default)]
pub(crate) struct Steps {
    done: Vec<(String, Cost)>,
}

impl Steps {
    /// Runs a command as one step.
    pub(crate) fn run(&mut self, title: &str, command: Command) -> Result<()> {
        let repeat = shown(&command);
        self.run_as(title, &repeat, command)
    }

    /// Runs a command that needs preparation; `repeat` is the command that repeats the whole step.
    pub(crate) fn run_as(&mut self, title: &str, repeat: &str, mut command: Command) -> Result<()> {
        println!("── {title}\n   $ {repeat}");
        let start = Clock::start();
        let status = command.status().with_context(|| format!("cannot run {repeat}"))?;
        if !status.success() {
            bail!("{title} ({status}); repeat it with: {repeat}");
        }
        let cost = start.elapsed();
        println!("   {title}: {cost}");
        self.done.push((title.to_owned(), cost));
        Ok(())
    }

    /// Prints the time of each step.
    pub(crate) fn summary(&self) {
        let width = self.done.iter().map(|(title, _)| title.chars().count()).max().unwrap_or(0);
        println!("── summary");
        for (title, cost) in &self.done {
            println!("   {title:width$}  {cost}");
        }
    }
}

/// Wall time and, where the system reports it, the CPU time of child processes.
pub(crate) struct Cost {
    wall: Duration,
    cpu: Option<Duration>,
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1} s", self.wall.as_secs_f64())?;
        match self.cpu {
            Some(cpu) => write!(f, " ({:.1} s of CPU time)", cpu.as_secs_f64()),
            None => Ok(()),
        }
    }
}

/// A stopwatch for wall time and the CPU time of child processes.
pub(crate) struct Clock {
    wall: Instant,
    cpu: Option<Duration>,
}

impl Clock {
    pub(crate) fn start() -> Self {
        Self { wall: Instant::now(), cpu: cpu_of_children() }
    }

    pub(crate) fn elapsed(&self) -> Cost {
        let cpu = cpu_of_children().zip(self.cpu).map(|(now, then)| now.saturating_sub(then));
        Cost { wall: self.wall.elapsed(), cpu }
    }
}

/// Returns the CPU time of all child processes that have ended, on Linux: `cutime` and `cstime` of
/// proc(5), in hundredths of a second.
fn cpu_of_children() -> Option<Duration> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    let (_, after_name) = stat.rsplit_once(')')?;
    let mut fields = after_name.split_whitespace().skip(13);
    let ticks: u64 = fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?;
    Some(Duration::from_millis(ticks * 10))
}

/// Runs a command that is not a step, and returns its output. The error contains the output too.
pub(crate) fn quietly(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("cannot run {}", shown(command)))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if !output.status.success() {
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        bail!("{}: {}\n{out}{err}", shown(command), output.status);
    }
    Ok(text(&output.stdout))
}

/// Prints a heading.
pub(crate) fn say(line: &str) {
    println!("── {line}");
}

/// Returns a command as you would type it in the root of the repository.
fn shown(command: &Command) -> String {
    let home = root().display().to_string() + "/";
    let word = |word: &std::ffi::OsStr| {
        let word = word.to_string_lossy().replace(&home, "");
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%[]".contains(c);
        if word.chars().all(is_plain) && !word.is_empty() { word } else { format!("{word:?}") }
    };
    let set = command.get_envs().filter_map(|(name, value)| Some((name, value?)));
    let set = set.filter(|(name, _)| *name != "PATH");
    let set = set.map(|(name, value)| format!("{}={}", word(name), word(value)));
    let program = command.get_program();
    let program = if program == env!("CARGO") { "cargo".into() } else { word(program) };
    let words: Vec<String> = set.chain([program]).chain(command.get_args().map(word)).collect();
    words.join(" ")
}

pub(crate) fn cargo(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO"));
    command.args(args).current_dir(root());
    command
}

/// Returns the root of the repository.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).map_or_else(|| here.to_owned(), Path::to_owned)
}

/// Returns the target directory of cargo.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}
