//! A cache of the names of the last events, which needs no hash of the whole name.

use alloc::{boxed::Box, vec};

use crate::{NameId, Names};

/// A cache from names to their ids, with one slot for each hash.
///
/// Most events of a file have one of few names. The table of all names needs a good hash of the whole name, because a
/// file may choose names that collide. The cache only hashes the first and the last eight bytes and the length, which
/// for a short name are all of it: a collision costs one lookup in the table. (Loading JSON takes 2 to 6 % less
/// time.)
#[derive(Debug)]
pub(super) struct RecentNames {
    slots: Box<[Slot]>,
}

/// The number of bits that select a slot.
const SLOT_BITS: u32 = 10;
/// The number of slots. They take 32 KiB, of which a file uses as much as it has names. With 128 slots a program with 440
/// names had every third name looked up in the table.
const SLOTS: usize = 1 << SLOT_BITS;

/// The length up to which the two words of a [`Fingerprint`] hold every byte of a name.
const SHORT: usize = 16;

/// The first and the last eight bytes of a name, which overlap if it is shorter than 16, and its length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fingerprint {
    first: u64,
    last: u64,
    len: usize,
}

/// The name that was last seen with one hash.
#[derive(Debug, Clone, Copy)]
struct Slot {
    fingerprint: Fingerprint,
    name: NameId,
}

impl Default for RecentNames {
    fn default() -> Self {
        // The fingerprint of the empty name, so that an unused slot needs no mark of its own.
        let fingerprint = Fingerprint { first: 0, last: 0, len: 0 };
        Self { slots: vec![Slot { fingerprint, name: NameId::EMPTY }; SLOTS].into() }
    }
}

impl Fingerprint {
    /// Returns the fingerprint of a name.
    #[inline(always)]
    pub(super) fn new(name: &[u8]) -> Self {
        let (first, last) = match (name.first_chunk(), name.last_chunk()) {
            (Some(first), Some(last)) => (u64::from_le_bytes(*first), u64::from_le_bytes(*last)),
            _ => ends_of_few(name),
        };
        Self { first, last, len: name.len() }
    }

    /// Returns the slot of a name with this fingerprint.
    #[allow(clippy::cast_possible_truncation, reason = "the highest bits are left")]
    #[inline(always)]
    fn slot(&self) -> usize {
        // One multiplication by an odd constant spreads the bits upwards, so the highest ones select the slot. Names
        // that are equal at both ends are told apart by their lengths.
        let mixed = (self.first ^ self.last.rotate_left(24)).wrapping_add(self.len as u64);
        (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - SLOT_BITS)) as usize
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
    /// Returns the id of a name, or `None` if its slot has another name.
    #[inline(always)]
    pub(super) fn find(&self, name: &[u8], fingerprint: Fingerprint, names: &Names<'_>) -> Option<NameId> {
        let slot = self.slots.get(fingerprint.slot())?;
        (slot.fingerprint == fingerprint && (fingerprint.len <= SHORT || names.bytes(slot.name) == name))
            .then_some(slot.name)
    }

    /// Puts a name into its slot, in place of the name that was there.
    pub(super) fn remember(&mut self, fingerprint: Fingerprint, name: NameId) {
        if let Some(slot) = self.slots.get_mut(fingerprint.slot()) {
            *slot = Slot { fingerprint, name };
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
        let texts: Vec<_> = (1..40_usize)
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
