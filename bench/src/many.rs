//! Measures the command on many files: time, parallelism and memory, compared with the same work in
//! memory.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use chunkwright::{Chunker, StrategyName};
use chunkwright_records::{Record, With};
use serde_json::{Value, json};
use wait4::Wait4 as _;

use crate::clock::cpu_seconds;
use crate::corpus::{Corpus, Page, bytes};
use crate::generate;
use crate::ours;
use crate::report::Report;
use crate::table::{figures, table, times};

const FILES: usize = 10_000;
const BYTES_A_FILE: usize = 3_000;
const ROUNDS: usize = 5;
const COPIES: [usize; 3] = [1, 4, 10];
const SETTINGS: [(StrategyName, &str); 2] =
    [(StrategyName::Hierarchical, "o200k"), (StrategyName::Blocks, "estimate")];

/// Runs the benchmark, prints tables and saves them.
///
/// # Errors
/// If files cannot be written or read, or the command fails.
pub fn run(command: &Path, directory: Option<&Path>, out: &Path, report: &Report) -> Result<()> {
    let pages = match directory {
        Some(_) => Corpus::open(directory)?.pages,
        None => made(),
    };
    let files = Files::write(&out.join("files"), &pages)?;
    println!("# The command\n\n{} files, {:.1} MB\n", pages.len(), bytes(&pages) as f64 / 1e6);
    let mut saved = Vec::new();
    for (strategy, counter) in SETTINGS {
        let setting = Setting { command, strategy, counter };
        let times = setting.race(&files, &pages)?;
        println!("## {strategy} {counter}: seconds\n\n{}", times.table());
        let memory = setting.memory(&files)?;
        println!("## {strategy} {counter}: peak memory, two jobs\n\n{}", memory_table(&memory));
        let memory: Value = memory.iter().map(|(copies, bytes)| json!([copies, bytes])).collect();
        saved.push(json!({
            "strategy": strategy.as_str(), "counter": counter,
            "seconds": times.json(), "peak_bytes_by_copies": memory,
        }));
    }
    files.remove()?;
    report.save("cli", json!({ "files": pages.len(), "bytes": bytes(&pages), "runs": saved }))
}

fn made() -> Vec<Page> {
    let page = |nth: usize| Page {
        path: format!("part-{}/page-{nth}.md", nth / 100),
        text: generate::page(nth as u64, BYTES_A_FILE),
    };
    (0..FILES).map(page).collect()
}

/// Copies of the pages on disk.
struct Files {
    root: PathBuf,
}

impl Files {
    fn write(root: &Path, pages: &[Page]) -> Result<Self> {
        let files = Self { root: root.to_owned() };
        files.remove()?;
        for copies in COPIES {
            eprintln!("writing {copies} × {} files", pages.len());
            for copy in 0..copies {
                for page in pages {
                    let path = files.copies(copies).join(copy.to_string()).join(&page.path);
                    let directory = path.parent().context("a page has a directory")?;
                    fs::create_dir_all(directory)?;
                    fs::write(&path, &page.text).with_context(|| path.display().to_string())?;
                }
            }
        }
        Ok(files)
    }

    fn copies(&self, copies: usize) -> PathBuf {
        self.root.join(format!("x{copies}"))
    }

    fn remove(&self) -> Result<()> {
        if self.root.exists() {
            fs::remove_dir_all(&self.root)?;
        }
        Ok(())
    }
}

/// The cost of a run in seconds.
#[derive(Clone, Copy)]
pub(crate) struct Cost {
    wall: f64,
    pub(crate) cpu: f64,
}

impl Cost {
    pub(crate) const WORST: Self = Self { wall: f64::INFINITY, cpu: f64::INFINITY };

    /// Returns the lower wall time and the lower CPU time of two runs.
    pub(crate) fn best(self, other: Self) -> Self {
        Self { wall: self.wall.min(other.wall), cpu: self.cpu.min(other.cpu) }
    }
}

/// The best of several runs.
struct Times {
    one_job: Cost,
    two_jobs: Cost,
    from_files: Cost,
    in_memory: Cost,
    two_threads: Cost,
}

impl Times {
    fn table(&self) -> String {
        let row = |name: &str, cost: Cost| {
            let ratio = |part: f64, base: f64| times(part / base);
            vec![
                name.to_owned(),
                figures(cost.wall),
                figures(cost.cpu),
                ratio(self.one_job.wall, cost.wall),
                ratio(self.one_job.cpu, cost.cpu),
            ]
        };
        let rows = [
            row("the command, `--jobs 1`", self.one_job),
            row("the command, `--jobs 2`", self.two_jobs),
            row("files read, split and written to memory, one thread", self.from_files),
            row("texts in memory split and written to memory, one thread", self.in_memory),
            row("the same on two threads, half of the texts each", self.two_threads),
        ];
        table(&["", "wall", "CPU", "`--jobs 1` ÷ this, wall", "`--jobs 1` ÷ this, CPU"], &rows)
    }

    fn json(&self) -> Value {
        let cost = |cost: Cost| json!({ "wall": cost.wall, "cpu": cost.cpu });
        json!({
            "one_job": cost(self.one_job), "two_jobs": cost(self.two_jobs),
            "from_files": cost(self.from_files), "in_memory": cost(self.in_memory),
            "two_threads": cost(self.two_threads),
        })
    }
}

/// A command line to measure.
struct Setting<'a> {
    command: &'a Path,
    strategy: StrategyName,
    counter: &'a str,
}

