//! The ladder for blocks that do not fit: a block and two limits come in, atoms go out.
//!
//! Atoms tile the block in reading order. Each says how good a cut before it is, and what must
//! close the chunk before it and open the one after it. Only what does not fit is taken apart: a
//! list into items, an item into what it holds, code and HTML into lines, tables into rows, text
//! into sentences, then words, then grapheme clusters.

mod outline;
mod seam;
mod sentences;

use std::ops::Range;
use std::rc::Rc;

use unicode_segmentation::GraphemeCursor;

use crate::counter::TextKind;
use crate::document::BlockKind;
use crate::parse::is_closed;
use crate::plan::Piece;
use crate::span::{Span, line_start, lines_of, next_line};
use crate::strategy::Brief;
use outline::{Node, Outline, Part};

pub(crate) use seam::{Grade, Seam, Wrap, pieces};

/// The least that is ever cut off at once, and what a chunk is made of.
#[derive(Clone, Debug)]
pub(crate) struct Atom {
    /// Where it begins; it ends where the next one begins.
    pub(crate) at: usize,
    pub(crate) measure: Measure,
    /// How good a cut before it is.
    pub(crate) grade: Grade,
    /// What a cut before it needs.
    pub(crate) wrap: Option<Rc<Wrap>>,
    /// Whether a cut before it is worth a note.
    pub(crate) is_cut: bool,
}

/// How much there is of something.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measure {
    /// Its units, white space at its end included.
    pub(crate) units: usize,
    /// The units of that white space.
    pub(crate) gap: usize,
}

impl Measure {
    /// Its units without the white space at its end.
    pub(crate) const fn trimmed(self) -> usize {
        self.units.saturating_sub(self.gap)
    }
}

/// How many units may stand together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    /// For text, lists and quotes.
    pub(crate) prose: usize,
    /// For fences and tables, which are worth more when whole.
    pub(crate) solid: usize,
}

impl Room {
    pub(crate) fn holds(self, kind: BlockKind, units: usize) -> bool {
        let solid = matches!(kind, BlockKind::Code | BlockKind::Table);
        units <= if solid { self.solid } else { self.prose }
    }
}

/// A block taken apart.
pub(crate) struct Split {
    pub(crate) atoms: Vec<Atom>,
    /// What closes a fence that the document leaves open.
    pub(crate) tail: Option<Rc<Wrap>>,
}

/// Takes a block apart from byte `from` on. The first atom fits `first`, the others `rest`.
pub(crate) fn split(
    brief: &Brief<'_>,
    block: usize,
    from: usize,
    first: Room,
    rest: Room,
) -> Split {
    let kind = brief.document.blocks[block].kind;
    let span = brief.document.blocks[block].span;
    let text = span.of(brief.document.source);
    let lines = Lines::of(brief, span);
    let outline = match kind {
        BlockKind::FrontMatter | BlockKind::Math => Outline::default(),
        _ => outline::outline(text),
    };
    let whole = outline.whole.iter().map(|range| range.start + span.start..range.end + span.start);
    let mut splitter = Splitter {
        brief,
        span,
        from,
        lines,
        whole: whole.chain(elided(brief, span)).collect(),
        first,
        rest,
        pending: None,
        measured: from,
        atoms: Vec::new(),
        tail: None,
    };
    splitter.whole.sort_by_key(|range| range.start);
    match kind {
        BlockKind::FrontMatter | BlockKind::Math => splitter.lines(span, None, Grade::BLOCK),
        _ if outline.nodes.is_empty() => splitter.lines(span, None, Grade::BLOCK),
        _ => splitter.nodes(&outline.nodes),
    }
    Split { atoms: splitter.atoms, tail: splitter.tail }
}

fn elided(brief: &Brief<'_>, span: Span) -> impl Iterator<Item = Range<usize>> {
    let elisions = &brief.document.elisions;
    let first = elisions.partition_point(|elision| elision.span.start < span.start);
    let inside = elisions[first..].iter().take_while(move |elision| elision.span.end <= span.end);
    inside.map(|elision| elision.span.range())
}

