//! `chunkwright completions` and `chunkwright man`: print completion scripts and manual pages.

use anyhow::{Result, bail};
use clap_complete::Shell;
use clap_mangen::roff::{Roff, bold, roman};

use crate::sink;
use crate::strategy_help::{HOW_TO_SET, strategies};

/// Print a shell completion script
///
/// Examples:
///
///   chunkwright completions bash \
///     > ~/.local/share/bash-completion/completions/chunkwright
///   chunkwright completions zsh > ~/.zfunc/_chunkwright
///   chunkwright completions fish > ~/.config/fish/completions/chunkwright.fish
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Completions {
    /// Shell to print the script for
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

/// Print a manual page
///
/// Examples:
///
///   chunkwright man | man -l -                   # read the manual page
///   chunkwright man chunk > chunkwright-chunk.1  # save the page of a command
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Man {
    /// Command to print the page of [default: chunkwright itself]
    #[arg(value_name = "COMMAND")]
    command: Option<String>,
}

/// Sections at the end of every manual page: a title, and terms with their descriptions.
const SECTIONS: &[(&str, &[(&str, &str)])] = &[
    (
        "EXIT STATUS",
        &[
            ("0", "Success, even if the input has no chunks or the output was closed early."),
            ("1", "search found no results."),
            ("2", "Wrong usage, or an error. The reason is printed to standard error."),
            ("130", "Interrupted."),
        ],
    ),
    (
        "ENVIRONMENT",
        &[
            ("NO_COLOR", "If not empty, disables colors, unless --color always is given."),
            ("CLICOLOR_FORCE", "If set and not 0, enables colors even in files and pipes."),
            ("CLICOLOR", "If 0, disables colors."),
            ("TERM", "If dumb, disables colors."),
            ("COLUMNS", "Width of output to files and pipes. Default: 100."),
            ("TMPDIR", "Directory for the temporary files of diff. Default: /tmp."),
        ],
    ),
    (
        "FILES",
        &[
            (
                "chunkwright.toml",
                "Options and trees. The nearest file is used, from the working directory upwards. \
                 chunkwright config shows the options in effect.",
            ),
            (
                ".chunkwright/",
                "The search index, next to chunkwright.toml, or in the indexed directory if there \
                 is no such file. It can be deleted; chunkwright index rebuilds it.",
            ),
        ],
    ),
];

/// The line that precedes the examples of a command.
pub(crate) const EXAMPLES: &str = "Examples:";

pub(crate) fn completions(args: &Completions, mut cli: clap::Command) -> Result<usize> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut cli, "chunkwright", &mut script);
    sink::print(&String::from_utf8(script)?)?;
    Ok(0)
}

pub(crate) fn man(args: &Man, cli: clap::Command) -> Result<usize> {
    // `help` only repeats what the pages contain.
    let cli = cli.disable_help_subcommand(true);
    let mut cli = cli.subcommand_help_heading("COMMANDS").subcommand_value_name("COMMAND");
    cli.build();
    let command = match &args.command {
        None => cli,
        Some(name) => match cli.find_subcommand(name) {
            Some(command) => command.clone(),
            None => bail!("unknown command `{name}`; `chunkwright help` lists all commands"),
        },
    };
    sink::print(&page(command)?)?;
    Ok(0)
}

/// Returns the manual page of a command.
fn page(command: clap::Command) -> Result<String> {
    let about = command.get_long_about().or(command.get_about());
    let about = about.map(ToString::to_string).unwrap_or_default();
    let (description, examples) = about.split_once(EXAMPLES).unwrap_or((&about, ""));
    let has_strategies = command.get_after_long_help().is_some();
    let has_commands = command.has_subcommands();
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").to_owned();
    let command = command.long_about(description.trim_end().to_owned()).override_usage(usage);

    let version = concat!("chunkwright ", env!("CARGO_PKG_VERSION"));
    let man = clap_mangen::Man::new(command).source(version);
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if has_commands {
        man.render_subcommands_section(&mut page)?;
    }
    let mut rest = Roff::new();
    if has_strategies {
        rest.control("SH", ["STRATEGY OPTIONS"]);
        rest.text([roman(HOW_TO_SET)]);
        for (title, options) in strategies() {
            rest.control("SS", [title.as_str()]);
            options.iter().for_each(|(name, description)| entry(&mut rest, name, description));
        }
    }
    for (title, entries) in SECTIONS {
        rest.control("SH", [*title]);
        entries.iter().for_each(|(term, description)| entry(&mut rest, term, description));
    }
    if !examples.is_empty() {
        rest.control("SH", ["EXAMPLES"]);
        verbatim(&mut rest, examples.trim_matches('\n'));
    }
    rest.to_writer(&mut page)?;
    Ok(String::from_utf8(page)?)
}

/// Adds a term and its description.
fn entry(page: &mut Roff, term: &str, description: &str) {
    page.control("TP", []);
    page.text([bold(term)]);
    page.text([roman(description)]);
}

/// Adds lines that are neither justified nor wrapped.
fn verbatim(page: &mut Roff, text: &str) {
    page.control("nf", []);
    for line in text.lines() {
        page.text([roman(line)]);
    }
    page.control("fi", []);
}
