//! A bit vector with rank and select: how many bits are set before a position, and where the n-th set bit is.

use alloc::vec::Vec;

/// A growing sequence of bits, with a running count of the set bits before each word of 64.
///
/// The counts cost half a bit per bit, so the vector takes 1.5 bits per bit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct BitVector {
    words: Vec<u64>,
    /// The number of set bits in all words before this one, for each word.
    before: Vec<u32>,
    /// The number of set bits in all words.
    n_set: u32,
}

impl BitVector {
    /// Sets the bit at a position that is behind all set bits. The bits before it that nobody has set are 0.
    #[inline]
    pub(crate) fn set(&mut self, position: usize) {
        while self.words.len() <= position / 64 {
            self.words.push(0);
            self.before.push(self.n_set);
        }
        if let Some(last) = self.words.last_mut() {
            *last |= 1 << (position % 64);
            self.n_set += 1;
        }
    }

    /// Keeps the first `n` bits.
    pub(crate) fn truncate(&mut self, n: usize) {
        self.n_set = self.rank(n);
        self.words.truncate(n.div_ceil(64));
        if let Some(partial) = self.words.get_mut(n / 64) {
            *partial &= (1 << (n % 64)) - 1;
        }
        // As if the bits behind the last set one had never been.
        while self.words.pop_if(|word| *word == 0).is_some() {}
        self.before.truncate(self.words.len());
    }

    /// Returns the number of set bits.
    pub(crate) fn n_set(&self) -> u32 {
        self.n_set
    }

    /// Returns how many of the first `n` bits are set. If there are fewer bits, all of them count. This takes O(1).
    pub(crate) fn rank(&self, n: usize) -> u32 {
        match (self.before.get(n / 64), self.words.get(n / 64)) {
            (Some(before), Some(word)) => before + (word & ((1 << (n % 64)) - 1)).count_ones(),
            _ => self.n_set,
        }
    }

    /// Returns the position of the set bit that has `n` set bits before it, or `None` if at most `n` bits are set.
    ///
    /// This takes O(log n).
    pub(crate) fn select(&self, n: u32) -> Option<usize> {
        if n >= self.n_set {
            return None;
        }
        // The last word with at most `n` set bits before it holds the bit: words without set bits have the same count as
        // the word behind them and so are passed over.
        let at = self.before.partition_point(|&before| before <= n).checked_sub(1)?;
        let mut word = *self.words.get(at)?;
        for _ in *self.before.get(at)?..n {
            // Clears the lowest set bit.
            word &= word - 1;
        }
        Some(at * 64 + word.trailing_zeros() as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rank_and_select_agree_with_counting() {
        let mut bits = BitVector::default();
        let words = [0, u64::MAX, 0, 1, 1 << 63, 0x0123_4567_89ab_cdef, 0];
        let is_set = |at: &usize| words[at / 64] >> (at % 64) & 1 == 1;
        (0..words.len() * 64).filter(is_set).for_each(|at| bits.set(at));
        let mut n_set = 0;
        for at in 0..words.len() * 64 {
            assert_eq!(bits.rank(at), n_set);
            if words[at / 64] >> (at % 64) & 1 == 1 {
                assert_eq!(bits.select(n_set), Some(at));
                n_set += 1;
            }
        }
        assert_eq!((bits.rank(words.len() * 64), bits.n_set()), (n_set, n_set));
        assert_eq!(bits.select(n_set), None);
        for n in (0..words.len() * 64).rev() {
            let (mut expected, n_kept) = (BitVector::default(), bits.rank(n));
            (0..n).filter(is_set).for_each(|at| expected.set(at));
            bits.truncate(n);
            assert_eq!((&bits, bits.n_set()), (&expected, n_kept));
        }
    }
}
