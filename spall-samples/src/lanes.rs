//! The slices of a track with their places. Those of a thread in lane 0 are the ones that the functions of its samples lie
//! among.

use spall_model::{
    Slice, SliceFlags, SliceId, Tick, Trace, TraceView, TrackId, TrackKind,
    nest::{Nesting, OpenPairs, Placement},
};

/// Iterates over the slices of a track, in display order, each with its place. Those in lane 0 are numbered in this order.
///
/// Slices that an earlier merge inferred are left out, so that merging again gives the same result, unless the samples were
/// taken away since.
#[inline]
pub(super) fn placed(trace: &Trace, track: TrackId) -> impl Iterator<Item = (SliceId, Slice, Placement)> {
    let (mut nesting, mut number) = (Nesting::default(), 0_u32);
    let has_samples = !trace.profiles().is_empty();
    let is_inferred = move |slice: &Slice| has_samples && slice.flags.contains(SliceFlags::SAMPLED);
    let mut slices = trace.slices_of(track).filter(move |(_, slice)| !is_inferred(slice));
    // Not by way of `map`, which is not inlined into a loop.
    core::iter::from_fn(move || {
        let (id, slice) = slices.next()?;
        let place = nesting.place(number, slice.start, slice.end, slice.flags);
        number = number.saturating_add(u32::from(place.lane == 0));
        Some((id, slice, place))
    })
}

/// The place of a slice on a track of any kind.
pub(super) struct Place {
    pub(super) lane: u32,
    /// The number of slices around it in its lane.
    pub(super) depth: u32,
    /// The end to draw.
    pub(super) end: Tick,
}

/// Calls `add` with the slices of a track of any kind, in display order, each with its place. Spans of the track must not say
/// their parents.
#[inline]
pub(super) fn for_each_place(trace: &Trace, track: TrackId, mut add: impl FnMut(SliceId, &Slice, Place)) {
    let kind = trace.tracks().get(track.index()).map(|track| track.kind);
    if !matches!(kind, Some(TrackKind::Async { .. })) {
        for (id, slice, Placement { lane, depth, end, .. }) in placed(trace, track) {
            add(id, &slice, Place { lane, depth, end });
        }
        return;
    }
    let mut open = OpenPairs::default();
    for (id, slice) in trace.slices_of(track) {
        let depth = open.next(slice.start, slice.end, slice.flags.open_depth(), true);
        add(id, &slice, Place { lane: 0, depth, end: slice.end });
    }
}
