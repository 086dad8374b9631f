//! Checks the laws that hold for the chunks of every document.
//!
//! The checks build text and `embed_text` from the pieces, and count lines and tokens, without the
//! library. `docs/explanation/guarantees.md` lists what they take from it.

mod cuts;
mod elisions;
mod embedded;
mod subtrees;

use std::collections::HashSet;
use std::fmt;

use chunkwright::{
    Block, BlockKind, Chunk, Chunker, Document, NoteKind, Piece, Source, Span, Strategy, Tail,
    TextKind, TokenCounter, Window,
};
use elisions::ExpectedElision;
use embedded::Embedded;
use unicode_segmentation::UnicodeSegmentation;

/// A violation of a law.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The chunk's id, or the document's path.
    pub place: String,
    /// The problem.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.120}: {:.400}", self.place, self.message)
    }
}

/// A document and its chunks, with the violations found so far.
pub(crate) struct Case<'c> {
    pub(crate) chunker: &'c Chunker,
    pub(crate) counter: &'c dyn TokenCounter,
    pub(crate) document: Document<'c>,
    pub(crate) chunks: Vec<Chunk<'c>>,
    /// What `embed_text` leaves out.
    elisions: Vec<ExpectedElision>,
    faults: Vec<Fault>,
}

/// Splits a source and checks every law. `counter` must be the chunker's own.
pub fn check(chunker: &Chunker, counter: &dyn TokenCounter, source: &Source<'_>) -> Vec<Fault> {
    let chunked = chunker.chunk_source(source);
    let again = chunker.chunk_source(source);
    let document = chunker.read(source);
    let elisions = elisions::of(&document);
    let chunks = chunked.chunks;
    let mut case = Case { chunker, counter, document, chunks, elisions, faults: Vec::new() };
    if format!("{:?}", case.chunks) != format!("{:?}", again.chunks) {
        case.fault(source.path, "two runs give different chunks");
    }
    case.blocks_tile_the_source(source);
    case.nothing_is_lost_or_twice(source);
    case.text_comes_from_the_pieces();
    case.embed_text_and_tokens_are_true();
    case.chunks_are_within_the_cap();
    case.no_echo_of_own_bytes();
    case.no_chunk_is_headings_only();
    case.ids_are_distinct();
    case.cuts_leave_whole_parts();
    case.subtrees_that_fit_are_whole(source);
    case.faults
}

