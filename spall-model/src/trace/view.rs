//! The queries that finished traces share with live ones.

use alloc::vec::Vec;
use core::ops::Range;

use crate::{
    CallGraph, Clock, Conventions, CounterValue, Diagnostics, Flow, Function, IdRange, Instant, Key, NameId,
    Names, ProcessId, Sampled, Slice, SliceArgs, SliceId, State, StateId, Tick, Trace, TraceView, Track,
    TrackId, TrackInfo, TrackSet, args_table::ArgsTable, index32, view::Sealed,
};

impl Sealed for Trace {
    fn args_table(&self) -> &ArgsTable {
        &self.args
    }

    fn process(&self, id: ProcessId) -> Option<(Key, NameId)> {
        self.processes.get(id.index()).map(|process| (process.pid, process.name))
    }
}

impl TraceView for Trace {
    fn clock(&self) -> Clock {
        self.clock
    }

    fn conventions(&self) -> Conventions {
        self.conventions
    }

    fn bounds(&self) -> Option<Range<Tick>> {
        self.bounds.map(|(first, last)| first..last)
    }

    fn names(&self) -> &Names {
        &self.names
    }

    fn diagnostics(&self) -> &Diagnostics {
        &self.diagnostics
    }

    fn track_ids(&self) -> impl ExactSizeIterator<Item = TrackId> {
        IdRange::new(TrackId(0), TrackId::new(self.tracks.len())).iter()
    }

    fn n_tracks(&self) -> usize {
        self.tracks.len()
    }

    fn track_info(&self, track: TrackId) -> Option<TrackInfo> {
        let &Track { kind, process, name, sort_index, parent, .. } = self.tracks.get(track.index())?;
        Some(TrackInfo { kind, process, name, sort_index, parent })
    }

    fn n_slices(&self) -> usize {
        self.slices.len()
    }

    #[inline]
    fn slice(&self, id: SliceId) -> Option<Slice> {
        self.slices.get(id)
    }

    #[inline]
    fn slice_name_id(&self, id: SliceId) -> Option<NameId> {
        self.slices.name.get(id.index()).copied()
    }

    fn slice_times(&self) -> Option<(&[Tick], &[Tick])> {
        Some((self.slices.starts(), self.slices.ends()))
    }

    fn track_of(&self, id: SliceId) -> Option<TrackId> {
        let index = self.tracks.partition_point(|track| track.slices.end <= id.0);
        self.tracks.get(index)?.slices().contains(id).then(|| TrackId::new(index))
    }

    fn nests_by_parent(&self, track: TrackId) -> bool {
        let Some(slices) = self.tracks.get(track.index()).map(Track::slices) else { return false };
        let next = self.said_spans.partition_point(|span| span.slice < slices.start());
        self.said_spans.get(next).is_some_and(|span| slices.contains(span.slice))
    }

    fn slice_args(&self, id: SliceId) -> SliceArgs<'_> {
        let row = self.slices.args.get(id.index()).copied().unwrap_or_default();
        SliceArgs { begin: self.args.get(row), end: self.args.on_top(row) }
    }

    fn stacks_are_estimated(&self) -> bool {
        self.has_fact(CallGraph::FACT)
    }

    fn sampled(&self, id: SliceId) -> Option<Sampled> {
        let found = self.sampled.binary_search_by_key(&id, |&(slice, _)| slice).ok()?;
        self.sampled.get(found).map(|&(_, sampled)| sampled)
    }

    fn function_of(&self, id: SliceId) -> Option<Function> {
        let name = self.slice_name_id(id)?;
        let frame = self.sampled(id).and_then(|sampled| self.frame(sampled.frame));
        Some(frame.map_or(Function::named(name), Function::of_frame))
    }

    fn slices_of(&self, track: TrackId) -> impl Iterator<Item = (SliceId, Slice)> {
        let slices = self.tracks.get(track.index()).map(Track::slices).unwrap_or_default();
        slices.iter().zip(self.slices.part(slices.indices()))
    }

    fn instants_of(&self, track: TrackId) -> &[Instant] {
        let instants = self.tracks.get(track.index()).map(Track::instants).unwrap_or_default();
        self.instants.get(instants).unwrap_or_default()
    }

    fn counters_of(&self, track: TrackId) -> &[CounterValue] {
        let counters = self.tracks.get(track.index()).map(Track::counters).unwrap_or_default();
        self.counters.get(counters).unwrap_or_default()
    }

    fn states_of(&self, track: TrackId) -> &[State] {
        let states = self.tracks.get(track.index()).map(Track::states).unwrap_or_default();
        self.states.get(states.indices()).unwrap_or_default()
    }

    fn n_slices_of(&self, track: TrackId) -> usize {
        self.tracks.get(track.index()).map_or(0, |track| track.slices().len())
    }

    fn n_instants(&self) -> u32 {
        index32(self.instants.len())
    }

    fn instant_number(&self, track: TrackId, position: usize) -> Option<u32> {
        let number = self.tracks.get(track.index())?.instants().nth(position)?;
        u32::try_from(number).ok()
    }

    fn instant(&self, number: u32) -> Option<(TrackId, Instant)> {
        let number = number as usize;
        let track = self.tracks.partition_point(|track| track.instants().end <= number);
        Some((TrackId::new(track), *self.instants.get(number)?))
    }

    fn state_id(&self, track: TrackId, position: usize) -> Option<StateId> {
        self.tracks.get(track.index())?.states().indices().nth(position).map(StateId::new)
    }

    fn state(&self, state: StateId) -> Option<(TrackId, State)> {
        let track = self.tracks.partition_point(|track| track.states().indices().end <= state.index());
        Some((TrackId::new(track), *self.states.get(state.index())?))
    }

    fn process_labels(&self, process: ProcessId) -> Vec<NameId> {
        self.processes.get(process.index()).map_or(Vec::new(), |process| process.labels.clone())
    }

    fn shown_tracks(&self) -> TrackSet {
        Trace::shown_tracks(self)
    }

    fn flows(&self) -> &[Flow] {
        &self.flows
    }
}
