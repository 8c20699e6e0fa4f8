//! The snapshots of live traces.

use alloc::vec::Vec;
use core::ops::Range;

use smallvec::Array;

use crate::{
    Args, Clock, Conventions, CounterValue, Diagnostics, Instant, Key, NameId, Names, ProcessId, Slice,
    SliceArgs, SliceId, State, StateId, Tick, TraceView, TrackId, TrackInfo,
    args_table::ArgsId,
    args_table::ArgsTable,
    builder::{
        pairing::PairFacts,
        track_order::{process_order, track_order},
    },
    index32,
    view::Sealed,
};

use super::{
    LiveTrace,
    time_ordered::TimeOrdered,
    tracks::{PointItems, TrackItems},
};

/// A snapshot of a [`LiveTrace`]: everything that was pushed up to a commit, and a record of what the commit changed.
///
/// Processes, tracks and slices are numbered in the order in which they came. These ids never change while the trace
/// grows, but the finished trace has other ids.
///
/// ```
/// use spall_model::{Event, Limits, LiveTrace, Text, Thread, ThreadEvent, Tick, Ticks, TraceView};
/// let mut live = LiveTrace::new(&Limits::default());
/// for (thread, at) in [(1_i64, 0), (2, 5), (1, 20)] {
///     let event = ThreadEvent::new(Thread::new(1_i64, thread), Tick(at), Text::plain(b"work"));
///     live.push(&Event::Complete(event, Ticks(10)));
/// }
/// let snapshot = live.commit();
/// assert_eq!((snapshot.tracks().len(), snapshot.n_slices()), (2, 3));
/// assert_eq!(snapshot.bounds(), Some(Tick(0)..Tick(30)));
/// for track in snapshot.tracks() {
///     for &id in track.slices() {
///         let slice = snapshot.slice(id).unwrap();
///         assert_eq!(snapshot.name(slice.name), "work");
///     }
/// }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct LiveSnapshot<'l> {
    live: &'l LiveTrace,
}

impl<'l> LiveSnapshot<'l> {
    /// Returns the snapshot of the last commit.
    pub(super) fn new(live: &'l LiveTrace) -> Self {
        Self { live }
    }

    /// Returns the number of the commit, counted from 1.
    ///
    /// A reader that follows the changes must see every commit. After a gap in the numbers it has to read everything
    /// again.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.live.tracks.commit
    }

    /// Returns the number of events that are no items of tracks, such as names of tracks and processes. While it is the same, so
    /// are the titles and the order of the tracks that have a name.
    #[must_use]
    pub fn n_facts(&self) -> u64 {
        self.live.n_facts
    }

    /// Returns the tracks of which items are new, have moved or have ended since the commit before. A new name of a
    /// track is not a change here.
    #[must_use]
    pub fn changed(&self) -> &'l [TrackId] {
        &self.live.tracks.changed
    }

    /// Returns the slices that were open at the commit before and have ended since, in the order of their ends.
    #[must_use]
    pub fn ended(&self) -> &'l [SliceId] {
        &self.live.ended
    }

    /// Iterates over all tracks in the order in which they came. [`TraceView::track_ids`] leaves
    /// out tracks of their own that are not shown.
    pub fn tracks(&self) -> impl ExactSizeIterator<Item = LiveTrack<'l>> + use<'l> {
        let live = self.live;
        live.tracks.by_track.iter().enumerate().map(move |(index, items)| LiveTrack {
            live,
            items,
            id: TrackId(index32(index)),
        })
    }

    /// Returns a track, or `None` if the snapshot has no such track.
    #[must_use]
    pub fn track(&self, id: TrackId) -> Option<LiveTrack<'l>> {
        let items = self.live.tracks.by_track.get(id.index())?;
        Some(LiveTrack { live: self.live, items, id })
    }

    /// Returns the number of the row of a slice, or `None` if there is no such slice.
    fn row(&self, id: SliceId) -> Option<u32> {
        self.live.builder.slices.rows.has(id.0).then_some(id.0)
    }

    /// Returns the diagnostics of pairing so far.
    ///
    /// A live trace closes the last open begin of a thread at each end. The finished trace reads threads with faults
    /// again, and so counts other faults. [pairing 2](crate::rules::pairing#2)
    #[must_use]
    pub fn pairing_faults(&self) -> &'l Diagnostics {
        &self.live.faults
    }
}

impl Sealed for LiveSnapshot<'_> {
    fn args_table(&self) -> &ArgsTable {
        &self.live.builder.args
    }

    fn process(&self, id: ProcessId) -> Option<(Key, NameId)> {
        self.live.builder.registry.processes.get(id.index()).map(|process| (process.pid, process.name))
    }
}

