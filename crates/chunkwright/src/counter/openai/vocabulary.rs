//! A vocabulary as a hash table, and byte pair encoding with it.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::layout::{self, Slot};

/// The maximum length of a short word in bytes.
const SHORT: usize = 61;

/// The rank of strings that are not tokens, higher than any real rank.
const NO_RANK: u32 = u32::MAX;

/// A vocabulary in the tables that the build script generates. They are part of the executable, so
/// only the memory pages that are accessed get loaded.
pub(crate) struct Vocabulary {
    /// The id of the vocabulary in [`Recent`].
    id: u8,
    pilots: &'static [[u8; 2]],
    slots: &'static [[u8; 8]],
    tokens: &'static [u8],
}

macro_rules! table {
    ($file:literal) => {
        include_bytes!(concat!(env!("OUT_DIR"), "/", $file)).as_slice()
    };
}

pub(crate) static CL100K: Vocabulary =
    Vocabulary::new(1, table!("cl100k.pilots"), table!("cl100k.slots"), table!("cl100k.tokens"));

pub(crate) static O200K: Vocabulary =
    Vocabulary::new(2, table!("o200k.pilots"), table!("o200k.slots"), table!("o200k.tokens"));

impl Vocabulary {
    const fn new(
        id: u8,
        pilots: &'static [u8],
        slots: &'static [u8],
        tokens: &'static [u8],
    ) -> Self {
        Self { id, pilots: pilots.as_chunks().0, slots: slots.as_chunks().0, tokens }
    }

    #[inline]
    pub(crate) fn count(&self, word: &[u8]) -> usize {
        let hash = layout::hash(word);
        if self.rank_by_hash(word, hash) != NO_RANK {
            1
        } else if word.len() <= SHORT {
            RECENT.with_borrow_mut(|recent| recent.count(self, word, hash))
        } else {
            self.merge_long(word)
        }
    }

    /// Returns the rank of a token, or [`NO_RANK`].
    #[inline]
    fn rank(&self, token: &[u8]) -> u32 {
        self.rank_by_hash(token, layout::hash(token))
    }

    #[inline]
    fn rank_by_hash(&self, token: &[u8], hash: u64) -> u32 {
        let pilot = self.pilots[layout::bucket(hash, self.pilots.len())];
        let slot = layout::slot(hash, u16::from_le_bytes(pilot), self.slots.len());
        let slot = Slot::unpack(u64::from_le_bytes(self.slots[slot]));
        let found = slot.len == token.len()
            && slot.tag == Slot::tag(hash)
            && &self.tokens[slot.start..slot.start + slot.len] == token;
        if found { slot.rank } else { NO_RANK }
    }

    /// Counts the tokens of a short word with byte pair encoding: repeatedly merges the adjacent
    /// pair with the lowest rank, the leftmost first, until no pair forms a token.
    fn merge_short(&self, word: &[u8]) -> usize {
        // Part `i` is `word[starts[i]..starts[i + 1]]`, and `ranks[i]` is the rank of the pair of
        // parts `i` and `i + 1`.
        let mut starts = [0_u8; SHORT + 1];
        let mut ranks = [NO_RANK; SHORT];
        let mut parts = word.len();
        for (at, start) in (0..).zip(&mut starts[..=parts]) {
            *start = at;
        }
        for (pair, rank) in word.windows(2).zip(&mut ranks) {
            *rank = self.rank(pair);
        }
        while parts > 1 {
            let lowest = (0..parts - 1).min_by_key(|&part| ranks[part]).unwrap_or_default();
            if ranks[lowest] == NO_RANK {
                break;
            }
            starts.copy_within(lowest + 2..=parts, lowest + 1);
            ranks.copy_within(lowest + 1..parts, lowest);
            parts -= 1;
            for left in [lowest.checked_sub(1), Some(lowest)].into_iter().flatten() {
                ranks[left] = match left + 2 <= parts {
                    true => self.rank(&word[starts[left].into()..starts[left + 2].into()]),
                    false => NO_RANK,
                };
            }
        }
        parts
    }

