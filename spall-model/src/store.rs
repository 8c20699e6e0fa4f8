//! Lists of byte strings.

use alloc::vec::Vec;

/// An append-only list of byte strings, which lie one behind the other. An entry takes 8 bytes besides its own.
#[derive(Debug, Clone, Default)]
pub(crate) struct Strings {
    bytes: Vec<u8>,
    /// Where each string ends in `bytes`, and the next one begins.
    ends: Vec<usize>,
}

impl Strings {
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the string at a position, or an empty one if the list has no such position.
    #[inline]
    pub(crate) fn get(&self, index: usize) -> &[u8] {
        let Some(&end) = self.ends.get(index) else { return b"" };
        self.bytes.get(self.begin(index)..end).unwrap_or_default()
    }

    /// Returns where the string at a position begins, which may be the next one that is added.
    #[inline]
    fn begin(&self, index: usize) -> usize {
        self.ends.get(index.wrapping_sub(1)).copied().unwrap_or(0)
    }

    pub(crate) fn push(&mut self, string: &[u8]) {
        self.bytes.extend_from_slice(string);
        self.ends.push(self.bytes.len());
    }

    /// Adds strings of another list, all of which it has.
    pub(crate) fn append(&mut self, other: &Self, range: core::ops::Range<usize>) {
        let (from, to) = (other.begin(range.start), other.begin(range.end));
        let first = self.bytes.len();
        self.bytes.extend_from_slice(other.bytes.get(from..to).unwrap_or_default());
        self.ends.extend(other.ends.get(range).unwrap_or_default().iter().map(|end| end - from + first));
    }

    /// Removes all strings, and keeps the memory.
    #[cfg(feature = "parallel")]
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.bytes.shrink_to_fit();
        self.ends.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_found_by_their_positions() {
        let mut strings = Strings::default();
        assert_eq!(strings.get(0), b"");
        [&b"one"[..], b"", b"three"].iter().for_each(|string| strings.push(string));
        assert_eq!([0, 1, 2, 3].map(|index| strings.get(index)), [&b"one"[..], b"", b"three", b""]);
    }

    #[test]
    fn a_part_of_a_list_can_follow_another() {
        let (mut first, mut then) = (Strings::default(), Strings::default());
        first.push(b"one");
        [&b"x"[..], b"two", b"", b"y"].iter().for_each(|string| then.push(string));
        first.append(&then, 1..3);
        first.push(b"last");
        first.append(&then, 4..4);
        assert_eq!([0, 1, 2, 3, 4].map(|index| first.get(index)), [&b"one"[..], b"two", b"", b"last", b""]);
    }
}
