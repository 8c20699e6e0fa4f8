//! Histograms of durations on a logarithmic scale. [layout 14.3](crate::rules::layout#14.3)

use alloc::vec::Vec;
use core::ops::Range;

use spall_model::Ticks;

use crate::convert::to_ticks;

/// The number of buckets per power of two, as a power of two.
const STEP_BITS: u32 = 3;

/// A histogram of durations in ticks, on a logarithmic scale.
///
/// Each duration below 16 ticks has a bucket of its own, and each power of two from there on has eight. So a bucket is
/// never wider than an eighth of the durations in it. A histogram takes at most 2 KiB.
///
/// ```
/// use spall_layout::{Layout, Stats};
/// use spall_model::{Function, Job, Tick, Ticks, TraceView};
/// # use spall_model::{Event, Limits, Text, Thread, ThreadEvent, TraceBuilder};
/// # let mut builder = TraceBuilder::new(&Limits::default());
/// # for (start, duration) in [(0, 3), (10, 3), (20, 5), (30, 100)] {
/// #     let event = ThreadEvent::new(Thread::new(1_i64, 1_i64), Tick(start), Text::EMPTY);
/// #     builder.push(&Event::Complete(event, Ticks(duration)));
/// # }
/// # let trace = builder.finish(); // slices without a name, of 3, 3, 5 and 100 ticks
/// let layout = Layout::new(&trace);
/// let mut stats = Stats::new(&trace, &layout, trace.track_ids(), Tick::MIN..Tick::MAX);
/// while stats.step(1000).is_none() {}
/// let histogram = stats.histogram(Function::default()).unwrap();
/// assert_eq!(histogram.quantile(1, 2), Some(Ticks(3)));
/// let buckets: Vec<_> = histogram.buckets().map(|(range, count)| (range.start.0..range.end.0, count)).collect();
/// assert_eq!(buckets, [(3..4, 2), (5..6, 1), (96..104, 1)]);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Histogram {
    /// The bucket of the first element of `counts`.
    first: usize,
    /// The number of durations in each bucket, from the lowest to the highest bucket in which one was ever counted.
    counts: Vec<u32>,
    /// The number of all durations.
    count: u64,
}

impl Histogram {
    /// A histogram without durations.
    pub(crate) const NONE: Self = Self { first: 0, counts: Vec::new(), count: 0 };

    /// Counts a duration in ticks.
    // Without the attributes in this file, the job `statistics` takes 15 % more instructions.
    #[inline(always)]
    pub(crate) fn add(&mut self, duration: u64) {
        let bucket = bucket(duration);
        if let Some(count) = self.counts.get_mut(bucket.wrapping_sub(self.first)) {
            *count += 1;
        } else {
            self.add_bucket(bucket);
        }
        self.count += 1;
    }

    /// Counts a duration in a bucket that `counts` does not have yet.
    #[cold]
    #[allow(clippy::indexing_slicing, reason = "the list is made long enough")]
    fn add_bucket(&mut self, bucket: usize) {
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

    /// Removes a duration that was added. The memory of its bucket is kept.
    pub(crate) fn remove(&mut self, duration: u64) {
        let at = bucket(duration).checked_sub(self.first);
        if let Some(count) = at.and_then(|at| self.counts.get_mut(at)) {
            *count = count.saturating_sub(1);
            self.count = self.count.saturating_sub(1);
        }
    }

    /// Returns the number of durations that were counted.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Returns the buckets that are not empty, ascending: the half-open range of durations of each, and how many it
    /// holds.
    ///
    /// The range of the very last bucket ends at the longest duration that [`Ticks`] can express.
    pub fn buckets(&self) -> impl DoubleEndedIterator<Item = (Range<Ticks>, u32)> {
        let buckets = self.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        buckets.map(|(at, &count)| {
            let (low, end) = edges(self.first + at);
            (to_ticks(low)..to_ticks(end), count)
        })
    }

    /// Returns the duration that `part` of `of` durations do not exceed: 1 of 2 for the median, 99 of 100 for the 99th
    /// percentile.
    ///
    /// Durations are taken as evenly spread between the edges of their bucket, so the result is off by an eighth at
    /// worst. Returns `None` if there are no durations, or if `of` is 0.
    #[must_use]
    pub fn quantile(&self, part: u32, of: u32) -> Option<Ticks> {
        let rank = (u128::from(self.count) * u128::from(part)).checked_div(of.into())?;
        let is_whole = u128::from(self.count) * u128::from(part) % u128::from(of) == 0;
        let mut rank = (rank + u128::from(!is_whole)).clamp(1, u128::from(self.count).max(1));
        for (range, count) in self.buckets() {
            let count = u128::from(count);
            if rank <= count {
                // The middle of the duration's share of the bucket.
                let width = range.end.0.abs_diff(range.start.0);
                let ahead = u128::from(width) * (2 * rank - 1) / (2 * count);
                return Some(Ticks(range.start.0.saturating_add_unsigned(u64::try_from(ahead).unwrap_or(0))));
            }
            rank -= count;
        }
        None
    }

    /// Returns the shortest duration of the lowest bucket that is not empty, and the longest duration of the highest
    /// one. Returns `None` if all are empty.
    pub(crate) fn bounds(&self) -> Option<(u64, u64)> {
        let first = self.counts.iter().position(|&count| count > 0)?;
        let last = self.counts.iter().rposition(|&count| count > 0)?;
        Some((edges(self.first + first).0, edges(self.first + last).1 - 1))
    }
}

/// Serialises a histogram as a list of buckets: the start and the end of each, and the number of durations in it.
#[cfg(feature = "serde")]
impl serde::Serialize for Histogram {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.buckets().map(|(range, count)| (range.start, range.end, count)))
    }
}

