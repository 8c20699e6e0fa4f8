//! Lists of byte strings that are borrowed from the input where possible, and copied otherwise.

use alloc::vec::Vec;

/// An append-only list of byte strings. An entry takes 16 bytes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Store<'a> {
    entries: Vec<Entry<'a>>,
    arena: Arena,
}

/// A byte string that is borrowed from the input, or at a position in an [`Arena`].
#[derive(Debug, Clone, Copy)]
pub(crate) enum Entry<'a> {
    /// A string that stays in the input.
    Input(&'a [u8]),
    /// The position of a copied string in its arena.
    Arena(usize),
}

const _: () = assert!(size_of::<Entry<'_>>() == size_of::<&[u8]>());

/// Copied strings. Each follows its length, so that an [`Entry`] needs no length and takes only two machine words. A
/// length is one byte, or for longer strings the byte [`LONG`] and eight more.
#[derive(Debug, Clone, Default)]
pub(crate) struct Arena(Vec<u8>);

/// The byte that stands before the length of a string of 255 bytes or more.
const LONG: u8 = u8::MAX;

impl Arena {
    /// Adds a copy of a string.
    pub(crate) fn copy<'a>(&mut self, bytes: &[u8]) -> Entry<'a> {
        let entry = Entry::Arena(self.0.len());
        match u8::try_from(bytes.len()) {
            Ok(length) if length < LONG => self.0.push(length),
            _ => {
                self.0.push(LONG);
                self.0.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
            }
        }
        self.0.extend_from_slice(bytes);
        entry
    }

    /// Returns the string of an entry that this arena made or that is borrowed.
    pub(crate) fn get<'s>(&'s self, entry: Entry<'s>) -> &'s [u8] {
        match entry {
            Entry::Input(bytes) => bytes,
            Entry::Arena(start) => self.copied(start).unwrap_or_default(),
        }
    }

    /// Returns the copied string at a position, or `None` if none lies there.
    fn copied(&self, start: usize) -> Option<&[u8]> {
        let (&length, rest) = self.0.get(start..)?.split_first()?;
        if length < LONG {
            return rest.get(..usize::from(length));
        }
        let (length, rest) = rest.split_first_chunk()?;
        rest.get(..usize::try_from(u64::from_le_bytes(*length)).ok()?)
    }

    /// Returns an entry that does not borrow. A borrowed string is copied.
    pub(crate) fn own(&mut self, entry: Entry<'_>) -> Entry<'static> {
        match entry {
            Entry::Input(bytes) => self.copy(bytes),
            Entry::Arena(start) => Entry::Arena(start),
        }
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.0.shrink_to_fit();
    }
}

impl<'a> Store<'a> {
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns the string at a position, or an empty one if the list has no such position.
    pub(crate) fn get(&self, index: usize) -> &[u8] {
        self.entries.get(index).map_or(b"", |&entry| self.arena.get(entry))
    }

    /// Returns the string at a position if it stays in the input.
    #[cfg(feature = "parallel")]
    pub(crate) fn borrowed(&self, index: usize) -> Option<&'a [u8]> {
        match self.entries.get(index) {
            Some(&Entry::Input(bytes)) => Some(bytes),
            _ => None,
        }
    }

    /// Adds a string that stays in the input.
    pub(crate) fn push_borrowed(&mut self, bytes: &'a [u8]) {
        self.entries.push(Entry::Input(bytes));
    }

    /// Adds a copy of a string.
    pub(crate) fn push_copied(&mut self, bytes: &[u8]) {
        self.entries.push(self.arena.copy(bytes));
    }

    /// Returns the list with copies of all borrowed strings. Positions stay the same.
    pub(crate) fn into_owned(mut self) -> Store<'static> {
        let entries = self.entries.into_iter().map(|entry| self.arena.own(entry)).collect();
        Store { entries, arena: self.arena }
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
        let long = [254, 255, 256, 70_000].map(|length| alloc::vec![b'x'; length]);
        long.iter().for_each(|string| store.push_copied(string));
        let owned = store.clone().into_owned();
        for store in [&store, &owned] {
            assert_eq!([store.get(0), store.get(1), store.get(2)], [&b"one"[..], b"", b"three"]);
            assert!((3..).zip(&long).all(|(index, string)| store.get(index) == string));
            assert_eq!(store.get(7), b"");
        }
    }
}
