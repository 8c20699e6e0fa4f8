//! Bits that can be counted and found. \[layout 4.8\]

use alloc::vec::Vec;

/// A sequence of bits, and how many are set before each 64: 1.5 bits for each.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bits {
    words: Vec<u64>,
    /// How many are set before each word.
    before: Vec<u32>,
    n_set: u32,
}

impl Bits {
    /// Adds 64 bits, the lowest first.
    #[inline]
    pub(crate) fn push(&mut self, word: u64) {
        self.words.push(word);
        self.before.push(self.n_set);
        self.n_set += word.count_ones();
    }

    pub(crate) fn shrink(&mut self) {
        self.words.shrink_to_fit();
        self.before.shrink_to_fit();
    }

    /// How many bits are set.
    pub(crate) fn n_set(&self) -> u32 {
        self.n_set
    }

    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    /// How many of the first `n` bits are set. O(1).
    pub(crate) fn rank(&self, n: usize) -> u32 {
        match (self.before.get(n / 64), self.words.get(n / 64)) {
            (Some(before), Some(word)) => before + (word & ((1 << (n % 64)) - 1)).count_ones(),
            _ => self.n_set,
        }
    }

    /// Where the bit is set before which `n` are. O(log n).
    pub(crate) fn select(&self, n: u32) -> Option<usize> {
        if n >= self.n_set {
            return None;
        }
        let at = self.before.partition_point(|&before| before <= n).checked_sub(1)?;
        let mut word = *self.words.get(at)?;
        for _ in *self.before.get(at)?..n {
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
        let mut bits = Bits::default();
        let words = [0, u64::MAX, 0, 1, 1 << 63, 0x0123_4567_89ab_cdef, 0];
        words.iter().for_each(|&word| bits.push(word));
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
    }
}
