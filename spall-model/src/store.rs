//! Byte strings that are borrowed from the input, or copied where they cannot be.

use alloc::vec::Vec;

/// An append-only list of byte strings, 16 bytes an entry.
#[derive(Debug, Clone, Default)]
pub(crate) struct Store<'a> {
    entries: Vec<Entry<'a>>,
    /// Copied strings, each behind its length as eight bytes.
    arena: Vec<u8>,
}

#[derive(Debug, Clone, Copy)]
enum Entry<'a> {
    Input(&'a [u8]),
    Arena(usize),
}

const _: () = assert!(size_of::<Entry<'_>>() == size_of::<&[u8]>());

const LENGTH_BYTES: usize = size_of::<u64>();

impl<'a> Store<'a> {
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    #[inline]
    pub(crate) fn get(&self, index: usize) -> &[u8] {
        match self.entries.get(index) {
            Some(&Entry::Input(bytes)) => bytes,
            Some(&Entry::Arena(start)) => self.arena_bytes(start).unwrap_or_default(),
            None => b"",
        }
    }

    fn arena_bytes(&self, start: usize) -> Option<&[u8]> {
        let (length, rest) = self.arena.get(start..)?.split_first_chunk::<LENGTH_BYTES>()?;
        rest.get(..usize::try_from(u64::from_le_bytes(*length)).ok()?)
    }

    #[inline]
    pub(crate) fn push_borrowed(&mut self, bytes: &'a [u8]) {
        self.entries.push(Entry::Input(bytes));
    }

    pub(crate) fn push_copied(&mut self, bytes: &[u8]) {
        self.entries.push(Entry::Arena(self.arena.len()));
        self.arena.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        self.arena.extend_from_slice(bytes);
    }

    /// Copies what is borrowed, so that the input can go.
    pub(crate) fn into_owned(mut self) -> Store<'static> {
        let entries = core::mem::take(&mut self.entries);
        let mut owned = Store { entries: Vec::with_capacity(entries.len()), arena: self.arena };
        for entry in entries {
            match entry {
                Entry::Input(bytes) => owned.push_copied(bytes),
                Entry::Arena(start) => owned.entries.push(Entry::Arena(start)),
            }
        }
        owned
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.entries.shrink_to_fit();
        self.arena.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borrowed_and_copied_strings_read_the_same() {
        let mut store = Store::default();
        store.push_borrowed(b"one");
        store.push_copied(b"");
        store.push_copied(b"three");
        let owned = store.clone().into_owned();
        for store in [&store, &owned] {
            assert_eq!([store.get(0), store.get(1), store.get(2)], [&b"one"[..], b"", b"three"]);
            assert_eq!(store.get(3), b"");
        }
    }
}
