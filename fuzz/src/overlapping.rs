//! The time that a thread has beyond its own duration, where slices overlap.

use spall_trace::model::{SliceFlags, Ticks, Trace, TraceView, TrackId, nest::Nesting};

/// Returns the duration of the slices of a thread that overlap others, without those around them in their lanes. Slices that
/// samples found do not.
pub fn overlapping(trace: &Trace, track: TrackId) -> Ticks {
    let mut nesting = Nesting::default();
    let recorded = trace.slices_of(track).filter(|(_, slice)| !slice.flags.contains(SliceFlags::SAMPLED));
    let times = recorded.map(|(id, slice)| {
        let place = nesting.place(id.0, slice.start, slice.end, slice.flags);
        if place.lane > 0 && place.depth == 0 { place.end - slice.start } else { Ticks::ZERO }
    });
    times.sum()
}
