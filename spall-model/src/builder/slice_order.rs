//! The order of two slices of a track, with the tie rules of [pairing 3](crate::rules::pairing#3).
//!
//! Finished and live traces sort by the same rules. A live trace has slices whose end is not known yet.

use core::cmp::{Ordering, Reverse};

use crate::{Conventions, Tick};

use super::rows::Rows;

/// The facts on which the order of a slice depends.
#[derive(Debug, Clone, Copy)]
pub(super) struct SliceKey {
    /// The number of the slice's row, which is its position in the file.
    pub(super) row: u32,
    pub(super) start: Tick,
    /// The end; [`Tick::MAX`] if it is not known yet.
    end: Tick,
    /// Whether begin and end are separate events, whose order proves how the slice nests.
    pub(super) is_pair: bool,
    /// Whether it is a pair whose end is not known yet.
    is_open_pair: bool,
}

impl SliceKey {
    /// Returns the key of a slice once all events were read.
    pub(super) fn finished(row: u32, rows: &Rows) -> Self {
        let is_pair = rows.flags(row).is_paired();
        Self { row, start: rows.start(row), end: rows.end(row), is_pair, is_open_pair: false }
    }

    /// Returns the key of a slice to which an end may still come.
    #[inline]
    pub(super) fn live(row: u32, rows: &Rows) -> Self {
        let (start, end, flags) = (rows.start(row), rows.end(row), rows.flags(row));
        let is_pair = flags.is_paired();
        let is_open_pair = is_pair && rows.is_open(row);
        let endless = is_open_pair || flags.is_unfinished();
        // A pair may end before its begin. It is shown without a duration, and ordered as it is shown.
        let end = if endless { Tick::MAX } else { end.max(start) };
        Self { row, start, end, is_pair, is_open_pair }
    }

    /// Returns whether `next`, which came later in the file, may come directly after this slice.
    pub(super) fn precedes(&self, next: &Self, conventions: Conventions) -> bool {
        self.start < next.start
            || self.start == next.start
                && (self.end > next.end
                    || self.end == next.end && !conventions.children_first
                    || self.is_pair && next.is_pair
                    || next.is_open_pair)
    }

    /// Returns whether this pair comes before `other`, which is not a pair.
    ///
    /// Of two slices with one start the longer one comes first. The order of the file decides if both have one
    /// duration, if either has no duration, or if the duration of the pair is not known.
    pub(super) fn pair_precedes(&self, other: &Self) -> bool {
        if self.start != other.start {
            return self.start < other.start;
        }
        let has_duration = |slice: &Self| slice.start < slice.end;
        if self.end == other.end || !has_duration(self) || !has_duration(other) || self.is_open_pair {
            return self.row < other.row;
        }
        self.end > other.end
    }

    /// Compares two slices that are not pairs: by start, the longer first, then by the order of the file, which is
    /// reversed for a format that writes children first.
    pub(super) fn compare_complete(&self, other: &Self, conventions: Conventions) -> Ordering {
        let in_file = self.row.cmp(&other.row);
        (self.start, Reverse(self.end))
            .cmp(&(other.start, Reverse(other.end)))
            .then(if conventions.children_first { in_file.reverse() } else { in_file })
    }
}