impl TraceView for LiveSnapshot<'_> {
    fn clock(&self) -> Clock {
        self.live.builder.clock
    }

    fn conventions(&self) -> Conventions {
        self.live.builder.conventions
    }

    fn bounds(&self) -> Option<Range<Tick>> {
        self.live.bounds.map(|(first, last)| first..last)
    }

    fn names(&self) -> &Names {
        &self.live.builder.names.all
    }

    fn diagnostics(&self) -> &Diagnostics {
        &self.live.builder.diagnostics.found
    }

    fn track_ids(&self) -> impl ExactSizeIterator<Item = TrackId> {
        let builder = &self.live.builder;
        let tree = &self.live.tree;
        let flat = track_order(builder, tree, &process_order(builder, tree).1);
        let mut order = tree.order(builder, flat, None).order;
        order.retain(|&track| !tree.is_hidden(track));
        order.into_iter().map(TrackId)
    }

    fn n_tracks(&self) -> usize {
        self.live.tracks.by_track.len()
    }

    fn track_info(&self, track: TrackId) -> Option<TrackInfo> {
        let (tree, registry) = (&self.live.tree, &self.live.builder.registry);
        let row = registry.tracks.get(track.index())?;
        let (kind, process) = (row.kind(), tree.process(track.0, registry).map(ProcessId));
        let place = tree.place(track.0).map(|place| registry.track(place));
        let sort_index = place.unwrap_or(row).sort_index;
        let parent = tree.parent(track.0).map(TrackId);
        Some(TrackInfo { kind, process, name: row.name, sort_index, parent })
    }

    fn n_slices(&self) -> usize {
        self.live.builder.slices.rows.len()
    }

    fn slice(&self, id: SliceId) -> Option<Slice> {
        let builder = &self.live.builder;
        let (rows, row) = (&builder.slices.rows, self.row(id)?);
        let (start, end) = (rows.start(row), rows.end(row));
        let mut flags = rows.flags(row);
        if flags.is_paired() {
            // Pairs of threads whose times go back are not known to nest. [pairing 2]
            let nests = !(self.live.has_unordered && builder.slices.is_unordered(rows.track(row)));
            let has_other_name = builder.slices.other_names.contains_key(&row);
            let (end, open_depth) = ((!rows.is_open(row)).then_some(end), flags.open_depth());
            flags = PairFacts { start, end, has_other_name, nests, open_depth }.flags();
        }
        let end = if flags.is_unfinished() {
            builder.bounds_of(rows.track(row)).map_or(start, |(_, last)| last)
        } else {
            end
        };
        let (name, category) = (rows.name(row), rows.category(row));
        Some(Slice { start, end: end.max(start), name, category, flags })
    }

    fn slice_name_id(&self, id: SliceId) -> Option<NameId> {
        self.row(id).map(|row| self.live.builder.slices.rows.name(row))
    }

    fn track_of(&self, id: SliceId) -> Option<TrackId> {
        self.row(id).map(|row| TrackId(self.live.builder.slices.rows.track(row)))
    }

    fn slice_args(&self, id: SliceId) -> SliceArgs<'_> {
        let args = &self.live.builder.args;
        let begin = self.row(id).map_or(ArgsId::NONE, |row| self.live.builder.slices.rows.args(row));
        let end = self.live.end_args.get(&id).copied().unwrap_or_default();
        match begin {
            ArgsId::NONE => SliceArgs { begin: args.get(end), end: Args::NONE },
            _ => SliceArgs { begin: args.get(begin), end: args.get(end) },
        }
    }

    fn slices_of(&self, track: TrackId) -> impl Iterator<Item = (SliceId, Slice)> {
        let slices = self.track(track).map_or(&[][..], |track| track.slices());
        slices.iter().filter_map(|&id| Some((id, self.slice(id)?)))
    }

    fn instants_of(&self, track: TrackId) -> &[Instant] {
        self.track(track).map_or(&[], |track| track.point_items(|points| &points.instants))
    }

    fn counters_of(&self, track: TrackId) -> &[CounterValue] {
        self.track(track).map_or(&[], |track| track.point_items(|points| &points.counters))
    }

    fn states_of(&self, track: TrackId) -> &[State] {
        self.track(track).map_or(&[], |track| track.point_items(|points| &points.states))
    }

    fn n_slices_of(&self, track: TrackId) -> usize {
        self.track(track).map_or(0, |track| track.slices().len())
    }

    fn n_instants(&self) -> u32 {
        index32(self.live.committed.instants)
    }

    fn instant_number(&self, track: TrackId, position: usize) -> Option<u32> {
        let numbers = self.track(track)?.points()?.numbers.as_ref()?;
        numbers.instants.items().get(position).copied()
    }

    fn instant(&self, number: u32) -> Option<(TrackId, Instant)> {
        let (track, instant) = self.live.builder.instants.get(number as usize)?;
        Some((TrackId(track), instant))
    }

    fn state_id(&self, track: TrackId, position: usize) -> Option<StateId> {
        let numbers = self.track(track)?.points()?.numbers.as_ref()?;
        numbers.states.items().get(position).copied().map(StateId)
    }

    fn state(&self, state: StateId) -> Option<(TrackId, State)> {
        let (track, state) = self.live.builder.states.get(state.index())?;
        Some((TrackId(track), state))
    }

    fn process_labels(&self, process: ProcessId) -> Vec<NameId> {
        let process = self.live.builder.registry.processes.get(process.index());
        let mut labels: Vec<NameId> = Vec::new();
        for &label in process.iter().flat_map(|process| &process.labels) {
            if !labels.contains(&label) {
                labels.push(label);
            }
        }
        labels
    }
}

