//! Generates the tables for counting OpenAI tokens: both vocabularies as perfect hash tables, and
//! the character classes that pre-tokenization needs.
//!
//! The tables are compiled into the program, so that it has nothing to load or build at run time.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs, mem};

use regex_syntax::hir::{Class, HirKind};

#[path = "../src/counter/openai/layout.rs"]
#[allow(dead_code, reason = "only the crate reads the tables")]
mod layout;

use layout::{Slot, class};

/// The average number of tokens per bucket.
const BUCKET_TOKENS: usize = 4;

pub(crate) fn write_tables() {
    println!("cargo::rerun-if-changed=src/counter/openai/layout.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    for name in ["cl100k", "o200k"] {
        write_vocabulary(&out, name, &tokens(&format!("{name}_base")));
    }
    write_classes(&out);
}

fn write(file: &Path, table: &[u8]) {
    fs::write(file, table).unwrap_or_else(|fault| panic!("{}: {fault}", file.display()));
}

/// Returns a vocabulary's tokens, ordered by rank.
fn tokens(encoding: &str) -> Vec<Vec<u8>> {
    let encoding = tiktoken::get_encoding(encoding).expect("the crate includes this vocabulary");
    let ranks = 0..u32::try_from(encoding.vocab_size()).expect("ranks fit in 32 bits");
    ranks.map(|rank| encoding.decode(&[rank])).collect()
}

/// Writes a vocabulary as a hash table without collisions.
///
/// Each bucket of tokens gets a pilot: a number that maps all of its tokens to free slots.
fn write_vocabulary(out: &Path, name: &str, tokens: &[Vec<u8>]) {
    let mut buckets = vec![Vec::new(); tokens.len().div_ceil(BUCKET_TOKENS)];
    let bucket_count = buckets.len();
    for (rank, token) in tokens.iter().enumerate() {
        let hash = layout::hash(token);
        buckets[layout::bucket(hash, bucket_count)].push((hash, rank));
    }
    // The largest buckets go first, while most slots are free.
    let mut by_size: Vec<usize> = (0..bucket_count).collect();
    by_size.sort_by_key(|&bucket| Reverse(buckets[bucket].len()));

    let mut pilots = vec![0; bucket_count];
    let mut slots = vec![None; tokens.len() + tokens.len() / 6];
    for bucket in by_size {
        let (pilot, places) = (0..=u16::MAX)
            .find_map(|pilot| Some((pilot, free_slots(&buckets[bucket], pilot, &slots)?)))
            .expect("every bucket has a pilot");
        pilots[bucket] = pilot;
        for (slot, &(hash, rank)) in places.into_iter().zip(&buckets[bucket]) {
            slots[slot] = Some((hash, rank));
        }
    }

    // Tokens stay in rank order, so that the most frequent ones share memory pages.
    let starts: Vec<usize> =
        tokens.iter().scan(0, |end, token| Some(mem::replace(end, *end + token.len()))).collect();
    let packed = slots.iter().map(|slot| {
        slot.map_or(0, |(hash, rank)| pack(rank, starts[rank], tokens[rank].len(), hash))
    });
    let packed: Vec<u8> = packed.flat_map(u64::to_le_bytes).collect();
    let pilots: Vec<u8> = pilots.into_iter().flat_map(u16::to_le_bytes).collect();
    write(&out.join(format!("{name}.pilots")), &pilots);
    write(&out.join(format!("{name}.slots")), &packed);
    write(&out.join(format!("{name}.tokens")), &tokens.concat());
}

/// Returns the slots to which a pilot maps a bucket's tokens, if all of them are free.
fn free_slots(
    bucket: &[(u64, usize)],
    pilot: u16,
    slots: &[Option<(u64, usize)>],
) -> Option<Vec<usize>> {
    let mut places = Vec::with_capacity(bucket.len());
    for &(hash, _) in bucket {
        let slot = layout::slot(hash, pilot, slots.len());
        if slots[slot].is_some() || places.contains(&slot) {
            return None;
        }
        places.push(slot);
    }
    Some(places)
}

fn pack(rank: usize, start: usize, len: usize, hash: u64) -> u64 {
    let tag = Slot::tag(hash);
    let bits = rank as u64 | (start as u64) << 18 | (len as u64) << 42 | tag << 50;
    let slot = Slot { rank: u32::try_from(rank).expect("32 bits"), start, len, tag };
    assert_eq!(Slot::unpack(bits), slot, "the fields fit in a slot");
    bits
}

/// Writes the classes of all characters as a two-level table: pages of 256 characters, each
/// distinct page stored once.
fn write_classes(out: &Path) {
    let mut class_of = vec![0_u8; 0x11_0000];
    for (pattern, class) in [
        (r"[\p{Lu}\p{Lt}]", class::UPPERCASE),
        (r"\p{Ll}", class::LOWERCASE),
        (r"[\p{Lm}\p{Lo}]", class::UNCASED),
        (r"\p{M}", class::MARK),
        (r"\p{N}", class::NUMBER),
        (r"\s", class::SPACE),
        (r"[\r\n]", class::LINE_END),
    ] {
        let hir = regex_syntax::parse(pattern).expect("the pattern is valid");
        let HirKind::Class(Class::Unicode(characters)) = hir.into_kind() else {
            panic!("`{pattern}` is not a character class");
        };
        for range in characters.ranges() {
            let range = u32::from(range.start()) as usize..=u32::from(range.end()) as usize;
            class_of[range].iter_mut().for_each(|classes| *classes |= class);
        }
    }
    let (mut numbers, mut pages) = (Vec::new(), Vec::new());
    let mut known = BTreeMap::new();
    for page in class_of.chunks(256) {
        let number = *known.entry(page).or_insert_with(|| {
            pages.extend_from_slice(page);
            pages.len() / 256 - 1
        });
        numbers.push(u8::try_from(number).expect("at most 256 different pages"));
    }
    write(&out.join("page_numbers"), &numbers);
    write(&out.join("pages"), &pages);
}
