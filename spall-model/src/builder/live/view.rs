//! What of a live trace is committed.

use alloc::{borrow::Cow, vec::Vec};
use core::ops::Range;

use crate::{
    Args, Clock, Conventions, CounterValue, Diagnostics, HasArgs, Instant, Key, NameId, Names, ProcessId,
    Slice, SliceArgs, SliceFlags, SliceId, State, Tick, TrackId, TrackKind,
    args_table::ArgsId,
    builder::{
        order::{inverse, process_order, track_order},
        registry::{ProcessRow, TrackRow, index32},
    },
    track,
};

use super::{
    LiveTrace,
    time_ordered::TimeOrdered,
    tracks::{PointItems, TrackItems},
};

/// What of a [`LiveTrace`] is committed.
///
/// Processes, tracks and slices have the numbers in whose order they came, and keep them. They are not those that the
/// finished trace will give them.
#[derive(Debug, Clone, Copy)]
pub struct LiveSnapshot<'l> {
    live: &'l LiveTrace,
}

impl<'l> LiveSnapshot<'l> {
    pub(super) fn new(live: &'l LiveTrace) -> Self {
        Self { live }
    }

    /// The number of the commit: one more each time. Who looks at what is new must not miss one.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.live.tracks.commit
    }

    /// The tracks that have changed since the commit before: something is new, has moved, or has ended. A new name is
    /// no such change.
    #[must_use]
    pub fn changed(&self) -> &'l [TrackId] {
        &self.live.tracks.changed
    }

    /// The slices that were open at the commit before and have ended since, as they ended.
    #[must_use]
    pub fn ended(&self) -> &'l [SliceId] {
        &self.live.ended
    }

    /// All tracks, as they came.
    pub fn tracks(&self) -> impl ExactSizeIterator<Item = LiveTrack<'l>> + use<'l> {
        let live = self.live;
        live.tracks.by_track.iter().enumerate().map(move |(index, items)| LiveTrack {
            live,
            items,
            row: live.builder.registry.track(index32(index)),
            id: TrackId(index32(index)),
        })
    }

    /// One track.
    #[must_use]
    pub fn track(&self, id: TrackId) -> Option<LiveTrack<'l>> {
        let items = self.live.tracks.by_track.get(id.index())?;
        Some(LiveTrack { live: self.live, items, row: self.live.builder.registry.track(id.0), id })
    }

    /// The tracks as a finished trace would show them: by process, kind, sort index, name and id. O(n log n) in the
    /// tracks and processes; to be asked again when a track is new or has been named.
    #[must_use]
    pub fn display_order(&self) -> Vec<TrackId> {
        let builder = &self.live.builder;
        track_order(builder, &inverse(&process_order(builder))).into_iter().map(TrackId).collect()
    }

    /// One process.
    #[must_use]
    pub fn process(&self, id: ProcessId) -> Option<LiveProcess<'l>> {
        self.live.builder.registry.processes.get(id.0 as usize).map(|row| LiveProcess { row })
    }

    /// How many slices there are; they are numbered from 0.
    #[must_use]
    pub fn n_slices(&self) -> u32 {
        index32(self.live.builder.rows.len())
    }

    /// One slice. An open one is unfinished and ends at the latest time of its track so far.
    #[must_use]
    pub fn slice(&self, id: SliceId) -> Option<Slice> {
        let builder = &self.live.builder;
        let row = builder.rows.get(id.index())?;
        let mut flags = row.flags.without(SliceFlags::UNNAMED_END);
        if flags.is_paired() {
            if row.is_open(id.0) {
                flags = flags.with(SliceFlags::UNFINISHED);
            } else if row.end < row.start {
                flags = flags.with(SliceFlags::CLAMPED);
            }
            if builder.pairs.other_names.contains_key(&id.0) {
                flags = flags.with(SliceFlags::NAME_MISMATCH);
            }
            // Such pairs are not known to nest. [json 3.2]
            if builder.pairs.threads.get(row.track as usize).is_some_and(|thread| thread.unordered) {
                flags = flags.without(SliceFlags::PAIRED);
            }
        }
        let end = if flags.is_unfinished() {
            builder.bounds_of(row.track).map_or(row.end, |(_, last)| last)
        } else {
            row.end
        };
        Some(Slice {
            start: row.start,
            end: end.max(row.start),
            name: row.name,
            category: row.category,
            flags,
        })
    }

    /// The track of a slice.
    #[must_use]
    pub fn track_of(&self, id: SliceId) -> Option<TrackId> {
        self.live.builder.rows.get(id.index()).map(|row| TrackId(row.track))
    }

    /// The arguments of a slice.
    #[must_use]
    pub fn slice_args(&self, id: SliceId) -> SliceArgs<'l> {
        let args = &self.live.builder.args;
        let begin = self.live.builder.rows.get(id.index()).map_or(ArgsId::NONE, |row| row.args);
        let end = self.live.end_args.get(&id).copied().unwrap_or_default();
        match begin {
            ArgsId::NONE => SliceArgs { begin: args.get(end), end: Args::NONE },
            _ => SliceArgs { begin: args.get(begin), end: args.get(end) },
        }
    }

    /// The arguments of an instant or state.
    #[must_use]
    pub fn args_of(&self, of: &impl HasArgs) -> Args<'l> {
        self.live.builder.args.get(of.args_id())
    }

    /// All names so far. They keep their numbers.
    #[must_use]
    pub fn names(&self) -> &'l Names<'static> {
        &self.live.builder.names
    }

    /// A name as text, bad UTF-8 replaced.
    #[must_use]
    pub fn name(&self, id: NameId) -> Cow<'l, str> {
        self.names().text(id)
    }

    /// Returns the label of a process for people: its name, or `Process 7` if it has none yet.
    #[must_use]
    pub fn process_label(&self, process: &LiveProcess<'l>) -> Cow<'l, str> {
        track::process_label(process.name(), process.pid(), self.names(), self.conventions())
    }

    /// Returns the label of a track for people: its name, or what its kind says if it has none yet (`Thread 7`, `GPU`).
    /// An async track is called as the first thing on it.
    #[must_use]
    pub fn track_label(&self, track: &LiveTrack<'l>) -> Cow<'l, str> {
        let first = || {
            let slice = track.slices().first().and_then(|&id| self.slice(id)).map(|slice| slice.name);
            let instant = || track.instants().first().map(|instant| instant.name);
            slice.or_else(instant).unwrap_or_default()
        };
        track::track_label(track.kind(), track.name(), first, self.names(), self.conventions())
    }

    /// The text of a key.
    #[must_use]
    pub fn key_text(&self, key: Key) -> Cow<'l, str> {
        key.text(self.names(), self.conventions())
    }

    /// The unit of all times, and the epoch.
    #[must_use]
    pub fn clock(&self) -> Clock {
        self.live.builder.clock
    }

    /// How the format's ids and ties are meant.
    #[must_use]
    pub fn conventions(&self) -> Conventions {
        self.live.builder.conventions
    }

    /// From the first to the last time of anything shown; `None` if nothing has a time.
    #[must_use]
    pub fn bounds(&self) -> Option<Range<Tick>> {
        self.live.bounds.map(|(first, last)| first..last)
    }

    /// What was found wrong so far, but for how begins and ends pair.
    #[must_use]
    pub fn diagnostics(&self) -> &'l Diagnostics {
        &self.live.builder.diagnostics
    }

    /// What is wrong with how begins and ends pair so far, which is plainly. The finished trace has its own count:
    /// threads with faults are read again there. \[json 3.2\]
    #[must_use]
    pub fn pairing_faults(&self) -> &'l Diagnostics {
        &self.live.faults
    }

    /// How many events are kept for the finished trace and not shown: steps of async spans and objects, arrows, frames
    /// and samples, metadata, and what has no meaning here.
    #[must_use]
    pub fn n_deferred(&self) -> u64 {
        self.live.n_deferred
    }
}

