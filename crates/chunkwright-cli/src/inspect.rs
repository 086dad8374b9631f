//! `chunkwright inspect`: a file comes in, what the reader sees of it goes out.

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::{Result, bail};
use chunkwright::{Chunker, Document, Piece, Source};
use chunkwright_io::{read, shown};
use clap::ValueEnum;

use crate::options::{Colors, Cutting, Reading, Set, settings};
use crate::style::{self, DIM, PLACE, WARN, fit, harmless, number, paint};
use crate::{chunkers, files};

/// Show how a file is read
///
/// Examples:
///
///   chunkwright inspect README.md                  the outline, with tokens
///   chunkwright inspect README.md --what plan      what each chunk is made of
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// A file, or - for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// What to show
    #[arg(long, value_enum, default_value_t = What::Sections)]
    what: What,
    #[command(flatten)]
    colors: Colors,
    #[command(flatten)]
    set: Set,
    #[command(flatten)]
    cutting: Cutting,
    #[command(flatten)]
    reading: Reading,
}

#[derive(Clone, Copy, ValueEnum)]
enum What {
    /// The blocks that tile the file
    Blocks,
    /// The outline, with the tokens of each section and of all below it
    Sections,
    /// The pieces of each chunk, with their bytes
    Plan,
    /// Every heading as a node, with its id and the bytes of its own text
    Tree,
}

/// Shows how a file is read; tells how many could not be.
pub(crate) fn run(args: &Args) -> Result<usize> {
    args.colors.apply();
    let settings = settings(&args.set, &[&args.cutting, &args.reading.files])?;
    let paths = std::slice::from_ref(&args.file);
    let (chunkers, found) = chunkers::prepare(&settings, &args.reading, paths, true)?;
    if let Some(error) = found.errors.first() {
        bail!("{}", files::message(error));
    }
    let mut entries = found.entries.iter();
    let (Some(entry), None) = (entries.next(), entries.next()) else {
        bail!("{}: inspect takes one file, not a directory", shown(&args.file));
    };
    let text = read(&entry, settings.running().max_file_size)?;
    let chunker = chunkers.of(&entry.path);
    let source = entry.with_text(&text);
    let shown = match args.what {
        What::Blocks => blocks(chunker, &chunker.read(&source)),
        What::Sections => sections(chunker, &chunker.read(&source)),
        What::Plan => plan(chunker, &source),
        What::Tree => tree(chunker, &source),
    };
    style::print(&shown)?;
    Ok(0)
}

fn blocks(chunker: &Chunker, document: &Document<'_>) -> String {
    let tokens = chunker.measure(document).blocks;
    let mut out = paint(DIM, "block  kind            tokens     bytes        first line\n");
    for (nth, block) in document.blocks.iter().enumerate() {
        let span = format!("{}..{}", block.span.start, block.span.end);
        let first = block.span.of(document.source).trim().lines().next().unwrap_or_default();
        let first = harmless(first);
        let first = fit(&first, style::width().saturating_sub(46));
        let kind = format!("{:<14}", block.kind.name());
        let _ = writeln!(
            out,
            "{nth:>5}  {}  {:>6}  {span:>15}   {}",
            paint(PLACE, kind),
            number(tokens[nth]),
            paint(DIM, first),
        );
    }
    tell_notes(&mut out, document);
    out
}

fn sections(chunker: &Chunker, document: &Document<'_>) -> String {
    let measures = chunker.measure(document);
    let mut out = paint(DIM, " tokens   with all below   section\n");
    for (nth, section) in document.sections.iter().enumerate() {
        let own = measures.sections[nth];
        if own == 0 && section.heading.is_none() {
            continue;
        }
        let name = match document.heading(nth) {
            Some(heading) => format!(
                "{}{} {}",
                "  ".repeat(usize::from(section.level) - 1),
                paint(PLACE, harmless(&heading.title)),
                paint(DIM, format!("#{}", harmless(&heading.slug))),
            ),
            None => paint(DIM, "(before the first heading)"),
        };
        let _ =
            writeln!(out, "{:>7}  {:>15}   {name}", number(own), number(measures.subtrees[nth]));
    }
    tell_notes(&mut out, document);
    out
}

fn plan(chunker: &Chunker, source: &Source<'_>) -> String {
    let mut out = String::new();
    for chunk in chunker.chunk(source).chunks {
        let id = harmless(&chunk.id);
        let _ = writeln!(
            out,
            "{}  {}",
            paint(PLACE, id),
            paint(DIM, style::count(chunk.tokens, "token"))
        );
        for piece in &chunk.pieces {
            let (kind, what) = match piece {
                Piece::Own(span) => ("own", format!("{}..{}", span.start, span.end)),
                Piece::Echo(span) => ("echo", format!("{}..{}", span.start, span.end)),
                Piece::Hidden(span) => ("hidden", format!("{}..{}", span.start, span.end)),
                Piece::Glue(text) => ("glue", format!("{text:?}")),
            };
            let _ = writeln!(out, "  {kind:<6}  {what}");
        }
        for note in &chunk.notes {
            let _ = writeln!(out, "  {}", paint(WARN, format!("! {}", note.message)));
        }
    }
    out
}

fn tree(chunker: &Chunker, source: &Source<'_>) -> String {
    let mut out = String::new();
    for (position, node) in chunker.tree(source).nodes.iter().enumerate() {
        let body = match node.body {
            Some(body) => format!("{}..{}", body.start, body.end),
            None => "no text of its own".to_owned(),
        };
        let indent = "  ".repeat(usize::from(node.depth));
        let title = paint(PLACE, harmless(&node.title));
        let id = harmless(&node.id);
        let _ = writeln!(
            out,
            "{position:>4}  {indent}{title}  {}",
            paint(DIM, format!("{id}  {body}"))
        );
    }
    out
}

fn tell_notes(out: &mut String, document: &Document<'_>) {
    for note in &document.notes {
        let _ = writeln!(out, "{}", paint(WARN, format!("! {}", note.message)));
    }
}
