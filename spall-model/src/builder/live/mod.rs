//! Live traces, which are shown while they grow.
//!
//! The plain reading of the builder is incremental already: a begin makes a row at once, and its end is written
//! there. This module adds the items of each track in the order of time, and a record of what each commit changed.
//! Everything else waits in the builder for [`LiveTrace::finish`].

mod order;
mod time_ordered;
mod tracks;
mod view;

use alloc::vec::Vec;

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use crate::{
    ByteRange, DiagnosticKind, Diagnostics, Event, Limits, Receiver, SliceId, ThreadEvent, Tick, Trace,
    TrackId, args_table::ArgsId, index32,
};

use super::{
    TraceBuilder,
    points::{Point, PointLog},
    slice_order,
    track_tree::TrackTree,
};

use self::tracks::{MOVES_PER_EVENT, TrackTable};
pub use self::view::{LiveSnapshot, LiveTrack};

/// A live trace: a trace that can be read while its events still come.
///
/// Events become visible with the next [`LiveTrace::commit`]. The snapshot also says which items are new, so that a
/// reader never has to look at an item twice. An end closes the last open begin of its thread, whatever its name.
/// [pairing 2](crate::rules::pairing#2) A slice that is still open is unfinished, and lasts until the last time of its
/// track.
///
/// A snapshot shows threads and tracks of their own with their slices, instants and states, and counters. Tracks of one group
/// stay apart. Events of async spans, flows,
/// objects, samples and metadata are kept and not shown, because their meaning depends on events that are still to come.
/// [`LiveTrace::finish`] returns the same trace that a [`TraceBuilder`] makes of
/// the events.
///
/// # Order
/// The id of a slice never changes. The slices of a track are listed as in a finished trace: by start, the longer
/// first, then in the order in which they came. [pairing 3](crate::rules::pairing#3) An open slice and those with the
/// same start are in the order in which they came. Slices that come in this order are appended; begins always do while
/// the time does not go back. A slice that comes late is put in place by the next commit. Many programs write a slice
/// when it ends, so after the slices inside it.
///
/// # Cost
/// An event takes amortised O(1) time, or O(log n) if it comes late, and a commit takes O(1), whatever the order of
/// events. Only where there are tracks of their own, a commit with a new track takes time linear in the number of tracks. To put a late item in place, all items behind it are moved. The number of moves is limited to 2²⁰, and 16
/// more for each event. Beyond that limit late items wait, and [`LiveTrack::n_waiting`] counts them. That only
/// happens if very many slices contain nearly all slices before them and come in a commit each.
///
/// A live trace takes 4 bytes for each slice, instant and state more than a builder, and twice the memory for instants,
/// counters and states. It stays within 16 times the input and a mebibyte.
///
/// ```
/// use spall_model::{Event, Limits, LiveTrace, Text, Thread, ThreadEvent, Tick, TraceView};
/// let event = |name, at| ThreadEvent::new(Thread::new(1_i64, 1_i64), Tick(at), Text::plain(name));
/// let mut live = LiveTrace::new(&Limits::default());
/// live.push(&Event::Begin(event(b"frame", 0)));
/// live.push(&Event::Begin(event(b"draw", 10)));
///
/// let view = live.commit();
/// let track = view.track(view.changed()[0]).unwrap();
/// let shown: Vec<_> = track.slices().iter().map(|&id| view.slice(id).unwrap()).collect();
/// assert_eq!(view.name(shown[1].name), "draw");
/// assert!(shown.iter().all(|slice| slice.flags.is_unfinished() && slice.end == Tick(10)));
///
/// live.push(&Event::End(event(b"draw", 30)));
/// let view = live.commit();
/// let [ended] = view.ended() else { panic!("one has ended") };
/// assert_eq!(view.slice(*ended).unwrap().end, Tick(30));
/// assert!(view.track(view.changed()[0]).unwrap().new_slices().is_empty());
///
/// let trace = live.finish();
/// assert_eq!(trace.slices().ends(), [Tick(30), Tick(30)]);
/// ```
#[derive(Debug)]
pub struct LiveTrace {
    builder: TraceBuilder,
    tracks: TrackTable,
    /// The lengths up to which the logs of the builder have been committed.
    committed: Committed,
    /// The rows that were closed since the last commit, with their tracks and the bytes of their ends.
    closed: Vec<(u32, u32, ByteRange)>,
    /// The slices that were open at the commit before the last one, and closed at the last one.
    ended: Vec<SliceId>,
    /// The arguments of ends, by slice.
    end_args: HashMap<SliceId, ArgsId, RandomState>,
    /// The faults of the plain reading.
    faults: Diagnostics,
    /// Whether there is a thread whose times go back.
    has_unordered: bool,
    bounds: Option<(Tick, Tick)>,
    /// The number of events that are no items of tracks.
    n_facts: u64,
    tree: TrackTree,
    /// The numbers of tracks and of events about tracks of their own that the tree is made of.
    tree_of: (usize, u64),
}

