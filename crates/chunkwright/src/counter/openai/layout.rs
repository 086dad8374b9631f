//! The layout of the tables, shared by the build script that writes them and the crate that reads
//! them.

/// The character classes of the pre-tokenization rules, as bit flags. A character can have several.
pub(crate) mod class {
    pub(crate) const UPPERCASE: u8 = 1;
    pub(crate) const LOWERCASE: u8 = 1 << 1;
    /// Letters without case, such as Chinese and Arabic ones.
    pub(crate) const UNCASED: u8 = 1 << 2;
    pub(crate) const MARK: u8 = 1 << 3;
    pub(crate) const NUMBER: u8 = 1 << 4;
    pub(crate) const SPACE: u8 = 1 << 5;
    pub(crate) const LINE_END: u8 = 1 << 6;
}

const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

#[inline]
pub(crate) fn hash(token: &[u8]) -> u64 {
    let (words, rest) = token.as_chunks::<8>();
    let mut hash = (token.len() as u64).wrapping_mul(MULTIPLIER);
    for word in words {
        hash = mix(hash ^ u64::from_le_bytes(*word));
    }
    mix(hash ^ tail(rest))
}

/// Packs up to seven bytes into a number.
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

/// Returns the slot of a token whose bucket has this pilot.
#[inline]
pub(crate) fn slot(hash: u64, pilot: u16, slots: usize) -> usize {
    scale((hash ^ u64::from(pilot).wrapping_mul(MULTIPLIER)).wrapping_mul(MULTIPLIER), slots)
}

/// Maps a hash to a number below `end`.
#[inline]
fn scale(hash: u64, end: usize) -> usize {
    ((u128::from(hash) * end as u128) >> 64) as usize
}

/// A slot of the hash table: a token's rank, the location of its bytes, and a tag.
///
/// The tag consists of some bits of the token's hash. It rejects most other strings without a look
/// at the token's bytes. Packed, an empty slot is 0 and a token's slot never is.
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