/// A process of a [`LiveTrace`].
#[derive(Debug, Clone, Copy)]
pub struct LiveProcess<'l> {
    row: &'l ProcessRow,
}

impl<'l> LiveProcess<'l> {
    /// Its id in the file.
    #[must_use]
    pub fn pid(&self) -> Key {
        self.row.pid
    }

    /// Its name; empty if it has none yet.
    #[must_use]
    pub fn name(&self) -> NameId {
        self.row.name
    }

    /// Where it stands among the processes.
    #[must_use]
    pub fn sort_index(&self) -> i64 {
        self.row.sort_index
    }

    /// Its labels, as often as they were given.
    #[must_use]
    pub fn labels(&self) -> &'l [NameId] {
        &self.row.labels
    }
}

/// A track of a [`LiveTrace`].
///
/// What lies on it is listed by time. Of each list, what stands before the range of what is new is as it was at the
/// commit before.
#[derive(Debug, Clone, Copy)]
pub struct LiveTrack<'l> {
    live: &'l LiveTrace,
    items: &'l TrackItems,
    row: &'l TrackRow,
    id: TrackId,
}

impl<'l> LiveTrack<'l> {
    /// Its number.
    #[must_use]
    pub fn id(&self) -> TrackId {
        self.id
    }

    /// What it shows. A thread may turn out to be none.
    #[must_use]
    pub fn kind(&self) -> TrackKind {
        self.row.kind()
    }

