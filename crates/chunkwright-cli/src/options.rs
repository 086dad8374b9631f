//! Flags that several commands share, and what they say about options.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use chunkwright::StrategyName;
use chunkwright_config::Settings;
use chunkwright_io::{Found, Naming, Place, place, walk};
use clap::ValueEnum;
use clap::builder::PossibleValuesParser;

use crate::offered::Offered;

/// Flags that set options; a flag has the last part of its option's name.
pub(crate) trait Flags {
    /// The options of those that were given, with their values.
    fn given(&self) -> Vec<(&'static str, &str)>;
}

/// The file's options, and those of flags over them.
pub(crate) fn settings(set: &Set, groups: &[&dyn Flags]) -> Result<Settings> {
    let mut settings = found_settings()?;
    for assignment in &set.set {
        let said = format!("--set {assignment}");
        let (key, value) = assignment
            .split_once('=')
            .with_context(|| format!("{said}: expected KEY=VALUE, such as --set slugs=unicode"))?;
        settings.set(key.trim(), value.trim(), &said)?;
    }
    for (key, value) in groups.iter().flat_map(|group| group.given()) {
        let flag = key.rsplit('.').next().unwrap_or(key).replace('_', "-");
        let shown = if value.is_empty() { "''" } else { value };
        settings.set(key, value, &format!("--{flag} {shown}"))?;
    }
    Ok(settings)
}

/// The options of the file in the working directory or above it.
pub(crate) fn found_settings() -> Result<Settings> {
    let here = std::env::current_dir().context("the working directory")?;
    Ok(Settings::find(&here)?)
}

/// What all commands share that cut files.
#[derive(clap::Args)]
pub(crate) struct Common {
    #[command(flatten)]
    pub(crate) working: Working,
    #[command(flatten)]
    pub(crate) colors: Colors,
    #[command(flatten)]
    set: Set,
    #[command(flatten)]
    cutting: Cutting,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

impl Common {
    /// The file's options, and those of flags over them.
    pub(crate) fn settings(&self, more: &[&dyn Flags]) -> Result<Settings> {
        let flags: [&dyn Flags; 3] = [&self.cutting, &self.reading.files, &self.working.threads];
        settings(&self.set, &[&flags, more].concat())
    }
}

/// Options by their names.
#[derive(clap::Args)]
pub(crate) struct Set {
    /// Any option by its name in chunkwright.toml; `chunkwright config` lists them
    #[arg(long = "set", value_name = "KEY=VALUE", help_heading = "Configuration")]
    set: Vec<String>,
}

/// How to cut.
#[derive(clap::Args)]
#[command(next_help_heading = "Chunking options")]
pub(crate) struct Cutting {
    /// Chunking strategy [default: hierarchical]
    #[arg(long, value_name = "NAME", value_parser = Offered("strategy"))]
    strategy: Option<String>,
    /// Tokenizer: estimate, words[:FACTOR], chars, cl100k, o200k or hf:PATH
    /// [default: the strategy's]
    #[arg(long, value_name = "NAME", value_parser = Offered("tokenizer"), hide_possible_values = true)]
    tokenizer: Option<String>,
    /// Preferred tokens per chunk
    #[arg(long, value_name = "N")]
    target: Option<String>,
    /// Maximum tokens per chunk
    #[arg(long, value_name = "N")]
    max: Option<String>,
    /// Minimum tokens per chunk; smaller ones merge with a neighbor
    #[arg(long, value_name = "N")]
    min: Option<String>,
    /// Tokens repeated from the chunk before (blocks only): N, none, low, medium or high
    #[arg(long, value_name = "N", value_parser = Offered("overlap"), hide_possible_values = true)]
    overlap: Option<String>,
    /// Preset for the limits: small, medium or large
    #[arg(long, value_name = "SIZE", value_parser = Offered("size"), hide_possible_values = true)]
    size: Option<String>,
    /// Context line of the embedded text: title, breadcrumb, path or none
    #[arg(long, value_name = "WHAT", value_parser = Offered("context"), hide_possible_values = true)]
    context: Option<String>,
    /// Treatment of front matter: metadata, include or strip
    #[arg(long, value_name = "MODE", value_parser = Offered("frontmatter"), hide_possible_values = true)]
    frontmatter: Option<String>,
    /// Files to read as MDX: auto (those named .mdx), on (all) or off (none)
    #[arg(long, value_name = "MODE", value_parser = Offered("mdx"), hide_possible_values = true)]
    mdx: Option<String>,
    /// Base URL for documents without a `url` in their front matter
    #[arg(long, value_name = "URL")]
    url_base: Option<String>,
}

/// The names of all strategies.
pub(crate) fn strategies() -> PossibleValuesParser {
    PossibleValuesParser::new(StrategyName::ALL.iter().map(|strategy| strategy.as_str()))
}

impl Flags for Cutting {
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

/// Those of some flags that were given.
pub(crate) fn given<'a>(
    flags: &[(&'static str, &'a Option<String>)],
) -> Vec<(&'static str, &'a str)> {
    flags.iter().filter_map(|(name, value)| Some((*name, value.as_deref()?))).collect()
}

/// What to read.
#[derive(clap::Args)]
#[command(next_help_heading = "Input options")]
pub(crate) struct Reading {
    /// Directory that paths are relative to: gives one file the ids it has in a run over DIR
    /// [default: the tree of chunkwright.toml that contains PATH; else PATH, or its parent
    /// directory]
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Name of the tree, the first part of every id [default: the name in chunkwright.toml, or of
    /// the root directory]
    #[arg(long, value_name = "NAME", value_parser = tree_name)]
    tree: Option<String>,
    /// Path of standard input in its tree
    #[arg(long, value_name = "NAME")]
    path: Option<String>,
    #[command(flatten)]
    pub(crate) files: FileFlags,
}

/// Refuses names that would make ids ambiguous.
pub(crate) fn tree_name(name: &str) -> Result<String, &'static str> {
    match name.is_empty() || name.contains(':') {
        true => Err("the name of a tree must not be empty or contain a colon"),
        false => Ok(name.to_owned()),
    }
}

/// Flags about the files to read.
#[derive(clap::Args)]
pub(crate) struct FileFlags {
    /// Format of all files and of standard input: markdown, mdx or text [default: by extension]
    #[arg(
        long,
        value_name = "FORMAT",
        value_parser = Offered("input_format"),
        hide_possible_values = true
    )]
    input_format: Option<String>,
    /// Refuse larger files; in bytes [default: 64000000]
    #[arg(long, value_name = "BYTES")]
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
            format: settings.running().input_format,
        }
    }
}

