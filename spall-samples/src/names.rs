//! The names that a thread has one after another. [samples 6](spall_model::rules::samples#6)
#![allow(clippy::indexing_slicing, reason = "parts are numbered by this module")]

use alloc::{borrow::Cow, string::String, vec::Vec};

use foldhash::fast::RandomState;
use hashbrown::HashMap;
use spall_model::{Trace, TraceView, Track, TrackId, TrackKind};

use crate::{
    stacks::Stacks,
    thread::{Observation, SampledThread},
};

/// Returns the name of a thread, which may be empty, or the title of another track.
pub(super) fn name_of(trace: &Trace, track: TrackId) -> Cow<'_, str> {
    match trace.tracks().get(track.index()) {
        Some(Track { kind: TrackKind::Thread { .. }, name, .. }) => trace.name(*name),
        _ => trace.track_title(track),
    }
}

/// Returns the parts of a thread under each of its names, in the order in which it got them. The parts have no stacks. There
/// are none if the thread has the name of its track all the time, or slices, which no name is known for.
pub(super) fn parts_by_name(
    trace: &Trace,
    thread: &SampledThread,
    track: TrackId,
) -> Vec<(String, SampledThread)> {
    let mut parts: Vec<(String, SampledThread)> = Vec::new();
    let (Some(profile), Some((start, end))) = (trace.profile_of(track), thread.range) else { return parts };
    let name = name_of(trace, track);
    if !thread.slices.is_empty() || trace.thread_names(profile).all(|(_, other)| other == name) {
        return parts;
    }
    let mut names = trace.thread_names(profile).peekable();
    let mut numbers = HashMap::<Cow<'_, str>, usize, RandomState>::default();
    let (mut current, mut n_before) = (0, 0);
    for &sample in &thread.samples {
        let is_sample = sample.observed != Observation::Gap;
        if is_sample && let Some((_, name)) = names.next_if(|&(first, _)| first == n_before) {
            if let Some((_, part)) = parts.get_mut(current) {
                part.end_at(sample);
            }
            current = *numbers.entry(name).or_insert_with_key(|name| {
                let start = if parts.is_empty() { start } else { sample.at };
                let part =
                    SampledThread { range: Some((start, end)), ..SampledThread::empty(Stacks::default()) };
                parts.push((name.as_ref().into(), part));
                parts.len() - 1
            });
        }
        let part = &mut parts[current].1;
        // It may have had another name in between.
        part.range = part.range.map(|(start, _)| (start, end));
        part.samples.push(sample);
        part.n_samples += u64::from(is_sample);
        part.n_unknown += u64::from(is_sample && sample.is_unknown());
        n_before += usize::from(is_sample);
    }
    parts
}
