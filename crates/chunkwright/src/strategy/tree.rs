//! `tree`: one chunk for every node with a body. Search is built on it.
//!
//! The document and every section are nodes. A node's body is its section's own text after the
//! heading line. Heading lines are hidden pieces, because the title contains them. Nothing is
//! split, merged or dropped, so there is no maximum.

use serde::{Deserialize, Serialize};

use super::draft::{Draft, Names};
use super::pack::Stretch;
use super::{About, ConfigError, Rules, Strategy, StrategyOptions};
use crate::brief::Brief;
use crate::context::Context;
use crate::ids::{BlockRange, SectionId};
use crate::piece::Piece;
use crate::plan::Plan;
use crate::span::Span;

/// The strategy `tree`, which creates one chunk for every heading with text directly under it. It
/// has no options and no maximum.
///
/// ```
/// use chunkwright::{Chars, Chunker, Tree};
///
/// let chunker = Chunker::new(Tree::default(), Chars)?;
/// let chunks = chunker.chunk("tea.md", "# Tea\n\nBoil water.\n\n## Green\n\nWait.\n").chunks;
/// assert_eq!(chunks.iter().map(|chunk| &*chunk.text).collect::<Vec<_>>(), ["Boil water.", "Wait."]);
/// # Ok::<(), chunkwright::ConfigError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Tree {}

impl Tree {
    pub(super) const ABOUT: About =
        About { counter: "o200k", context: Context::Title, has_nodes: true, version: 3 };
}

impl StrategyOptions for Tree {
    fn limit(&mut self, _: usize, _: usize) {}

    fn rules(&self, _: &str) -> Result<Box<dyn Rules>, ConfigError> {
        Ok(Box::new(Nodes))
    }

    fn filled(&self, _: &str) -> Result<Strategy, ConfigError> {
        Ok(self.clone().into())
    }
}

#[derive(Debug)]
struct Nodes;

impl Rules for Nodes {
    fn max(&self) -> Option<usize> {
        None
    }

    fn target(&self) -> Option<usize> {
        None
    }

    fn plan(&self, brief: &Brief<'_>) -> Vec<Plan> {
        let mut plans: Vec<Plan> = Vec::new();
        let mut hidden: Vec<Piece> = Vec::new();
        for section in brief.document.section_ids() {
            let own = brief.shown_blocks(section);
            let body = brief.document.body(own);
            let all = brief.document.span_of(own);
            if body.is_empty() {
                hide(all, &mut hidden);
                continue;
            }
            let shown = brief.document.body_span(own, body);
            hide(Span::new(all.start, shown.start), &mut hidden);
            hidden.push(Piece::Own(shown));
            plans.push(node(brief, section, body, std::mem::take(&mut hidden)));
            hide(Span::new(shown.end, all.end), &mut hidden);
        }
        if let Some(last) = plans.last_mut() {
            last.pieces.append(&mut hidden);
        }
        plans
    }
}

/// Returns the plan of a node. Blank lines before the body are not shown, so they aren't counted.
fn node(brief: &Brief<'_>, section: SectionId, body: BlockRange, pieces: Vec<Piece>) -> Plan {
    let draft = Draft::new(brief, Names::of(section), Stretch::of_blocks(brief, body));
    Plan { pieces, ..draft.plan(brief, usize::MAX) }
}

/// Adds a span to the hidden pieces, which precede the next chunk or end the last one.
fn hide(span: Span, hidden: &mut Vec<Piece>) {
    if !span.is_empty() {
        hidden.push(Piece::Hidden(span));
    }
}