impl Case<'_> {
    pub(crate) fn fault(&mut self, place: &str, message: impl Into<String>) {
        self.faults.push(Fault { place: place.to_owned(), message: message.into() });
    }

    /// Records a fault for each chunk for which `fault_of` finds one.
    pub(crate) fn each(&mut self, fault_of: impl Fn(&Self, &Chunk<'_>) -> Option<String>) {
        let faults: Vec<Fault> = self
            .chunks
            .iter()
            .filter_map(|chunk| {
                fault_of(self, chunk).map(|message| Fault { place: chunk.id.clone(), message })
            })
            .collect();
        self.faults.extend(faults);
    }

    fn blocks_tile_the_source(&mut self, source: &Source<'_>) {
        let mut at = 0;
        for block in self.document.blocks() {
            if block.span.start != at || block.span.is_empty() {
                let message = format!("a block starts at {} instead of {at}", block.span.start);
                return self.fault(source.path, message);
            }
            at = block.span.end;
        }
        if at != source.text.len() && !source.text.trim_start_matches('\u{feff}').trim().is_empty()
        {
            self.fault(source.path, format!("blocks end at {at} of {}", source.text.len()));
        }
    }

    fn nothing_is_lost_or_twice(&mut self, source: &Source<'_>) {
        if self.chunks.is_empty() {
            let nodes = self.chunker.max_tokens().is_none();
            let shown = self.document.blocks().iter().any(|block| match block.kind {
                BlockKind::ByteOrderMark | BlockKind::FrontMatter => false,
                // In the strategy `tree`, headings are titles of chunks, not content.
                BlockKind::Heading(_) => !nodes,
                _ => true,
            });
            if shown && !source.text.trim().is_empty() {
                self.fault(source.path, "the document has content but no chunks");
            }
            return;
        }
        let mut at = 0;
        for piece in self.chunks.iter().flat_map(|chunk| &chunk.pieces) {
            if let Piece::Own(span) | Piece::Hidden(span) = piece {
                let bounds = source.text.is_char_boundary(span.start)
                    && source.text.is_char_boundary(span.end);
                if span.start != at || span.is_empty() || !bounds {
                    let message = format!("a piece {span:?} does not start at {at}");
                    return self.fault(source.path, message);
                }
                at = span.end;
            }
        }
        if at != source.text.len() && !self.has_dropped_tail() {
            self.fault(source.path, format!("chunks end at {at} of {}", source.text.len()));
        }
    }

    /// Returns whether the options drop the end of the document, and the last chunk has a note.
    fn has_dropped_tail(&self) -> bool {
        let dropped =
            |chunk: &Chunk<'_>| chunk.notes.iter().any(|note| note.kind == NoteKind::DroppedTail);
        let drops = |window: &Window| window.tail == Some(Tail::Drop);
        matches!(&self.chunker.config().strategy, Strategy::Window(window) if drops(window))
            && self.chunks.last().is_some_and(dropped)
    }

    fn text_comes_from_the_pieces(&mut self) {
        self.each(|case, chunk| {
            let shown: String = chunk.pieces.iter().map(|piece| case.shown(piece)).collect();
            let lines = shown.split_inclusive(['\n', '\r']);
            let blank =
                lines.take_while(|line| line.trim().is_empty()).map(str::len).sum::<usize>();
            let text = shown[blank..].trim_end();
            if text != chunk.text {
                return Some(format!("the text differs from its pieces: {:?}", chunk.text));
            }
            chunk.text.is_empty().then(|| "the text is empty".to_owned())
        });
        let lines = line_numbers(self.document.source());
        self.each(|case, chunk| {
            let own = chunk.span.of(case.document.source());
            if own.trim().is_empty() {
                return None;
            }
            let first = lines[chunk.span.end - own.trim_start().len()];
            let last = lines[chunk.span.start + own.trim_end().len() - 1];
            let lines = &chunk.lines;
            (*lines != (first..=last))
                .then(|| format!("the chunk is on lines {first}-{last}, not {lines:?}"))
        });
    }

    fn shown(&self, piece: &Piece) -> String {
        match piece {
            Piece::Own(span) | Piece::Echo(span) => span.of(self.document.source()).to_owned(),
            Piece::Glue(glue) => glue.to_string(),
            _ => String::new(),
        }
    }

    fn embed_text_and_tokens_are_true(&mut self) {
        self.each(|case, chunk| {
            let embedded = Embedded::of(case, chunk);
            let (text, given) = (embedded.text(), chunk.embed_text());
            if text != given {
                return Some(format!("embed_text is {given:?}, not {text:?}"));
            }
            let tokens = embedded.tokens(case);
            (tokens != chunk.tokens)
                .then(|| format!("the chunk has {tokens} tokens, not {}", chunk.tokens))
        });
    }

    fn chunks_are_within_the_cap(&mut self) {
        self.each(|case, chunk| {
            let max = case.chunker.max_tokens()?;
            let noted = chunk.notes.iter().any(|note| note.kind == NoteKind::Oversize);
            if chunk.tokens > max && !noted {
                return Some(format!(
                    "{} tokens exceed the maximum of {max}, and there is no note",
                    chunk.tokens
                ));
            }
            let own = chunk.span.of(case.document.source()).trim();
            let may_be_cut = chunk.blocks.clone().all(|block| case.may_cut(block));
            let cuttable = may_be_cut && own.graphemes(true).count() > 1;
            (noted && cuttable).then(|| format!("oversize although it can be split: {own:?}"))
        });
    }

    fn no_echo_of_own_bytes(&mut self) {
        self.each(|_, chunk| {
            let echoes = chunk.pieces.iter().filter_map(|piece| match piece {
                Piece::Echo(span) => Some(*span),
                _ => None,
            });
            let mut own = chunk.pieces.iter().filter_map(|piece| match piece {
                Piece::Own(span) | Piece::Hidden(span) => Some(*span),
                _ => None,
            });
            let echoes: Vec<Span> = echoes.collect();
            let meets = |own: Span| echoes.iter().any(|e| e.start < own.end && own.start < e.end);
            own.any(meets).then(|| "the chunk repeats its own bytes".to_owned())
        });
    }

    /// A document without content may be one chunk of headings.
    fn no_chunk_is_headings_only(&mut self) {
        let is_heading = |block: &Block| block.kind.is_heading();
        let is_content = |block: &Block| {
            !is_heading(block)
                && !matches!(block.kind, BlockKind::ByteOrderMark | BlockKind::FrontMatter)
        };
        if !self.document.blocks().iter().any(is_content) {
            return;
        }
        self.each(|case, chunk| {
            let is_bare = case.document.blocks()[chunk.blocks.clone()].iter().all(is_heading);
            (is_bare && case.has_room(chunk)).then(|| "the chunk contains only headings".to_owned())
        });
    }

    /// Returns whether the options allow splitting a block that exceeds the maximum.
    fn may_cut(&self, block: usize) -> bool {
        self.chunker.config().split_oversized.allows(self.document.blocks()[block].kind)
    }

    /// Returns whether a chunk of headings had room for content: for one word, or for the whole block
    /// if it must not be split. Headings that take more than half of the maximum leave no room, like
    /// any text that chunks repeat. Headings without content have room in the chunk before, or none.
    fn has_room(&self, chunk: &Chunk<'_>) -> bool {
        let Some(max) = self.chunker.max_tokens() else { return true };
        if self.run_of_headings(chunk.blocks.start).max(chunk.tokens) * 2 > max {
            return false;
        }
        let headings = self.document.sections().iter().filter_map(|section| section.heading);
        let mut opening = headings.map(|heading| self.document.headings()[heading].block);
        if !opening.any(|block| chunk.blocks.contains(&block)) {
            let before = chunk.position.checked_sub(1).map(|before| &self.chunks[before]);
            return before.is_none_or(|before| !self.overflows(before, chunk.span.end, max));
        }
        let blocks = self.document.blocks().iter().enumerate().skip(chunk.blocks.end);
        let mut content = blocks.filter(|(_, block)| !block.kind.is_heading());
        let Some((next, block)) = content.next() else { return true };
        let text = block.span.of(self.document.source()).trim_start();
        let word = text.split_whitespace().next().map_or(0, str::len);
        let length = if self.may_cut(next) { word } else { text.len() };
        !self.overflows(chunk, block.span.end - text.len() + length, max)
    }

    /// Returns whether a chunk that continued to `end` would exceed the maximum.
    fn overflows(&self, chunk: &Chunk<'_>, end: usize, max: usize) -> bool {
        let longer = Span::new(chunk.span.start, end).of(self.document.source()).trim_end();
        let line = chunk.context();
        let mut before = if line.is_empty() { String::new() } else { format!("{line}\n\n") };
        before += &self.parent_headings(chunk);
        let count = |text: &str, kind| self.counter.count(text, kind);
        let units = if self.counter.sums_pieces() {
            let shares =
                self.by_block(Span::new(chunk.span.start, chunk.span.start + longer.len()));
            let share =
                |(span, kind): (Span, TextKind)| count(span.of(self.document.source()), kind);
            count(&before, TextKind::Prose) + shares.into_iter().map(share).sum::<usize>()
        } else {
            count(&(before + longer), TextKind::Prose)
        };
        self.counter.scale().tokens(units) > max
    }

    /// Splits a span into the parts that belong to different blocks.
    fn by_block(&self, span: Span) -> Vec<(Span, TextKind)> {
        let blocks = self.document.blocks();
        let first = blocks.partition_point(|block| block.span.end <= span.start);
        let overlaps = blocks[first..].iter().take_while(|block| block.span.start < span.end);
        let part = |block: &Block| {
            let (start, end) = (block.span.start.max(span.start), block.span.end.min(span.end));
            (Span::new(start, end), block.kind.text_kind())
        };
        overlaps.map(part).collect()
    }

    /// Returns the headings that a chunk repeats before its own text.
    pub(crate) fn parent_headings(&self, chunk: &Chunk<'_>) -> String {
        let is_heading = |span: Span| {
            let blocks = &self.document.blocks();
            let block = blocks.partition_point(|block| block.span.end <= span.start);
            blocks[block].kind.is_heading()
        };
        let pieces = chunk.pieces.iter().skip_while(|piece| matches!(piece, Piece::Hidden(_)));
        let parents = pieces.take_while(|piece| match piece {
            Piece::Echo(span) => is_heading(*span),
            _ => false,
        });
        parents.map(|piece| self.shown(piece)).collect()
    }

    /// Returns the tokens of the consecutive headings around a heading.
    pub(crate) fn run_of_headings(&self, block: usize) -> usize {
        let blocks = &self.document.blocks();
        if !blocks[block].kind.is_heading() {
            return 0;
        }
        let first = blocks[..block].iter().rposition(|b| !b.kind.is_heading()).map_or(0, |b| b + 1);
        let run = blocks[first..].iter().take_while(|block| block.kind.is_heading());
        let count = |text: &str| self.counter.count(text, TextKind::Prose);
        self.counter.scale().tokens(run.map(|b| count(b.span.of(self.document.source()))).sum())
    }

    fn ids_are_distinct(&mut self) {
        let mut ids = HashSet::new();
        let twice: Vec<String> = self
            .chunks
            .iter()
            .filter(|chunk| !ids.insert(chunk.id.clone()))
            .map(|chunk| chunk.id.clone())
            .collect();
        for id in twice {
            self.fault(&id, "duplicate id");
        }
    }
}

/// Returns the line number of each byte.
fn line_numbers(source: &str) -> Vec<usize> {
    let bytes = source.as_bytes();
    let mut line = 1;
    let mut numbers = Vec::with_capacity(bytes.len());
    for (at, byte) in bytes.iter().enumerate() {
        numbers.push(line);
        let ends = *byte == b'\n' || (*byte == b'\r' && bytes.get(at + 1) != Some(&b'\n'));
        line += usize::from(ends);
    }
    numbers
}
