//! `chunkwright index`: trees come in, an index that is up to date goes out.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, bail};
use chunkwright_search::{Indexing, Report, Tree, Update, update};
use serde_json::json;

use crate::options::jobs;
use crate::place::{Place, TreeConfig, indexing};
use crate::style::{self, count};

/// How often `--watch` looks.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// Bring the index of one or several trees up to date
///
/// Examples:
///
///   chunkwright index docs             index a directory
///
///   chunkwright index                  index the trees of chunkwright.toml
///
///   chunkwright index docs --watch     and keep it up to date
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// Directories or files [default: the trees of chunkwright.toml]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Make the index anew, even from a damaged one
    #[arg(long)]
    rebuild: bool,
    /// Look for changes every second until interrupted
    #[arg(long)]
    watch: bool,
    /// The language whose endings are cut off, or none [default: that of the index, else english]
    #[arg(long, value_name = "NAME")]
    language: Option<String>,
    /// Any other option of the index, by its name in the configuration
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// The name of the tree, the first part of every id [default: the directory's name]
    #[arg(long, value_name = "NAME")]
    tree: Option<String>,
    /// Refuse larger files; in bytes
    #[arg(long, value_name = "BYTES", default_value_t = chunkwright_io::MAX_FILE_BYTES)]
    max_file_size: u64,
    /// How many files to work on at once [default: one a core]
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Print what was done as JSON
    #[arg(long)]
    json: bool,
    /// Say nothing but errors
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    place: Place,
}

/// Updates the index; tells how many files could not be read.
pub(crate) fn run(args: &Args) -> Result<usize> {
    let config = TreeConfig::find()?;
    let trees = args.trees(config.as_ref())?;
    let dir = args.place.of(&trees, config.as_ref());
    let update = Update {
        trees,
        only_these: args.paths.is_empty(),
        indexing: args.indexing(config.as_ref())?,
        rebuild: args.rebuild,
        jobs: jobs(args.jobs),
        max_file_bytes: args.max_file_size,
    };
    let report = index(&dir, &update, args)?;
    if !args.watch {
        return Ok(report.errors.len());
    }
    watch(&dir, Update { rebuild: false, ..update }, args)
}

impl Args {
    fn trees(&self, config: Option<&TreeConfig>) -> Result<Vec<Tree>> {
        if !self.paths.is_empty() {
            if self.tree.is_some() && self.paths.len() > 1 {
                bail!("--tree names one tree, and {} paths are given", self.paths.len());
            }
            let tree = |path: &PathBuf| Tree { name: self.tree.clone(), path: path.clone() };
            return Ok(self.paths.iter().map(tree).collect());
        }
        match config.map(|config| config.trees.clone()) {
            Some(trees) if !trees.is_empty() => Ok(trees),
            Some(_) => bail!("chunkwright.toml has no [trees.NAME]; name a PATH"),
            None => bail!("name a PATH, or the trees in chunkwright.toml: [trees.NAME]"),
        }
    }

    fn indexing(&self, config: Option<&TreeConfig>) -> Result<Option<Indexing>> {
        let language = self.language.as_ref().map(|name| format!("language={name}"));
        let set: Vec<String> = self.set.iter().cloned().chain(language).collect();
        indexing(config, &set)
    }
}

fn index(dir: &std::path::Path, what: &Update, args: &Args) -> Result<Report> {
    let report = update(dir, what)?;
    report.errors.iter().for_each(|error| style::complain(&error.to_string()));
    if let (Some(reason), false) = (&report.rebuilt, args.quiet) {
        style::complain(&format!("{}: made anew: {reason}", dir.display()));
    }
    tell(&report, args)?;
    Ok(report)
}

fn tell(report: &Report, args: &Args) -> Result<()> {
    let Report { added, changed, removed, unchanged, errors, rebuilt } = report;
    if args.json {
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        let done = json!({
            "added": added, "changed": changed, "removed": removed, "unchanged": unchanged,
            "rebuilt": rebuilt, "errors": errors,
        });
        return style::print(&format!("{done}\n"));
    }
    if args.quiet {
        return Ok(());
    }
    let parts = [(added, "new"), (changed, "changed"), (removed, "gone"), (unchanged, "unchanged")];
    let parts = parts.iter().filter(|(number, _)| **number > 0);
    let parts: Vec<String> =
        parts.map(|(number, what)| format!("{} {what}", style::number(**number))).collect();
    let files = count(added + changed + unchanged, "file");
    let parts = if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
    style::print(&format!("{files}{parts}\n"))
}

/// Looks for changes again and again. Looking costs one question to the system for each file, so
/// there is no need for its notices, which get lost on network drives.
fn watch(dir: &std::path::Path, what: Update, args: &Args) -> Result<usize> {
    loop {
        std::thread::sleep(LOOK_AGAIN);
        match update(dir, &what) {
            Ok(report) if report.is_change() => tell(&report, args)?,
            Ok(_) => {}
            // Another writer is done sooner or later.
            Err(chunkwright_search::Error::Busy { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
}