/// The lines of a block, each counted once.
struct Lines {
    starts: Vec<usize>,
    /// Units in all lines before this one.
    sums: Vec<usize>,
}

impl Lines {
    fn of(brief: &Brief<'_>, span: Span) -> Self {
        let mut lines = Self { starts: Vec::new(), sums: vec![0] };
        let mut sum = 0;
        for line in lines_of(brief.document.source, span) {
            sum += brief.ruler.stretch(line);
            lines.starts.push(line.start);
            lines.sums.push(sum);
        }
        lines
    }

    /// Units of the lines that a stretch touches.
    fn units(&self, stretch: Span) -> usize {
        let first = self.starts.partition_point(|&start| start <= stretch.start).saturating_sub(1);
        let last = self.starts.partition_point(|&start| start < stretch.end).max(first);
        self.sums[last] - self.sums[first]
    }
}

struct Splitter<'b> {
    brief: &'b Brief<'b>,
    span: Span,
    from: usize,
    lines: Lines,
    /// Ranges that are better not cut, in order.
    whole: Vec<Range<usize>>,
    first: Room,
    rest: Room,
    /// The start of what holds the next atom, and how good a cut there is.
    pending: Option<(usize, Grade)>,
    /// The end of what the atoms so far have been measured for.
    measured: usize,
    atoms: Vec<Atom>,
    tail: Option<Rc<Wrap>>,
}

