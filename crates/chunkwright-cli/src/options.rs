//! Flags that several commands share, and the settings that result from them.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use chunkwright::StrategyName;
use chunkwright_config::{Declared, Settings, declared};
use chunkwright_io::{Found, Naming, Place, place, walk};
use clap::ValueEnum;
use clap::builder::PossibleValuesParser;

use crate::offered::Offered;
use crate::style::harmless;

/// Flags that set options. A flag has the last part of its option's name.
pub(crate) trait Flags {
    /// Returns the options that flags were given for, with their values.
    fn given(&self) -> Vec<(&'static str, &str)>;
}

/// Returns the options of the configuration file, overridden by those of flags.
pub(crate) fn settings(set: &Set, groups: &[&dyn Flags]) -> Result<Settings> {
    let mut settings = found_settings()?;
    for assignment in &set.set {
        let said = format!("--set {assignment}");
        let (key, value) = assignment.split_once('=').with_context(|| {
            let shown = harmless(assignment);
            format!(
                "invalid value `{shown}` for `--set`: expected KEY=VALUE, such as slugs=unicode"
            )
        })?;
        settings.set(key.trim(), value.trim(), &said)?;
    }
    for (key, value) in groups.iter().flat_map(|group| group.given()) {
        let flag = key.rsplit('.').next().unwrap_or(key).replace('_', "-");
        let shown = if value.is_empty() { "''" } else { value };
        settings.set(key, value, &format!("--{flag} {shown}"))?;
    }
    Ok(settings)
}

/// Returns the options of the file in the working directory or the nearest one above it.
pub(crate) fn found_settings() -> Result<Settings> {
    let here = std::env::current_dir().context("cannot determine the working directory")?;
    Ok(Settings::find(&here)?)
}

/// Flags of all commands that split files.
#[derive(clap::Args)]
pub(crate) struct Common {
    #[command(flatten)]
    pub(crate) working: Working,
    #[command(flatten)]
    pub(crate) colors: Colors,
    #[command(flatten)]
    set: Set,
    #[command(flatten)]
    chunking: ChunkingFlags,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

impl Common {
    /// Returns the options of the configuration file, overridden by these flags and `more`.
    pub(crate) fn settings(&self, more: &[&dyn Flags]) -> Result<Settings> {
        let flags: [&dyn Flags; 3] = [&self.chunking, &self.reading.files, &self.working.threads];
        settings(&self.set, &[&flags, more].concat())
    }
}

/// The flag that sets any option.
#[derive(clap::Args)]
pub(crate) struct Set {
    /// Set any option, such as slugs=unicode; `chunkwright config` lists them
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
}

impl Set {
    /// Returns the assignments as they were given.
    #[cfg(feature = "server")]
    pub(crate) fn given(&self) -> &[String] {
        &self.set
    }
}

/// Flags of chunking options.
#[derive(clap::Args)]
#[command(next_help_heading = "Chunking options")]
pub(crate) struct ChunkingFlags {
    #[arg(
        long,
        help = help("strategy"),
        value_name = "NAME",
        value_parser = Offered("strategy"),
        hide_possible_values = true
    )]
    strategy: Option<String>,
    #[arg(
        long,
        help = help("tokenizer"),
        value_name = "NAME",
        value_parser = Offered("tokenizer"),
        hide_possible_values = true
    )]
    tokenizer: Option<String>,
    #[arg(long, help = help("target"), value_name = "N")]
    target: Option<String>,
    #[arg(long, help = help("max"), value_name = "N")]
    max: Option<String>,
    #[arg(long, help = help("min"), value_name = "N")]
    min: Option<String>,
    #[arg(
        long,
        help = help("overlap"),
        value_name = "N",
        value_parser = Offered("overlap"),
        hide_possible_values = true
    )]
    overlap: Option<String>,
    #[arg(
        long,
        help = help("size"),
        value_name = "SIZE",
        value_parser = Offered("size"),
        hide_possible_values = true
    )]
    size: Option<String>,
    #[arg(
        long,
        help = help("context"),
        value_name = "WHAT",
        value_parser = Offered("context"),
        hide_possible_values = true
    )]
    context: Option<String>,
    #[arg(
        long,
        help = help("frontmatter"),
        value_name = "MODE",
        value_parser = Offered("frontmatter"),
        hide_possible_values = true
    )]
    frontmatter: Option<String>,
    #[arg(
        long,
        help = help("mdx"),
        value_name = "MODE",
        value_parser = Offered("mdx"),
        hide_possible_values = true
    )]
    mdx: Option<String>,
    #[arg(long, help = help("url_base"), value_name = "URL")]
    url_base: Option<String>,
}

