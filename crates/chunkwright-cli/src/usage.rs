//! Parses the command line, and reports errors in it in the style of all other errors.

use std::error::Error as _;
use std::num::{IntErrorKind, ParseIntError};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Error, Parser};

use crate::style;

/// Parses the arguments of the program.
///
/// # Errors
/// Fails if the arguments are wrong.
pub(crate) fn parse<Cli: Parser>() -> Result<Cli, String> {
    let matches = command::<Cli>().try_get_matches();
    matches.and_then(|matches| Cli::from_arg_matches(&matches)).map_err(|error| {
        if is_help(&error) {
            error.exit();
        }
        format!("{}\nSee `{} --help`.", message(&error), command_given::<Cli>())
    })
}

/// Returns the command line parser. Every option accepts negative numbers: an error about the value
/// is more helpful than one about an unknown option `-5`.
fn command<Cli: Parser>() -> clap::Command {
    let negative = |argument: Arg| match argument.get_action().takes_values() {
        true if !argument.is_positional() => argument.allow_negative_numbers(true),
        _ => argument,
    };
    Cli::command().mut_subcommands(|command| command.mut_args(negative))
}

fn is_help(error: &Error) -> bool {
    let is_missing = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    is_missing || !error.use_stderr()
}

/// Returns `chunkwright`, with the name of the command if one was given.
fn command_given<Cli: Parser>() -> String {
    let command = Cli::command();
    let mut arguments = std::env::args_os().skip(1);
    match arguments.find_map(|argument| command.find_subcommand(argument)) {
        Some(given) => format!("chunkwright {}", given.get_name()),
        None => "chunkwright".to_owned(),
    }
}

fn message(error: &Error) -> String {
    let flag = flag(text(error, ContextKind::InvalidArg));
    let value = style::harmless(text(error, ContextKind::InvalidValue));
    match error.kind() {
        ErrorKind::UnknownArgument if flag.starts_with('-') => {
            format!("unknown option `{flag}`{}", remedy(error, &flag))
        }
        ErrorKind::UnknownArgument => format!("unexpected argument `{flag}`"),
        ErrorKind::InvalidSubcommand => {
            let name = style::harmless(text(error, ContextKind::InvalidSubcommand));
            let near = texts(error, ContextKind::SuggestedSubcommand);
            format!("unknown command `{name}`{}", meant(near.first()))
        }
        ErrorKind::MissingRequiredArgument => {
            let missing = texts(error, ContextKind::InvalidArg);
            let missing: Vec<_> = missing.iter().map(|name| format!("`{}`", plain(name))).collect();
            format!("missing argument {}", missing.join(" and "))
        }
        ErrorKind::InvalidValue if value.is_empty() && !flag.starts_with('-') => {
            format!("`{flag}` cannot be empty")
        }
        ErrorKind::InvalidValue if value.is_empty() => {
            let usage = plain(text(error, ContextKind::InvalidArg));
            format!("missing value for `{flag}`: expected `{usage}`")
        }
        ErrorKind::InvalidValue => {
            let names = texts(error, ContextKind::ValidValue);
            let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
            let near = text(error, ContextKind::SuggestedValue);
            let near = meant(Some(near).filter(|near| !near.is_empty()));
            let wrong = match flag.starts_with('-') {
                true => format!("unknown value `{value}` for `{flag}`"),
                false => format!("unknown {} `{value}`", flag.to_lowercase()),
            };
            format!("{wrong}: expected one of {}{near}", names.join(", "))
        }
        ErrorKind::TooManyValues => {
            format!("unexpected value `{value}` for `{flag}`, which takes no value")
        }
        ErrorKind::ValueValidation => {
            let value = if value.is_empty() { "''".to_owned() } else { format!("`{value}`") };
            format!("invalid value {value} for `{flag}`{}", reason(error))
        }
        ErrorKind::ArgumentConflict => conflict(error, &flag),
        ErrorKind::InvalidUtf8 => "invalid UTF-8 in an argument".to_owned(),
        _ => {
            let rendered = error.to_string();
            let first = rendered.lines().next().unwrap_or_default();
            first.strip_prefix("error: ").unwrap_or(first).to_owned()
        }
    }
}

/// Returns why a value is invalid, after a colon.
fn reason(error: &Error) -> String {
    let Some(source) = error.source() else { return String::new() };
    match source.downcast_ref::<ParseIntError>().map(ParseIntError::kind) {
        Some(IntErrorKind::PosOverflow) => ": too large".to_owned(),
        Some(_) => ": expected a non-negative integer".to_owned(),
        None => format!(": {source}"),
    }
}

fn conflict(error: &Error, given: &str) -> String {
    let prior = match error.get(ContextKind::PriorArg) {
        Some(ContextValue::Strings(all)) => all.first().map_or("", String::as_str),
        _ => text(error, ContextKind::PriorArg),
    };
    match flag(prior) {
        prior if prior == given => format!("`{given}` cannot be used more than once"),
        prior => format!("`{given}` cannot be used with `{prior}`"),
    }
}

/// Returns a suggestion for an unknown option.
fn remedy(error: &Error, flag: &str) -> String {
    let near = text(error, ContextKind::SuggestedArg);
    if !near.is_empty() {
        return meant(Some(near));
    }
    let tips = match error.get(ContextKind::Suggested) {
        Some(ContextValue::StyledStrs(tips)) => tips.iter().map(ToString::to_string).collect(),
        _ => Vec::new(),
    };
    // The option exists in another command; clap's tip is: 'chunk --max' exists.
    let elsewhere = tips.iter().find_map(|tip| tip.strip_prefix('\'')?.strip_suffix("' exists"));
    match (elsewhere, tips.is_empty()) {
        (Some(usage), _) => meant(Some(format!("chunkwright {usage}"))),
        (None, false) => format!("; to pass it as an argument, use `-- {flag}`"),
        (None, true) => String::new(),
    }
}

fn meant(name: Option<impl AsRef<str>>) -> String {
    name.map_or_else(String::new, |name| format!("; did you mean `{}`?", name.as_ref()))
}

fn text(error: &Error, kind: ContextKind) -> &str {
    match error.get(kind) {
        Some(ContextValue::String(text)) => text,
        _ => "",
    }
}

fn texts(error: &Error, kind: ContextKind) -> &[String] {
    match error.get(kind) {
        Some(ContextValue::Strings(texts)) => texts,
        _ => &[],
    }
}

/// Returns an argument without its value: `--max` for `--max <N>`.
fn flag(argument: &str) -> String {
    let flag = argument.split_once(" <").map_or(argument, |(flag, _)| flag);
    style::harmless(&plain(flag)).into_owned()
}

/// Returns an argument without brackets and dots: `PATH` for `<PATH>...`.
fn plain(argument: &str) -> String {
    argument.trim_end_matches("...").replace(['<', '>', '[', ']'], "")
}