impl Splitter<'_> {
    fn room(&self) -> Room {
        if self.atoms.is_empty() { self.first } else { self.rest }
    }

    fn source(&self) -> &str {
        self.brief.document.source
    }

    /// Walks the parts: what fits is an atom, what does not is opened.
    fn nodes(&mut self, nodes: &[Node]) {
        let mut next = 0;
        while let Some(node) = nodes.get(next) {
            let stretch = self.stretch(&node.range);
            next = if stretch.end <= self.measured {
                node.next
            } else if self.fits(node, stretch) {
                self.fill_gap(stretch.start);
                let units = self.lines.units(stretch);
                let gap = units.saturating_sub(self.units(stretch));
                let grade = Grade::at_depth(node.depth);
                self.push(stretch.start, Measure { units, gap }, grade, None, false);
                self.measured = stretch.end;
                node.next
            } else {
                self.open(node, stretch, Grade::at_depth(node.depth));
                next + 1
            };
        }
        self.fill_gap(self.span.end);
    }

    fn fits(&self, node: &Node, stretch: Span) -> bool {
        let solid = matches!(node.part, Part::Fence | Part::Table { .. });
        let room = if solid { self.room().solid } else { self.room().prose };
        stretch.start >= self.from && self.units(stretch) <= room
    }

    /// Units of a part without the white space at its end.
    fn units(&self, stretch: Span) -> usize {
        self.lines.units(self.trimmed(stretch))
    }

    /// What no part claims (link definitions, blank lines of quotes) is cut between lines.
    fn fill_gap(&mut self, until: usize) {
        if self.measured < until {
            self.lines(Span::new(self.measured, until), None, Grade::LINE);
        }
    }

    /// Takes apart a part that does not fit, or leaves that to the parts inside it.
    fn open(&mut self, node: &Node, stretch: Span, grade: Grade) {
        self.fill_gap(stretch.start);
        match node.part {
            Part::Container | Part::Item => {
                self.pending.get_or_insert((stretch.start, grade));
                return;
            }
            Part::Fence => self.fence(node, stretch, grade),
            Part::Table { head_end } => self.table(self.span.start + head_end, stretch, grade),
            Part::Lines => self.lines(stretch, None, grade),
            Part::Text => self.text(stretch, None, grade, node.in_item),
        }
        self.measured = self.measured.max(stretch.end);
    }

    /// The whole lines of a part, as a span of the source.
    fn stretch(&self, range: &Range<usize>) -> Span {
        let start = line_start(self.source(), self.span.start + range.start).max(self.span.start);
        let end = self.span.start + range.end;
        let ended = self.source()[..end].ends_with(['\n', '\r']);
        let end = if ended { end } else { next_line(self.source(), end).min(self.span.end) };
        Span::new(start, end)
    }

    fn trimmed(&self, stretch: Span) -> Span {
        Span::new(stretch.start, stretch.start + stretch.of(self.source()).trim_end().len())
    }

    /// Adds an atom, unless it begins no later than the one before it: then it is part of that.
    fn push(
        &mut self,
        at: usize,
        measure: Measure,
        grade: Grade,
        wrap: Option<&Rc<Wrap>>,
        is_cut: bool,
    ) {
        let (start, better) = self.pending.take().unwrap_or((at, grade));
        let at = start.min(at).max(self.from);
        match self.atoms.last_mut() {
            Some(last) if last.at >= at => {
                last.measure.units += measure.units;
                last.measure.gap = measure.gap;
            }
            _ => {
                let grade = better.max(grade);
                self.atoms.push(Atom { at, measure, grade, wrap: wrap.cloned(), is_cut });
            }
        }
    }

    /// Code between its fences: each part becomes a fence of its own.
    fn fence(&mut self, node: &Node, stretch: Span, grade: Grade) {
        let mark = self.span.start + node.range.start;
        let opening_end = next_line(self.source(), mark).min(stretch.end);
        let code = &self.source()[mark..stretch.end.min(self.span.start + node.range.end)];
        let closing_start = if is_closed(code) {
            line_start(self.source(), mark + code.trim_end().len())
        } else {
            stretch.end
        };
        let wrap = self.fence_wrap(mark, opening_end);
        if closing_start == self.source().len() {
            self.tail.clone_from(&wrap);
        }
        self.code_lines(stretch, opening_end..closing_start, wrap.as_ref(), grade);
    }

    fn fence_wrap(&self, mark: usize, opening_end: usize) -> Option<Rc<Wrap>> {
        let source = self.source();
        let margin = &source[line_start(source, mark)..mark];
        let indent: String = margin.chars().map(|c| if is_margin(c) { c } else { ' ' }).collect();
        let opening = &source[mark..opening_end];
        let fence_mark = opening.chars().next().unwrap_or('`');
        let fence: String = opening.chars().take_while(|&c| c == fence_mark).collect();
        let mut open = Vec::new();
        if !indent.is_empty() {
            open.push(Piece::Glue(indent.clone().into()));
        }
        open.push(Piece::Echo(Span::new(mark, opening_end)));
        self.wrap(open, format!("{indent}{fence}"), self.rest.solid)
    }

    /// A wrap that takes no more than half of the room; else there is none.
    fn wrap(&self, open: Vec<Piece>, close: String, room: usize) -> Option<Rc<Wrap>> {
        let open_units = open.iter().map(|piece| self.piece_units(piece)).sum();
        let closing = if close.is_empty() { String::new() } else { format!("\n{close}") };
        let close_units = self.brief.ruler.text(&closing, TextKind::Code);
        let wrap = Wrap { open, close, open_units, close_units };
        ((wrap.open_units + wrap.close_units) * 2 <= room).then(|| Rc::new(wrap))
    }

    fn piece_units(&self, piece: &Piece) -> usize {
        match piece {
            Piece::Own(span) | Piece::Echo(span) => self.brief.ruler.stretch(*span),
            Piece::Glue(glue) => self.brief.ruler.text(glue, TextKind::Code),
            Piece::Hidden(_) => 0,
        }
    }

    /// Lines of code: the opening line stays with the first, the closing line with the last.
    fn code_lines(
        &mut self,
        stretch: Span,
        inner: Range<usize>,
        wrap: Option<&Rc<Wrap>>,
        grade: Grade,
    ) {
        let extra = wrap.map_or(0, |wrap| wrap.open_units + wrap.close_units);
        let mut after_blank = false;
        for line in self.lines_from(stretch) {
            let first_of_part = line.start == stretch.start;
            let loose = line.start > inner.start && line.start < inner.end;
            let grade = match (first_of_part, loose, after_blank) {
                (true, ..) => grade,
                (_, false, _) => Grade::NEVER,
                (.., true) => Grade::BLANK_LINE,
                _ => Grade::LINE,
            };
            let wrap = wrap.filter(|_| !first_of_part);
            self.line(line, extra, wrap, grade);
            after_blank = line.of(self.source()).trim_matches(is_margin).trim().is_empty();
        }
    }

    fn lines_from(&self, stretch: Span) -> Vec<Span> {
        let lines = lines_of(self.brief.document.source, stretch);
        lines.filter(|line| line.end > self.from).collect()
    }

    /// One line of code or one row: an atom if it fits, else cut like a paragraph.
    fn line(&mut self, line: Span, extra: usize, wrap: Option<&Rc<Wrap>>, grade: Grade) {
        let units = self.lines.units(line);
        if units + extra <= self.room().prose {
            self.push(line.start, Measure { units, gap: 0 }, grade, wrap, false);
        } else {
            self.text(line, wrap, grade, true);
        }
    }

    /// Rows: each part begins with the table's header again.
    fn table(&mut self, head_end: usize, stretch: Span, grade: Grade) {
        let head_end =
            next_line(self.source(), next_line(self.source(), head_end.saturating_sub(1)))
                .min(stretch.end);
        let wrap = self.table_wrap(stretch.start, head_end);
        let extra = wrap.as_ref().map_or(0, |wrap| wrap.open_units);
        for row in self.lines_from(stretch) {
            let grade = match (row.start == stretch.start, row.start <= head_end && wrap.is_some())
            {
                (true, _) => grade,
                (_, true) => Grade::NEVER,
                _ => Grade::LINE,
            };
            let wrap = wrap.as_ref().filter(|_| row.start >= head_end);
            self.line(row, extra, wrap, grade);
        }
    }

    fn table_wrap(&self, start: usize, head_end: usize) -> Option<Rc<Wrap>> {
        if !self.brief.repeat_table_headers {
            return None;
        }
        let source = self.source();
        let margin = &source[start..head_end];
        let cells = margin.find(|c: char| !is_margin(c)).unwrap_or(0);
        let marker = list_marker(&margin[cells..]);
        let mut open = Vec::new();
        if marker > 0 {
            let indent: String =
                margin[..cells].chars().chain(" ".repeat(marker).chars()).collect();
            open.push(Piece::Glue(indent.into()));
            open.push(Piece::Echo(Span::new(start + cells + marker, head_end)));
        } else {
            open.push(Piece::Echo(Span::new(start, head_end)));
        }
        self.wrap(open, String::new(), self.rest.solid)
    }

    /// Text that is cut between lines; blank lines stay with the line before them.
    fn lines(&mut self, stretch: Span, wrap: Option<&Rc<Wrap>>, grade: Grade) {
        let mut after_blank = false;
        for line in self.lines_from(stretch) {
            let text = line.of(self.brief.document.source);
            let blank = text.trim().is_empty();
            let only_margin = text.trim_matches(is_margin).trim().is_empty();
            let grade = match (line.start == stretch.start, only_margin, after_blank) {
                (true, ..) => grade,
                (_, true, _) => Grade::NEVER,
                (.., true) => Grade::BLANK_LINE,
                _ => Grade::LINE,
            };
            match self.atoms.last_mut() {
                Some(last) if blank => {
                    let units = self.lines.units(line);
                    last.measure.units += units;
                    last.measure.gap += units;
                }
                _ => self.line(line, 0, wrap, grade),
            }
            after_blank = only_margin;
        }
    }

    /// Running text: sentences, then words, then grapheme clusters.
    fn text(&mut self, stretch: Span, wrap: Option<&Rc<Wrap>>, grade: Grade, is_cut: bool) {
        let stretch = Span::new(stretch.start.max(self.from), stretch.end);
        let wraps = Wraps { at_line: wrap.cloned(), in_line: self.quoted(stretch, wrap) };
        let text = stretch.of(self.source());
        let whole = self.whole_in(stretch);
        let starts = sentences::sentences(text, &whole);
        let mut grade = grade;
        for sentence in parts(stretch, &starts) {
            self.sentence(sentence, &wraps, grade, is_cut);
            grade = Grade::SENTENCE;
        }
    }

    fn sentence(&mut self, sentence: Span, wraps: &Wraps, grade: Grade, is_cut: bool) {
        let (measure, _) = self.measure(sentence, sentence.start);
        if wraps.around(measure) <= self.room().prose {
            return self.push_text(sentence.start, measure, wraps, grade, is_cut);
        }
        let whole = self.whole_in(sentence);
        let starts = sentences::words(sentence.of(self.source()));
        let mut next_whole = whole.iter().peekable();
        let mut counted = sentence.start;
        let mut grade = grade;
        for word in parts(sentence, &starts) {
            let at = word.start - sentence.start;
            while next_whole.peek().is_some_and(|range| range.end <= at) {
                next_whole.next();
            }
            let inside = next_whole.peek().is_some_and(|range| range.start < at);
            let grade_here = if inside { Grade::INSIDE.min(grade) } else { grade };
            let (measure, end) = self.measure(word, counted);
            counted = end;
            if wraps.around(measure) <= self.room().prose {
                self.push_text(word.start, measure, wraps, grade_here, is_cut);
            } else {
                self.graphemes(word, measure.gap, wraps, grade_here, is_cut);
            }
            grade = Grade::WORD;
        }
    }

    /// Measures a part of running text of which all before `counted` has been counted, and tells up
    /// to where that is now. Counters join a space to the word after it, so the last space at its
    /// end is left to the next part.
    fn measure(&self, part: Span, counted: usize) -> (Measure, usize) {
        let shown = self.trimmed(part).end.max(counted);
        let left = usize::from(part.end > shown && self.source()[..part.end].ends_with(' '));
        let next = part.end - left;
        let gap = self.brief.ruler.stretch(Span::new(shown, next));
        let units = self.brief.ruler.stretch(Span::new(counted, shown)) + gap;
        (Measure { units, gap }, next)
    }

    /// A word that does not fit, in stretches of a quarter of the room.
    fn graphemes(&mut self, word: Span, gap: usize, wraps: &Wraps, grade: Grade, is_cut: bool) {
        let room = self.room().prose.min(self.rest.prose).saturating_sub(wraps.units()) / 4;
        let (shown, gap) = if wraps.close() { (word, 0) } else { (self.trimmed(word), gap) };
        let mut start = shown.start;
        let mut length = room.max(1) * 2;
        let mut grade = grade;
        while start < shown.end {
            let (end, units) = self.grapheme_stretch(start, shown.end, length, room.max(1));
            let gap = if end == shown.end { gap } else { 0 };
            self.push_text(start, Measure { units: units + gap, gap }, wraps, grade, is_cut);
            length = ((end - start) * 2).max(4);
            grade = Grade::GRAPHEME;
            start = end;
        }
    }

    /// The end of a stretch of about `length` bytes that has no more than `room` units, or of one
    /// grapheme cluster.
    fn grapheme_stretch(
        &self,
        start: usize,
        end: usize,
        length: usize,
        room: usize,
    ) -> (usize, usize) {
        let mut length = length.min(end - start);
        loop {
            let stop = self.grapheme_end(start, start + length, end);
            let units = self.brief.ruler.stretch(Span::new(start, stop));
            if units <= room || length <= 1 {
                return (stop, units);
            }
            length /= 2;
        }
    }

    /// The last place between grapheme clusters after `start` and not after `near`; the end of the
    /// first cluster if that lies beyond.
    fn grapheme_end(&self, start: usize, near: usize, end: usize) -> usize {
        let source = self.source();
        let near = (start..=near).rev().find(|&at| source.is_char_boundary(at)).unwrap_or(start);
        let mut cursor = GraphemeCursor::new(near, source.len(), true);
        let is_boundary = cursor.is_boundary(source, 0).unwrap_or(true);
        if is_boundary && near > start {
            return near;
        }
        let before = cursor.prev_boundary(source, 0).ok().flatten();
        if let Some(before) = before.filter(|&before| before > start) {
            return before;
        }
        let mut cursor = GraphemeCursor::new(start, source.len(), true);
        cursor.next_boundary(source, 0).ok().flatten().unwrap_or(end).min(end)
    }

    fn push_text(
        &mut self,
        at: usize,
        measure: Measure,
        wraps: &Wraps,
        grade: Grade,
        is_cut: bool,
    ) {
        let at_line = self.source()[..at].ends_with(['\n', '\r']);
        let wrap = if at_line { &wraps.at_line } else { &wraps.in_line };
        self.push(at, measure, grade, wrap.as_ref(), is_cut);
    }

    /// What opens a part that is cut inside a line: with its quote mark, if the line has one.
    fn quoted(&self, stretch: Span, wrap: Option<&Rc<Wrap>>) -> Option<Rc<Wrap>> {
        let start = line_start(self.source(), stretch.start);
        let line = &self.source()[start..stretch.end];
        let margin = &line[..line.find(|c: char| !is_margin(c)).unwrap_or(line.len())];
        if !margin.contains('>') {
            return wrap.cloned();
        }
        let mut open = wrap.map_or_else(Vec::new, |wrap| wrap.open.clone());
        open.push(Piece::Glue(margin.to_owned().into()));
        let close = wrap.map_or_else(String::new, |wrap| wrap.close.clone());
        self.wrap(open, close, self.rest.prose).or_else(|| wrap.cloned())
    }

    /// Ranges inside a stretch that are better not cut, relative to it.
    fn whole_in(&self, stretch: Span) -> Vec<Range<usize>> {
        let first = self.whole.partition_point(|range| range.end <= stretch.start);
        let inside = self.whole[first..].iter().take_while(|range| range.start < stretch.end);
        inside
            .map(|range| range.start.saturating_sub(stretch.start)..range.end - stretch.start)
            .collect()
    }
}

