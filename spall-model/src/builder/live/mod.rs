//! Traces that grow while they are looked at.
//!
//! The builder's plain reading already is an incremental one: a begin is a row at once, and its end is written there.
//! What is added here is what changed since somebody last looked, and each track's things by time. All else waits in
//! the builder for [`LiveTrace::finish`].

mod order;
mod time_ordered;
mod tracks;
mod view;

use alloc::vec::Vec;

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use crate::{
    ByteRange, DiagnosticKind, Diagnostics, Event, Limits, SliceId, Thread, Tick, Trace, args_table::ArgsId,
};

use super::{OnTrack, TraceBuilder, intern::Copied, registry::index32, slice_order};

use self::tracks::{MOVES_PER_EVENT, TrackTable};
pub use self::view::{LiveProcess, LiveSnapshot, LiveTrack};

/// A trace to look at while its events come.
///
/// What was pushed is seen from the next [`LiveTrace::commit`] on, which also says what is new, so that nobody has to
/// look at anything twice. Begins and ends pair plainly: an end closes the most recent open begin of its thread,
/// whatever its name. \[json 3.2\] What is open is unfinished and lasts until the latest time of its track.
///
/// Threads with their slices, instants and states are shown, and counters. Async spans, arrows, objects, samples and
/// metadata are kept, and counted by [`LiveSnapshot::n_deferred`]; what they mean is only known once all is there.
/// [`LiveTrace::finish`] makes the trace of all of it that a [`TraceBuilder`] makes of the same events.
///
/// # Order
/// The number of a slice never changes. The slices of a track are listed as in a finished trace: by start, longer
/// first, then as they came. \[json 3.3\] An open begin and what starts with it stand as they came. Slices that come in
/// that order, as begins always do while time does not go back, are added at the end. One that comes late, as where
/// slices are written when they end and so after those that lie in them, is put in its place by the next commit.
///
/// # Cost
/// Amortised O(1) for each event, O(log n) for one that comes late, and O(1) for a commit, whatever comes in what
/// order. To put late ones in their places, what lies behind them is moved: 2²⁰ items at most, and 16 more for each
/// event. Where that is not enough, late ones wait, and [`LiveTrack::n_waiting`] counts them; that takes slices of
/// which very many contain nearly all those before, each in a commit of its own. Takes 4 bytes per slice, and what
/// instants, counters and states take, more than a builder, and stays within 16 times the input and a mebibyte.
///
/// ```
/// use spall_model::{ByteRange, Event, Limits, LiveTrace, Text, Thread, ThreadEvent, Tick};
/// let event = |name, at| ThreadEvent::new(Thread::new(1_i64, 1_i64), Tick(at), Text::plain(name));
/// let mut live = LiveTrace::new(&Limits::default());
/// live.push(&Event::Begin(event(b"frame", 0)), ByteRange::default());
/// live.push(&Event::Begin(event(b"draw", 10)), ByteRange::default());
///
/// let view = live.commit();
/// let track = view.track(view.changed()[0]).unwrap();
/// let shown: Vec<_> = track.slices().iter().map(|&id| view.slice(id).unwrap()).collect();
/// assert_eq!(view.name(shown[1].name), "draw");
/// assert!(shown.iter().all(|slice| slice.flags.is_unfinished() && slice.end == Tick(10)));
///
/// live.push(&Event::End(event(b"draw", 30)), ByteRange::default());
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
    builder: TraceBuilder<'static>,
    tracks: TrackTable,
    /// How much of the builder's logs has been committed.
    committed: Committed,
    /// Ends since the last commit that closed something: what, and where they are.
    closed: Vec<(u32, ByteRange)>,
    /// The slices that the last commit has shown to be over.
    ended: Vec<SliceId>,
    /// Arguments of ends, by slice.
    end_args: HashMap<SliceId, ArgsId, RandomState>,
    /// Faults of the plain reading.
    faults: Diagnostics,
    n_deferred: u64,
    bounds: Option<(Tick, Tick)>,
}

/// How long each log was at the last commit.
#[derive(Debug, Default)]
struct Committed {
    rows: usize,
    end_args: usize,
    orphans: usize,
    instants: usize,
    counters: usize,
    states: usize,
}

