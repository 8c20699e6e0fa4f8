//! The slices of a trace, stored column by column.

use alloc::vec::Vec;
use core::ops::Range;

use crate::{IdRange, NameId, SliceId, Tick, Ticks, args_table::ArgsId};

/// A set of flags that say how the file expresses a slice, together with the slice's depth among open pairs.
///
/// ```
/// use spall_model::{Event, Limits, SliceId, Text, Thread, ThreadEvent, Tick, TraceBuilder, TraceView};
///
/// let mut builder = TraceBuilder::new(&Limits::default());
/// let begin = ThreadEvent::new(Thread::new(1, 1), Tick(0), Text::from("never ends"));
/// builder.push(&Event::Begin(begin));
/// let trace = builder.finish();
/// assert!(trace.slice(SliceId(0)).unwrap().flags.is_unfinished());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct SliceFlags(pub(crate) u32);

impl SliceFlags {
    /// The empty set, at depth 0.
    pub const NONE: Self = Self(0);
    /// The slice is a pair of a begin and an end, in an order that proves which pairs enclose it.
    pub(crate) const PAIRED: Self = Self(1);
    /// The file does not have the end of the slice. The recorded end is the one up to which a viewer draws it.
    pub const UNFINISHED: Self = Self(2);
    /// The file has an end before the start. The end was moved to the start.
    pub const CLAMPED: Self = Self(4);
    /// The name at the end is not the name at the begin.
    pub const NAME_MISMATCH: Self = Self(8);
    /// The end was not paired with the most recent open begin, but by a repair of the thread's pairs. [pairing
    /// 2](crate::rules::pairing#2)
    pub const REPAIRED: Self = Self(16);

    /// The slice was inferred from CPU samples. The file does not have it.
    pub const SAMPLED: Self = Self(32);

    /// A slice without duration that begins where this one ends lies inside it, because the last sample of the
    /// function has that time. Only slices that are [`SliceFlags::SAMPLED`] have this flag.
    pub const CARRIES_AT_END: Self = Self(64);

    /// The end has no name. Only the pairing of begins and ends uses this flag.
    pub(crate) const UNNAMED_END: Self = Self(128);

    /// The number of low bits that hold flags. The bits above hold the depth.
    const BITS: u32 = 8;
    /// The greatest depth that there are bits for.
    pub(crate) const MAX_OPEN_DEPTH: u32 = u32::MAX >> Self::BITS;

    /// Returns whether all flags of `other` are set.
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns the union of both sets. At most one of them may have a depth above 0, which the union keeps.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the flags of `self` that are not set in `other`.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Returns whether the slice is a pair of a begin and an end, in an order that proves which pairs enclose it.
    #[must_use]
    pub const fn is_paired(self) -> bool {
        self.contains(Self::PAIRED)
    }

    /// Returns whether the slice lasts to the end of its thread, because nothing ends it: it is unfinished, and no repair
    /// has given it an end.
    #[must_use]
    pub(crate) const fn is_open_ended(self) -> bool {
        self.is_unfinished() && !self.contains(Self::REPAIRED)
    }

    /// Returns whether [`SliceFlags::UNFINISHED`] is set.
    #[must_use]
    pub const fn is_unfinished(self) -> bool {
        self.contains(Self::UNFINISHED)
    }

    /// Returns the number of pairs that were open on the thread when this pair began, or the depth of a span in its
    /// group on an async track. The number saturates at 2²⁴ − 1.
    #[must_use]
    pub const fn open_depth(self) -> u32 {
        self.0 >> Self::BITS
    }

    /// Returns the same flags, with the depth of a pair increased by `depth`. The sum must not exceed the greatest depth.
    #[cfg(feature = "parallel")]
    pub(crate) const fn deeper_by(self, depth: u32) -> Self {
        // Without a branch, because it is done for all rows of a file.
        Self(self.0.wrapping_add(((self.0 & Self::PAIRED.0) * depth) << Self::BITS))
    }