/// Returns the bucket of a duration.
#[inline(always)]
fn bucket(duration: u64) -> usize {
    let power = 63 - (duration | 1).leading_zeros();
    let shift = power.saturating_sub(STEP_BITS);
    // At most 61 powers of two with 8 buckets each, so nothing is cut.
    usize::try_from((u64::from(shift) << STEP_BITS) + (duration >> shift)).unwrap_or(0)
}

/// Returns the shortest duration of a bucket, and the shortest duration of the next bucket.
fn edges(bucket: usize) -> (u64, u64) {
    let bucket = bucket as u64;
    let shift = (bucket >> STEP_BITS).saturating_sub(1);
    let low = (bucket - (shift << STEP_BITS)) << shift;
    (low, low.saturating_add(1 << shift))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn durations() -> impl Iterator<Item = u64> {
        let around = |power: u32| (0..40).map(move |step| (1_u64 << power).wrapping_add(step << power >> 5));
        (0..200).chain((8..64).flat_map(around)).chain([u64::MAX - 1, u64::MAX])
    }

    #[test]
    fn layout_14_3_buckets_are_in_order_and_an_eighth_wide() {
        for duration in durations() {
            let (low, end) = edges(bucket(duration));
            assert!(low <= duration && (duration < end || end == u64::MAX), "{duration}: {low}..{end}");
            let is_narrow = end - low <= low / 8;
            assert!(duration < 16 && end - low == 1 || is_narrow || low == duration, "{duration}");
            if end < u64::MAX {
                assert_eq!(bucket(end), bucket(duration) + 1);
            }
        }
        assert_eq!(bucket(u64::MAX), 495);
    }

    #[test]
    fn layout_14_3_quantiles_are_in_the_bucket_of_the_true_ones() {
        let mut histogram = Histogram::default();
        assert_eq!(histogram.quantile(1, 2), None);
        let mut sorted: Vec<u64> = durations().filter(|&duration| duration < 1 << 62).collect();
        sorted.iter().rev().for_each(|&duration| histogram.add(duration));
        sorted.sort_unstable();
        for part in 0..=1000_u32 {
            let rank = (sorted.len() * part as usize).div_ceil(1000).max(1);
            let quantile = histogram.quantile(part, 1000).map(|found| bucket(found.0.unsigned_abs()));
            assert_eq!(quantile, Some(bucket(sorted[rank - 1])), "{part}");
        }
        assert_eq!(histogram.quantile(1, 0), None);
        assert_eq!(histogram.quantile(5, 1), histogram.quantile(1, 1));
    }

    #[test]
    fn removing_durations_gives_the_histogram_of_the_others() {
        let mut histogram = Histogram::default();
        for duration in durations() {
            histogram.add(duration);
        }
        for duration in durations().filter(|duration| duration % 3 > 0) {
            histogram.remove(duration);
        }
        let mut expected = Histogram::default();
        durations().filter(|duration| duration % 3 == 0).for_each(|duration| expected.add(duration));
        assert!(histogram.buckets().eq(expected.buckets()));
        assert_eq!((histogram.count(), histogram.bounds()), (expected.count(), expected.bounds()));
    }
}
