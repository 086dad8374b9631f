//! What the build script, which writes the tables, and the program, which reads them, agree on.

/// The classes of characters that the rules for words name. A character can be in several.
pub(crate) mod class {
    pub(crate) const UPPERCASE: u8 = 1;
    pub(crate) const LOWERCASE: u8 = 1 << 1;
    /// Letters without case, such as those of Chinese and Arabic.
    pub(crate) const UNCASED: u8 = 1 << 2;
    pub(crate) const MARK: u8 = 1 << 3;
    pub(crate) const NUMBER: u8 = 1 << 4;
    pub(crate) const SPACE: u8 = 1 << 5;
    pub(crate) const LINE_END: u8 = 1 << 6;
}

const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// The hash of a token's bytes.
#[inline]
pub(crate) fn hash(token: &[u8]) -> u64 {
    let (words, rest) = token.as_chunks::<8>();
    let mut hash = (token.len() as u64).wrapping_mul(MULTIPLIER);
    for word in words {
        hash = mix(hash ^ u64::from_le_bytes(*word));
    }
    mix(hash ^ tail(rest))
}

/// Up to seven bytes as one number.
#[inline]
fn tail(bytes: &[u8]) -> u64 {
    let number = |bytes: [u8; 4]| u64::from(u32::from_le_bytes(bytes));
    match *bytes {
        [] => 0,
        [a] => number([a, 0, 0, 0]),
        [a, b] => number([a, b, 0, 0]),
        [a, b, c] => number([a, b, c, 0]),
        // The two halves may overlap.
        [a, b, c, d, ..] => {
            let end = bytes.last_chunk().copied().unwrap_or_default();
            number([a, b, c, d]) | number(end) << 32
        }
    }
}

#[inline]
fn mix(number: u64) -> u64 {
    let product = u128::from(number ^ 0x2545_f491_4f6c_dd1d) * u128::from(MULTIPLIER);
    (product >> 64) as u64 ^ product as u64
}

#[inline]
pub(crate) fn bucket(hash: u64, buckets: usize) -> usize {
    scale(hash, buckets)
}

/// The slot of a token in a bucket with this pilot.
#[inline]
pub(crate) fn slot(hash: u64, pilot: u16, slots: usize) -> usize {
    scale((hash ^ u64::from(pilot).wrapping_mul(MULTIPLIER)).wrapping_mul(MULTIPLIER), slots)
}

/// A hash as a number below `end`.
#[inline]
fn scale(hash: u64, end: usize) -> usize {
    ((u128::from(hash) * end as u128) >> 64) as usize
}

/// What a slot of the hash table holds: a token's rank, where its bytes are, and some bits of its
/// hash, which tell most other strings apart without looking at those bytes.
///
/// No slot of a token is 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Slot {
    /// Below 2^18.
    pub(crate) rank: u32,
    /// Below 2^24.
    pub(crate) start: usize,
    /// From 1 to 255.
    pub(crate) len: usize,
    /// 14 bits.
    pub(crate) tag: u64,
}

impl Slot {
    #[inline]
    pub(crate) fn unpack(bits: u64) -> Self {
        Self {
            rank: (bits & 0x3_ffff) as u32,
            start: (bits >> 18 & 0xff_ffff) as usize,
            len: (bits >> 42 & 0xff) as usize,
            tag: bits >> 50,
        }
    }

    #[inline]
    pub(crate) fn tag(hash: u64) -> u64 {
        hash & 0x3fff
    }
}