/// Returns a parser that accepts the names of all strategies.
pub(crate) fn strategies() -> PossibleValuesParser {
    PossibleValuesParser::new(StrategyName::ALL.iter().map(|strategy| strategy.as_str()))
}

impl Flags for ChunkingFlags {
    fn given(&self) -> Vec<(&'static str, &str)> {
        given(&[
            ("strategy", &self.strategy),
            ("tokenizer", &self.tokenizer),
            ("target", &self.target),
            ("max", &self.max),
            ("min", &self.min),
            ("overlap", &self.overlap),
            ("size", &self.size),
            ("context", &self.context),
            ("frontmatter", &self.frontmatter),
            ("mdx", &self.mdx),
            ("url_base", &self.url_base),
        ])
    }
}

/// Returns the help of a flag, from the declaration of its option.
fn help(option: &str) -> String {
    let find = |name: &str| declared().iter().find(|declared| declared.name == name);
    if let Some(declared) = find(option) {
        return with_default(declared.summary(), declared.default_text());
    }
    let of = |strategy: &StrategyName| Some((*strategy, find(&format!("{strategy}.{option}"))?));
    let all: Vec<(StrategyName, &Declared)> = StrategyName::ALL.iter().filter_map(of).collect();
    let (strategy, first) = all.first().expect("a strategy has the option");
    let others = all.iter().filter(|(_, one)| one.default_text() != first.default_text());
    let others = others.map(|(strategy, one)| format!("; {strategy}: {}", one.default_text()));
    let default = first.default_text().to_owned() + &others.collect::<String>();
    match *strategy == StrategyName::default() {
        true => with_default(first.summary(), &default),
        false => with_default(&format!("{}; {strategy} only", first.summary()), &default),
    }
}

/// Returns a summary and a default for a terminal.
pub(crate) fn with_default(summary: &str, default: &str) -> String {
    let default = if default.is_empty() { default } else { &format!(" [default: {default}]") };
    format!("{summary}{default}").replace('`', "")
}

/// Returns those of `flags` that were given.
pub(crate) fn given<'a>(
    flags: &[(&'static str, &'a Option<String>)],
) -> Vec<(&'static str, &'a str)> {
    flags.iter().filter_map(|(name, value)| Some((*name, value.as_deref()?))).collect()
}

/// Flags of input options.
#[derive(clap::Args)]
#[command(next_help_heading = "Input options")]
pub(crate) struct Reading {
    /// Root directory that ids are relative to
    ///
    /// With --root DIR, one file gets the ids, overrides and URLs that it has in a run over DIR.
    /// [default: the tree in chunkwright.toml that contains PATH; else PATH, or its parent directory]
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Tree name, the first part of every id [default: the name in chunkwright.toml, or of the root
    /// directory]
    #[arg(long, value_name = "NAME", value_parser = tree_name)]
    tree: Option<String>,
    /// Path of standard input in its tree [default: -]
    #[arg(long, value_name = "NAME")]
    path: Option<String>,
    #[command(flatten)]
    pub(crate) files: FileFlags,
}

/// Rejects names that would make ids ambiguous.
pub(crate) fn tree_name(name: &str) -> Result<String, &'static str> {
    match name.is_empty() || name.contains(':') {
        true => Err("a tree name cannot be empty or contain a colon"),
        false => Ok(name.to_owned()),
    }
}

