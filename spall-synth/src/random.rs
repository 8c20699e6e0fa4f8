/// Random numbers that are the same in every run and on every machine: a linear congruential generator.
///
/// The field is the seed.
///
/// ```
/// use spall_synth::Random;
///
/// let mut random = Random(1);
/// assert!(random.below(6_usize) < 6);
/// assert_eq!(random.below(1_i64), 0);
/// ```
#[derive(Debug, Clone)]
pub struct Random(pub u64);

impl Random {
    /// Returns the next number of 31 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    /// Returns the next number from 0 to below `end`, or 0 if `end` is not above 0. Numbers have 62 bits at most.
    pub fn below<T: Copy + Default + TryInto<u64> + TryFrom<u64>>(&mut self, end: T) -> T {
        let end = end.try_into().unwrap_or(0).max(1);
        let bits = if end >> 31 == 0 { self.bits() } else { self.bits() << 31 | self.bits() };
        T::try_from(bits % end).unwrap_or_default()
    }

    /// Returns a number of up to `most_bits` bits, of which there may be 62. Small numbers come as often as large ones.
    pub fn magnitude(&mut self, most_bits: u32) -> i64 {
        let bits = self.below(most_bits + 1);
        self.below(1 << bits)
    }

    /// Returns `true` once in `n` times.
    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}
