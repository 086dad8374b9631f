//! Flags that several commands share, and what they say about options.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use chunkwright::Strategy;
use chunkwright_config::Settings;
use chunkwright_io::{Found, Naming, Place, place, walk};
use clap::ValueEnum;
use clap::builder::PossibleValuesParser;

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
        let (key, value) =
            assignment.split_once('=').with_context(|| format!("{said}: it takes KEY=VALUE"))?;
        settings.set(key.trim(), value.trim(), &said)?;
    }
    for (key, value) in groups.iter().flat_map(|group| group.given()) {
        let flag = key.rsplit('.').next().unwrap_or(key).replace('_', "-");
        settings.set(key, value, &format!("--{flag} {value}"))?;
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
#[command(next_help_heading = "How to cut")]
pub(crate) struct Cutting {
    /// How documents are cut [default: hierarchical]
    #[arg(long, value_name = "NAME", value_parser = strategies())]
    strategy: Option<String>,
    /// How tokens are counted: estimate, words[:FACTOR], chars, cl100k, o200k or hf:PATH
    /// [default: the strategy's]
    #[arg(long, value_name = "NAME")]
    tokenizer: Option<String>,
    /// Preferred tokens per chunk
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    target: Option<String>,
    /// Maximum tokens per chunk
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    max: Option<String>,
    /// Minimum tokens per chunk; smaller ones merge with a neighbor
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    min: Option<String>,
    /// Tokens repeated from the chunk before (blocks only): N, none, low, medium or high
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    overlap: Option<String>,
    /// Preset for the limits: small, medium or large
    #[arg(long, value_name = "SIZE")]
    size: Option<String>,
    /// Context line of the embedded text: title, breadcrumb, path or none
    #[arg(long, value_name = "WHAT")]
    context: Option<String>,
    /// What becomes of front matter: metadata, include or strip
    #[arg(long, value_name = "MODE")]
    frontmatter: Option<String>,
    /// Which files are read as MDX: auto (those named .mdx), on (all) or off (none)
    #[arg(long, value_name = "MODE")]
    mdx: Option<String>,
    /// What a document's path is appended to where its front matter has no url
    #[arg(long, value_name = "URL")]
    url_base: Option<String>,
}

/// The names of all strategies.
pub(crate) fn strategies() -> PossibleValuesParser {
    PossibleValuesParser::new(Strategy::ALL.iter().map(|strategy| strategy.name()))
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
#[command(next_help_heading = "What to read")]
pub(crate) struct Reading {
    /// Directory that paths are relative to: gives one file the ids it has in a run over DIR
    /// [default: the tree of chunkwright.toml that contains PATH; else PATH, or its parent
    /// directory]
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Name of the tree, the first part of every id [default: the name in chunkwright.toml, or of
    /// the root directory]
    #[arg(long, value_name = "NAME")]
    tree: Option<String>,
    /// Path of standard input in its tree
    #[arg(long, value_name = "NAME")]
    path: Option<String>,
    #[command(flatten)]
    pub(crate) files: FileFlags,
}

/// Flags about the files to read.
#[derive(clap::Args)]
pub(crate) struct FileFlags {
    /// Format of all files and of standard input: markdown, mdx or text [default: by extension]
    #[arg(
        long,
        value_name = "FORMAT",
        value_parser = ["markdown", "mdx", "text"],
        hide_possible_values = true
    )]
    input_format: Option<String>,
    /// Refuse larger files; in bytes [default: 64000000]
    #[arg(long, value_name = "BYTES", allow_negative_numbers = true)]
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
    /// Say nothing but errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// How many threads there are.
#[derive(clap::Args)]
pub(crate) struct Threads {
    /// How many files to work on at once [default: one a core]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
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
    #[arg(long, value_name = "FIELD,…")]
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
    /// When to use colours
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
