//! Typed indices into the lists of a document, so that the compiler catches mix-ups.
//!
//! Public fields and parameters are plain `usize`s, so that users can index slices with them. They
//! are converted at the boundary of the public API.

use std::ops::Range;

/// The index of a block, or one past the last block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct BlockId(usize);

impl BlockId {
    pub(crate) const fn new(index: usize) -> Self {
        Self(index)
    }

    pub(crate) const fn index(self) -> usize {
        self.0
    }

    pub(crate) const fn next(self) -> Self {
        Self(self.0 + 1)
    }

    /// Returns the previous block. There must be one.
    pub(crate) const fn before(self) -> Self {
        Self(self.0 - 1)
    }

    /// Returns the blocks from this one up to, but not including, `end`.
    pub(crate) const fn to(self, end: Self) -> BlockRange {
        BlockRange { start: self, end }
    }
}

/// A range of blocks. Unlike `Range<BlockId>`, it is `Copy`, and can be iterated on stable Rust.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockRange {
    pub(crate) start: BlockId,
    pub(crate) end: BlockId,
}

impl BlockRange {
    pub(crate) const EMPTY: Self = BlockId(0).to(BlockId(0));

    pub(crate) fn is_empty(self) -> bool {
        self.start >= self.end
    }

    pub(crate) fn contains(self, block: BlockId) -> bool {
        self.start <= block && block < self.end
    }

    /// Returns the blocks from `first` on, or an empty range at the end if there are none.
    pub(crate) fn skip_to(self, first: BlockId) -> Self {
        self.start.max(first).min(self.end).to(self.end)
    }

    pub(crate) fn iter(self) -> impl DoubleEndedIterator<Item = BlockId> + ExactSizeIterator {
        self.indices().map(BlockId)
    }

    pub(crate) const fn indices(self) -> Range<usize> {
        self.start.0..self.end.0
    }
}

/// Creates a range of one block.
impl From<BlockId> for BlockRange {
    fn from(block: BlockId) -> Self {
        block.to(block.next())
    }
}

/// The index of a section, or one past the last section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct SectionId(usize);

impl SectionId {
    /// The preamble, which is the root of the outline.
    pub(crate) const ROOT: Self = Self(0);

    pub(crate) const fn new(index: usize) -> Self {
        Self(index)
    }

    pub(crate) const fn index(self) -> usize {
        self.0
    }

    pub(crate) const fn next(self) -> Self {
        Self(self.0 + 1)
    }

    /// Returns the previous section. There must be one.
    pub(crate) const fn before(self) -> Self {
        Self(self.0 - 1)
    }
}

/// The index of a heading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HeadingId(usize);

impl HeadingId {
    pub(crate) const fn new(index: usize) -> Self {
        Self(index)
    }

    pub(crate) const fn index(self) -> usize {
        self.0
    }
}