impl Setting<'_> {
    fn race(&self, files: &Files, pages: &[Page]) -> Result<Times> {
        let directory = files.copies(1);
        let chunker = ours::chunker(self.strategy, self.counter, None)?;
        let w = Cost::WORST;
        let mut times =
            Times { one_job: w, two_jobs: w, from_files: w, in_memory: w, two_threads: w };
        for round in 1..=ROUNDS {
            eprintln!("{} {}: round {round} of {ROUNDS}", self.strategy, self.counter);
            times.one_job = times.one_job.best(self.call(&directory, 1)?);
            times.two_jobs = times.two_jobs.best(self.call(&directory, 2)?);
            times.from_files = times.from_files.best(from_files(&chunker, &directory, pages));
            times.in_memory = times.in_memory.best(in_memory(&chunker, pages));
            times.two_threads = times.two_threads.best(on_two_threads(&chunker, pages));
        }
        Ok(times)
    }

    /// Returns the peak memory by number of copies of the files.
    fn memory(&self, files: &Files) -> Result<Vec<(usize, u64)>> {
        let peak = |copies| Ok((copies, peak_bytes(&self.command(&files.copies(copies), 2))?));
        COPIES.into_iter().map(peak).collect()
    }

    fn call(&self, directory: &Path, jobs: usize) -> Result<Cost> {
        cost_of(self.command(directory, jobs))
    }

    /// Returns the command with its output discarded.
    fn command(&self, directory: &Path, jobs: usize) -> Command {
        let mut command = Command::new(self.command);
        command.arg("chunk").arg(directory).args(["--quiet", "--format", "jsonl"]);
        command.args(["--strategy", self.strategy.as_str(), "--tokenizer", self.counter]);
        command.arg("--jobs").arg(jobs.to_string()).stdout(Stdio::null());
        command
    }
}

/// Runs a command and returns the cost of its process.
///
/// # Errors
/// If the command fails.
pub(crate) fn cost_of(mut command: Command) -> Result<Cost> {
    let start = Instant::now();
    let used = command.spawn().with_context(|| format!("cannot run {command:?}"))?.wait4()?;
    ensure!(used.status.success(), "the command failed: {command:?}");
    let cpu = (used.rusage.utime + used.rusage.stime).as_secs_f64();
    Ok(Cost { wall: start.elapsed().as_secs_f64(), cpu })
}

/// Returns the peak memory of a command.
///
/// The peak of a process includes the memory of its parent at the fork, so a small parent starts
/// it: the subcommand `peak` of this program.
fn peak_bytes(command: &Command) -> Result<u64> {
    let mut starter = Command::new(std::env::current_exe()?);
    starter.arg("peak").arg(command.get_program()).args(command.get_args());
    let output = starter.stderr(Stdio::inherit()).output()?;
    ensure!(output.status.success(), "the command failed: {command:?}");
    Ok(String::from_utf8(output.stdout)?.trim().parse()?)
}

/// Runs a command and prints its peak memory in bytes.
///
/// # Errors
/// If the command fails.
pub fn print_peak(command: &[OsString]) -> Result<()> {
    let (program, args) = command.split_first().context("no command")?;
    let used = Command::new(program).args(args).stdout(Stdio::null()).spawn()?.wait4()?;
    ensure!(used.status.success(), "the command failed");
    println!("{}", used.rusage.maxrss);
    Ok(())
}

fn in_memory(chunker: &Chunker, pages: &[Page]) -> Cost {
    timed(|| pages.iter().map(|page| records(chunker, page)).sum())
}

/// Measures two threads that share only the chunker, as an upper limit for two jobs.
fn on_two_threads(chunker: &Chunker, pages: &[Page]) -> Cost {
    let start = Instant::now();
    let (first, second) = pages.split_at(pages.len() / 2);
    let cpu = thread::scope(|scope| {
        let other = scope.spawn(|| in_memory(chunker, first).cpu);
        in_memory(chunker, second).cpu + other.join().expect("splitting does not panic")
    });
    Cost { wall: start.elapsed().as_secs_f64(), cpu }
}

fn from_files(chunker: &Chunker, directory: &Path, pages: &[Page]) -> Cost {
    let records = |page: &Page| {
        let path = directory.join("0").join(&page.path);
        let text = fs::read_to_string(path).expect("`Files::write` has written the file");
        records(chunker, &Page { path: page.path.clone(), text })
    };
    timed(|| pages.iter().map(records).sum())
}

/// Returns the size of a page's records in bytes.
fn records(chunker: &Chunker, page: &Page) -> usize {
    let mut written = Vec::new();
    for chunk in &chunker.chunk_source(&page.source()).chunks {
        let record = Record::new(chunk, With::default());
        record.write_json(&mut written);
        written.push(b'\n');
    }
    written.len()
}

fn timed(work: impl FnOnce() -> usize + Send) -> Cost {
    let start = Instant::now();
    let (cpu, _) = cpu_seconds(|| (), work);
    Cost { wall: start.elapsed().as_secs_f64(), cpu }
}

fn memory_table(memory: &[(usize, u64)]) -> String {
    let row = |(copies, bytes): &(usize, u64)| {
        vec![format!("{copies} ×"), format!("{} MB", figures(*bytes as f64 / 1e6))]
    };
    table(&["files", "peak"], &memory.iter().map(row).collect::<Vec<_>>())
}
