//! Recognizes math between two `$$` lines, which may contain blank lines.

use super::scan::Scanner;
use crate::document::BlockKind;
use crate::span::{Span, lines_of};

impl Scanner<'_> {
    /// Adds the math that a `$$` line opens, and returns the end of its closing line.
    pub(super) fn math(&mut self, line: Span) -> Option<usize> {
        if line.of(self.source).trim() != "$$" || self.is_missing("$$") {
            return None;
        }
        let source = self.source;
        let mut lines = lines_of(source, Span::new(line.end, source.len()));
        let Some(close) = lines.find(|line| line.of(source).trim_end().ends_with("$$")) else {
            self.set_missing("$$");
            return None;
        };
        self.leaf(BlockKind::Math, Span::new(line.start, close.end));
        Some(close.end)
    }
}
