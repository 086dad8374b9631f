//! `chunkwright inspect`: shows how a file is parsed and split.

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::{Result, bail};
use chunkwright::{Block, Chunk, Chunker, Document, Measures, Note, Outline, Piece, Source, Span};
use chunkwright_io::{read, shown};
use chunkwright_records::{Record, With};
use clap::ValueEnum;
use serde_json::{Value, json};

use crate::options::{ChunkingFlags, Colors, Reading, Set, settings};
use crate::sink;
use crate::style::{
    self, DIM, PLACE, WARN, columns, fit, fit_middle, harmless, number, paint, table_width, wrap,
};
use crate::{chunkers, files, table};

/// Columns of the longest block kind.
const KIND: usize = 12;

/// Show how a file is parsed and split
///
/// Examples:
///
///   chunkwright inspect README.md                # the outline, with token counts
///   chunkwright inspect README.md --what blocks  # paragraphs, lists, tables, code
///   chunkwright inspect README.md --what plan    # the pieces of each chunk
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// File to inspect, or - for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// View to print [default: sections]
    #[arg(long, value_enum, default_value_t = InspectView::Sections, hide_default_value = true)]
    what: InspectView,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    colors: Colors,
    #[command(flatten)]
    set: Set,
    #[command(flatten)]
    chunking: ChunkingFlags,
    #[command(flatten)]
    reading: Reading,
}

#[derive(Clone, Copy, ValueEnum)]
enum InspectView {
    /// Blocks, with their tokens, byte ranges and first lines
    Blocks,
    /// Outline, with the tokens of each section and of its subtree
    Sections,
    /// Pieces of each chunk, with their byte ranges
    Plan,
    /// Headings, with their ids and the byte ranges of their text
    #[value(alias = "tree")]
    Nodes,
}

/// Prints a view of a file. Returns 0: an unreadable file is an error here.
pub(crate) fn run(args: &Args) -> Result<usize> {
    args.colors.apply();
    let settings = settings(&args.set, &[&args.chunking, &args.reading.files])?;
    let paths = std::slice::from_ref(&args.file);
    let (chunkers, found) = chunkers::prepare(&settings, &args.reading, paths, true)?;
    if let Some(error) = found.errors.first() {
        bail!("{}", files::message(error));
    }
    let mut entries = found.entries.iter();
    let (Some(entry), None) = (entries.next(), entries.next()) else {
        bail!("cannot inspect {}: expected a file, not a directory", shown(&args.file));
    };
    let text = read(&entry, settings.processing().max_file_size)?;
    let chunker = chunkers.of(&entry.path);
    let source = entry.with_text(&text);
    let view = Inspection::of(args.what, chunker, &source);
    sink::print(&match args.json {
        true => format!("{}\n", view.json(&entry.path, chunker)),
        false => view.text(),
    })?;
    Ok(0)
}

/// A document with the rows to print.
struct Inspection<'s> {
    document: Document<'s>,
    rows: Rows<'s>,
}

enum Rows<'s> {
    Blocks(Measures),
    Sections(Measures),
    Chunks(Vec<Chunk<'s>>),
    Nodes(Outline<'s>),
}

impl<'s> Inspection<'s> {
    fn of(what: InspectView, chunker: &Chunker, source: &Source<'s>) -> Self {
        let document = chunker.read(source);
        let rows = match what {
            InspectView::Blocks => Rows::Blocks(chunker.measure(&document)),
            InspectView::Sections => Rows::Sections(chunker.measure(&document)),
            InspectView::Plan => Rows::Chunks(chunker.chunk_document(&document).chunks),
            InspectView::Nodes => Rows::Nodes(chunker.outline(&document)),
        };
        Self { document, rows }
    }

    fn text(&self) -> String {
        let mut out = match &self.rows {
            Rows::Blocks(measures) => self.blocks(measures),
            Rows::Sections(measures) => self.sections(measures),
            // Chunks include the notes of the document.
            Rows::Chunks(chunks) => return chunks.iter().map(chunk).collect(),
            Rows::Nodes(tree) => nodes(tree),
        };
        out.extend(self.document.notes().iter().map(|one| note("", one)));
        out
    }

    fn blocks(&self, measures: &Measures) -> String {
        let blocks: Vec<(usize, &Block)> = self.document.blocks().iter().enumerate().collect();
        table::of(
            ["block", "tokens", "bytes"],
            &format!("{:<KIND$}  first line", "kind"),
            &blocks,
            |(nth, block)| [nth.to_string(), number(measures.blocks[*nth]), bytes(block.span)],
            |(_, block), room| {
                let kind = format!("{:<KIND$}", block.kind.name());
                let first = harmless(self.first_line(block));
                let first = fit(&first, room.saturating_sub(KIND + 2));
                format!("{}  {}", paint(PLACE, kind), paint(DIM, first))
            },
        )
    }

    fn sections(&self, measures: &Measures) -> String {
        let own = |nth: &usize| number(measures.sections[*nth]);
        let subtree = |nth: &usize| number(measures.subtrees[*nth]);
        table::of(
            ["tokens", "subtree"],
            "section",
            &self.shown_sections(measures),
            |nth| [own(nth), subtree(nth)],
            |nth, room| match self.document.heading(*nth) {
                Some(heading) => {
                    let indent = usize::from(heading.level) - 1;
                    named(indent, &heading.title, &format!("#{}", heading.slug), room)
                }
                None => paint(DIM, "(before the first heading)"),
            },
        )
    }

    /// Returns all sections, except an empty one before the first heading.
    fn shown_sections(&self, measures: &Measures) -> Vec<usize> {
        let is_shown =
            |nth: &usize| measures.sections[*nth] > 0 || self.document.heading(*nth).is_some();
        (0..self.document.sections().len()).filter(is_shown).collect()
    }

    fn first_line(&self, block: &Block) -> &'s str {
        block.span.of(self.document.source()).trim().lines().next().unwrap_or_default()
    }

    fn json(&self, path: &str, chunker: &Chunker) -> Value {
        let (name, rows): (&str, Vec<Value>) = match &self.rows {
            Rows::Blocks(measures) => ("blocks", self.blocks_json(measures)),
            Rows::Sections(measures) => ("sections", self.sections_json(measures)),
            Rows::Chunks(chunks) => {
                let with = With { pieces: true, ..With::default() };
                ("chunks", chunks.iter().map(|chunk| json!(Record::new(chunk, with))).collect())
            }
            Rows::Nodes(tree) => ("nodes", nodes_json(tree)),
        };
        let tokenizer = chunker.counter_name();
        json!({"path": path, "tokenizer": tokenizer, name: rows, "notes": self.document.notes()})
    }

    fn blocks_json(&self, measures: &Measures) -> Vec<Value> {
        let blocks = self.document.blocks().iter().zip(&measures.blocks);
        let json = |(block, tokens): (&Block, &usize)| {
            json!({
                "kind": block.kind.name(), "tokens": tokens,
                "byte_start": block.span.start, "byte_end": block.span.end,
                "first_line": self.first_line(block),
            })
        };
        blocks.map(json).collect()
    }

    fn sections_json(&self, measures: &Measures) -> Vec<Value> {
        let json = |nth: usize| {
            let section = &self.document.sections()[nth];
            let blocks = &self.document.blocks()[section.blocks.clone()];
            let heading = self.document.heading(nth);
            json!({
                "level": section.level,
                "title": heading.map(|heading| &*heading.title),
                "slug": heading.map(|heading| &*heading.slug),
                "tokens": measures.sections[nth], "subtree_tokens": measures.subtrees[nth],
                "byte_start": blocks.first().map(|block| block.span.start),
                "byte_end": blocks.last().map(|block| block.span.end),
            })
        };
        self.shown_sections(measures).into_iter().map(json).collect()
    }
}

