//! The texts that a parser keeps, each once.

use alloc::vec::Vec;
use core::hash::BuildHasher as _;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

/// The number of a text.
pub(super) type TextId = u32;

/// Texts without repetition.
#[derive(Debug, Default)]
pub(super) struct Texts {
    bytes: Vec<u8>,
    /// The positions at which the texts end, one behind the other.
    ends: Vec<usize>,
    ids: HashTable<TextId>,
    hasher: RandomState,
}

impl Texts {
    /// Returns the number of a text, which is kept if it is new.
    pub(super) fn id(&mut self, text: &[u8]) -> TextId {
        let hash = self.hasher.hash_one(text);
        let Self { bytes, ends, ids, hasher } = self;
        if let Some(&known) = ids.find(hash, |&id| get(bytes, ends, id) == text) {
            return known;
        }
        let new = TextId::try_from(ends.len()).unwrap_or(TextId::MAX);
        bytes.extend_from_slice(text);
        ends.push(bytes.len());
        ids.insert_unique(hash, new, |&id| hasher.hash_one(get(bytes, ends, id)));
        new
    }

    /// Returns a text.
    #[inline]
    pub(super) fn get(&self, id: TextId) -> &[u8] {
        get(&self.bytes, &self.ends, id)
    }
}

#[inline]
fn get<'t>(bytes: &'t [u8], ends: &[usize], id: TextId) -> &'t [u8] {
    let id = id as usize;
    let start = id.checked_sub(1).and_then(|before| ends.get(before)).copied().unwrap_or(0);
    ends.get(id).and_then(|&end| bytes.get(start..end)).unwrap_or_default()
}