impl Flags for FileFlags {
    fn given(&self) -> Vec<(&'static str, &str)> {
        given(&[("input_format", &self.input_format), ("max_file_size", &self.max_file_size)])
    }
}

/// How to work.
#[derive(clap::Args)]
pub(crate) struct Working {
    #[command(flatten)]
    pub(crate) threads: Threads,
    /// Print errors only
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// How many threads there are.
#[derive(clap::Args)]
pub(crate) struct Threads {
    /// Number of files to process in parallel [default: number of cores]
    #[arg(long, value_name = "N")]
    jobs: Option<String>,
}

impl Flags for Threads {
    fn given(&self) -> Vec<(&'static str, &str)> {
        given(&[("jobs", &self.jobs)])
    }
}

/// What records have.
#[derive(clap::Args)]
pub(crate) struct Fields {
    /// Fields to add to each record: embed_text, pieces, or both
    #[arg(long, value_name = "FIELD,…", value_parser = Offered("with"), hide_possible_values = true)]
    with: Option<String>,
}

impl Flags for Fields {
    fn given(&self) -> Vec<(&'static str, &str)> {
        given(&[("with", &self.with)])
    }
}

/// The flag about colours.
#[derive(clap::Args)]
pub(crate) struct Colors {
    /// When to use colors
    #[arg(
        long,
        value_enum,
        default_value_t,
        hide_possible_values = true,
        value_name = "auto|always|never"
    )]
    color: Color,
}

/// When to use colours.
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
    /// Makes the choice hold for all output.
    pub(crate) fn apply(&self) {
        match self.color {
            Color::Auto => {}
            Color::Always => anstream::ColorChoice::Always.write_global(),
            Color::Never => anstream::ColorChoice::Never.write_global(),
        }
    }

    /// Whether they are wanted wherever the output goes.
    pub(crate) fn are_forced(&self) -> bool {
        self.color == Color::Always
    }
}
