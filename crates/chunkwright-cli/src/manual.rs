//! `chunkwright completions` and `chunkwright man`: what shells and `man` know of the command.

use anyhow::{Result, bail};
use clap::CommandFactory;
use clap_complete::Shell;

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
///   chunkwright man chunk > chunkwright-chunk.1    keep one
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Man {
    /// A command; all in short, if there is none
    #[arg(value_name = "COMMAND")]
    command: Option<String>,
}

pub(crate) fn completions(args: &Completions) -> Result<usize> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "chunkwright", &mut script);
    style::print(&String::from_utf8(script)?)?;
    Ok(0)
}

pub(crate) fn man(args: &Man) -> Result<usize> {
    let mut cli = Cli::command();
    cli.build();
    let command = match &args.command {
        None => cli,
        Some(name) => match cli.find_subcommand(name) {
            Some(command) => command.clone(),
            None => bail!("{name}: there is no such command; `chunkwright help` lists them"),
        },
    };
    let mut page = Vec::new();
    let version = concat!("chunkwright ", env!("CARGO_PKG_VERSION"));
    clap_mangen::Man::new(command).source(version).render(&mut page)?;
    style::print(&String::from_utf8(page)?)?;
    Ok(0)
}
