//! The display order of slices, some of which are still open. [json 3.3]

use alloc::vec::Vec;
use core::cmp::{Ordering, Reverse};

use crate::{Conventions, SliceId, Tick};

use super::TraceBuilder;

/// What the order of a slice depends on.
#[derive(Debug, Clone, Copy)]
pub(super) struct OrderKey {
    pub(super) id: SliceId,
    pub(super) start: Tick,
    /// As late as can be where it is not known.
    end: Tick,
    pub(super) is_pair: bool,
}

/// Where a slice starts.
#[allow(clippy::indexing_slicing, reason = "a slice is the number of a row that was pushed")]
pub(super) fn start(builder: &TraceBuilder<'_>, slice: SliceId) -> Tick {
    builder.rows[slice.0].start
}

impl OrderKey {
    #[allow(clippy::indexing_slicing, reason = "a slice is the number of a row that was pushed")]
    pub(super) fn of(builder: &TraceBuilder<'_>, id: SliceId) -> Self {
        let row = &builder.rows[id.0];
        let is_pair = row.flags.is_paired();
        let endless = row.flags.is_unfinished() || is_pair && row.is_open(id.0);
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
                    || later.is_open_pair()
            }
        }
    }

    /// Nobody knows how long it is.
    fn is_open_pair(&self) -> bool {
        self.is_pair && self.end == Tick::MAX
    }

    /// The order among slices that are no pairs.
    fn compare_whole(&self, other: &Self, conventions: Conventions) -> Ordering {
        let by_number = self.id.cmp(&other.id);
        (self.start, Reverse(self.end))
            .cmp(&(other.start, Reverse(other.end)))
            .then(if conventions.children_first { by_number.reverse() } else { by_number })
    }

    /// Whether a pair goes before a slice that is none: of one start the longer, or as they came, if they are equal, or
    /// one has no length or none that is known.
    fn pair_goes_before(&self, whole: &Self) -> bool {
        let is_point = |slice: &Self| slice.start == slice.end;
        let as_they_came = is_point(self) || is_point(whole) || self.is_open_pair() || self.end == whole.end;
        match self.start.cmp(&whole.start) {
            Ordering::Equal if as_they_came => self.id < whole.id,
            Ordering::Equal => self.end > whole.end,
            order => order.is_lt(),
        }
    }
}

/// Sorts slices: pairs as they began and all others among themselves, then one queue into the other.
pub(super) fn sort(builder: &TraceBuilder<'_>, slices: &mut Vec<SliceId>) {
    let bounds = slices.iter().map(|&slice| OrderKey::of(builder, slice));
    let (mut pairs, mut wholes): (Vec<_>, Vec<_>) = bounds.partition(|slice| slice.is_pair);
    // Both come as a few sorted runs, so this is hardly more than to merge them.
    pairs.sort_by_key(|pair| (pair.start, pair.id));
    wholes.sort_by(|a, b| a.compare_whole(b, builder.conventions));
    let mut pairs = pairs.into_iter().peekable();
    slices.clear();
    for whole in wholes {
        while let Some(pair) = pairs.next_if(|pair| pair.pair_goes_before(&whole)) {
            slices.push(pair.id);
        }
        slices.push(whole.id);
    }
    slices.extend(pairs.map(|pair| pair.id));
}
