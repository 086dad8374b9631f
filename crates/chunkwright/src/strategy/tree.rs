//! `tree`: one chunk for every node with a body.
//!
//! The document and every section are nodes. A node's body is its section's own blocks without the
//! heading line, which is hidden and told as the title. Nothing is split, merged or dropped, so
//! there is no maximum: it is what search builds on.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::pack::Stretch;
use super::{Brief, Rules, Settings};
use crate::config::ConfigError;
use crate::plan::{Piece, Plan};
use crate::split::pieces;

/// Options of `tree`: it has none of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Options {}

impl Settings for Options {
    const COUNTER: &'static str = "o200k";
    const NODES: bool = true;
    const VERSION: u32 = 1;

    fn limit(&mut self, _: usize, _: usize) {}

    fn rules(&self) -> Result<Box<dyn Rules>, ConfigError> {
        Ok(Box::new(Tree))
    }
}

#[derive(Debug)]
struct Tree;

impl Rules for Tree {
    fn max(&self) -> Option<usize> {
        None
    }

    fn target(&self) -> Option<usize> {
        None
    }

    fn plan(&self, brief: &Brief<'_>) -> Vec<Plan> {
        let mut plans: Vec<Plan> = Vec::new();
        let mut hidden: Vec<Piece> = Vec::new();
        for section in 0..brief.document.sections.len() {
            let own = brief.shown_blocks(section);
            let body = brief.document.body(own.clone());
            hide(brief, own.start..body.start, &mut hidden);
            if !body.is_empty() {
                plans.push(node(brief, section, body.clone(), std::mem::take(&mut hidden)));
            }
            hide(brief, body.end..own.end, &mut hidden);
        }
        if let Some(last) = plans.last_mut() {
            last.pieces.append(&mut hidden);
        }
        plans
    }
}

fn node(brief: &Brief<'_>, section: usize, body: Range<usize>, hidden: Vec<Piece>) -> Plan {
    let stretch = Stretch::of_blocks(brief, body);
    let units = brief.measure(section, &stretch.start, &stretch.end);
    let own = pieces(brief.document.source, &stretch.start, &stretch.end);
    Plan { pieces: [hidden, own].concat(), trail: section, units, notes: Vec::new() }
}

/// Blocks that are told by titles only lead the next chunk, or end the last.
fn hide(brief: &Brief<'_>, blocks: Range<usize>, hidden: &mut Vec<Piece>) {
    if !blocks.is_empty() {
        hidden.push(Piece::Hidden(brief.document.span_of(blocks)));
    }
}