    /// Whose it is; `None` only for [`TrackKind::Global`].
    #[must_use]
    pub fn process(&self) -> Option<ProcessId> {
        self.row.process.map(ProcessId)
    }

    /// Its name; empty if it has none yet.
    #[must_use]
    pub fn name(&self) -> NameId {
        self.row.name
    }

    /// Where it stands among its process's tracks of its kind.
    #[must_use]
    pub fn sort_index(&self) -> i64 {
        self.row.sort_index
    }

    /// From the first to the last time of anything on it; `None` if nothing has a time.
    #[must_use]
    pub fn bounds(&self) -> Option<Range<Tick>> {
        self.live.builder.bounds_of(self.id.0).map(|(first, last)| first..last)
    }

    /// Its slices: by start, longer first, then as they came, unless a begin and an end say otherwise. \[json 3.3\]
    #[must_use]
    pub fn slices(&self) -> &'l [SliceId] {
        self.items.slices.items()
    }

    /// Where in [`LiveTrack::slices`] they are new or have moved.
    #[must_use]
    pub fn new_slices(&self) -> Range<usize> {
        self.new_of(&self.items.slices)
    }

    /// Its instants, by time.
    #[must_use]
    pub fn instants(&self) -> &'l [Instant] {
        self.points().map_or(&[], |points| points.instants.items())
    }

    /// Where in [`LiveTrack::instants`] they are new or have moved.
    #[must_use]
    pub fn new_instants(&self) -> Range<usize> {
        self.points().map_or(0..0, |points| self.new_of(&points.instants))
    }

    /// Its counter values, by time.
    #[must_use]
    pub fn counters(&self) -> &'l [CounterValue] {
        self.points().map_or(&[], |points| points.counters.items())
    }

    /// Where in [`LiveTrack::counters`] they are new or have moved.
    #[must_use]
    pub fn new_counters(&self) -> Range<usize> {
        self.points().map_or(0..0, |points| self.new_of(&points.counters))
    }

    /// Its states, by start.
    #[must_use]
    pub fn states(&self) -> &'l [State] {
        self.points().map_or(&[], |points| points.states.items())
    }

    /// Where in [`LiveTrack::states`] they are new or have moved.
    #[must_use]
    pub fn new_states(&self) -> Range<usize> {
        self.points().map_or(0..0, |points| self.new_of(&points.states))
    }

    /// How much came late and waits to be listed: nothing, but where moving all that lies behind would cost too much.
    #[must_use]
    pub fn n_waiting(&self) -> usize {
        let points = self
            .points()
            .map_or(0, |points| points.instants.n_late() + points.counters.n_late() + points.states.n_late());
        self.items.slices.n_late() + points
    }

    fn points(&self) -> Option<&'l PointItems> {
        self.items.points.as_deref()
    }

    fn new_of<T: Copy>(&self, time_ordered: &TimeOrdered<T>) -> Range<usize> {
        let len = time_ordered.items().len();
        if self.items.changed_in == self.live.tracks.commit { time_ordered.new_items() } else { len..len }
    }
}
