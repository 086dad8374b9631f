//! Splits running text between sentences, then words, then grapheme clusters.

use std::ops::Range;
use std::rc::Rc;

use unicode_segmentation::GraphemeCursor;

use super::sentences::{sentences, words};
use super::{CutBlock, Edge, Grade, Measure, Splitter, Wrap};
use crate::span::Span;

/// The wraps of cuts in running text, at the start of a line and inside a line.
struct Wraps {
    at_line: Option<Rc<Wrap>>,
    in_line: Option<Rc<Wrap>>,
    start: usize,
    /// The note for a cut at the start.
    cut_before: Option<CutBlock>,
    /// The note for later cuts.
    cut_inside: Option<CutBlock>,
}

impl Wraps {
    fn units(&self) -> usize {
        self.in_line.as_ref().map_or(0, |wrap| wrap.open_units + wrap.close_units)
    }

    /// Returns whether a wrap closes parts, so that the whitespace before it is visible.
    fn close(&self) -> bool {
        self.in_line.as_ref().is_some_and(|wrap| !wrap.close.is_empty())
    }
}

impl Splitter<'_> {
    /// Splits running text. `edge` applies to a cut before it, and `cut` is the note for cuts
    /// inside.
    pub(super) fn text(&mut self, stretch: Span, edge: &Edge, cut: Option<CutBlock>) {
        let stretch = Span::new(stretch.start.max(self.from), stretch.end);
        let wraps = Wraps {
            at_line: edge.wrap.clone(),
            in_line: self.quote_wrap(stretch, edge.wrap.as_ref()),
            start: stretch.start,
            cut_before: edge.cut,
            cut_inside: cut,
        };
        let starts = sentences(stretch.of(self.source()), &self.whole_in(stretch));
        let mut grade = edge.grade;
        let mut counted = stretch.start;
        for sentence in parts(stretch, &starts) {
            counted = self.sentence(sentence, counted, &wraps, grade);
            grade = Grade::SENTENCE;
        }
    }

    /// Splits a sentence whose text before `counted` has been counted already. Returns the new end
    /// of the counted text.
    fn sentence(&mut self, sentence: Span, counted: usize, wraps: &Wraps, grade: Grade) -> usize {
        if let Some((measure, end)) = self.measure(sentence, counted, wraps) {
            self.push_text(sentence.start, measure, wraps, grade);
            return end;
        }
        let whole = self.whole_in(sentence);
        let starts = words(sentence.of(self.source()));
        let mut counted = counted;
        for word in parts(sentence, &starts) {
            let at = word.start - sentence.start;
            let before = whole.partition_point(|range| range.start < at);
            let grade = match whole[..before].last() {
                _ if at == 0 => grade,
                Some(range) if range.end > at => Grade::INSIDE,
                _ => Grade::WORD,
            };
            if let Some((measure, end)) = self.measure(word, counted, wraps) {
                counted = end;
                self.push_text(word.start, measure, wraps, grade);
            } else {
                counted = word.end;
                self.graphemes(word, wraps, grade);
            }
        }
        counted
    }

    /// Measures part of running text whose text before `counted` has been counted already. Returns
    /// the measure and the new end of the counted text, or `None` if it doesn't fit.
    ///
    /// Tokenizers join a space to the word after it, so a final space is left to the next part.
    fn measure(&self, part: Span, counted: usize, wraps: &Wraps) -> Option<(Measure, usize)> {
        let shown = self.trimmed(part).end.max(counted);
        let left = usize::from(part.end > shown && self.source()[..part.end].ends_with(' '));
        let next = part.end - left;
        let room = self.room().prose.checked_sub(wraps.units())?;
        let units = self.units_within(Span::new(counted, shown), room)?;
        let gap = self.brief.ruler.stretch(Span::new(shown, next));
        let fits = !wraps.close() || units + gap <= room;
        fits.then_some((Measure { units: units + gap, gap }, next))
    }

    /// Returns the units of a span. Those of whole lines are known already.
    pub(super) fn units(&self, stretch: Span) -> usize {
        let ruler = &self.brief.ruler;
        self.lines.exact(ruler, stretch).unwrap_or_else(|| ruler.stretch(stretch))
    }

    /// Returns the units of a span if they fit in `room`.
    pub(super) fn units_within(&self, stretch: Span, room: usize) -> Option<usize> {
        let ruler = &self.brief.ruler;
        match self.lines.exact(ruler, stretch) {
            Some(units) => Some(units).filter(|&units| units <= room),
            None => ruler.stretch_within(stretch, room),
        }
    }

    /// Splits a word that doesn't fit into parts of about a quarter of the limit.
    fn graphemes(&mut self, word: Span, wraps: &Wraps, grade: Grade) {
        let room = self.room().prose.min(self.rooms.rest.prose).saturating_sub(wraps.units());
        let room = (room / 4).max(1);
        let trimmed = self.trimmed(word);
        let shown = if wraps.close() || trimmed.is_empty() { word } else { trimmed };
        let word_gap = self.brief.ruler.stretch(Span::new(shown.end, word.end));
        let mut length = self.brief.ruler.scale().tokens(room) * 2;
        let mut start = shown.start;
        while start < shown.end {
            let (stop, units) = self.grapheme_stretch(Span::new(start, shown.end), length, room);
            let gap = if stop == shown.end { word_gap } else { 0 };
            let grade = if start == shown.start { grade } else { Grade::GRAPHEME };
            self.push_text(start, Measure { units: units + gap, gap }, wraps, grade);
            length = ((stop - start) * 2).max(4);
            start = stop;
        }
    }

    /// Returns the end and the units of a part of at most `length` bytes and `room` units. The part
    /// has at least one grapheme cluster, even if that exceeds the limits.
    fn grapheme_stretch(&self, rest: Span, length: usize, room: usize) -> (usize, usize) {
        let mut length = length.min(rest.len());
        loop {
            let stop = self.grapheme_end(rest, rest.start + length);
            let units = self.brief.ruler.stretch(Span::new(rest.start, stop));
            if units <= room || length <= 1 {
                return (stop, units);
            }
            length /= 2;
        }
    }

    /// Returns the last boundary between grapheme clusters up to `near`, but at least the end of
    /// the first cluster.
    fn grapheme_end(&self, rest: Span, near: usize) -> usize {
        // A cluster starts at the start of `rest`, so the text before it has no influence.
        let text = &self.source()[rest.start..];
        let near = text.floor_char_boundary(near - rest.start);
        let mut cursor = GraphemeCursor::new(near, text.len(), true);
        if near > 0 && cursor.is_boundary(text, 0).unwrap_or(true) {
            return rest.start + near;
        }
        let before = cursor.prev_boundary(text, 0).ok().flatten();
        if let Some(before) = before.filter(|&before| before > 0) {
            return rest.start + before;
        }
        let mut cursor = GraphemeCursor::new(0, text.len(), true);
        let first = cursor.next_boundary(text, 0).ok().flatten().unwrap_or(rest.len());
        rest.start + first.min(rest.len())
    }

    fn push_text(&mut self, at: usize, measure: Measure, wraps: &Wraps, grade: Grade) {
        let at_line = self.source()[..at].ends_with(['\n', '\r']);
        let wrap = if at_line { wraps.at_line.clone() } else { wraps.in_line.clone() };
        let cut = if at > wraps.start { wraps.cut_inside } else { wraps.cut_before };
        self.push(at, measure, Edge { grade, wrap, cut });
    }

    /// Returns the ranges to keep whole inside a span, relative to its start.
    fn whole_in(&self, stretch: Span) -> Vec<Range<usize>> {
        let first = self.whole.partition_point(|range| range.end <= stretch.start);
        let inside = self.whole[first..].iter().take_while(|range| range.start < stretch.end);
        inside
            .map(|range| range.start.saturating_sub(stretch.start)..range.end - stretch.start)
            .collect()
    }
}

/// Splits a span at `starts`, which are relative to it.
fn parts(stretch: Span, starts: &[usize]) -> Vec<Span> {
    let from = std::iter::once(0).chain(starts.iter().copied());
    let to = starts.iter().copied().chain([stretch.len()]);
    from.zip(to)
        .map(|(from, to)| Span::new(stretch.start + from, stretch.start + to))
        .filter(|part| !part.is_empty())
        .collect()
}