/// A track of a [`LiveTrace`], from [`LiveSnapshot::track`].
///
/// Its slices are listed in the order of time. The part of the list before the new ones is the same as at the commit before,
/// so that a reader can keep the results that it computed for that part.
///
/// ```
/// use spall_model::{Event, Limits, LiveTrace, Text, Thread, ThreadEvent, Tick, Ticks};
///
/// let mut live = LiveTrace::new(&Limits::default());
/// let mut n_seen = 0;
/// for at in [0, 10, 20] {
///     let work = ThreadEvent::new(Thread::new(1, 1), Tick(at), Text::from("work"));
///     live.push(&Event::Complete(work, Ticks(5)));
///     let snapshot = live.commit();
///     for &id in snapshot.changed() {
///         let track = snapshot.track(id).unwrap();
///         // Only the new slices have to be looked at.
///         n_seen += track.slices()[track.new_slices()].len();
///     }
/// }
/// assert_eq!(n_seen, 3);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct LiveTrack<'l> {
    live: &'l LiveTrace,
    items: &'l TrackItems,
    id: TrackId,
}

impl<'l> LiveTrack<'l> {
    /// Returns the id of the track.
    #[must_use]
    pub fn id(&self) -> TrackId {
        self.id
    }

    /// Returns the half-open range of time that covers the items of the track; `None` if no item has a time.
    #[must_use]
    pub fn bounds(&self) -> Option<Range<Tick>> {
        self.live.builder.bounds_of(self.id.0).map(|(first, last)| first..last)
    }

    /// Returns the slices, ordered by start. Of slices with one start the longer ones come first, and those of one
    /// duration are in the order in which they came. Pairs of one start are in the order of their begins.
    /// [pairing 3](crate::rules::pairing#3)
    #[must_use]
    pub fn slices(&self) -> &'l [SliceId] {
        self.items.slices.items()
    }

    /// Returns the positions in [`LiveTrack::slices`] of the slices that are new or have moved in this commit.
    #[must_use]
    pub fn new_slices(&self) -> Range<usize> {
        let (len, is_changed) = (self.slices().len(), self.items.changed_in == self.live.tracks.commit);
        if is_changed { self.items.slices.new_items() } else { len..len }
    }

    /// Returns the positions in [`TraceView::instants_of`] of the instants that are new or have moved in this commit.
    #[must_use]
    pub fn new_instants(&self) -> Range<usize> {
        self.new_points(|points| &points.instants)
    }

    /// Returns the positions in [`TraceView::counters_of`] of the values that are new or have moved in this commit.
    #[must_use]
    pub fn new_counters(&self) -> Range<usize> {
        self.new_points(|points| &points.counters)
    }

    /// Returns the positions in [`TraceView::states_of`] of the states that are new or have moved in this commit.
    #[must_use]
    pub fn new_states(&self) -> Range<usize> {
        self.new_points(|points| &points.states)
    }

    /// Returns the number of late items that are not listed yet. It is 0 unless putting them in place costs more than
    /// [`LiveTrace`] allows, as its section on cost explains.
    #[must_use]
    pub fn n_waiting(&self) -> usize {
        let points = self
            .points()
            .map_or(0, |points| points.instants.n_late() + points.counters.n_late() + points.states.n_late());
        self.items.slices.n_late() + points
    }

    /// Returns the items besides slices; `None` if there are none.
    fn points(&self) -> Option<&'l PointItems> {
        self.items.points.as_deref()
    }

    fn new_points<T: Copy, A: Array<Item = T> + 'l>(
        &self,
        list_of: fn(&'l PointItems) -> &'l TimeOrdered<A>,
    ) -> Range<usize> {
        let (list, is_changed) =
            (self.points().map(list_of), self.items.changed_in == self.live.tracks.commit);
        let len = list.map_or(0, |list| list.items().len());
        list.filter(|_| is_changed).map_or(len..len, TimeOrdered::new_items)
    }

    /// Returns a list of items besides slices.
    fn point_items<T: Copy, A: Array<Item = T> + 'l>(
        &self,
        list_of: fn(&'l PointItems) -> &'l TimeOrdered<A>,
    ) -> &'l [T] {
        self.points().map_or(&[], |points| list_of(points).items())
    }
}
