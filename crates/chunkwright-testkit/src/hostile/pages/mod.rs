//! The patterns, grouped by the construct they abuse.

mod blocks;
mod definitions;
mod front_matter;
mod html;
mod inline;
mod mdx;
mod tables;
mod text;

use crate::hostile::Pattern;

pub(crate) const ROOMS: &[&[Pattern]] = &[
    blocks::PATTERNS,
    tables::PATTERNS,
    inline::PATTERNS,
    definitions::PATTERNS,
    html::PATTERNS,
    text::PATTERNS,
    front_matter::PATTERNS,
    mdx::PATTERNS,
];
