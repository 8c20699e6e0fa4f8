//! The part of a trace that is in a range of time, on some tracks. [tree 8](crate::rules::tree#8)
#![allow(clippy::indexing_slicing, reason = "tracks and slices are numbered by the trace")]

use alloc::vec::Vec;
use core::{mem, ops::Range};

use foldhash::fast::RandomState;
use hashbrown::HashSet;

use crate::{
    ArgsBuilder, CounterValue, Instant, Key, NameId, OtherEvent, Process, ProcessId, SliceId, State,
    ThreadMeasure, Tick, Trace, TraceView, Track, TrackId, index32, track::widen,
};

impl Trace {
    /// Returns the part of the trace that is in `range`, on the tracks for which `has_track` returns `true`. Of slices and
    /// instants it has those for whose name and category `shows` returns `true`. [tree 8](crate::rules::tree#8)
    ///
    /// - A slice or a state that sticks out of the range stays with the part inside. It no longer says its thread time and its
    ///   instructions, nor how many samples it was found by, because nothing says how much of them is inside.
    /// - A slice without duration, an instant, a sample or a snapshot stays if its time is in the range.
    /// - A counter has at the start of the range the value that it has there.
    /// - A flow stays if both ends are in the range, and both slices stay.
    /// - An object stays if its creation, its deletion or a snapshot is in the range.
    ///
    /// A range up to [`Tick::MAX`] has that tick, too. Tracks and processes that are not chosen are not in the part; a track
    /// below such a track is below the nearest one above that is. This takes O(n) for n elements of the trace.
    ///
    /// ```
    /// use spall_model::{Event, Limits, Text, Thread, ThreadEvent, Tick, Ticks, TraceBuilder, TraceView};
    ///
    /// let mut builder = TraceBuilder::new(&Limits::default());
    /// for (thread, name, at, lasts) in [(1, "load", 0, 90), (1, "read", 20, 30), (2, "draw", 40, 20)] {
    ///     let work = ThreadEvent::new(Thread::new(1, thread), Tick(at), Text::from(name));
    ///     builder.push(&Event::Complete(work, Ticks(lasts)));
    /// }
    /// let part = builder.finish().part(Tick(30)..Tick(60), |track| track.0 == 0, |_, _| true);
    /// let slices: Vec<_> = part.slices_of(part.tracks()[0].id).collect();
    /// let texts = slices.iter().map(|(_, slice)| format!("{} {}", part.name(slice.name), slice.duration().0));
    /// assert_eq!(texts.collect::<Vec<_>>(), ["load 30", "read 20"]);
    /// assert_eq!(part.tracks().len(), 1);
    /// ```
    #[must_use]
    pub fn part(
        self,
        range: Range<Tick>,
        has_track: impl Fn(TrackId) -> bool,
        shows: impl Fn(NameId, NameId) -> bool,
    ) -> Self {
        let (mut cut, mut n_kept) = (Vec::new(), 0);
        let mut trace = self.with_slices(|old, track, slices| {
            if !has_track(track) {
                return;
            }
            for (id, slice) in old.slices_of(track) {
                if !(slice.overlaps(&range) && shows(slice.name, slice.category)) {
                    continue;
                }
                let is_inside = slice.start >= range.start && slice.end <= range.end;
                let is_kept = if is_inside { slices.keep(id) } else { slices.keep_within(id, &range) };
                // Slices keep their order, as no start passes another one when both move to the start of the range.
                if is_kept && !is_inside {
                    cut.push(SliceId::new(n_kept));
                }
                n_kept += usize::from(is_kept);
            }
        });
        trace.leave_out_counts(&cut);
        trace.flows.retain(|flow| has(&range, flow.leaves) && has(&range, flow.arrives));
        let is_of_kept = |event: &OtherEvent, kept: &HashSet<(Key, Key), RandomState>| {
            has(&range, event.at) && kept.contains(&event.thread)
        };
        let kept = trace.thread_keys(&has_track);
        trace.others.retain(|event| is_of_kept(event, &kept));
        trace.meta.retain(|meta| meta.thread.is_none_or(|thread| kept.contains(&thread)));
        trace.keep_facts(&range, &has_track, &shows);
        trace.keep_samples(&range, &has_track);
        trace.keep_objects(&range, &has_track);
        trace.keep_tracks(&has_track);
        trace.bounds = trace.found_bounds();
        trace
    }

