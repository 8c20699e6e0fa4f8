//! How many lengths are how long, on a logarithmic scale. \[layout 14.3\]
#![allow(clippy::indexing_slicing, reason = "positions are of tables built here, bounded by their lengths")]

use alloc::vec::Vec;
use core::ops::Range;

use spall_model::Ticks;

use crate::convert::to_ticks;

/// Buckets per power of two, as a power of two.
const STEP_BITS: u32 = 3;

/// Lengths counted in buckets: one for each length below 16 ticks, then eight for each power of two.
///
/// So a bucket says a length to an eighth, at worst. Takes at most 2 KiB.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Histogram {
    /// The bucket of the first count.
    first: usize,
    /// Neither begins nor ends with a bucket in which nothing was ever counted.
    counts: Vec<u32>,
    count: u64,
}

impl Histogram {
    pub(crate) const NONE: Self = Self { first: 0, counts: Vec::new(), count: 0 };

    #[inline(always)]
    pub(crate) fn add(&mut self, length: u64) {
        let bucket = bucket(length);
        if let Some(count) = self.counts.get_mut(bucket.wrapping_sub(self.first)) {
            *count += 1;
        } else {
            self.widen(bucket);
        }
        self.count += 1;
    }

    /// Counts one in a bucket that was not there.
    #[cold]
    fn widen(&mut self, bucket: usize) {
        if self.counts.is_empty() {
            self.first = bucket;
        }
        if bucket < self.first {
            self.counts.splice(0..0, core::iter::repeat_n(0, self.first - bucket));
            self.first = bucket;
        }
        let at = bucket - self.first;
        self.counts.resize(self.counts.len().max(at + 1), 0);
        self.counts[at] += 1;
    }

    /// Takes out a length that was added.
    pub(crate) fn remove(&mut self, length: u64) {
        let at = bucket(length).checked_sub(self.first);
        if let Some(count) = at.and_then(|at| self.counts.get_mut(at)) {
            *count = count.saturating_sub(1);
            self.count = self.count.saturating_sub(1);
        }
    }

    /// How many lengths.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The buckets in which there are lengths, ascending: from which length to which, half open, and how many. The last
    /// bucket of all ends where lengths do.
    pub fn buckets(&self) -> impl DoubleEndedIterator<Item = (Range<Ticks>, u32)> {
        let buckets = self.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        buckets.map(|(at, &count)| {
            let (low, end) = edges(self.first + at);
            (to_ticks(low)..to_ticks(end), count)
        })
    }

    /// The length that `part` of `of` lengths do not exceed: 99 of 100 for a percentile, 1 of 2 for the median. Between
    /// the edges of its bucket lengths are taken as evenly spread, so the answer is off by an eighth at worst.
    ///
    /// `None` if there are no lengths, or `of` is 0.
    #[must_use]
    pub fn quantile(&self, part: u32, of: u32) -> Option<Ticks> {
        let rank = (u128::from(self.count) * u128::from(part)).checked_div(of.into())?;
        let is_whole = u128::from(self.count) * u128::from(part) % u128::from(of) == 0;
        let mut rank = (rank + u128::from(!is_whole)).clamp(1, u128::from(self.count).max(1));
        for (range, count) in self.buckets() {
            let count = u128::from(count);
            if rank <= count {
                // The middle of its share of the bucket.
                let width = range.end.0.abs_diff(range.start.0);
                let ahead = u128::from(width) * (2 * rank - 1) / (2 * count);
                return Some(Ticks(range.start.0.saturating_add_unsigned(u64::try_from(ahead).unwrap_or(0))));
            }
            rank -= count;
        }
        None
    }

    /// The least and the greatest length that there may be, as far as buckets know.
    pub(crate) fn bounds(&self) -> Option<(u64, u64)> {
        let first = self.counts.iter().position(|&count| count > 0)?;
        let last = self.counts.iter().rposition(|&count| count > 0)?;
        Some((edges(self.first + first).0, edges(self.first + last).1 - 1))
    }
}

#[inline(always)]
fn bucket(length: u64) -> usize {
    let power = 63 - (length | 1).leading_zeros();
    let shift = power.saturating_sub(STEP_BITS);
    // At most 60 + 1 octaves of 8: no length is cut.
    usize::try_from((u64::from(shift) << STEP_BITS) + (length >> shift)).unwrap_or(0)
}

/// The least length of a bucket, and of the next.
fn edges(bucket: usize) -> (u64, u64) {
    let bucket = bucket as u64;
    let shift = (bucket >> STEP_BITS).saturating_sub(1);
    let low = (bucket - (shift << STEP_BITS)) << shift;
    (low, low.saturating_add(1 << shift))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lengths() -> impl Iterator<Item = u64> {
        let around = |power: u32| (0..40).map(move |step| (1_u64 << power).wrapping_add(step << power >> 5));
        (0..200).chain((8..64).flat_map(around)).chain([u64::MAX - 1, u64::MAX])
    }

    #[test]
    fn layout_14_3_buckets_are_in_order_and_an_eighth_wide() {
        for length in lengths() {
            let (low, end) = edges(bucket(length));
            assert!(low <= length && (length < end || end == u64::MAX), "{length}: {low}..{end}");
            assert!(length < 16 && end - low == 1 || (end - low) <= low / 8 || low == length, "{length}");
            if end < u64::MAX {
                assert_eq!(bucket(end), bucket(length) + 1);
            }
        }
        assert_eq!(bucket(u64::MAX), 495);
    }

    #[test]
    fn layout_14_3_quantiles_are_in_the_bucket_of_the_true_ones() {
        let mut histogram = Histogram::default();
        assert_eq!(histogram.quantile(1, 2), None);
        let mut sorted: Vec<u64> = lengths().filter(|&length| length < 1 << 62).collect();
        sorted.iter().rev().for_each(|&length| histogram.add(length));
        sorted.sort_unstable();
        for part in 0..=1000_u32 {
            let rank = (sorted.len() * part as usize).div_ceil(1000).max(1);
            let quantile = histogram.quantile(part, 1000).map(|length| bucket(length.0.unsigned_abs()));
            assert_eq!(quantile, Some(bucket(sorted[rank - 1])), "{part}");
        }
        assert_eq!(histogram.quantile(1, 0), None);
        assert_eq!(histogram.quantile(5, 1), histogram.quantile(1, 1));
    }

    #[test]
    fn what_is_taken_out_was_never_there() {
        let mut histogram = Histogram::default();
        for length in lengths() {
            histogram.add(length);
        }
        for length in lengths().filter(|length| length % 3 > 0) {
            histogram.remove(length);
        }
        let mut expected = Histogram::default();
        lengths().filter(|length| length % 3 == 0).for_each(|length| expected.add(length));
        assert!(histogram.buckets().eq(expected.buckets()));
        assert_eq!((histogram.count(), histogram.bounds()), (expected.count(), expected.bounds()));
    }
}
