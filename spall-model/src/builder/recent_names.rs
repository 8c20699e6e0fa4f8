//! A cache of the names of the last events, which needs no hash of the whole name.

use alloc::{boxed::Box, vec::Vec};

use crate::{NameId, Names, Text};

/// The names of a trace, with a cache in front of them.
#[derive(Debug, Default)]
pub(super) struct CachedNames {
    pub(super) all: Names,
    recent: RecentNames,
}

impl CachedNames {
    /// Returns the number of a text, which is added if it is new. The cache comes first, as it spares most names a hash.
    // Without the attributes in this file, the job `spall v3 to trace` takes 49 % more instructions.
    #[inline(always)]
    pub(super) fn intern(&mut self, text: Text<'_>) -> NameId {
        if text.is_empty() {
            return NameId::EMPTY;
        }
        let Some(plain) = text.as_plain() else { return self.all.intern(text) };
        match self.recent.find(plain, Fingerprint::new(plain), &self.all) {
            Some(name) => name,
            None => self.intern_and_remember(plain),
        }
    }

    /// Returns the number of a string that is not in the cache, into which it is put.
    // The fingerprint is made once more: as an argument it would be passed on the stack, and stored there for every name.
    #[inline(never)]
    fn intern_and_remember(&mut self, plain: &[u8]) -> NameId {
        let name = self.all.intern_bytes(plain);
        self.recent.remember(Fingerprint::new(plain), name);
        name
    }

    /// Returns the number of a string that hardly any other event has, which is added if it is new.
    pub(super) fn intern_bytes(&mut self, bytes: &[u8]) -> NameId {
        self.all.intern_bytes(bytes)
    }
}

/// A cache from names to their ids.
///
/// Most events of a file have one of few names. The table of all names needs a good hash of the whole name, because a
/// file may choose names that collide. The cache only hashes the first and the last eight bytes and the length, and a
/// collision costs one lookup in the table. (Loading JSON takes 2 to 6 % less time.)
///
/// The names stand apart from the hashes, so that those of a program take few lines of the first-level cache, and an empty
/// cache has 4 KiB to clear.
#[derive(Debug)]
struct RecentNames {
    /// The position in `names` of a name with each hash or one of the hashes below it, or [`NONE`].
    positions: Box<[u16; HASHES]>,
    /// The last names that were put here. When there are [`MANY`], each takes the place of the oldest.
    names: Vec<Name>,
    /// The position at which the next name is put.
    next: usize,
}

/// The number of bits of a hash.
const HASH_BITS: u32 = 11;
/// The number of hashes. There are more than names, because a name whose hash is taken costs a mispredicted branch.
const HASHES: usize = 1 << HASH_BITS;
/// The number of positions that are looked at for a name, from that of its hash on.
const PROBES: usize = 3;
/// The number of names in the cache.
const MANY: usize = 1 << 10;
/// The position that no name has.
const NONE: u16 = u16::MAX;

/// The length up to which a [`Fingerprint`] holds every byte of a name. Most names are shorter.
const SHORT: usize = 32;

/// The first and the last sixteen bytes of a name, which overlap if it is shorter than 32, and its length. Of a name that
/// is shorter than sixteen they are the first and the last eight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fingerprint {
    first: u128,
    last: u128,
    len: usize,
}

/// A name that was seen lately.
#[derive(Debug, Clone, Copy)]
struct Name {
    // Two words each, because the alignment of one of 128 bits would make every name longer.
    first: [u64; 2],
    last: [u64; 2],
    /// The lowest bits of the length.
    len: u32,
    id: NameId,
}

const _: () = assert!(size_of::<Name>() == 40);

impl Default for RecentNames {
    fn default() -> Self {
        Self { positions: Box::new([NONE; HASHES]), names: Vec::new(), next: 0 }
    }
}

#[allow(clippy::cast_possible_truncation, reason = "the lowest bits of a length, and halves of words")]
impl Name {
    fn new(fingerprint: Fingerprint, id: NameId) -> Self {
        let words = |word: u128| [word as u64, (word >> 64) as u64];
        let Fingerprint { first, last, len } = fingerprint;
        Self { first: words(first), last: words(last), len: len as u32, id }
    }

    /// Returns whether the name has a fingerprint, up to the highest bits of the length.
    fn has(&self, fingerprint: &Fingerprint) -> bool {
        let word = |[low, high]: [u64; 2]| u128::from(low) | u128::from(high) << 64;
        let differ = (word(self.first) ^ fingerprint.first) | (word(self.last) ^ fingerprint.last);
        differ == 0 && self.len == fingerprint.len as u32
    }
}

