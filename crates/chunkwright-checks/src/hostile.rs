//! Measures how the instructions and the memory for hostile pages grow with their size.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use anyhow::{Context, Result, anyhow, bail, ensure};
use chunkwright_testkit::hostile::{Pattern, patterns};
use clap::Parser;

/// The strategies and counters to split each page with.
const WORK: [(&str, &str); 5] = [
    ("hierarchical", "estimate"),
    ("window", "estimate"),
    ("blocks", "estimate"),
    ("tree", "estimate"),
    ("hierarchical", "o200k"),
];

/// The largest factor by which the work may grow when the page doubles.
const GROWTH: f64 = 2.2;

/// The factors by which pages grow when a steep result is measured again.
const ABOVE_A_STEP: [usize; 2] = [4, 16];

const HEAD: &str = "\
| page | bytes | × for twice as much | with | peak memory | outcome |
|---|---:|---:|---|---:|---|
";

/// The heading of the table in docs/hostile-input.md.
const ABOVE: &str = "## The table\n\n";

/// Measure how the cost of hostile pages grows, and fail if it grows too fast.
#[derive(Parser)]
#[command(bin_name = "cargo xtask hostile")]
struct Args {
    /// Size in bytes of the smallest of the three pages whose instructions are counted. The default
    /// keeps front matter within its limit even in the largest.
    #[arg(long, default_value_t = 15_000)]
    bytes: usize,
    /// Size in bytes of the page whose memory is measured.
    #[arg(long, default_value_t = 1_000_000)]
    large: usize,
    /// Measure only pages whose names contain TEXT.
    #[arg(long, value_name = "TEXT", default_value = "", conflicts_with = "update")]
    only: String,
    /// Write the table into bench/hostile.md.
    #[arg(long)]
    update: bool,
}

fn main() -> Result<()> {
    let args = &Args::parse();
    build()?;
    let chosen: Vec<&Pattern> =
        patterns().filter(|pattern| pattern.name.contains(&args.only)).collect();
    let paths: &[String] = &chosen.iter().map(|pattern| pattern.path()).collect::<Vec<_>>();
    println!("── counting instructions");
    let counted: Result<Vec<Vec<f64>>> = thread::scope(|scope| {
        let works = WORK.map(|work| scope.spawn(move || growths(work, args.bytes, paths)));
        works
            .into_iter()
            .map(|work| work.join().map_err(|_| anyhow!("a thread panicked"))?)
            .collect()
    });
    let counted = counted?;
    let worst: Vec<(f64, &str)> = (0..chosen.len())
        .map(|nth| {
            let growths = counted.iter().map(|growths| growths[nth]);
            let names =
                WORK.map(|(strategy, counter)| if counter == "o200k" { counter } else { strategy });
            growths.zip(names).max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or_default()
        })
        .collect();
    println!("── measuring memory");
    let rows = chosen.iter().zip(&worst).map(|(pattern, worst)| row(pattern, *worst, args.large));
    let table = HEAD.to_owned() + &rows.collect::<Result<String>>()?;
    println!("{table}");
    if args.update {
        update(&table)?;
    }
    let grown = chosen.iter().zip(&worst).filter(|(_, (growth, _))| *growth > GROWTH);
    let grown: Vec<&str> = grown.map(|(pattern, _)| pattern.name).collect();
    ensure!(
        grown.is_empty(),
        "the work grows by more than {GROWTH} × when the page doubles: {}",
        grown.join(", ")
    );
    Ok(())
}

/// Returns the growth of the work for each pattern: the worse of two doublings.
///
/// The work jumps at the sizes at which a page, or one of its lines, must first be split. So steep
/// results are measured again with larger pages. If the growth is quadratic, they are steep as well.
fn growths(work: (&str, &str), bytes: usize, paths: &[String]) -> Result<Vec<f64>> {
    let mut growths: Vec<f64> = instructions(work, bytes, paths)?.iter().map(worse).collect();
    for factor in ABOVE_A_STEP {
        let steep: Vec<usize> = (0..paths.len()).filter(|&nth| growths[nth] > GROWTH).collect();
        let again: Vec<String> = steep.iter().map(|&nth| paths[nth].clone()).collect();
        for (nth, above) in steep.into_iter().zip(instructions(work, bytes * factor, &again)?) {
            growths[nth] = worse(&above);
        }
    }
    Ok(growths)
}

