//! What counters of threads showed at slices. Perfetto has them as values of counters below the threads. [perfetto
//! 4.8](spall_format::rules::perfetto#4.8)

use std::{collections::HashMap, hash::RandomState};

use spall_model::{Args, SliceArgs, ThreadCount, ThreadMeasure, Tick, Trace, TraceView, Track, TrackKind};

/// What threads have counters for, each with the number and the name of its type in Perfetto.
pub(super) const MEASURES: [(ThreadMeasure, u64, &str); 2] =
    [(ThreadMeasure::Time, 1, "thread_time"), (ThreadMeasure::Instructions, 2, "thread_instruction_count")];

/// The numbers of the tracks of the counters of a thread, by the position in [`MEASURES`].
pub(super) type CounterTracks = [Option<u64>; 2];

/// The values of counters of the trace that were written with events, and how often each was, by the number of the track.
pub(super) type WithEvents = HashMap<u64, HashMap<(Tick, u64), usize, RandomState>, RandomState>;

/// Returns what a counter showed at the end of a slice.
pub(super) fn at_end(args: &SliceArgs<'_>, measure: ThreadMeasure) -> Option<i64> {
    let begin = args.begin.thread_count(measure);
    args.end.thread_count(measure).at.or_else(|| begin.at?.checked_add(begin.during?))
}

/// Returns how many fields of an event say what counters showed, as far as they become values of counters.
pub(super) fn n_counts(args: Args<'_>) -> usize {
    let of_measure = |(measure, ..): (ThreadMeasure, u64, &str)| match args.thread_count(measure) {
        ThreadCount { at: Some(_), during } => 1 + usize::from(during.is_some()),
        _ => 0,
    };
    MEASURES.into_iter().map(of_measure).sum()
}

/// Returns whether the file says of any slice or instant of a track what a counter showed.
pub(super) fn has_counts(trace: &Trace, track: &Track, measure: ThreadMeasure) -> bool {
    let mut slices = trace.slices_of(track.id);
    let mut instants = trace.instants_of(track.id).iter();
    slices.any(|(id, _)| {
        let SliceArgs { begin, end } = trace.slice_args(id);
        [begin, end].iter().any(|args| args.thread_count(measure).at.is_some())
    }) || instants.any(|instant| trace.args_of(instant).thread_count(measure).at.is_some())
}

/// Returns the counter of a thread that has this name.
pub(super) fn counter_below<'t>(trace: &'t Trace, thread: &Track, name: &str) -> Option<&'t Track> {
    let behind = trace.tracks().get(thread.id.index() + 1..)?;
    let mut below = behind.iter().take_while(|track| track.parent.is_some());
    below.find(|track| {
        let is_counter = matches!(track.kind, TrackKind::Counter { .. }) && !track.counters().is_empty();
        is_counter && track.parent == Some(thread.id) && trace.name(track.name) == name
    })
}
