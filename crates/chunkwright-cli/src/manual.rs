//! `chunkwright completions` and `chunkwright man`: shell completions and manual pages.

use anyhow::{Result, bail};
use clap::CommandFactory;
use clap_complete::Shell;
use clap_mangen::roff::{Roff, bold, roman};

use crate::strategy_help::{HOW_TO_SET, strategies};
use crate::{Cli, style};

/// Print completions for a shell
///
/// Examples:
///
///   chunkwright completions bash > ~/.local/share/bash-completion/completions/chunkwright
///   chunkwright completions zsh > ~/.zfunc/_chunkwright
///   chunkwright completions fish > ~/.config/fish/completions/chunkwright.fish
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

/// Print the manual page of chunkwright, or of one command
///
/// Examples:
///
///   chunkwright man | man -l -                     read it
///   chunkwright man chunk > chunkwright-chunk.1    save the page of one command
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Man {
    /// A command [default: the page that lists all commands]
    #[arg(value_name = "COMMAND")]
    command: Option<String>,
}

/// Sections at the end of every manual page: a title, and terms with their descriptions.
const SECTIONS: &[(&str, &[(&str, &str)])] = &[
    (
        "EXIT STATUS",
        &[
            ("0", "Success. Also if the files contain no chunks, or the output was closed early."),
            ("1", "search found nothing."),
            ("2", "Wrong usage, or something failed. The reason is on standard error."),
            ("130", "Interrupted."),
        ],
    ),
    (
        "ENVIRONMENT",
        &[
            ("NO_COLOR", "If set and not empty, turns off colors, unless --color always is given."),
            ("CLICOLOR_FORCE", "If set and not 0, turns on colors, also in a pipe."),
            ("CLICOLOR", "If 0, turns off colors."),
            ("TERM", "If dumb, turns off colors."),
            ("TMPDIR", "Directory for the temporary files of diff --git. Default: /tmp."),
        ],
    ),
    (
        "FILES",
        &[
            (
                "chunkwright.toml",
                "Options and trees. It is searched for in the working directory and those above \
                 it. chunkwright config prints what takes effect.",
            ),
            (
                ".chunkwright/",
                "The index, next to chunkwright.toml, or in the indexed directory if there is no \
                 such file. chunkwright index writes it, and can rebuild it at any time.",
            ),
        ],
    ),
];

/// The line that precedes the examples of a command.
const EXAMPLES: &str = "Examples:";

pub(crate) fn completions(args: &Completions) -> Result<usize> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "chunkwright", &mut script);
    style::print(&String::from_utf8(script)?)?;
    Ok(0)
}

pub(crate) fn man(args: &Man) -> Result<usize> {
    // `help` repeats what the pages say.
    let cli = Cli::command().disable_help_subcommand(true);
    let mut cli = cli.subcommand_help_heading("COMMANDS").subcommand_value_name("COMMAND");
    cli.build();
    let command = match &args.command {
        None => cli,
        Some(name) => match cli.find_subcommand(name) {
            Some(command) => command.clone(),
            None => bail!("unknown command `{name}`; `chunkwright help` lists all commands"),
        },
    };
    style::print(&page(command)?)?;
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
        rest.control("SH", ["OPTIONS OF STRATEGIES"]);
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
