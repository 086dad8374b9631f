//! Options that every command shares: flags come in, a chunker and a list of files go out.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use chunkwright::{Chunker, Config, Strategy};
use chunkwright_io::{Found, Naming, walk};
use clap::ValueEnum;
use toml::{Table, Value};

/// More threads than this help nobody.
const MOST_JOBS: usize = 256;

/// How to cut.
#[derive(clap::Args)]
#[command(next_help_heading = "How to cut")]
pub(crate) struct Cutting {
    /// How documents are cut [default: hierarchical]
    #[arg(long, value_name = "NAME")]
    strategy: Option<Strategy>,
    /// How tokens are counted: estimate, words[:FACTOR], chars, cl100k, o200k or hf:PATH
    /// [default: the strategy's]
    #[arg(long, value_name = "NAME")]
    tokenizer: Option<String>,
    /// Tokens at which content is cut
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    target: Option<String>,
    /// The most tokens in a chunk
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    max: Option<String>,
    /// Chunks with fewer tokens merge with a neighbour
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    min: Option<String>,
    /// How much of a chunk the next one repeats: tokens, none, low, medium or high
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    overlap: Option<String>,
    /// Limits that go together: small, medium or large
    #[arg(long, value_name = "SIZE")]
    size: Option<String>,
    /// What stands before a chunk's text when it is embedded: breadcrumb or none
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
    /// Any other option, by its name in the configuration
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
}

impl Cutting {
    /// The chunker that the flags ask for.
    pub(crate) fn chunker(&self) -> Result<Chunker> {
        let config = self.config()?;
        let counter = chunkwright_tokens::counter(config.counter_name(), config.bias)?;
        Ok(Chunker::new(config, Arc::clone(&counter))?)
    }

    fn config(&self) -> Result<Config> {
        let mut table = Table::new();
        for assignment in &self.set {
            let (key, value) = assignment
                .split_once('=')
                .with_context(|| format!("--set {assignment}: it takes KEY=VALUE"))?;
            put(&mut table, &format!("--set {assignment}"), key.trim(), parse(value))?;
        }
        if let Some(strategy) = self.strategy {
            put(&mut table, "--strategy", "strategy", Value::from(strategy.name()))?;
        }
        let strategy = Table::try_into::<Config>(table.clone())?.strategy;
        for (flag, value) in self.flags() {
            let Some(value) = value else { continue };
            let said = format!("--{flag} {value}");
            if STRATEGY_FLAGS.contains(&flag) {
                check_use(strategy, flag)?;
                put(&mut table, &said, &format!("{strategy}.{flag}"), parse(value))?;
            } else {
                put(&mut table, &said, &flag.replace('-', "_"), Value::from(value.clone()))?;
            }
        }
        Ok(table.try_into()?)
    }

    fn flags(&self) -> [(&'static str, &Option<String>); 10] {
        [
            ("tokenizer", &self.tokenizer),
            ("target", &self.target),
            ("max", &self.max),
            ("min", &self.min),
            ("overlap", &self.overlap),
            ("size", &self.size),
            ("context", &self.context),
            ("frontmatter", &self.frontmatter),
            ("mdx", &self.mdx),
            ("url-base", &self.url_base),
        ]
    }
}

/// Flags that set an option of the chosen strategy.
const STRATEGY_FLAGS: &[&str] = &["target", "max", "min", "overlap", "size"];

/// Refuses a flag that the strategy has no use for.
fn check_use(strategy: Strategy, flag: &str) -> Result<()> {
    let options = serde_json::to_value(Config::default())?;
    let has = |strategy: &Strategy| options[strategy.name()].get(flag).is_some();
    if has(&strategy) {
        return Ok(());
    }
    let users: Vec<_> = Strategy::ALL.iter().filter(|s| has(s)).map(|s| s.name()).collect();
    bail!("--{flag}: {strategy} has no such option; {} has", users.join(", "));
}

/// A value as it would be written in a configuration file; what is none is text.
pub(crate) fn parse(value: &str) -> Value {
    let table: Result<Table, _> = format!("value = {value}").parse();
    let value_of = |mut table: Table| table.remove("value");
    table.ok().and_then(value_of).unwrap_or_else(|| Value::from(value))
}

/// Sets one option, if the configuration takes it; `said` is how the user asked for it.
fn put(table: &mut Table, said: &str, key: &str, value: Value) -> Result<()> {
    let alone = nested(key, value.clone());
    if let Err(error) = Table::try_into::<Config>(alone.clone()) {
        let reason = error.message().replace("expected usize", "expected a whole number of tokens");
        bail!("{said}: {reason}");
    }
    merge(table, alone);
    Ok(())
}

/// One option in the tables that its name tells.
pub(crate) fn nested(key: &str, value: Value) -> Table {
    match key.split_once('.') {
        Some((table, rest)) => Table::from_iter([(table.to_owned(), nested(rest, value).into())]),
        None => Table::from_iter([(key.to_owned(), value)]),
    }
}

/// Puts all options of a table into another.
pub(crate) fn merge(table: &mut Table, other: Table) {
    for (key, value) in other {
        match (table.get_mut(&key), value) {
            (Some(Value::Table(inner)), Value::Table(other)) => merge(inner, other),
            (_, value) => {
                table.insert(key, value);
            }
        }
    }
}

/// What to read.
#[derive(clap::Args)]
#[command(next_help_heading = "What to read")]
pub(crate) struct Reading {
    /// The name of the tree, the first part of every id [default: the directory's name]
    #[arg(long, value_name = "NAME")]
    tree: Option<String>,
    /// The path that standard input goes by
    #[arg(long, value_name = "NAME")]
    path: Option<String>,
    /// Refuse larger files; in bytes
    #[arg(long, value_name = "BYTES", default_value_t = chunkwright_io::MAX_FILE_BYTES)]
    pub(crate) max_file_size: u64,
}

impl Reading {
    /// The files below `paths`.
    pub(crate) fn find(&self, paths: &[PathBuf]) -> Result<Found> {
        self.find_in(paths, None)
    }

    /// The files below `paths`, in this tree unless the user names one.
    pub(crate) fn find_in(&self, paths: &[PathBuf], tree: Option<&str>) -> Result<Found> {
        let tree = self.tree.clone().or(tree.map(str::to_owned));
        let naming = Naming { tree, stdin_path: self.path.clone() };
        Ok(walk(paths, &naming)?)
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

/// How many threads to use when the user does not say.
pub(crate) fn jobs(asked: Option<usize>) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    asked.unwrap_or_else(cores).clamp(1, MOST_JOBS)
}