    /// Returns the same flags with another depth.
    #[must_use]
    pub(crate) const fn with_open_depth(self, depth: u32) -> Self {
        let depth = if depth > Self::MAX_OPEN_DEPTH { Self::MAX_OPEN_DEPTH } else { depth };
        Self(self.0 & !(u32::MAX << Self::BITS) | depth << Self::BITS)
    }
}

/// All slices of a trace, column by column: element `i` of every column belongs to [`SliceId`] `i`.
///
/// A slice takes 32 bytes. A loop over many slices reads only the columns that it needs.
///
/// ```
/// use spall_model::{Event, Limits, Text, Thread, ThreadEvent, Tick, Ticks, TraceBuilder};
///
/// let mut builder = TraceBuilder::new(&Limits::default());
/// for at in [0, 10] {
///     let work = ThreadEvent::new(Thread::new(1, 1), Tick(at), Text::from("work"));
///     builder.push(&Event::Complete(work, Ticks(4)));
/// }
/// let trace = builder.finish();
///
/// let slices = trace.slices();
/// let total: Ticks = slices.starts().iter().zip(slices.ends()).map(|(&start, &end)| end - start).sum();
/// assert_eq!(total, Ticks(8));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Slices {
    pub(crate) start: Vec<Tick>,
    pub(crate) end: Vec<Tick>,
    pub(crate) name: Vec<NameId>,
    pub(crate) category: Vec<NameId>,
    pub(crate) args: Vec<ArgsId>,
    pub(crate) flags: Vec<SliceFlags>,
}

/// A slice: a named interval on a track, from its start to just before its end.
///
/// ```
/// use spall_model::{Event, Limits, SliceId, Text, Thread, ThreadEvent, Tick, Ticks, TraceBuilder, TraceView};
///
/// let mut builder = TraceBuilder::new(&Limits::default());
/// let work = ThreadEvent::new(Thread::new(1, 1), Tick(10), Text::from("work"));
/// builder.push(&Event::Complete(work, Ticks(5)));
/// let trace = builder.finish();
///
/// let slice = trace.slice(SliceId(0)).unwrap();
/// assert_eq!((slice.start, slice.end, slice.duration()), (Tick(10), Tick(15), Ticks(5)));
/// ```
#[doc(alias("zone", "span", "activity", "interval", "scope", "duration event"))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slice {
    /// The time at which the slice starts.
    pub start: Tick,
    /// The time at which the slice ends; never before its start.
    pub end: Tick,
    /// The name; empty if the file has none.
    pub name: NameId,
    /// The comma-separated categories; empty if the file has none.
    pub category: NameId,
    /// The flags that say how the file expresses the slice.
    pub flags: SliceFlags,
}

impl Slice {
    /// Returns whether the slice and a half-open range of time share a point in time. A slice without duration shares
    /// one if its time lies in the range. A range up to [`Tick::MAX`] has that point, too.
    #[must_use]
    pub fn overlaps(&self, range: &Range<Tick>) -> bool {
        self.start.is_before(range.end) && (self.end > range.start || self.start >= range.start)
    }

    /// Returns the duration of the slice, which is never negative and saturates at the largest [`Ticks`].
    #[must_use]
    pub fn duration(&self) -> Ticks {
        self.end - self.start
    }
}

impl Slices {
    /// Makes room for `additional` more slices in every column.
    pub(crate) fn reserve(&mut self, additional: usize) {
        self.start.reserve(additional);
        self.end.reserve(additional);
        self.name.reserve(additional);
        self.category.reserve(additional);
        self.args.reserve(additional);
        self.flags.reserve(additional);
    }