    /// Takes from slices that were cut what they say of counters of their threads.
    fn leave_out_counts(&mut self, cut: &[SliceId]) {
        let mut without = ArgsBuilder::new();
        for &id in cut {
            let args = self.slice_args(id);
            if ThreadMeasure::ALL.iter().any(|&measure| args.thread_measure(measure).is_some()) {
                without.clear();
                args.iter().for_each(|(key, value)| _ = without.add(key, value));
                self.slices.args[id.index()] = self.args.add(without.args());
            }
        }
    }

    /// Returns the ids of the threads that are kept, each with that of its process.
    fn thread_keys(&self, has_track: &impl Fn(TrackId) -> bool) -> HashSet<(Key, Key), RandomState> {
        let kept = self.tracks.iter().filter(|track| has_track(track.id));
        let keys = kept
            .filter_map(|track| Some((self.processes.get(track.process?.index())?.pid, track.kind.tid()?)));
        keys.collect()
    }

    /// Keeps the instants, the values of counters and the states of a part.
    fn keep_facts(
        &mut self,
        range: &Range<Tick>,
        has_track: &impl Fn(TrackId) -> bool,
        shows: &impl Fn(NameId, NameId) -> bool,
    ) {
        let (mut instants, mut counters, mut states) = (Vec::new(), Vec::new(), Vec::new());
        for track in &mut self.tracks {
            let [of_instants, of_counters, of_states] =
                [&track.instants, &track.counters, &track.states].map(widen);
            let from = [instants.len(), counters.len(), states.len()];
            if has_track(track.id) {
                let is_shown =
                    |instant: &&Instant| has(range, instant.at) && shows(instant.name, instant.category);
                instants.extend(self.instants[of_instants].iter().filter(is_shown));
                keep_values(&self.counters[of_counters], range, &mut counters);
                let touching = self.states[of_states].iter().filter(|state| {
                    state.start.is_before(range.end)
                        && (state.end > range.start || state.start >= range.start)
                });
                states.extend(touching.map(|state| State {
                    start: state.start.max(range.start),
                    end: state.end.min(range.end),
                    ..*state
                }));
            }
            track.instants = index32(from[0])..index32(instants.len());
            track.counters = index32(from[1])..index32(counters.len());
            track.states = index32(from[2])..index32(states.len());
        }
        (self.instants, self.counters, self.states) = (instants, counters, states);
    }

    /// Keeps the samples of a part, with their profiles.
    fn keep_samples(&mut self, range: &Range<Tick>, has_track: &impl Fn(TrackId) -> bool) {
        let is_all = *range == (Tick::MIN..Tick::MAX);
        let old = mem::take(&mut self.samples);
        self.profiles.retain(|profile| has_track(profile.track));
        for profile in &mut self.profiles {
            let from = index32(self.samples.len());
            let of_profile = &old[widen(&profile.samples)];
            self.samples.extend(of_profile.iter().filter(|sample| has(range, sample.at)));
            profile.samples = from..index32(self.samples.len());
            profile.start = profile.start.clamp(range.start, range.end);
            profile.end = profile.end.map(|end| end.clamp(range.start, range.end));
            profile.samples_end = profile.samples_end.clamp(range.start, range.end);
        }
        if !is_all {
            // They count the samples of all times.
            self.line_hits.clear();
        }
    }

    /// Keeps the objects that a part has something of.
    fn keep_objects(&mut self, range: &Range<Tick>, has_track: &impl Fn(TrackId) -> bool) {
        let mut has_process = alloc::vec![false; self.processes.len()];
        for process in
            self.tracks.iter().filter(|track| has_track(track.id)).filter_map(|track| track.process)
        {
            has_process[process.index()] = true;
        }
        let old = mem::take(&mut self.snapshots);
        self.objects.retain_mut(|object| {
            let from = index32(self.snapshots.len());
            if has_process[object.process.index()] {
                let of_object = &old[widen(&object.snapshots)];
                self.snapshots.extend(of_object.iter().filter(|snapshot| has(range, snapshot.at)));
            }
            object.snapshots = from..index32(self.snapshots.len());
            object.start = object.start.filter(|&at| has(range, at));
            object.end = object.end.filter(|&at| has(range, at));
            let is_there = object.start.is_some() || object.end.is_some() || !object.snapshots.is_empty();
            has_process[object.process.index()] && is_there
        });
    }

