//! Append-only lists that are stored in pieces and never move.

use alloc::vec::Vec;
use core::ops::{Index, IndexMut};

/// A list that grows by pieces of fixed size.
///
/// A vector that doubles copies every item about once more, and holds all items twice while it grows. Pieces can also be
/// freed one by one while the items go elsewhere.
#[derive(Debug, Clone)]
pub(crate) struct Log<T> {
    /// All pieces but the last have [`Log::PIECE`] items.
    pieces: Vec<Vec<T>>,
    len: usize,
    /// Empty pieces that come next, made by other threads.
    #[cfg(feature = "parallel")]
    spare: Vec<Vec<T>>,
}

/// The size of a piece. It is above the size from which common allocators ask the operating system for memory, so that a
/// piece goes back there when it is freed.
const PIECE_BYTES: usize = 1 << 18;

impl<T> Default for Log<T> {
    fn default() -> Self {
        Self {
            pieces: Vec::new(),
            len: 0,
            #[cfg(feature = "parallel")]
            spare: Vec::new(),
        }
    }
}

impl<T> Log<T> {
    /// The number of items of a piece. It is a power of two, so that finding an item takes no division.
    const PIECE: usize = 1 << (PIECE_BYTES / size_of::<T>()).ilog2();

    /// Returns the number of items.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Appends an item. The others do not move.
    #[inline(always)]
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
        #[cfg(feature = "parallel")]
        if let Some(mut piece) = self.spare.pop() {
            piece.push(item);
            self.pieces.push(piece);
            return;
        }
        // The first piece grows from one item: most lists stay short.
        let mut piece = Vec::with_capacity(if self.pieces.is_empty() { 1 } else { Self::PIECE });
        piece.push(item);
        self.pieces.push(piece);
    }

    /// Returns an item by its position, or `None` behind the end.
    #[inline(always)]
    pub(crate) fn get(&self, index: usize) -> Option<&T> {
        self.pieces.get(index / Self::PIECE)?.get(index % Self::PIECE)
    }

    #[inline(always)]
    pub(crate) fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        self.pieces.get_mut(index / Self::PIECE)?.get_mut(index % Self::PIECE)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> + Clone {
        self.pieces.iter().flatten()
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.pieces.iter_mut().flatten()
    }

    /// Returns the pieces, which hold the items in order.
    pub(crate) fn into_pieces(self) -> impl Iterator<Item = Vec<T>> {
        self.pieces.into_iter()
    }

    /// Makes empty pieces until there are enough for `n_items`. Their memory has been written, so that the operating system
    /// has provided it. That is most of the time that it takes to append items, and any thread can do it.
    #[cfg(feature = "parallel")]
    pub(crate) fn make_pieces(pieces: &mut Vec<Vec<T>>, n_items: usize, blank: T)
    where
        T: Copy,
    {
        while pieces.len() < n_items.div_ceil(Self::PIECE) {
            let mut piece = alloc::vec![blank; Self::PIECE];
            piece.clear();
            pieces.push(piece);
        }
    }

    /// Takes empty pieces, of which it keeps at most as many as are given at a time.
    #[cfg(feature = "parallel")]
    pub(crate) fn take_pieces(&mut self, pieces: &mut Vec<Vec<T>>) {
        let missing = pieces.len().saturating_sub(self.spare.len());
        self.spare.extend(pieces.drain(..missing));
    }

    /// Frees the unused memory of the last piece.
    pub(crate) fn shrink_to_fit(&mut self) {
        if let Some(last) = self.pieces.last_mut() {
            last.shrink_to_fit();
        }
    }
}

impl<T> Index<u32> for Log<T> {
    type Output = T;

    #[inline(always)]
    #[allow(clippy::indexing_slicing, reason = "panics as every other index does")]
    fn index(&self, index: u32) -> &T {
        &self.pieces[index as usize / Self::PIECE][index as usize % Self::PIECE]
    }
}

impl<T> IndexMut<u32> for Log<T> {
    #[inline(always)]
    #[allow(clippy::indexing_slicing, reason = "panics as every other index does")]
    fn index_mut(&mut self, index: u32) -> &mut T {
        &mut self.pieces[index as usize / Self::PIECE][index as usize % Self::PIECE]
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
        *log.get_mut(n_items - 1).unwrap() = 7;
        assert_eq!((log.get(n_items - 1), log.get(usize::MAX)), (Some(&7), None));
    }
}
