//! The slices in lane 0 of a thread, which the functions of its samples lie among.

use spall_model::{
    Slice, SliceFlags, SliceId, Tick, Trace, TraceView, TrackId,
    nest::{Nesting, Placement},
};

/// Iterates over the slices in lane 0 of a track, in display order, each with its place. They are numbered in this order.
///
/// Slices that an earlier merge inferred are left out, so that merging again gives the same result.
#[inline]
pub(super) fn main_lane(trace: &Trace, track: TrackId) -> impl Iterator<Item = (SliceId, Slice, Placement)> {
    let (mut nesting, mut number) = (Nesting::default(), 0_u32);
    let mut slices = recorded(trace, track);
    // Not by way of `filter_map`, which is not inlined into a loop.
    core::iter::from_fn(move || {
        loop {
            let (id, slice) = slices.next()?;
            let place = nesting.place(number, slice.start, slice.end, slice.flags);
            if place.lane == 0 {
                number = number.saturating_add(1);
                return Some((id, slice, place));
            }
        }
    })
}

/// Returns the time at which the first of these slices begins, or `None` if there is none.
pub(super) fn start(trace: &Trace, track: TrackId) -> Option<Tick> {
    // It lies in lane 0, as nothing is there before.
    recorded(trace, track).next().map(|(_, slice)| slice.start)
}

/// Iterates over the slices of a track that the file has.
#[inline]
fn recorded(trace: &Trace, track: TrackId) -> impl Iterator<Item = (SliceId, Slice)> {
    trace.slices_of(track).filter(|(_, slice)| !slice.flags.contains(SliceFlags::SAMPLED))
}
