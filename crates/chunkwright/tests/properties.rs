//! Checks the laws on random documents with random options, and shrinks failures.
//!
//! The seed is fixed, so every run is the same. To search further, set
//! `PROPTEST_CASES=20000 PROPTEST_RNG_SEED=7`.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

#[path = "common/documents.rs"]
mod documents;
#[path = "common/mdx.rs"]
mod mdx;
#[path = "common/outline.rs"]
mod outline;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use chunkwright::Tail;
use chunkwright::{
    BlockKind, Chunk, Chunker, ConfigTable, Context, FrontMatter, Piece, Source, SplitOversized,
    TextKind, TokenCounter,
};
use chunkwright::{Mode, Overlap, OverlapScope};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{RngSeed, contextualize_config};

use documents::{Part, document, soup, tree, words, write};
use mdx::mdx;
use outline::Outline;

/// Returns a configuration with this number of cases, unless the environment sets another.
fn cases(cases: u32) -> ProptestConfig {
    contextualize_config(ProptestConfig {
        cases,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        max_shrink_iters: 20_000,
        ..ProptestConfig::default()
    })
}

proptest! {
    #![proptest_config(cases(1000))]

    #[test]
    fn laws_hold_for_random_outlines(tree in tree(), options in options()) {
        options.hold_laws("page.md", &write(&tree))?;
    }

    #[test]
    fn laws_hold_for_documents_with_all_kinds_of_blocks(text in document(), options in options()) {
        options.hold_laws("page.md", &text)?;
    }

    #[test]
    fn laws_hold_for_plain_text(text in document(), options in options()) {
        options.hold_laws("page.txt", &text)?;
    }

    #[test]
    fn chunks_have_the_pieces_of_their_plans(text in document(), options in options()) {
        let source = Source::new("page.md", &text);
        let chunker = options.chunker();
        let plans = chunker.plan(&chunker.read(&source));
        let chunks = chunker.chunk_source(&source).chunks;
        let pieces: Vec<_> = chunks.into_iter().map(|chunk| chunk.pieces).collect();
        prop_assert_eq!(plans, pieces);
    }

    #[test]
    fn chunkers_with_the_same_options_agree(text in document(), options in options()) {
        let source = Source::new("page.md", &text);
        let (one, other) = (options.chunker(), options.chunker());
        prop_assert_eq!(one.config_hash(), other.config_hash());
        let filled = Options { config: options.config.filled().unwrap(), ..options.clone() };
        let filled = filled.chunker();
        prop_assert_eq!(one.config_hash(), filled.config_hash());
        let (one, other) = (one.chunk_source(&source), other.chunk_source(&source));
        prop_assert_eq!(format!("{:?}", one), format!("{:?}", other));
    }
}

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn an_inconsistent_counter_loses_no_text(
        text in document(),
        options in options(),
        most in 1..300u64,
    ) {
        let counter = Dice { most, thrown: AtomicU64::new(0) };
        let chunker = Chunker::new(options.config, counter).unwrap();
        let chunked = chunker.chunk("page.md", &text);
        let mut at = 0;
        for piece in chunked.chunks.iter().flat_map(|chunk| &chunk.pieces) {
            if let Piece::Own(span) | Piece::Hidden(span) = piece {
                prop_assert_eq!((span.start, text.is_char_boundary(span.end)), (at, true));
                at = span.end;
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn laws_hold_for_random_syntax(text in soup(), options in options()) {
        options.hold_laws("page.md", &text)?;
    }

    #[test]
    fn laws_hold_for_mdx(text in mdx(), options in options()) {
        options.hold_laws("page.mdx", &text)?;
    }

    #[test]
    fn laws_hold_for_mdx_parsed_as_markdown(text in mdx(), options in options()) {
        options.hold_laws("page.md", &text)?;
    }

    #[test]
    fn rewording_keeps_ids(tree in tree(), options in options()) {
        let options = Options { counter: "words:1", ..options };
        let reworded: Vec<Part> = tree.iter().map(Part::reworded).collect();
        let (one, other) = (write(&tree), write(&reworded));
        let chunker = options.chunker();
        let ids = |text: &str| -> Vec<String> {
            let chunked = chunker.chunk("page.md", text);
            chunked.chunks.into_iter().map(|chunk| chunk.id).collect()
        };
        prop_assert_eq!(ids(&one), ids(&other));
    }

    #[test]
    fn an_edit_changes_at_most_one_node(
        tree in tree(),
        nth in any::<prop::sample::Index>(),
        is_section in any::<bool>(),
    ) {
        an_edit_is_local_in_a_tree(&tree, nth, is_section)?;
    }

    #[test]
    fn an_edit_stays_inside_its_top_level_heading(
        tree in tree(),
        more in 1..60usize,
        nth in any::<prop::sample::Index>(),
        (target, max) in budget(),
        min in prop_oneof![Just(0), 1..101usize],
    ) {
        an_edit_is_local(&tree, more, nth, (target, max), target * min / 100)?;
    }

    #[test]
    fn headings_are_packed_by_the_rules(
        preamble in prop_oneof![Just(0), 1..40usize],
        sections in vec((1..5u8, prop_oneof![1 => Just(0), 3 => 1..40usize]), 1..12),
        target in 1..60usize,
        more in 0..60usize,
        min in prop_oneof![Just(0), 1..30usize],
    ) {
        let outline = Outline { preamble, sections };
        let (max, min) = (target + more, min.min(target));
        if let Some(expected) = outline.packed(target, max, min) {
            prop_assert_eq!(outline.chunked(target, max, min), expected);
        }
    }
}

/// A counter whose counts are random and differ from call to call.
struct Dice {
    most: u64,
    thrown: AtomicU64,
}

impl TokenCounter for Dice {
    fn name(&self) -> &str {
        "dice"
    }

    fn count(&self, text: &str, _: TextKind) -> usize {
        let mut hasher = DefaultHasher::new();
        (text, self.thrown.fetch_add(1, Relaxed)).hash(&mut hasher);
        (hasher.finish() % self.most) as usize
    }
}

/// A random configuration.
#[derive(Clone, Debug)]
struct Options {
    config: ConfigTable,
    counter: &'static str,
}

fn options() -> impl Strategy<Value = Options> {
    let share = || prop_oneof![Just(0), 1..101usize];
    let frontmatter = select(vec![FrontMatter::Metadata, FrontMatter::Include, FrontMatter::Strip]);
    let kinds = vec![BlockKind::Code, BlockKind::List, BlockKind::Html];
    let split_oversized = prop_oneof![
        8 => Just(SplitOversized::All),
        1 => Just(SplitOversized::None),
        1 => Just(SplitOversized::Only(kinds)),
    ];
    let common = (
        select(chunkwright::StrategyName::ALL),
        budget(),
        select(vec![None, Some(Context::Breadcrumb), Some(Context::Path), Some(Context::None)]),
        frontmatter,
        split_oversized,
        share(),
    );
    let tail = select(vec![Tail::Keep, Tail::Merge, Tail::Drop]);
    let window = (tail, prop::bool::weighted(0.8), share(), any::<bool>());
    let mode = select(vec![Mode::Heading, Mode::Paragraph, Mode::Hybrid]);
    let scope = select(vec![OverlapScope::Section, OverlapScope::Document]);
    let blocks = (mode, share(), 1..7usize, scope);
    let counter = select(vec!["estimate", "words:1", "chars", "o200k"]);
    (counter, common, window, blocks).prop_map(|(counter, common, window, blocks)| {
        let (strategy, (target, max), context, frontmatter, split_oversized, min) = common;
        let mut config = ConfigTable::default().with_limits(target, max);
        config.strategy = strategy;
        config.context = context;
        config.frontmatter = frontmatter;
        config.split_oversized = split_oversized;
        let min = max * min / 100;
        config.hierarchical.min = Some(min);
        config.window.min = Some(min);
        config.blocks.min = Some(min);
        config.window.tail = Some(window.0);
        config.window.parents = Some(window.1);
        config.window.min_deeper = Some(max * window.2 / 100);
        config.window.lookahead = Some(window.3);
        config.blocks.mode = blocks.0;
        config.blocks.overlap = Some(Overlap::Tokens((max - 1) * blocks.1 / 100));
        config.blocks.heading_depth = Some(blocks.2);
        config.blocks.overlap_scope = blocks.3;
        Options { config, counter }
    })
}

/// Generates a target, and a maximum of up to twice the target.
fn budget() -> impl Strategy<Value = (usize, usize)> {
    let target = prop_oneof![1..20usize, 20..100usize, 100..600usize];
    let share = prop_oneof![Just(0), 0..101usize];
    (target, share).prop_map(|(target, percent)| (target, target + target * percent / 100))
}

impl Options {
    fn chunker(&self) -> Chunker {
        let counter = chunkwright::counter_by_name(self.counter).unwrap();
        Chunker::new(self.config.clone(), counter).unwrap()
    }

    fn hold_laws(&self, path: &str, text: &str) -> Result<(), TestCaseError> {
        let counter = chunkwright::counter_by_name(self.counter).unwrap();
        let source = Source::new(path, text);
        let faults = chunkwright_testkit::laws::check(&self.chunker(), &*counter, &source);
        let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
        prop_assert!(faults.is_empty(), "{text:?}\n{}", faults.join("\n"));
        Ok(())
    }
}

/// Checks that appending a paragraph under one top-level heading changes no chunk beyond the reach
/// of the edit: the heading's subtree, or with a minimum, [`reach`].
fn an_edit_is_local(
    tree: &[Part],
    more: usize,
    nth: prop::sample::Index,
    (target, max): (usize, usize),
    min: usize,
) -> Result<(), TestCaseError> {
    let chunker = |min: usize| {
        let mut config = ConfigTable::default().with_limits(target, max);
        config.context = Some(Context::None);
        config.hierarchical.min = Some(min);
        Options { config, counter: "words:1" }.chunker()
    };
    let (unmerged, chunker) = (chunker(0), chunker(min));
    let before = write(tree);
    let document = chunker.read(&Source::new("page.md", &before));
    let tops: Vec<usize> = (1..document.sections().len())
        .filter(|&section| document.sections()[section].parent == Some(0))
        .map(|section| document.blocks()[document.sections()[section].blocks.start].span.start)
        .collect();
    if tops.is_empty() {
        return Ok(());
    }
    let edited = nth.index(tops.len());
    let end = tops.get(edited + 1).copied().unwrap_or(before.len());
    let added = words("More", more) + "\n\n";
    let after = format!("{}{added}{}", &before[..end], &before[end..]);
    let is_cut_by_headings = |text: &str| {
        let count = |text: &str| text.split_whitespace().count();
        count(text) > target && count(&text[tops[0]..]) > max
    };
    if !is_cut_by_headings(&before) || !is_cut_by_headings(&after) {
        return Ok(());
    }
    let chunks = unmerged.chunk("page.md", &before).chunks;
    let reach = reach(&chunks, tops[edited]..end, min);
    let others = |text: &str, added: usize| -> Vec<(String, String)> {
        let chunked = chunker.chunk("page.md", text);
        let reached = reach.start..reach.end + added;
        let outside = |chunk: &Chunk<'_>| !reached.contains(&chunk.span.start);
        let others = chunked.chunks.into_iter().filter(outside);
        // If the first part of a section merges, the numbers in the ids of its other parts shift.
        let section = |chunk: &Chunk<'_>| chunk.id.split('~').next().unwrap().to_owned();
        let name = |chunk: &Chunk<'_>| if min == 0 { chunk.id.clone() } else { section(chunk) };
        others.map(|chunk| (name(&chunk), chunk.content_hash())).collect()
    };
    prop_assert_eq!(others(&before, 0), others(&after, added.len()), "{:?}", before);
    Ok(())
}

/// Returns the range that an edit can affect if chunks under `min` merge: up to the next two
/// neighbors on either side that both reach `min`. Nothing merges across the boundary between them.
fn reach(unmerged: &[Chunk<'_>], edited: Range<usize>, min: usize) -> Range<usize> {
    let is_firm = |pair: &&[Chunk<'_>]| pair.iter().all(|chunk| chunk.tokens >= min);
    let mut pairs = unmerged.windows(2);
    let before = pairs.clone().rev().filter(|pair| pair[1].span.start < edited.start);
    let after = pairs.by_ref().filter(|pair| pair[0].span.start >= edited.end);
    let start = { before }.find(is_firm).map_or(0, |pair| pair[1].span.start);
    let end = { after }.find(is_firm).map_or(usize::MAX / 2, |pair| pair[1].span.start);
    if min == 0 { edited } else { start..end }
}

/// Checks that inserting a paragraph anywhere, or a section before any heading, changes no node's id
/// and the text of at most one node.
fn an_edit_is_local_in_a_tree(
    tree: &[Part],
    nth: prop::sample::Index,
    is_section: bool,
) -> Result<(), TestCaseError> {
    let mut config = ConfigTable::default();
    config.strategy = chunkwright::StrategyName::Tree;
    let chunker = Options { config, counter: "words:1" }.chunker();
    let is_heading = |at: &usize| matches!(tree.get(*at), None | Some(Part::Heading(..)));
    let places: Vec<usize> = (0..=tree.len()).filter(|at| !is_section || is_heading(at)).collect();
    let at = places[nth.index(places.len())];
    let mut edited = tree.to_vec();
    edited.insert(at, Part::Words("New", 5));
    if is_section {
        // A heading of the deepest level becomes the parent of no other heading.
        edited.insert(at, Part::Heading(6, "A fresh one"));
    }
    let (before, after) = (write(tree), write(&edited));
    let nodes = |text: &str| -> Vec<(String, String)> {
        let tree = chunker.outline(&chunker.read(&Source::new("page.md", text)));
        let node = |nth: usize| (tree.nodes[nth].id.clone(), tree.body(nth).to_owned());
        (0..tree.nodes.len()).map(node).collect()
    };
    let (before, after) = (nodes(&before), nodes(&after));
    let ids = |nodes: &[(String, String)]| nodes.iter().map(|(id, _)| id.clone()).collect();
    let (old, mut new): (Vec<String>, Vec<String>) = (ids(&before), ids(&after));
    new.retain(|id| old.contains(id));
    prop_assert_eq!(old, new);
    let changed = before.iter().filter(|node| !after.contains(node)).count();
    prop_assert!(changed <= usize::from(!is_section), "{changed} nodes changed");
    Ok(())
}
