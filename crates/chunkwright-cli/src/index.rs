//! `chunkwright index`: creates or updates the index of one or more trees.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

use anyhow::{Result, bail};
use chunkwright_config::Settings;
use chunkwright_io::{plain, shown};
use chunkwright_search::{Error, Report, Snapshot, Tree, Update, update, update_watched};

use crate::files;
use crate::index_dir::IndexFlag;
use crate::offered::Offered;
use crate::options::{FileFlags, Flags, Set, Working, given, settings, tree_name};
use crate::progress::Progress;
use crate::sink;
use crate::style::{self, count};

/// Time between two updates of `--watch`.
pub(crate) const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// Create or update the search index
///
/// Examples:
///
///   chunkwright index docs          # index a directory
///   chunkwright index               # index the trees of chunkwright.toml
///   chunkwright index docs --watch  # index a directory, and follow its changes
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// Directories or files to index [default: the trees of chunkwright.toml]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Rebuild the index from scratch, even if it is damaged
    #[arg(long)]
    rebuild: bool,
    /// Keep running, and update the index every second
    #[arg(long)]
    watch: bool,
    /// Stemming language, or none [default: unchanged; english for a new index]
    #[arg(long, value_name = "NAME", value_parser = Offered("index.language"), hide_possible_values = true)]
    language: Option<String>,
    /// Tree name, the first part of every id [default: the name in chunkwright.toml, or of the
    /// directory]
    #[arg(long, value_name = "NAME", value_parser = tree_name)]
    tree: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    working: Working,
    #[command(flatten)]
    set: Set,
    #[command(flatten)]
    index_dir: IndexFlag,
    #[command(flatten)]
    files: FileFlags,
}

/// Updates the index; returns the number of files that could not be read.
pub(crate) fn run(args: &Args) -> Result<usize> {
    let settings = settings(&args.set, &[args, &args.files, &args.working.threads])?;
    let trees = trees(&args.paths, args.tree.as_deref(), &settings)?;
    let dir = args.index_dir.of(&trees, &settings);
    let mut update = wanted(trees, &settings);
    update.only_these = args.paths.is_empty();
    update.rebuild = args.rebuild;
    let report = index(&dir, &update, args)?;
    if !args.watch {
        return Ok(report.errors.len());
    }
    update.rebuild = false;
    watch(&dir, update, args)
}

/// Returns the trees of `paths`, or those of the configuration file, of which one must exist.
pub(crate) fn trees(
    paths: &[PathBuf],
    name: Option<&str>,
    settings: &Settings,
) -> Result<Vec<Tree>> {
    let trees = match paths {
        [] => configured_trees(settings)?,
        [_, _, ..] if name.is_some() => bail!(
            "`--tree` names one tree, but {} paths are given; index them one at a time",
            paths.len()
        ),
        paths => {
            let name = |path: &PathBuf| name.map(str::to_owned).or_else(|| named(path, settings));
            let tree = |path: &PathBuf| match name(path) {
                Some(name) => Tree::at(path).named(name),
                None => Tree::at(path),
            };
            paths.iter().map(tree).collect()
        }
    };
    refuse_if_none(&trees)?;
    Ok(trees)
}

fn configured_trees(settings: &Settings) -> Result<Vec<Tree>> {
    let trees = settings.trees().iter();
    let trees = trees.map(|(name, path)| Tree::at(path).named(name));
    match (trees.collect::<Vec<_>>(), settings.file_name()) {
        (trees, _) if !trees.is_empty() => Ok(trees),
        (_, Some(file)) => bail!("{file} has no `[trees.NAME]`; add one, or pass a PATH"),
        (_, None) => {
            bail!("nothing to index; pass a PATH, or add `[trees.NAME]` to chunkwright.toml")
        }
    }
}

/// Returns the trees of an index whose directories exist.
pub(crate) fn indexed_trees(dir: &Path) -> Result<Vec<Tree>> {
    let trees = Snapshot::open(dir)?.trees().into_iter().filter(|(_, root)| root.is_dir());
    Ok(trees.map(|(name, path)| Tree::at(path).named(name)).collect())
}

