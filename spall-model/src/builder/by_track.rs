//! A counting sort of items by track.

use alloc::vec::Vec;
use core::ops::Range;

use crate::track::widen;

/// Items in the order of their tracks, and those of one track in the order of the file.
///
/// Tracks are given by their builder numbers, the order in which they were found.
#[derive(Debug)]
pub(super) struct ByTrack {
    /// The numbers of the items, which are their positions in the file.
    pub(super) order: Vec<u32>,
    /// The position in `order` at which the items of each track end.
    ends: Vec<u32>,
    /// The number of items of each track.
    counts: Vec<u32>,
}

#[allow(clippy::indexing_slicing, reason = "track numbers are given out by the builder")]
impl ByTrack {
    /// Sorts items that are given by their tracks. `track_order` is a permutation of all tracks.
    pub(super) fn new(items: impl Iterator<Item = u32> + Clone, track_order: &[u32]) -> Self {
        let mut counts = alloc::vec![0_u32; track_order.len()];
        for track in items.clone() {
            counts[track as usize] += 1;
        }
        // For each track the position of its next item. When all items are placed, that is where the track ends.
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

    /// Returns the positions of the items of a track in [`ByTrack::order`].
    pub(super) fn range(&self, track: u32) -> Range<u32> {
        let end = self.ends[track as usize];
        end - self.counts[track as usize]..end
    }

    /// Returns the numbers of the items of a track.
    pub(super) fn items(&self, track: u32) -> &[u32] {
        &self.order[widen(&self.range(track))]
    }
}