/// What a cut needs at the start of a line, and inside one.
struct Wraps {
    at_line: Option<Rc<Wrap>>,
    in_line: Option<Rc<Wrap>>,
}

impl Wraps {
    fn units(&self) -> usize {
        self.in_line.as_ref().map_or(0, |wrap| wrap.open_units + wrap.close_units)
    }

    /// Whether something closes the part, so that white space before it is shown.
    fn close(&self) -> bool {
        self.in_line.as_ref().is_some_and(|wrap| !wrap.close.is_empty())
    }

    /// Units of something with all that stands around it.
    fn around(&self, measure: Measure) -> usize {
        self.units() + if self.close() { measure.units } else { measure.trimmed() }
    }
}

/// The parts of a stretch that begin at `starts`, which are relative to it.
fn parts(stretch: Span, starts: &[usize]) -> Vec<Span> {
    let from = std::iter::once(0).chain(starts.iter().copied());
    let to = starts.iter().copied().chain([stretch.len()]);
    from.zip(to)
        .map(|(from, to)| Span::new(stretch.start + from, stretch.start + to))
        .filter(|part| !part.is_empty())
        .collect()
}

fn is_margin(c: char) -> bool {
    matches!(c, ' ' | '\t' | '>')
}

/// The bytes of a list marker and the space after it at the start of `text`, or 0.
fn list_marker(text: &str) -> usize {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let sign = match (digits, text.as_bytes().get(digits)) {
        (0, Some(b'-' | b'*' | b'+')) | (1..=9, Some(b'.' | b')')) => digits + 1,
        _ => return 0,
    };
    let space = text[sign..].bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    if space == 0 { 0 } else { sign + space }
}