/// Returns an update of trees with the options of the settings.
pub(crate) fn wanted(trees: Vec<Tree>, settings: &Settings) -> Update {
    let processing = settings.processing();
    let mut update = Update::of(trees);
    update.indexing = settings.indexing();
    (update.jobs, update.max_file_bytes) = (processing.threads(), processing.max_file_size);
    update
}

impl Flags for Args {
    fn given(&self) -> Vec<(&'static str, &str)> {
        given(&[("index.language", &self.language)])
    }
}

/// Returns the name of a directory in the configuration, if it is a tree there.
fn named(path: &Path, settings: &Settings) -> Option<String> {
    let real = fs::canonicalize(path).ok()?;
    let is_here = |tree: &&(String, PathBuf)| fs::canonicalize(&tree.1).is_ok_and(|at| at == real);
    let mut trees = settings.trees().iter().filter(is_here);
    match (trees.next(), trees.next()) {
        (Some((name, _)), None) => Some(name.clone()),
        _ => None,
    }
}

/// Fails if none of the trees exists.
fn refuse_if_none(trees: &[Tree]) -> Result<()> {
    let fault = |tree: &Tree| Some((tree.path.clone(), tree.path.metadata().err()?));
    let faults: Option<Vec<_>> = trees.iter().map(fault).collect();
    let told = |(path, fault): &(PathBuf, io::Error)| format!("{}: {}", shown(path), plain(fault));
    match faults {
        Some(faults) => {
            bail!("cannot read {}", faults.iter().map(told).collect::<Vec<_>>().join("; "))
        }
        None => Ok(()),
    }
}

fn index(dir: &std::path::Path, what: &Update, args: &Args) -> Result<Report> {
    let mut progress = Progress::new(0, args.working.quiet, false);
    let report = update_watched(dir, what, &mut |step| {
        progress.set_files(step.files);
        progress.done(step.bytes);
    })?;
    drop(progress);
    report.errors.iter().for_each(|error| style::complain(&files::message(error)));
    if !args.working.quiet {
        files::warn_of_empty(&report.empty);
    }
    if let (Some(reason), false) = (&report.rebuilt, args.working.quiet) {
        style::note(&format!("rebuilt {}: {reason}", shown(dir)));
    }
    tell(&report, args)?;
    Ok(report)
}

fn tell(report: &Report, args: &Args) -> Result<()> {
    if args.json {
        return sink::print(&format!("{}\n", serde_json::to_string(report)?));
    }
    match args.working.quiet {
        true => Ok(()),
        false => sink::print(&format!("{}\n", summary(report))),
    }
}

/// Returns the number of files, and what changed: `12 files: 1 new, 11 unchanged`.
pub(crate) fn summary(report: &Report) -> String {
    let Report { added, changed, removed, unchanged, .. } = report;
    let parts =
        [(added, "new"), (changed, "changed"), (removed, "removed"), (unchanged, "unchanged")];
    let parts = parts.iter().filter(|(number, _)| **number > 0);
    let parts: Vec<String> =
        parts.map(|(number, what)| format!("{} {what}", style::number(**number))).collect();
    let files = count(added + changed + unchanged, "file");
    let parts = if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
    format!("{files}{parts}")
}

/// Updates the index every second. Polling costs one system call per file, and unlike file
/// notifications it also works on network drives.
fn watch(dir: &Path, what: Update, args: &Args) -> Result<usize> {
    loop {
        std::thread::sleep(LOOK_AGAIN);
        match update_again(dir, &what) {
            Ok(report) if report.is_change() => tell(&report, args)?,
            Ok(_) => {}
            // Another process is writing; try again later.
            Err(Error::Busy { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Updates the index, unless the directory that contains it has disappeared. It would be created
/// again without any pages, which would then disappear from the index, too.
pub(crate) fn update_again(dir: &Path, wanted: &Update) -> Result<Report, Error> {
    let around = dir.parent().filter(|around| !around.as_os_str().is_empty());
    match around {
        Some(around) if !around.is_dir() => Err(Error::Missing { dir: dir.to_owned() }),
        _ => update(dir, wanted),
    }
}
