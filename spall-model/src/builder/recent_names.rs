//! The names of the last events, found again without hashing.

use crate::{NameId, Names};

/// Where each name that was seen lately is remembered, by its first and last bytes.
///
/// Most events of a file have one of few names. A table of all names needs a good hash of the whole name; here two
/// words serve, which together with the length are all of a short one. (Loading JSON: 2 to 6 % less time.)
#[derive(Debug)]
pub(super) struct RecentNames {
    slots: [Slot; SLOTS],
}

const SLOT_BITS: u32 = 7;
const SLOTS: usize = 1 << SLOT_BITS;

/// Up to this length the two words of an [`Fingerprint`] are all of a name.
const SHORT: usize = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fingerprint {
    first: u64,
    last: u64,
    len: usize,
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    fingerprint: Fingerprint,
    name: NameId,
}

impl Default for RecentNames {
    fn default() -> Self {
        // As if the empty name had been seen.
        let fingerprint = Fingerprint { first: 0, last: 0, len: 0 };
        Self { slots: [Slot { fingerprint, name: NameId::EMPTY }; SLOTS] }
    }
}

impl Fingerprint {
    #[inline(always)]
    pub(super) fn new(name: &[u8]) -> Self {
        let (first, last) = match (name.first_chunk(), name.last_chunk()) {
            (Some(first), Some(last)) => (u64::from_le_bytes(*first), u64::from_le_bytes(*last)),
            _ => ends_of_few(name),
        };
        Self { first, last, len: name.len() }
    }

    #[allow(clippy::cast_possible_truncation, reason = "the highest bits are left")]
    #[inline(always)]
    fn slot(&self) -> usize {
        let mixed = (self.first ^ self.last.rotate_left(24)).wrapping_add(self.len as u64);
        (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - SLOT_BITS)) as usize
    }
}

/// The ends of a name of less than eight bytes.
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
    /// The id of a name, if it was seen lately.
    #[inline(always)]
    pub(super) fn find(&self, name: &[u8], fingerprint: Fingerprint, names: &Names<'_>) -> Option<NameId> {
        let slot = self.slots.get(fingerprint.slot())?;
        (slot.fingerprint == fingerprint && (fingerprint.len <= SHORT || names.bytes(slot.name) == name))
            .then_some(slot.name)
    }

    /// Remembers a name.
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