    /// Removes the tracks that a part does not have, and the processes of which it has none.
    fn keep_tracks(&mut self, has_track: &impl Fn(TrackId) -> bool) {
        if self.tracks.iter().all(|track| has_track(track.id)) {
            return;
        }
        let mut new_ids: Vec<Option<TrackId>> = Vec::with_capacity(self.tracks.len());
        let mut tracks: Vec<Track> = Vec::new();
        for mut track in mem::take(&mut self.tracks) {
            // Parents come before their children, so what is above is known.
            let above = track.parent.and_then(|parent| new_ids[parent.index()]);
            if !has_track(track.id) {
                new_ids.push(above);
                continue;
            }
            let id = TrackId::new(tracks.len());
            new_ids.push(Some(id));
            (track.id, track.parent) = (id, above);
            tracks.push(track);
        }
        for profile in &mut self.profiles {
            profile.track = new_ids[profile.track.index()].unwrap_or(profile.track);
        }
        let mut new_processes = alloc::vec![None; self.processes.len()];
        let mut processes: Vec<Process> = Vec::new();
        for track in &mut tracks {
            let Some(old) = track.process else { continue };
            let id = *new_processes[old.index()].get_or_insert_with(|| {
                let process = self.processes[old.index()].clone();
                let id = ProcessId::new(processes.len());
                processes.push(Process { id, tracks: track.id.0..track.id.0, ..process });
                id
            });
            track.process = Some(id);
            processes[id.index()].tracks.end = track.id.0 + 1;
        }
        for object in &mut self.objects {
            object.process = new_processes[object.process.index()].unwrap_or(object.process);
        }
        (self.tracks, self.processes) = (tracks, processes);
    }

    /// Returns the earliest and the latest time of anything.
    fn found_bounds(&self) -> Option<(Tick, Tick)> {
        let slices = self.slices.start.iter().copied().zip(self.slices.end.iter().copied());
        let states = self.states.iter().map(|state| (state.start, state.end));
        let profiles = self.profiles.iter().map(|profile| (profile.start, profile.samples_end));
        let objects = self.objects.iter().flat_map(|object| [object.start, object.end]).flatten();
        let points = (self.instants.iter().map(|instant| instant.at))
            .chain(self.counters.iter().map(|value| value.at))
            .chain(self.samples.iter().map(|sample| sample.at))
            .chain(self.snapshots.iter().map(|snapshot| snapshot.at))
            .chain(self.others.iter().map(|event| event.at))
            .chain(objects);
        let all = slices.chain(states).chain(profiles).chain(points.map(|at| (at, at)));
        all.reduce(|(first, last), (start, end)| (first.min(start), last.max(end)))
    }
}

/// Returns whether a point in time is in a range. One up to [`Tick::MAX`] has that tick, too.
fn has(range: &Range<Tick>, at: Tick) -> bool {
    at >= range.start && at.is_before(range.end)
}

/// Adds the values of a counter that are in a range, and before them those that its series have when the range begins.
fn keep_values(values: &[CounterValue], range: &Range<Tick>, kept: &mut Vec<CounterValue>) {
    let n_before = values.partition_point(|value| value.at < range.start);
    let (before, from) = values.split_at(n_before);
    let mut latest: Vec<CounterValue> = Vec::new();
    for value in before {
        match latest.iter_mut().find(|other| other.series == value.series) {
            Some(other) => *other = *value,
            None => latest.push(*value),
        }
    }
    let is_new =
        |series| !from.iter().take_while(|value| value.at == range.start).any(|v| v.series == series);
    latest.retain(|value| is_new(value.series));
    kept.extend(latest.into_iter().map(|value| CounterValue { at: range.start, ..value }));
    kept.extend(from.iter().take_while(|value| value.at.is_before(range.end)));
}

#[cfg(test)]
mod tests;
