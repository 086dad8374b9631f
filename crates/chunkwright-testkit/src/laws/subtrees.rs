//! Checks that `hierarchical` keeps subtrees that fit whole.

use chunkwright::{Source, SplitOversized, Strategy};

use super::Case;

impl Case<'_> {
    /// `hierarchical` spreads a subtree that fits over several chunks in two cases only: it follows
    /// its parent's own text, which leaves no room for it, or it shares its chunk with bare
    /// headings before it.
    ///
    /// Checked only without a minimum, because merging small chunks may split a subtree.
    pub(crate) fn subtrees_that_fit_are_whole(&mut self, source: &Source<'_>) {
        let config = self.chunker.config();
        let has_no_minimum =
            matches!(&config.strategy, Strategy::Hierarchical(options) if options.min == Some(0));
        let is_bound = has_no_minimum && config.split_oversized == SplitOversized::All;
        let Some(max) = self.chunker.max_tokens().filter(|_| is_bound) else { return };
        let tokens = self.chunker.subtree_tokens(&self.document);
        for (section, tokens) in tokens.into_iter().enumerate().skip(1) {
            if tokens <= max && self.is_torn(section) && !self.follows_parent(section) {
                let slug = self.document.heading(section).map(|heading| heading.slug.clone());
                let place = format!("{}#{}", source.path, slug.unwrap_or_default());
                self.fault(
                    &place,
                    format!("a subtree of {tokens} tokens is spread over several chunks"),
                );
            }
        }
    }

    /// Returns whether a chunk starts inside a subtree.
    fn is_torn(&self, section: usize) -> bool {
        let sections = &self.document.sections();
        let (start, end) = (self.start(section), self.end(sections[section].subtree_end - 1));
        self.chunks.iter().any(|chunk| start < chunk.span.start && chunk.span.start < end)
    }

    /// Returns whether the chunk that contains a section's heading starts with all of its parent's
    /// own text. Bare headings belong to the section after them.
    fn follows_parent(&self, section: usize) -> bool {
        let sections = &self.document.sections();
        let is_bare_above =
            |above: usize, below: usize| sections[above].is_bare && above + 1 == below;
        let mut first = section;
        while let Some(above) = sections[first].parent.filter(|&a| a > 0 && is_bare_above(a, first))
        {
            first = above;
        }
        let start = self.start(first);
        let Some(chunk) = self.chunks.iter().rfind(|chunk| chunk.span.start <= start) else {
            return false;
        };
        let is_behind_bare = chunk.span.start == start && first < section;
        let mut parent = sections[first].parent;
        let after_parent = parent.is_some_and(|parent| parent > 0 && parent + 1 == first);
        while let Some(above) = parent.and_then(|parent| {
            sections[parent].parent.filter(|&above| above > 0 && is_bare_above(above, parent))
        }) {
            parent = Some(above);
        }
        let holds_parent = parent.is_some_and(|parent| self.start(parent) == chunk.span.start);
        is_behind_bare || (after_parent && holds_parent)
    }

    fn start(&self, section: usize) -> usize {
        self.document.blocks()[self.document.sections()[section].blocks.start].span.start
    }

    fn end(&self, section: usize) -> usize {
        self.document.blocks()[self.document.sections()[section].blocks.end - 1].span.end
    }
}
