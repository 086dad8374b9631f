//! A vocabulary as a hash table, and byte pair encoding over it.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::layout::{self, Slot};

/// Bytes of the longest word that counts as short.
const SHORT: usize = 61;

/// Above every rank.
const NO_RANK: u32 = u32::MAX;

/// Tables that the build script wrote. They are part of the program, so using them takes no more
/// than the memory pages that are looked at.
pub(crate) struct Vocabulary {
    /// Distinguishes the vocabularies in [`Recent`].
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

    /// The tokens in a word.
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

    /// The rank of a token, or [`NO_RANK`].
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

    /// Byte pair encoding: of all neighbors that make a token together, those with the lowest rank
    /// are merged, the leftmost first, until no two neighbors make a token.
    fn merge_short(&self, word: &[u8]) -> usize {
        // Part `i` is `word[starts[i]..starts[i + 1]]`, and `ranks[i]` that of parts `i` and `i + 1`
        // together.
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

    /// The same for a word of any length, in time that hardly grows faster than the word.
    fn merge_long(&self, word: &[u8]) -> usize {
        // A part is known by where it starts. What was merged into another part has no end.
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
                continue; // One of the two has become part of another.
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

/// The entries in [`Recent`].
const RECENT_WORDS: usize = 4096;

/// Short words that were merged lately, since most words of a text come again.
///
/// An entry has 64 bytes: which vocabulary, how many tokens, how many bytes, and the word.
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
    fn longest_token_is_the_bound() {
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
