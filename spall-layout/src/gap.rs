//! The sizes of gaps between slices, rounded so that they fit into a node of the index.

/// The size of a gap between slices, rounded down to a multiple of half a power of two.
///
/// Sizes are in the order of the gaps: if the size of one gap is less than the size of another, the one gap is shorter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct GapSize(u32);

impl GapSize {
    /// The number of bits of a size.
    pub(crate) const BITS: u32 = 7;

    const MOST: u32 = (1 << Self::BITS) - 1;

    /// Returns the size of a gap of some ticks: twice the number of bits, plus the second bit. No gap counts as one tick.
    pub(crate) fn of(ticks: u64) -> Self {
        let zeros = (ticks | 1).leading_zeros();
        let second = u32::from((ticks << zeros) >> (u64::BITS - 2) == 3);
        Self((2 * (u64::BITS - zeros) + second).min(Self::MOST))
    }

    /// Returns the size whose bits are the lowest ones of `bits`.
    pub(crate) fn from_bits(bits: u32) -> Self {
        Self(bits & Self::MOST)
    }

    /// Returns the size as a number of [`GapSize::BITS`] bits.
    pub(crate) fn bits(self) -> u32 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::GapSize;

    #[test]
    fn sizes_are_in_the_order_of_the_gaps() {
        let around = |ticks: u64| [ticks.saturating_sub(1), ticks, ticks.saturating_add(1)];
        let powers = (0..64).map(|bits| 1_u64 << bits);
        let mut gaps: Vec<u64> =
            powers.flat_map(|power| [power, power.saturating_add(power / 2)]).flat_map(around).collect();
        gaps.extend([0, u64::MAX]);
        gaps.sort_unstable();
        for pair in gaps.windows(2) {
            let [less, more] = [GapSize::of(pair[0]), GapSize::of(pair[1])];
            assert!(less <= more, "{pair:?}");
            assert_eq!(GapSize::from_bits(less.bits()), less);
        }
    }

    #[test]
    fn a_gap_is_of_less_size_than_one_half_longer() {
        for bits in 1..60 {
            let gap = 1_u64 << bits;
            assert!(GapSize::of(gap - 1) < GapSize::of(gap));
            assert!(GapSize::of(gap) < GapSize::of(gap + gap / 2));
        }
    }
}
