//! The order of the slices of a live track. [pairing 3](crate::rules::pairing#3)

use alloc::vec::Vec;

use crate::SliceId;

use super::{TraceBuilder, slice_order::SliceKey};

/// Returns the facts on which the order of a slice depends.
pub(super) fn key(builder: &TraceBuilder, slice: SliceId) -> SliceKey {
    SliceKey::live(slice.0, &builder.slices.rows)
}

/// Sorts slices by the same rules as a finished trace: pairs in the order of their begins and all others among
/// themselves, and then both merged.
pub(super) fn sort(builder: &TraceBuilder, slices: &mut Vec<SliceId>) {
    let keys = slices.iter().map(|&slice| key(builder, slice));
    let (mut pairs, mut complete): (Vec<_>, Vec<_>) = keys.partition(|slice| slice.is_pair);
    // The slices consist of a few sorted runs: those that were in order, and those that came late. A stable sort
    // merges runs in hardly more than linear time.
    let compare = |a: &SliceKey, b: &SliceKey| match a.is_pair {
        true => (a.start, a.row).cmp(&(b.start, b.row)),
        false => a.compare_complete(b, builder.conventions),
    };
    pairs.sort_by(compare);
    complete.sort_by(compare);
    let mut pairs = pairs.into_iter().peekable();
    slices.clear();
    for other in complete {
        while let Some(pair) = pairs.next_if(|pair| pair.pair_precedes(&other)) {
            slices.push(SliceId(pair.row));
        }
        slices.push(SliceId(other.row));
    }
    slices.extend(pairs.map(|pair| SliceId(pair.row)));
}
