//! Append-only lists that are stored in pieces and never move.

use alloc::vec::Vec;
use core::ops::Index;

/// A list that grows by pieces of fixed size.
///
/// A vector that doubles copies every item about once more, and holds all items twice while it grows.
#[derive(Debug, Clone)]
pub(crate) struct Log<T> {
    /// All pieces but the last have [`Log::PIECE`] items.
    pieces: Vec<Vec<T>>,
    len: usize,
}

/// The size of a piece. It is above the size from which common allocators ask the operating system for memory, so that a
/// piece goes back there when it is freed.
const PIECE_BYTES: usize = 1 << 18;

impl<T> Default for Log<T> {
    fn default() -> Self {
        Self { pieces: Vec::new(), len: 0 }
    }
}

impl<T> Log<T> {
    /// The number of items of a piece. It is a power of two, so that finding an item takes no division.
    const PIECE: usize = 1 << (PIECE_BYTES / size_of::<T>()).ilog2();

    /// Returns the number of items.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Appends an item. The others do not move.
    #[inline]
    pub(crate) fn push(&mut self, item: T) {
        match self.pieces.last_mut() {
            Some(last) if last.len() < Self::PIECE => last.push(item),
            _ => self.push_piece(item),
        }
        self.len += 1;
    }

    /// Begins a new piece with an item.
    #[cold]
    fn push_piece(&mut self, item: T) {
        // The first piece grows from one item: most lists stay short.
        let mut piece = Vec::with_capacity(if self.pieces.is_empty() { 1 } else { Self::PIECE });
        piece.push(item);
        self.pieces.push(piece);
    }

    /// Returns an item by its position, or `None` behind the end.
    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<&T> {
        self.pieces.get(index / Self::PIECE)?.get(index % Self::PIECE)
    }

    /// Returns an item by its position, to be changed.
    #[inline]
    pub(crate) fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        self.pieces.get_mut(index / Self::PIECE)?.get_mut(index % Self::PIECE)
    }

    /// Moves all items behind those of a vector. Each piece is freed as soon as it is empty.
    pub(crate) fn drain_into(self, items: &mut Vec<T>) {
        self.pieces.into_iter().for_each(|piece| items.extend(piece));
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> + Clone {
        self.pieces.iter().flatten()
    }
}

impl<T> Index<u32> for Log<T> {
    type Output = T;

    #[inline]
    #[allow(clippy::indexing_slicing, reason = "panics as every other index does")]
    fn index(&self, index: u32) -> &T {
        &self.pieces[index as usize / Self::PIECE][index as usize % Self::PIECE]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_found_where_they_were_put() {
        let n_items = 2 * Log::<u64>::PIECE + 3;
        let mut log = Log::default();
        for item in 0..n_items as u64 {
            log.push(item);
            assert_eq!(log.get(log.len()), None);
        }
        assert!(log.iter().copied().eq(0..n_items as u64));
        assert!((0..).zip(log.iter()).all(|(index, item)| log[index] == *item));
        assert_eq!((log.get(n_items - 1), log.get(usize::MAX)), (Some(&(n_items as u64 - 1)), None));
    }
}