/// Flags of input options that `chunkwright.toml` can set.
#[derive(clap::Args)]
#[command(next_help_heading = "Input options")]
pub(crate) struct FileFlags {
    #[arg(
        long,
        help = help("input_format"),
        value_name = "FORMAT",
        value_parser = Offered("input_format"),
        hide_possible_values = true
    )]
    input_format: Option<String>,
    #[arg(long, help = help("max_file_size"), value_name = "BYTES")]
    max_file_size: Option<String>,
}

impl Reading {
    /// Finds the files below `paths`.
    pub(crate) fn find(&self, paths: &[PathBuf], settings: &Settings) -> Result<Found> {
        Ok(walk(paths, &self.naming(settings))?)
    }

    /// Finds the files below `path`, all in one tree and relative to `path`.
    pub(crate) fn find_in(&self, path: &Path, tree: &str, settings: &Settings) -> Result<Found> {
        let (tree, root, trees) = (Some(tree.to_owned()), None, Vec::new());
        let naming = Naming { tree, root, trees, ..self.naming(settings) };
        Ok(walk(&[path.to_owned()], &naming)?)
    }

    /// Returns the tree of a file or directory, and its path there.
    pub(crate) fn place(&self, path: &Path, settings: &Settings) -> Result<Place> {
        Ok(place(path, &self.naming(settings))?)
    }

    fn naming(&self, settings: &Settings) -> Naming {
        Naming {
            tree: self.tree.clone(),
            stdin_path: self.path.clone(),
            root: self.root.clone(),
            trees: settings.trees().to_vec(),
            format: settings.processing().input_format,
        }
    }
}

impl Flags for FileFlags {
    fn given(&self) -> Vec<(&'static str, &str)> {
        given(&[("input_format", &self.input_format), ("max_file_size", &self.max_file_size)])
    }
}

/// Flags of commands that read files.
#[derive(clap::Args)]
pub(crate) struct Working {
    #[command(flatten)]
    pub(crate) threads: Threads,
    /// Print errors only
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// The flag that sets the number of threads.
#[derive(clap::Args)]
pub(crate) struct Threads {
    #[arg(long, help = help("jobs"), value_name = "N")]
    jobs: Option<String>,
}

impl Flags for Threads {
    fn given(&self) -> Vec<(&'static str, &str)> {
        given(&[("jobs", &self.jobs)])
    }
}

/// The flag that adds fields to records.
#[derive(clap::Args)]
pub(crate) struct FieldsFlag {
    #[arg(
        long,
        help = help("with"),
        value_name = "FIELD,…",
        value_parser = Offered("with"),
        hide_possible_values = true
    )]
    with: Option<String>,
}

impl Flags for FieldsFlag {
    fn given(&self) -> Vec<(&'static str, &str)> {
        given(&[("with", &self.with)])
    }
}

/// The flag that controls colors.
#[derive(clap::Args)]
pub(crate) struct Colors {
    /// Use of color in output: auto, always or never [default: auto]
    #[arg(
        long,
        value_enum,
        default_value_t,
        hide_default_value = true,
        hide_possible_values = true,
        value_name = "WHEN"
    )]
    color: Color,
}

/// When output has colors.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Color {
    /// On a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Colors {
    /// Applies the choice to all output.
    pub(crate) fn apply(&self) {
        match self.color {
            Color::Auto => {}
            Color::Always => anstream::ColorChoice::Always.write_global(),
            Color::Never => anstream::ColorChoice::Never.write_global(),
        }
    }

    /// Returns whether colors are on even for files and pipes.
    pub(crate) fn are_forced(&self) -> bool {
        self.color == Color::Always
    }
}