#[allow(clippy::indexing_slicing, reason = "rows are numbers of rows that were pushed")]
impl LiveTrace {
    /// Without events.
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
            n_deferred: 0,
            bounds: None,
        }
    }

    /// Adds an event. What is kept of its strings is copied.
    pub fn push(&mut self, event: &Event<'_>, bytes: ByteRange) {
        self.tracks.move_budget = self.tracks.move_budget.saturating_add(MOVES_PER_EVENT);
        match event {
            Event::End(end) => self.end(event, end.thread, bytes),
            Event::Async(..)
            | Event::Object(..)
            | Event::Flow(_)
            | Event::Profile(_)
            | Event::Frame(_)
            | Event::FrameChild(..)
            | Event::LineHits(_)
            | Event::Sample(_)
            | Event::CallSite(..)
            | Event::SharedFrame(_)
            | Event::ThreadSample(_)
            | Event::Meta(_)
            | Event::Other(..) => {
                self.n_deferred += 1;
                self.builder.push_copied(event, bytes);
            }
            _ => self.builder.push_copied(event, bytes),
        }
    }

    fn end(&mut self, event: &Event<'_>, thread: Thread<'_>, bytes: ByteRange) {
        // Without a track it has been counted.
        let Some(track) = self.builder.thread::<Copied>(thread, bytes) else { return };
        let open = self.builder.pairs.innermost(track);
        self.builder.push_copied(event, bytes);
        if self.builder.pairs.innermost(track) != open {
            self.closed.push((open, bytes));
        }
    }

    /// Counts a fault that was found outside of the events.
    pub fn diagnose(&mut self, kind: DiagnosticKind, bytes: ByteRange) {
        self.builder.diagnose(kind, bytes);
    }

    /// Shows what was pushed, and says what of it is new since the last commit.
    pub fn commit(&mut self) -> LiveSnapshot<'_> {
        self.ended.clear();
        self.tracks.begin_commit(self.builder.registry.tracks.len());
        self.take_ends();
        self.take_slices();
        self.take_points();
        self.tracks.insert_late(&self.builder);
        self.look_at_times();
        LiveSnapshot::new(self)
    }

    /// The trace that a [`TraceBuilder`] makes of all that was pushed.
    #[must_use]
    pub fn finish(self) -> Trace<'static> {
        self.builder.finish()
    }

    fn take_ends(&mut self) {
        for (row, bytes) in core::mem::take(&mut self.closed) {
            let slice = &self.builder.rows[row];
            self.tracks.touch(slice.track);
            if slice.end < slice.start {
                self.faults.add(DiagnosticKind::EndBeforeBegin, bytes);
            }
            if self.builder.pairs.other_names.contains_key(&row) {
                self.faults.add(DiagnosticKind::NameMismatch, bytes);
            }
            // What began since then is new and not merely over.
            if (row as usize) < self.committed.rows {
                self.ended.push(SliceId(row));
            }
        }
        let pairs = &self.builder.pairs;
        for &(row, args) in pairs.end_args.get(self.committed.end_args..).unwrap_or_default() {
            self.end_args.insert(SliceId(row), args);
        }
        for orphan in pairs.orphans.get(self.committed.orphans..).unwrap_or_default() {
            self.tracks.touch(orphan.track);
            self.faults.add(DiagnosticKind::UnmatchedEnd, orphan.bytes);
        }
        self.committed.end_args = pairs.end_args.len();
        self.committed.orphans = pairs.orphans.len();
    }

    fn take_slices(&mut self) {
        for row in index32(self.committed.rows)..index32(self.builder.rows.len()) {
            self.tracks.add_slice(&self.builder, self.builder.rows[row].track, SliceId(row));
        }
        self.committed.rows = self.builder.rows.len();
    }

    fn take_points(&mut self) {
        let Self { builder, tracks, committed, .. } = self;
        tracks.add_points(
            &builder.instants,
            &mut committed.instants,
            |points| &mut points.instants,
            |item| item.at,
        );
        tracks.add_points(
            &builder.counters,
            &mut committed.counters,
            |points| &mut points.counters,
            |item| item.at,
        );
        tracks.add_points(
            &builder.states,
            &mut committed.states,
            |points| &mut points.states,
            |item| item.start,
        );
    }

    /// Brings the bounds up to date, and finds threads whose times went back.
    fn look_at_times(&mut self) {
        for &track in &self.tracks.changed {
            if let Some((first, last)) = self.builder.bounds_of(track.0) {
                let (earliest, latest) = self.bounds.unwrap_or((first, last));
                self.bounds = Some((earliest.min(first), latest.max(last)));
            }
            let thread = self.builder.pairs.threads.get(track.index()).filter(|thread| thread.unordered);
            if let (Some(thread), Some(items)) = (thread, self.tracks.by_track.get_mut(track.index()))
                && !items.is_unordered
            {
                items.is_unordered = true;
                self.faults.add(DiagnosticKind::Unordered, thread.went_back);
            }
        }
    }
}

impl TraceBuilder<'_> {
    /// The earliest and the latest time of anything on a track, before the end of all events.
    fn bounds_of(&self, track: u32) -> Option<(Tick, Tick)> {
        let row = self.registry.track(track);
        let (first, last) =
            self.pairs.threads.get(track as usize).map_or((Tick::MAX, Tick::MIN), |thread| thread.bounds());
        let (first, last) = (first.min(row.first), last.max(row.last));
        (first <= last).then_some((first, last))
    }
}

#[cfg(test)]
mod tests;
