//! Decodes options from the first bytes of an input.

use std::borrow::Cow;
use std::sync::Arc;

use chunkwright::Tail;
use chunkwright::{
    BlockKind, Chunker, ConfigTable, Context, Format, FrontMatter, Slugs, Source, SplitOversized,
    StrategyName,
};
use chunkwright::{Mode, Overlap, OverlapScope};

use crate::text;

/// The number of option bytes at the start of an input. Each byte is taken modulo the number of
/// choices, so that all bytes are valid; zeros give the defaults with a target of one token.
pub const HEAD: usize = 12;

/// The options to split a page with.
#[derive(Debug)]
pub struct Options {
    pub config: ConfigTable,
    pub counter: &'static str,
}

impl Options {
    /// Returns the options at the start of an input, and the page after them.
    pub fn take(strategy: StrategyName, data: &[u8]) -> (Self, Cow<'_, str>) {
        let (head, page) = data.split_at(data.len().min(HEAD));
        let mut bytes = [0; HEAD];
        bytes[..head.len()].copy_from_slice(head);
        (Self::new(strategy, bytes), text(page))
    }

    fn new(strategy: StrategyName, bytes: [u8; HEAD]) -> Self {
        let [counter, low, high, more, min, context, frontmatter, flags, way, share, depth, slugs] =
            bytes.map(usize::from);
        let target = 1 + low + high % 4 * 256;
        let max = target + target * (more % 101) / 100;
        let of_max = |share: usize| max * (share % 101) / 100;
        let mut config = ConfigTable::default().with_limits(target, max);
        config.strategy = strategy;
        config.context = [None, Some(Context::Breadcrumb), Some(Context::None)][context % 3];
        config.frontmatter =
            [FrontMatter::Metadata, FrontMatter::Include, FrontMatter::Strip][frontmatter % 3];
        config.split_oversized = match flags & 3 {
            0 | 2 => SplitOversized::All,
            1 => SplitOversized::None,
            _ => SplitOversized::Only(vec![BlockKind::Code, BlockKind::List]),
        };
        config.repeat_table_headers = flags & 2 == 0;
        config.window.parents = Some(flags & 4 == 0);
        config.window.lookahead = Some(flags & 8 != 0);
        config.slugs = [Slugs::Ascii, Slugs::Unicode][slugs % 2];
        config.hierarchical.min = Some(of_max(min));
        config.window.min = Some(of_max(min));
        config.window.min_deeper = Some(of_max(share));
        config.window.tail = Some([Tail::Keep, Tail::Merge, Tail::Drop][way % 3]);
        config.blocks.min = Some(of_max(min));
        config.blocks.mode = [Mode::Heading, Mode::Paragraph, Mode::Hybrid][way % 3];
        config.blocks.overlap = Some(Overlap::Tokens((max - 1) * (share % 101) / 100));
        config.blocks.overlap_scope =
            [OverlapScope::Section, OverlapScope::Document][flags >> 4 & 1];
        config.blocks.heading_depth = Some(depth % 6 + 1);
        Self { config, counter: ["words:1", "chars", "estimate", "o200k", "cl100k"][counter % 5] }
    }

    /// Panics if the chunks of a page break a law. Invalid options are ignored.
    pub fn hold_laws(&self, format: Format, page: &str) {
        let counter = chunkwright::counter_by_name(self.counter).expect("the counter exists");
        let Ok(chunker) = Chunker::new(self.config.clone(), Arc::clone(&counter)) else { return };
        let mut source = Source::new("page.md", page);
        source.format = format;
        let faults = chunkwright_testkit::laws::check(&chunker, &*counter, &source);
        let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
        assert!(faults.is_empty(), "{self:#?}\n{page:?}\n{}", faults.join("\n"));
    }
}
