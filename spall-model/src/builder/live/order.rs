//! The display order of slices, some of which are still open. [json 3.3]

use core::cmp::{Ordering, Reverse};

use crate::{Conventions, SliceId, Tick};

use super::{TraceBuilder, pairing};

/// What the order of a slice depends on. What has no end yet is longer than anything that starts with it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub(super) id: SliceId,
    pub(super) start: Tick,
    end: Tick,
    pub(super) is_pair: bool,
}

/// Where a slice starts.
#[allow(clippy::indexing_slicing, reason = "a slice is the number of a row that was pushed")]
pub(super) fn start(builder: &TraceBuilder<'_>, slice: SliceId) -> Tick {
    builder.rows[slice.0].start
}

#[allow(clippy::indexing_slicing, reason = "a slice is the number of a row that was pushed")]
impl Bounds {
    pub(super) fn of(builder: &TraceBuilder<'_>, id: SliceId) -> Self {
        let row = &builder.rows[id.0];
        let is_pair = row.flags.is_paired();
        let endless = row.flags.is_unfinished() || is_pair && pairing::is_open(id.0, row.pair);
        Self { id, start: row.start, end: if endless { Tick::MAX } else { row.end }, is_pair }
    }

    /// Whether a slice that came later stands behind this one.
    pub(super) fn is_followed_by(&self, later: &Self, conventions: Conventions) -> bool {
        match self.start.cmp(&later.start) {
            Ordering::Less => true,
            Ordering::Greater => false,
            Ordering::Equal => {
                self.is_pair && later.is_pair
                    || self.end > later.end
                    || self.end == later.end && !conventions.children_first
            }
        }
    }

    /// The order among slices that are no pairs.
    pub(super) fn compare_whole(&self, other: &Self, conventions: Conventions) -> Ordering {
        let by_number = self.id.cmp(&other.id);
        (self.start, Reverse(self.end))
            .cmp(&(other.start, Reverse(other.end)))
            .then(if conventions.children_first { by_number.reverse() } else { by_number })
    }

    /// Whether a slice that was late goes before this one at last.
    pub(super) fn precedes(&self, other: &Self, conventions: Conventions) -> bool {
        let is_point = |slice: &Self| slice.start == slice.end;
        let as_they_came = self.is_pair && other.is_pair
            || self.is_pair != other.is_pair && (is_point(self) || is_point(other) || self.end == other.end);
        if self.start == other.start && as_they_came {
            self.id < other.id
        } else {
            self.compare_whole(other, conventions).is_lt()
        }
    }
}
