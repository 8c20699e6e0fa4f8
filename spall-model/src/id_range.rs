//! Dense 32-bit ids, and ranges of them.

use core::fmt;
use core::iter::Map;
use core::ops::Range;

/// A position in one of the columns of a trace or a layout, with a type of its own for each column.
///
/// Ids of one kind are dense: they count up from 0 without gaps, and the elements of a group, such as the slices of a
/// track, have consecutive ids, so that an [`IdRange`] describes the group.
#[doc(hidden)]
pub trait DenseId: Copy + Ord + fmt::Debug {
    /// Returns the id with this number.
    #[must_use]
    fn from_number(number: u32) -> Self;

    /// Returns the number of the id: its position as 32 bits.
    #[must_use]
    fn number(self) -> u32;
}

/// Returns a position as a number of 32 bits. One of 2³² − 1 or more becomes 2³² − 1, the number that no element has.
#[doc(hidden)]
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "the comparison excludes a truncation")]
pub const fn index32(index: usize) -> u32 {
    if index < u32::MAX as usize { index as u32 } else { u32::MAX }
}

/// Gives a newtype of `u32` the methods and traits that every dense id of the workspace has. The text says what the ids
/// number.
#[doc(hidden)]
#[macro_export]
macro_rules! dense_id {
    ($($id:ident: $of:literal;)*) => {
        $(impl $id {
            #[doc = concat!("Returns the id of the element at position `index` in ", $of, ".")]
            ///
            /// A position of 2³² − 1 or more becomes 2³² − 1, an id that no element has.
            #[must_use]
            pub const fn new(index: usize) -> Self {
                Self($crate::index32(index))
            }

            #[doc = concat!("Returns the position of the element in ", $of, ".")]
            #[must_use]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl $crate::DenseId for $id {
            #[inline]
            fn from_number(number: u32) -> Self {
                Self(number)
            }

            #[inline]
            fn number(self) -> u32 {
                self.0
            }
        }
)*
    };
}

/// A half-open range of consecutive ids, such as the slices of a track.
///
/// The range is `Copy`, and iterates over its ids. [`IdRange::indices`] cuts the elements out of a column.
///
/// ```
/// use spall_model::{Event, Limits, SliceId, Text, Thread, ThreadEvent, Tick, Ticks, TraceBuilder};
///
/// let mut builder = TraceBuilder::new(&Limits::default());
/// for at in [0, 10, 20] {
///     let work = ThreadEvent::new(Thread::new(1, 1), Tick(at), Text::from("work"));
///     builder.push(&Event::Complete(work, Ticks(5)));
/// }
/// let trace = builder.finish();
///
/// let slices = trace.tracks()[0].slices();
/// assert_eq!(slices.len(), 3);
/// assert_eq!(slices.iter().last(), Some(SliceId(2)));
/// assert_eq!(trace.slices().starts()[slices.indices()], [Tick(0), Tick(10), Tick(20)]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct IdRange<I> {
    start: I,
    end: I,
}

impl<I: DenseId> IdRange<I> {
    /// Returns the range from `start` to the id before `end`; it is empty if `end` is not greater than `start`.
    #[must_use]
    pub fn new(start: I, end: I) -> Self {
        Self { start, end: end.max(start) }
    }

    /// Returns the range of the ids at the positions `indices`.
    pub(crate) fn of(indices: &Range<u32>) -> Self {
        Self::new(I::from_number(indices.start), I::from_number(indices.end))
    }

    /// Returns the first id of the range. The start of an empty range is the id before which it lies, and need not be
    /// the id of any element.
    #[must_use]
    pub fn start(self) -> I {
        self.start
    }

    /// Returns the id after the last one of the range.
    #[must_use]
    pub fn end(self) -> I {
        self.end
    }

    /// Returns the number of ids in the range.
    #[must_use]
    pub fn len(self) -> usize {
        (self.end.number() - self.start.number()) as usize
    }

    /// Returns whether the range holds no id.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Returns whether `id` lies in the range.
    #[must_use]
    pub fn contains(self, id: I) -> bool {
        self.start <= id && id < self.end
    }

    /// Returns the position of `id` in the range, counted from 0, or `None` if it does not lie in it.
    #[must_use]
    pub fn position(self, id: I) -> Option<usize> {
        self.contains(id).then(|| (id.number() - self.start.number()) as usize)
    }

    /// Returns the range as positions, to index the columns that the ids belong to.
    #[must_use]
    pub fn indices(self) -> Range<usize> {
        self.start.number() as usize..self.end.number() as usize
    }

    /// Iterates over the ids in ascending order.
    #[inline]
    pub fn iter(self) -> Map<Range<u32>, fn(u32) -> I> {
        (self.start.number()..self.end.number()).map(I::from_number as fn(u32) -> I)
    }
}

impl<I: DenseId> Default for IdRange<I> {
    /// Returns an empty range that starts at the first id.
    fn default() -> Self {
        Self::of(&(0..0))
    }
}

impl<I: fmt::Debug> fmt::Debug for IdRange<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}..{:?}", self.start, self.end)
    }
}

impl<I: DenseId> IntoIterator for IdRange<I> {
    type Item = I;
    type IntoIter = Map<Range<u32>, fn(u32) -> I>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use super::*;
    use crate::SliceId;

    #[test]
    fn a_range_knows_its_ids() {
        let range = IdRange::new(SliceId(3), SliceId(6));
        assert_eq!((range.len(), range.is_empty(), range.indices()), (3, false, 3..6));
        assert!(range.contains(SliceId(3)) && !range.contains(SliceId(6)));
        assert_eq!((range.position(SliceId(5)), range.position(SliceId(2))), (Some(2), None));
        assert!(range.iter().rev().eq([SliceId(5), SliceId(4), SliceId(3)]));
        assert_eq!(range.into_iter().len(), 3);
        assert_eq!(alloc::format!("{range:?}"), "SliceId(3)..SliceId(6)");
    }

    #[test]
    fn a_range_that_ends_before_it_starts_is_empty() {
        let range = IdRange::new(SliceId(6), SliceId(3));
        assert_eq!((range.len(), range.is_empty(), range.indices()), (0, true, 6..6));
        assert_eq!(IdRange::<SliceId>::default().iter().next(), None);
    }

    #[test]
    fn positions_beyond_32_bits_are_the_id_that_nothing_has() {
        assert_eq!(SliceId::new(7), SliceId(7));
        assert_eq!(SliceId::new(u32::MAX as usize), SliceId(u32::MAX));
        assert_eq!(SliceId::new(usize::MAX), SliceId(u32::MAX));
    }
}