impl Fingerprint {
    /// Returns the fingerprint of a name.
    #[inline(always)]
    pub(super) fn new(name: &[u8]) -> Self {
        let (first, last) = match (name.first_chunk(), name.last_chunk()) {
            (Some(first), Some(last)) => (u128::from_le_bytes(*first), u128::from_le_bytes(*last)),
            _ => {
                let (first, last) = ends_of_short(name);
                (u128::from(first), u128::from(last) << 64)
            }
        };
        Self { first, last, len: name.len() }
    }

    /// Returns the fingerprint of a name that it tells apart from all others, or `None` for a longer name.
    #[inline]
    pub(super) fn of_short(name: &[u8]) -> Option<Self> {
        (name.len() <= SHORT).then(|| Self::new(name))
    }

    /// Returns the hash of a name with this fingerprint.
    #[allow(clippy::cast_possible_truncation, reason = "the first bytes, and the highest bits")]
    #[inline(always)]
    pub(super) fn hash(&self) -> usize {
        // One multiplication by an odd constant spreads the bits upwards, so the highest ones are the hash. Names that are
        // equal at both ends are told apart by their lengths.
        let (first, last) = (self.first as u64, (self.last >> 64) as u64);
        let mixed = (first ^ last.rotate_left(24)).wrapping_add(self.len as u64);
        (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - HASH_BITS)) as usize
    }
}

/// Returns the first and the last eight bytes of a name that is shorter than sixteen.
#[inline(always)]
fn ends_of_short(name: &[u8]) -> (u64, u64) {
    match (name.first_chunk(), name.last_chunk()) {
        (Some(first), Some(last)) => (u64::from_le_bytes(*first), u64::from_le_bytes(*last)),
        _ => ends_of_few(name),
    }
}

/// Returns the two words of a name that is shorter than eight bytes.
#[inline(always)]
fn ends_of_few(name: &[u8]) -> (u64, u64) {
    match (name.first_chunk(), name.last_chunk()) {
        (Some(first), Some(last)) => {
            (u64::from(u32::from_le_bytes(*first)), u64::from(u32::from_le_bytes(*last)))
        }
        _ => name.iter().fold((0, 0), |(word, _), &byte| (word << 8 | u64::from(byte), 0)),
    }
}

#[allow(
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "hashes are below HASHES, and positions below MANY"
)]
impl RecentNames {
    /// Returns the id of a name, or `None` if the cache does not have it.
    #[inline(always)]
    fn find(&self, name: &[u8], fingerprint: Fingerprint, names: &Names) -> Option<NameId> {
        let hash = fingerprint.hash();
        for probe in 0..PROBES {
            let known = self.names.get(usize::from(self.positions[(hash + probe) % HASHES]))?;
            if known.has(&fingerprint) && (name.len() <= SHORT || names.bytes(known.id) == name) {
                return Some(known.id);
            }
        }
        None
    }

    /// Puts a name into the cache.
    #[inline]
    fn remember(&mut self, fingerprint: Fingerprint, name: NameId) {
        let known = Name::new(fingerprint, name);
        match self.names.get_mut(self.next) {
            Some(oldest) => *oldest = known,
            None => self.names.push(known),
        }
        let hash = fingerprint.hash();
        let probes = (0..PROBES).map(|probe| (hash + probe) % HASHES);
        let place = probes.clone().find(|&place| self.positions[place] == NONE).unwrap_or(hash);
        self.positions[place] = self.next as u16;
        self.next = (self.next + 1) % MANY;
    }
}

#[cfg(test)]
mod tests {
    use alloc::{format, vec::Vec};

    use super::*;
    use crate::Text;

    /// Names of all lengths that differ in one byte only, each found and forgotten again by others of its slot.
    #[test]
    fn a_name_is_not_taken_for_another() {
        let texts: Vec<_> = (1..70_usize)
            .flat_map(|len| (0..len).map(move |at| format!("{:a<at$}b{:a<1$}", "", len - at - 1)))
            .collect();
        let (mut names, mut recent) = (Names::default(), RecentNames::default());
        for text in texts.iter().chain(&texts) {
            let (raw, fingerprint) = (text.as_bytes(), Fingerprint::new(text.as_bytes()));
            let name = names.intern(Text::plain(raw));
            let found = recent.find(raw, fingerprint, &names);
            assert!(found.is_none_or(|found| found == name), "{text}");
            recent.remember(fingerprint, name);
            assert_eq!(recent.find(raw, fingerprint, &names), Some(name), "{text}");
        }
    }
}
