//! Saves results to a JSON file, with the plots beside it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result};
use serde_json::{Map, Value, json};

/// A directory of results.
pub struct Report {
    directory: PathBuf,
}

impl Report {
    /// Opens a directory of results, and creates it if needed.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn open(directory: &Path) -> Result<Self> {
        fs::create_dir_all(directory).with_context(|| directory.display().to_string())?;
        Ok(Self { directory: directory.to_owned() })
    }

    /// Replaces one part of `bench.json`.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, part: &str, results: Value) -> Result<()> {
        let path = self.directory.join("bench.json");
        let old = fs::read(&path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let mut all: Map<String, Value> = old.unwrap_or_default();
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let results = json!({ "unix_seconds": seconds, "machine": machine(), "results": results });
        all.insert(part.to_owned(), results);
        write(&path, &serde_json::to_string_pretty(&all)?)
    }

    /// Writes a plot.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn plot(&self, name: &str, svg: &str) -> Result<()> {
        write(&self.directory.join(name), svg)
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| path.display().to_string())?;
    println!("wrote {}\n", path.display());
    Ok(())
}

/// Describes the processor, the number of cores and the platform.
pub fn machine() -> String {
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let (system, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    format!("{}, {cores} cores, {system} {arch}", model.map_or("unknown", |(_, model)| model))
}