/// Renders a chunk as a list of its pieces.
fn chunk(chunk: &Chunk<'_>) -> String {
    let tokens = style::count(chunk.tokens, "token");
    let id = harmless(&chunk.id);
    let id = fit_middle(&id, table_width().saturating_sub(columns(&tokens) + 2));
    let mut out = format!("{}  {}\n", paint(PLACE, id), paint(DIM, tokens));
    for piece in &chunk.pieces {
        let (kind, what) = match piece {
            Piece::Own(span) => ("own", bytes(*span)),
            Piece::Echo(span) => ("echo", bytes(*span)),
            Piece::Hidden(span) => ("hidden", bytes(*span)),
            Piece::Glue(text) => ("glue", format!("{text:?}")),
            other => ("other", format!("{other:?}")),
        };
        let line = format!("  {kind:<6}  {what}");
        let _ = writeln!(out, "{}", fit(&line, table_width()));
    }
    out.extend(chunk.notes.iter().map(|one| note("  ", one)));
    out
}

fn nodes<'t>(tree: &'t Outline<'_>) -> String {
    let nodes: Vec<_> = tree.nodes.iter().enumerate().collect();
    // All ids start with the id of the document, which is the first node.
    let id = |position: usize, id: &'t str| match position {
        0 => id,
        _ => id.strip_prefix(&*tree.nodes[0].id).unwrap_or(id),
    };
    table::of(
        ["node", "bytes"],
        "title and id",
        &nodes,
        |(position, node)| [position.to_string(), node.body.map_or("–".to_owned(), bytes)],
        |(position, node), room| {
            named(usize::from(node.depth), &node.title, id(*position, &node.id), room)
        },
    )
}

fn nodes_json(tree: &Outline<'_>) -> Vec<Value> {
    let json = |(position, node): (usize, &chunkwright::Node)| {
        json!({
            "id": node.id, "parent_id": node.parent.map(|parent| &tree.nodes[parent].id),
            "position": position, "depth": node.depth, "title": node.title,
            "byte_start": node.body.map(|body| body.start),
            "byte_end": node.body.map(|body| body.end),
        })
    };
    tree.nodes.iter().enumerate().map(json).collect()
}

/// Renders a title and an id in one line. The title gets the columns that the id leaves, but at
/// least half of all columns.
fn named(indent: usize, title: &str, id: &str, room: usize) -> String {
    let (title, id) = (harmless(title), harmless(id));
    let title = format!("{}{title}", "  ".repeat(indent));
    let title = fit(&title, (room / 2).max(room.saturating_sub(columns(&id) + 1)));
    let id = fit_middle(&id, room.saturating_sub(columns(&title) + 1));
    format!("{} {}", paint(PLACE, &title), paint(DIM, id))
}

fn bytes(span: Span) -> String {
    format!("{}..{}", span.start, span.end)
}

fn note(indent: &str, note: &Note) -> String {
    let message = harmless(&note.message);
    let rows = wrap(&message, table_width() - indent.len() - 2);
    let mark = |nth| if nth == 0 { "! " } else { "  " };
    let line = |(nth, row)| format!("{indent}{}\n", paint(WARN, format!("{}{row}", mark(nth))));
    rows.into_iter().enumerate().map(line).collect()
}
