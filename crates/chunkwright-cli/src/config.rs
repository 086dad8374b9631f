//! `chunkwright config`: shows the options in effect and their origins.

use std::fmt::Write as _;

use anyhow::Result;
use chunkwright_config::{EffectiveOption, FILE_NAME, Origin};
use serde_json::{Value, json};

use crate::options::{ChunkingFlags, Colors, FieldsFlag, FileFlags, Flags, Set, Threads, settings};
use crate::sink;
use crate::style::{DIM, GOOD, PLACE, WARN, columns, count, harmless, paint};

/// Show all options with their values and origins
///
/// Examples:
///
///   chunkwright config                              # options in this directory
///   chunkwright config blog/news.md                 # options for a file
///   chunkwright config --strategy window --max 400  # options with these flags
///   chunkwright config --schema                     # JSON Schema for editors
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// Path of a file in its tree; applies the overrides for it
    #[arg(value_name = "PATH")]
    file: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Print the JSON Schema of chunkwright.toml, for editors
    #[arg(long, conflicts_with_all = ["file", "json"])]
    schema: bool,
    #[command(flatten)]
    colors: Colors,
    #[command(flatten)]
    set: Set,
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    fields: FieldsFlag,
    #[command(flatten)]
    chunking: ChunkingFlags,
    #[command(flatten)]
    files: FileFlags,
}

pub(crate) fn run(args: &Args) -> Result<usize> {
    args.colors.apply();
    if args.schema {
        sink::print(&format!("{:#}\n", chunkwright_config::schema()))?;
        return Ok(0);
    }
    let groups: [&dyn Flags; 4] = [&args.chunking, &args.files, &args.threads, &args.fields];
    let settings = settings(&args.set, &groups)?;
    settings.chunking()?;
    let listed = settings.list(args.file.as_deref())?;
    let overrides = if args.file.is_some() { 0 } else { settings.overrides() };
    let shown = match args.json {
        true => format!("{}\n", as_json(&listed)),
        false => {
            as_toml(&listed, settings.file_name(), overrides)
                + &unused(&settings.unused(args.file.as_deref()))
        }
    };
    sink::print(&shown)?;
    Ok(0)
}

fn as_json(listed: &[EffectiveOption]) -> Value {
    let one = |one: &EffectiveOption| {
        let origin = one.origin.as_ref().map_or_else(|| "default".to_owned(), ToString::to_string);
        (one.key.clone(), json!({ "value": one.value, "from": origin }))
    };
    Value::Object(listed.iter().map(one).collect())
}

/// Returns the options in TOML, each with its origin in a comment.
fn as_toml(listed: &[EffectiveOption], file: Option<&str>, overrides: usize) -> String {
    let mut out = paint(
        DIM,
        match file {
            Some(file) => format!("# {file}, flags and defaults\n"),
            None => format!("# flags and defaults; no {FILE_NAME} in this directory or above\n"),
        },
    );
    if overrides > 0 {
        let others = format!("# {} not applied; pass a PATH", count(overrides, "override"));
        let _ = writeln!(out, "{}", paint(DIM, others));
    }
    let table =
        |one: &EffectiveOption| one.key.rsplit_once('.').map_or("", |(table, _)| table).to_owned();
    let mut tables: Vec<String> = vec![String::new()];
    for one in listed {
        if !tables.contains(&table(one)) {
            tables.push(table(one));
        }
    }
    for wanted in &tables {
        if !wanted.is_empty() {
            let _ = writeln!(out, "\n{}", paint(PLACE, format!("[{wanted}]")));
        }
        out.extend(listed.iter().filter(|one| table(one) == *wanted).map(line));
    }
    out
}

/// Returns a comment for each option that was set, but that the strategy does not have.
fn unused(options: &[(String, Origin)]) -> String {
    let line = |(name, origin): &(String, Origin)| {
        let told = format!("# `{name}` is not used by this strategy: {origin}");
        format!("{}\n", paint(WARN, harmless(&told.replace('\n', " "))))
    };
    let lines: String = options.iter().map(line).collect();
    if lines.is_empty() { lines } else { format!("\n{lines}") }
}

/// Returns the line of an option. Defaults are comments, because they can depend on other options.
fn line(one: &EffectiveOption) -> String {
    let name = one.key.rsplit('.').next().unwrap_or(&one.key);
    let value = written(&one.value);
    let (text, from) = match &one.origin {
        Some(origin) => (format!("{name} = {value}"), origin.to_string()),
        None if one.value.is_null() => (format!("# {name} ="), "not set".to_owned()),
        None => (format!("# {name} = {value}"), "default".to_owned()),
    };
    let gap = " ".repeat(36_usize.saturating_sub(columns(&text)).max(2));
    let from = format!("# {}", harmless(&from.replace('\n', " ")));
    match one.origin {
        Some(_) => format!("{text}{gap}{}\n", paint(GOOD, from)),
        None => format!("{}\n", paint(DIM, format!("{text}{gap}{from}"))),
    }
}

/// Returns a value in TOML. Floats are `f32`, so they are shown with no more digits than that.
fn written(value: &Value) -> String {
    match value.as_f64() {
        Some(number) if value.is_f64() => format!("{:?}", number as f32),
        _ => value.to_string(),
    }
}