fn worse(counts: &[f64; 3]) -> f64 {
    (counts[1] / counts[0]).max(counts[2] / counts[1])
}

/// Returns the instructions for each pattern at three sizes.
fn instructions(work: (&str, &str), bytes: usize, paths: &[String]) -> Result<Vec<[f64; 3]>> {
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    let (strategy, counter) = work;
    let folder = target().join("hostile").join(format!("{strategy}-{counter}"));
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let mut valgrind = Command::new("valgrind");
    valgrind.args([
        "--tool=callgrind",
        "--collect-atstart=no",
        "--toggle-collect=*::under_valgrind*",
    ]);
    // Written differently from the pattern above: callgrind would merge two equal patterns.
    valgrind.arg("--dump-before=*under_valgrind*");
    valgrind.arg(format!("--callgrind-out-file={}", folder.join("counts").display()));
    valgrind.arg(program()).args(["grow", strategy, counter, &bytes.to_string()]);
    valgrind.args(paths);
    let output = valgrind.output().context("cannot run valgrind (install it first)")?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "valgrind failed: {said}");
    // The first dump precedes the first call and is empty; the last call is in the final dump.
    let parts = paths.len() * 3;
    let names = (2..=parts).map(|nth| format!("counts.{nth}")).chain(["counts".to_owned()]);
    let counts: Result<Vec<f64>> = names
        .map(|name| {
            let text = fs::read_to_string(folder.join(&name)).with_context(|| name.clone())?;
            let total = text.lines().find_map(|line| line.strip_prefix("totals: "));
            Ok(total.with_context(|| format!("{name}: no total"))?.trim().parse()?)
        })
        .collect();
    Ok(counts?.as_chunks().0.to_vec())
}

fn row(pattern: &Pattern, (growth, with): (f64, &str), bytes: usize) -> Result<String> {
    let mut command = Command::new(program());
    command.args(["peak", "hierarchical", "estimate", &pattern.path(), &bytes.to_string()]);
    let output = command.output()?;
    ensure!(
        output.status.success(),
        "{}: {}",
        pattern.name,
        String::from_utf8_lossy(&output.stderr)
    );
    let said = String::from_utf8(output.stdout)?;
    let [peak, chunks, notes] = said.trim_end_matches('\n').splitn(3, ' ').collect::<Vec<_>>()[..]
    else {
        bail!("{}: {said}", pattern.name)
    };
    let peak = peak.parse::<u64>()? / 1024;
    let notes = if notes.is_empty() { String::new() } else { format!(": {notes}") };
    let kind = if pattern.extension == "mdx" { " (MDX)" } else { "" };
    let name = pattern.name;
    Ok(format!(
        "| {name}{kind} | {bytes} | {growth:.2} | {with} | {peak} MB | {chunks} chunks{notes} |\n"
    ))
}

/// Builds the program that Valgrind measures.
fn build() -> Result<()> {
    let mut build = Command::new(env!("CARGO"));
    build
        .args(["build", "--release", "--package", "chunkwright-checks", "--bin", "grow"])
        .current_dir(root());
    ensure!(build.status()?.success(), "cannot build `grow`");
    Ok(())
}

fn program() -> PathBuf {
    target().join("release/grow")
}

fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).map_or_else(|| here.to_owned(), Path::to_owned)
}

fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// Replaces the table in docs/hostile-input.md.
fn update(table: &str) -> Result<()> {
    let path = root().join("bench/hostile.md");
    let page = fs::read_to_string(&path).context("bench/hostile.md")?;
    let (before, _) = page.split_once(ABOVE).context("bench/hostile.md has no table")?;
    Ok(fs::write(path, format!("{before}{ABOVE}{table}"))?)
}