/// The lengths of the logs of the builder at the last commit.
#[derive(Debug, Default)]
struct Committed {
    rows: usize,
    end_args: usize,
    orphans: usize,
    instants: usize,
    counters: usize,
    states: usize,
}

impl<'e> Receiver<'e> for LiveTrace {
    fn receive(&mut self, event: &Event<'e>, bytes: ByteRange) {
        self.add(event, bytes);
    }
}

impl LiveTrace {
    /// Returns a live trace without events.
    #[must_use]
    pub fn new(limits: &Limits) -> Self {
        Self {
            builder: TraceBuilder::new(limits),
            tracks: TrackTable::default(),
            committed: Committed::default(),
            closed: Vec::new(),
            ended: Vec::new(),
            end_args: HashMap::default(),
            faults: Diagnostics::new(limits.max_diagnostics),
            has_unordered: false,
            bounds: None,
            n_facts: 0,
            tree: TrackTree::default(),
            tree_of: (0, 0),
        }
    }

    /// Adds an event that no file has, whose strings the trace copies. It becomes visible with the next
    /// [`LiveTrace::commit`].
    ///
    /// Events of a file come through [`Receiver::receive`], with the bytes that diagnostics refer to.
    pub fn push(&mut self, event: &Event<'_>) {
        self.add(event, ByteRange::default());
    }

    fn add(&mut self, event: &Event<'_>, bytes: ByteRange) {
        self.tracks.move_budget = self.tracks.move_budget.saturating_add(MOVES_PER_EVENT);
        match event {
            Event::End(end) => self.end(event, end, bytes),
            _ => {
                let is_item = matches!(
                    event,
                    Event::Begin(_)
                        | Event::Complete(..)
                        | Event::Instant(..)
                        | Event::Counter(_)
                        | Event::State(..)
                        | Event::Async(..)
                        | Event::Sample(_)
                );
                self.n_facts += u64::from(!is_item);
                self.builder.add(event, bytes);
            }
        }
    }

    /// Adds an end, and records the row that it closes. An end that closes nothing leaves the innermost row as it was.
    fn end(&mut self, event: &Event<'_>, end: &ThreadEvent<'_>, bytes: ByteRange) {
        // If there are too many tracks, the builder has counted the event.
        let Some(track) = self.builder.thread(end.thread, end.at, bytes) else { return };
        let open = self.builder.slices.innermost(track);
        self.builder.add(event, bytes);
        if let Some(row) = open.get().filter(|_| self.builder.slices.innermost(track) != open) {
            self.closed.push((row, track, bytes));
        }
    }