    /// Counts the tokens of a word of any length in O(n log n) time. `merge_short` is quadratic,
    /// but faster for short words.
    fn merge_long(&self, word: &[u8]) -> usize {
        // A part is identified by its start. Its end is 0 once it is merged into the part before
        // it.
        let mut ends: Vec<usize> = (1..=word.len()).collect();
        let mut before: Vec<usize> = (0..word.len()).map(|start| start.saturating_sub(1)).collect();
        let mut parts = word.len();
        let mut pairs = BinaryHeap::new();
        let pair = |start: usize, end: usize| {
            let rank = self.rank(&word[start..end]);
            (rank != NO_RANK).then_some(Reverse((rank, start, end)))
        };
        pairs.extend((0..word.len() - 1).filter_map(|start| pair(start, start + 2)));
        while let Some(Reverse((_, start, end))) = pairs.pop() {
            let middle = ends[start];
            if middle == 0 || middle >= end || ends[middle] != end {
                continue; // Stale entry: one of the two parts has been merged since.
            }
            ends[start] = end;
            ends[middle] = 0;
            parts -= 1;
            if end < word.len() {
                before[end] = start;
                pairs.extend(pair(start, ends[end]));
            }
            if start > 0 {
                pairs.extend(pair(before[start], end));
            }
        }
        parts
    }
}

thread_local! {
    static RECENT: RefCell<Recent> = RefCell::new(Recent { entries: vec![0; RECENT_WORDS * 64] });
}

const RECENT_WORDS: usize = 4096;

/// A cache of token counts for short words, since most words of a text occur repeatedly.
///
/// An entry has 64 bytes: the vocabulary's id, the number of tokens, the word's length, and the
/// word.
struct Recent {
    entries: Vec<u8>,
}

impl Recent {
    #[inline]
    fn count(&mut self, vocabulary: &Vocabulary, word: &[u8], hash: u64) -> usize {
        let (entries, _) = self.entries.as_chunks_mut::<64>();
        let [id, count, len, key @ ..] = &mut entries[hash as usize % RECENT_WORDS];
        let known =
            *id == vocabulary.id && usize::from(*len) == word.len() && &key[..word.len()] == word;
        if !known {
            let merged = vocabulary.merge_short(word);
            *id = vocabulary.id;
            *len = word.len() as u8;
            *count = merged as u8;
            key[..word.len()].copy_from_slice(word);
        }
        usize::from(*count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(vocabulary: &Vocabulary) -> impl Iterator<Item = (Slot, &[u8])> {
        let slots = vocabulary.slots.iter().map(|&slot| u64::from_le_bytes(slot));
        let slots = slots.filter(|&slot| slot != 0).map(Slot::unpack);
        slots.map(|slot| (slot, &vocabulary.tokens[slot.start..slot.start + slot.len]))
    }

    #[test]
    fn finds_every_token_with_its_rank() {
        for (vocabulary, size) in [(&CL100K, 100_256), (&O200K, 199_998)] {
            assert_eq!(tokens(vocabulary).count(), size);
            for (slot, token) in tokens(vocabulary) {
                assert_eq!(vocabulary.rank(token), slot.rank, "{token:?}");
            }
            assert_eq!(vocabulary.rank(b"chunkwright"), NO_RANK);
        }
    }

    #[test]
    fn no_token_is_longer_than_the_bound() {
        for vocabulary in [&CL100K, &O200K] {
            let longest = tokens(vocabulary).map(|(slot, _)| slot.len).max();
            assert_eq!(longest, Some(super::super::LONGEST_TOKEN));
        }
    }

    #[test]
    fn long_words_merge_like_short_ones() {
        let letters = "antidisestablishmentarianismpneumonoultramicroscopicsilicovolcano中文ßé";
        for vocabulary in [&CL100K, &O200K] {
            for start in 0..letters.len() {
                for end in start + 1..letters.len().min(start + SHORT) {
                    let word = &letters.as_bytes()[start..end];
                    assert_eq!(vocabulary.merge_long(word), vocabulary.merge_short(word));
                }
            }
        }
    }
}
