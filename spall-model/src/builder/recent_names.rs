//! A cache of the names of the last events, which needs no hash of the whole name.

use alloc::{boxed::Box, vec};

use crate::{NameId, Names};

/// A cache from names to their ids, with two slots for each hash.
///
/// Most events of a file have one of few names. The table of all names needs a good hash of the whole name, because a
/// file may choose names that collide. The cache only hashes the first and the last eight bytes and the length, and a
/// collision costs one lookup in the table. (Loading JSON takes 2 to 6 % less time.)
#[derive(Debug)]
pub(super) struct RecentNames {
    /// The names of each hash, the later one first.
    slots: Box<[[Slot; 2]]>,
}

/// The number of bits of a hash.
const HASH_BITS: u32 = 9;
/// The number of hashes. Their slots take 48 KiB, of which a file uses as much as it has names. With 128 slots in all, a
/// program with 440 names had every second name looked up in the table.
const HASHES: usize = 1 << HASH_BITS;

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
struct Slot {
    fingerprint: Fingerprint,
    name: NameId,
}

impl Default for RecentNames {
    fn default() -> Self {
        // The fingerprint of the empty name, so that an unused slot needs no mark of its own.
        let fingerprint = Fingerprint { first: 0, last: 0, len: 0 };
        Self { slots: vec![[Slot { fingerprint, name: NameId::EMPTY }; 2]; HASHES].into() }
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

    /// Returns the hash of a name with this fingerprint.
    #[allow(clippy::cast_possible_truncation, reason = "the first bytes, and the highest bits")]
    #[inline(always)]
    fn hash(&self) -> usize {
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

impl RecentNames {
    /// Returns the id of a name, or `None` if the slots of its hash have other names.
    #[inline(always)]
    pub(super) fn find(&self, name: &[u8], fingerprint: Fingerprint, names: &Names<'_>) -> Option<NameId> {
        let is_name = |slot: &Slot| {
            slot.fingerprint == fingerprint && (fingerprint.len <= SHORT || names.bytes(slot.name) == name)
        };
        let [later, earlier] = self.slots.get(fingerprint.hash())?;
        if is_name(later) {
            return Some(later.name);
        }
        is_name(earlier).then_some(earlier.name)
    }

    /// Puts a name into the slots of its hash, in place of the name that came before the last one.
    pub(super) fn remember(&mut self, fingerprint: Fingerprint, name: NameId) {
        if let Some(slots) = self.slots.get_mut(fingerprint.hash()) {
            *slots = [Slot { fingerprint, name }, slots[0]];
        }
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
