//! Checks that cuts leave valid parts, and that blocks that fit stay whole.

use chunkwright::{Block, BlockKind, Chunk};

use super::Case;

impl Case<'_> {
    /// Code fences and tables that fit are whole; the parts of larger ones are fences and tables.
    pub(crate) fn cuts_leave_whole_parts(&mut self) {
        let measures = self.chunker.measure(&self.document);
        let Some(max) = self.chunker.max_tokens() else { return };
        let target = self.chunker.target_tokens().unwrap_or(0);
        self.each(|case, chunk| {
            let (first, end) = (chunk.blocks.start, chunk.blocks.end);
            let edges = [(first, chunk.span.start), (end - 1, chunk.span.end)];
            edges.into_iter().find_map(|(index, at)| {
                let block = case.document.blocks()[index];
                let inside = block.span.start < at && at < block.span.end;
                let solid = matches!(block.kind, BlockKind::Code | BlockKind::Table);
                let tokens = measures.blocks[index];
                // The context line may take a quarter of the maximum, and headings come first.
                let before = case.run_of_headings(index.saturating_sub(1));
                let fits = tokens <= target && tokens + before + max.div_ceil(4) <= max;
                (inside && solid && fits)
                    .then(|| format!("a {} of {tokens} tokens is cut", block.kind.name()))
            })
        });
        self.each(|case, chunk| {
            let (first, end) = (chunk.blocks.start, chunk.blocks.end);
            let (start, last) = (case.document.blocks()[first], case.document.blocks()[end - 1]);
            let limit = case.chunker.target_tokens().map_or(max, |target| target.min(max));
            let parts = [case.opening(chunk, start, limit), case.closing(chunk, last, limit)];
            parts.into_iter().flatten().next()
        });
    }

    /// A chunk that starts inside a fence or table repeats the opening line or header, after any
    /// parent headings, unless that would take too much of `limit`.
    fn opening(&self, chunk: &Chunk<'_>, block: Block, limit: usize) -> Option<String> {
        if chunk.span.start <= block.span.start {
            return None;
        }
        let source = block.span.of(self.document.source());
        let head = match block.kind {
            BlockKind::Code => lines(source, 1).filter(|head| is_fence(head))?,
            BlockKind::Table if self.chunker.config().repeat_table_headers => lines(source, 2)?,
            _ => return None,
        };
        let past_head = chunk.span.start >= block.span.start + head.len();
        let small = self.is_small(head, limit);
        let parents = self.parent_headings(chunk);
        let body = chunk.text.strip_prefix(&*parents).unwrap_or(&chunk.text);
        let whole = body.starts_with(head.trim_end());
        (past_head && small && !whole)
            .then(|| format!("a part of a {} does not repeat {head:?}", block.kind.name()))
    }

    /// A chunk that ends inside a code fence closes it.
    fn closing(&self, chunk: &Chunk<'_>, block: Block, limit: usize) -> Option<String> {
        let source = block.span.of(self.document.source());
        let ends_inside = chunk.span.end < block.span.start + source.trim_end().len();
        let head = lines(source, 1).filter(|head| is_fence(head))?;
        let mark = head.trim_start().chars().next()?;
        let fence: String = head.trim_start().chars().take_while(|&c| c == mark).collect();
        let small = self.is_small(head, limit);
        let closed =
            chunk.text.rsplit(['\n', '\r']).next().is_some_and(|line| line.trim() == fence);
        let code = block.kind == BlockKind::Code;
        (code && ends_inside && small && !closed)
            .then(|| "a part of a fence is not closed".to_owned())
    }

    /// Returns whether a header and an equally long closing line leave room for content. The length
    /// in bytes counts too, because some counters give long text few tokens.
    fn is_small(&self, head: &str, limit: usize) -> bool {
        if head.len() > 2 * limit {
            return false;
        }
        let both = self.count(head) + self.count(&format!("\n{head}"));
        self.counter.scale().tokens(both) * 4 < limit
    }

    fn count(&self, text: &str) -> usize {
        self.counter.count(text, chunkwright::TextKind::Code)
    }
}

/// Returns the first `count` lines of `text`, starting with the first that is not blank.
fn lines(text: &str, count: usize) -> Option<&str> {
    let bytes = text.as_bytes();
    let is_end = |&at: &usize| {
        bytes[at] == b'\n' || (bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n'))
    };
    let ends: Vec<usize> = (0..bytes.len()).filter(is_end).map(|at| at + 1).collect();
    let is_blank = |&&end: &&usize| text[..end].trim().is_empty();
    let blank = ends.iter().take_while(is_blank).count();
    let start = blank.checked_sub(1).map_or(0, |last| ends[last]);
    let end = ends.get(blank + count - 1).copied().unwrap_or(text.len());
    (start < end).then(|| &text[start..end])
}

fn is_fence(head: &str) -> bool {
    let indent = head.len() - head.trim_start_matches(' ').len();
    let marks = &head[indent..];
    indent < 4 && (marks.starts_with("```") || marks.starts_with("~~~"))
}