    /// Frees the unused memory of every column.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.start.shrink_to_fit();
        self.end.shrink_to_fit();
        self.name.shrink_to_fit();
        self.category.shrink_to_fit();
        self.args.shrink_to_fit();
        self.flags.shrink_to_fit();
    }

    /// Returns the number of slices.
    #[must_use]
    pub fn len(&self) -> usize {
        self.start.len()
    }

    /// Returns whether there are no slices.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.start.is_empty()
    }

    /// Iterates over some of the slices; over none if there are not as many.
    #[inline]
    pub(crate) fn part(&self, range: Range<usize>) -> impl Iterator<Item = Slice> {
        fn cells<'c, T: Copy>(column: &'c [T], range: &Range<usize>) -> impl Iterator<Item = T> + use<'c, T> {
            column.get(range.clone()).unwrap_or_default().iter().copied()
        }
        let times = cells(&self.start, &range).zip(cells(&self.end, &range));
        let texts = cells(&self.name, &range).zip(cells(&self.category, &range));
        times
            .zip(texts)
            .zip(cells(&self.flags, &range))
            .map(|(((start, end), (name, category)), flags)| Slice { start, end, name, category, flags })
    }

    /// Returns the ids of all slices.
    #[must_use]
    pub fn ids(&self) -> IdRange<SliceId> {
        IdRange::new(SliceId(0), SliceId::new(self.len()))
    }

    /// Returns the start of every slice.
    #[must_use]
    pub fn starts(&self) -> &[Tick] {
        &self.start
    }

    /// Returns the end of every slice; it is never before the start.
    #[must_use]
    pub fn ends(&self) -> &[Tick] {
        &self.end
    }

    /// Returns the name of every slice; [`NameId::EMPTY`] for a slice without a name.
    #[must_use]
    pub fn names(&self) -> &[NameId] {
        &self.name
    }

    /// Returns the comma-separated categories of every slice; [`NameId::EMPTY`] for a slice without categories.
    #[must_use]
    pub fn categories(&self) -> &[NameId] {
        &self.category
    }

    /// Returns the flags of every slice.
    #[must_use]
    pub fn flags(&self) -> &[SliceFlags] {
        &self.flags
    }

    /// Returns one slice with all its columns, or `None` if there is no such slice.
    #[must_use]
    pub fn get(&self, id: SliceId) -> Option<Slice> {
        let index = id.index();
        Some(Slice {
            start: *self.start.get(index)?,
            end: *self.end.get(index)?,
            name: *self.name.get(index)?,
            category: *self.category.get(index)?,
            flags: *self.flags.get(index)?,
        })
    }

    /// Appends a slice to every column.
    // Inlined, because a call would hand the slice over in memory: 2 % of the instructions from a JSON file to a trace.
    #[inline]
    pub(crate) fn push(&mut self, slice: Slice, args: ArgsId) {
        self.start.push(slice.start);
        self.end.push(slice.end);
        self.name.push(slice.name);
        self.category.push(slice.category);
        self.args.push(args);
        self.flags.push(slice.flags);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_and_depth_share_a_word() {
        let flags = SliceFlags::PAIRED.with_open_depth(u32::MAX).with(SliceFlags::UNFINISHED);
        assert!(flags.is_paired() && flags.is_unfinished() && !flags.contains(SliceFlags::CLAMPED));
        assert_eq!(flags.open_depth(), 0x00ff_ffff);
        assert_eq!(flags.with_open_depth(7).open_depth(), 7);
        assert!(flags.with_open_depth(7).is_paired());
    }

    #[test]
    fn a_range_without_its_end_overlaps_what_lies_in_it() {
        let (name, category, flags) = (NameId::EMPTY, NameId::EMPTY, SliceFlags::default());
        let slice = |start, end| Slice { start: Tick(start), end: Tick(end), name, category, flags };
        let overlaps = |start, end| slice(start, end).overlaps(&(Tick(10)..Tick(20)));
        assert!(overlaps(9, 11) && overlaps(12, 13) && overlaps(19, 30) && overlaps(0, 50));
        assert!(!overlaps(5, 10) && !overlaps(20, 25));
        // A slice without duration is where its time is.
        assert!(overlaps(10, 10) && overlaps(15, 15) && !overlaps(9, 9) && !overlaps(20, 20));
        // Behind the latest point no range begins that could have it.
        let last = slice(i64::MAX, i64::MAX);
        assert!(last.overlaps(&(Tick(10)..Tick::MAX)) && !last.overlaps(&(Tick(10)..Tick(i64::MAX - 1))));
    }
}