    /// Makes all events pushed so far visible, and returns a snapshot that also says what is new since the last commit.
    ///
    /// This takes amortised constant time for each event since the last commit.
    pub fn commit(&mut self) -> LiveSnapshot<'_> {
        self.ended.clear();
        self.builder.diagnostics.flush();
        self.tracks.begin_commit(self.builder.registry.tracks.len());
        self.commit_ends();
        self.commit_slices();
        self.commit_points();
        self.tracks.insert_late(&self.builder);
        self.update_times();
        self.update_tree();
        LiveSnapshot::new(self)
    }

    /// Returns the snapshot of the last commit, for a reader that has followed it already. Before the first commit it is
    /// empty.
    #[must_use]
    pub fn snapshot(&self) -> LiveSnapshot<'_> {
        LiveSnapshot::new(self)
    }

    /// Returns the finished trace: the one that a [`TraceBuilder`] makes of the same events. Its ids differ from
    /// those of the snapshots. This takes O(n log n) for n events.
    #[must_use]
    pub fn finish(self) -> Trace {
        self.builder.finish()
    }

    /// Commits the ends of slices, with their arguments and faults.
    fn commit_ends(&mut self) {
        for (row, track, bytes) in core::mem::take(&mut self.closed) {
            self.tracks.touch(track);
            let at = self.builder.slices.rows.end(row);
            if at < self.builder.slices.rows.start(row) {
                self.faults.add(DiagnosticKind::EndBeforeBegin, bytes, Some(at));
            }
            if self.builder.slices.other_names.contains_key(&row) {
                self.faults.add(DiagnosticKind::NameMismatch, bytes, Some(at));
            }
            // A slice that began after the last commit is new, and no reader has seen it open.
            if (row as usize) < self.committed.rows {
                self.ended.push(SliceId(row));
            }
        }
        let pairs = &self.builder.slices;
        for &(row, args) in pairs.end_args.get(self.committed.end_args..).unwrap_or_default() {
            self.end_args.insert(SliceId(row), args);
        }
        for orphan in pairs.orphans.get(self.committed.orphans..).unwrap_or_default() {
            self.tracks.touch(orphan.track);
            self.faults.add(DiagnosticKind::UnmatchedEnd, orphan.bytes, Some(orphan.at));
        }
        self.committed.end_args = pairs.end_args.len();
        self.committed.orphans = pairs.orphans.len();
    }

    /// Commits the slices that began since the last commit.
    fn commit_slices(&mut self) {
        for (track, rows) in self.builder.slices.rows.runs_from(index32(self.committed.rows)) {
            rows.for_each(|row| self.tracks.add_slice(&self.builder, track, SliceId(row)));
        }
        self.committed.rows = self.builder.slices.rows.len();
    }

    /// Commits instants, counter values and states.
    fn commit_points(&mut self) {
        let Self { builder, tracks, committed, .. } = self;
        let instant_numbers = Some((|numbers| &mut numbers.instants) as tracks::NumbersOf);
        let state_ids = Some((|numbers| &mut numbers.states) as tracks::NumbersOf);
        let (log, at) = (&builder.instants, &mut committed.instants);
        tracks.add_points(log, at, |points| &mut points.instants, instant_numbers);
        let (log, at) = (&builder.counters, &mut committed.counters);
        tracks.add_points(log, at, |points| &mut points.counters, None);
        tracks.add_points(&builder.states, &mut committed.states, |points| &mut points.states, state_ids);
    }

    /// Makes the tree of tracks again if a track may have got another place.
    fn update_tree(&mut self) {
        let tree_of = (self.builder.registry.tracks.len(), self.builder.registry.n_own_events);
        let is_hidden = |track: &TrackId| self.tree.is_hidden(track.0);
        if self.tree_of != tree_of || self.tracks.changed.iter().any(is_hidden) {
            self.tree = TrackTree::new(&self.builder);
            self.tree_of = tree_of;
        }
    }

    /// Updates the bounds of the trace, and reports threads whose times went back.
    fn update_times(&mut self) {
        for &track in &self.tracks.changed {
            if let Some((first, last)) = self.builder.bounds_of(track.0) {
                let (earliest, latest) = self.bounds.unwrap_or((first, last));
                self.bounds = Some((earliest.min(first), latest.max(last)));
            }
            let thread = self.builder.slices.threads.get(track.index()).filter(|thread| thread.unordered);
            if let (Some(thread), Some(items)) = (thread, self.tracks.by_track.get_mut(track.index()))
                && !items.is_unordered
            {
                items.is_unordered = true;
                self.has_unordered = true;
                let spot = thread.went_back();
                self.faults.add(DiagnosticKind::Unordered, spot.bytes, Some(spot.at));
            }
        }
    }
}

impl TraceBuilder {
    /// Returns the earliest and the latest time of a track while events still come. Times of begins and ends are kept
    /// by thread until [`TraceBuilder::finish`].
    pub(in crate::builder) fn bounds_of(&self, track: u32) -> Option<(Tick, Tick)> {
        let row = self.registry.track(track);
        let (first, last) =
            self.slices.threads.get(track as usize).map_or((Tick::MAX, Tick::MIN), |thread| thread.bounds());
        let (first, last) = (first.min(row.first), last.max(row.last));
        (first <= last).then_some((first, last))
    }

    /// Returns whether a track of its own is shown on its own account, and not for what lies below it.
    pub(in crate::builder) fn has_anything_on(&self, track: u32) -> bool {
        self.bounds_of(track).is_some() || self.registry.own.get(&track).is_some_and(|own| own.is_shown)
    }
}

#[cfg(test)]
mod tests;
