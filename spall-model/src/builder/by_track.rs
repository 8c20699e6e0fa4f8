//! Distributing items over their tracks.

use alloc::vec::Vec;
use core::ops::Range;

use crate::track::widen;

/// Items in the order of their tracks, those of one track in the order of the file.
#[derive(Debug)]
pub(super) struct ByTrack {
    /// The numbers of the items.
    pub(super) order: Vec<u32>,
    /// Where in `order` the items of each track end, and how many there are, by its old number.
    ends: Vec<u32>,
    counts: Vec<u32>,
}

#[allow(clippy::indexing_slicing, reason = "track numbers are given out by the builder")]
impl ByTrack {
    /// Distributes items, given by the old numbers of their tracks; `track_order` says which track comes first.
    pub(super) fn new(items: impl Iterator<Item = u32> + Clone, track_order: &[u32]) -> Self {
        let mut counts = alloc::vec![0_u32; track_order.len()];
        for track in items.clone() {
            counts[track as usize] += 1;
        }
        Self::with_counts(counts, items, track_order)
    }

    /// As [`ByTrack::new`], where it is known how many items each track has.
    pub(super) fn with_counts(
        counts: Vec<u32>,
        items: impl Iterator<Item = u32>,
        track_order: &[u32],
    ) -> Self {
        let mut next = alloc::vec![0_u32; track_order.len()];
        let mut n_items = 0;
        for &track in track_order {
            next[track as usize] = n_items;
            n_items += counts[track as usize];
        }
        let mut order = alloc::vec![0_u32; n_items as usize];
        for (track, item) in items.zip(0..) {
            let place = &mut next[track as usize];
            order[*place as usize] = item;
            *place += 1;
        }
        Self { order, ends: next, counts }
    }

    /// Where in the order the items of a track stand, by its old number.
    pub(super) fn range(&self, track: u32) -> Range<u32> {
        let end = self.ends[track as usize];
        end - self.counts[track as usize]..end
    }

    /// The numbers of the items of a track, by its old number.
    pub(super) fn items(&self, track: u32) -> &[u32] {
        &self.order[widen(&self.range(track))]
    }
}
