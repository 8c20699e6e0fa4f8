//! A trace that is watched while it grows shows every slice once, and ends equal to a trace that was not watched.

use arbitrary::Unstructured;
use spall_trace::layout::{LayoutView, LiveLayout, LiveView};
use spall_trace::model::{
    ByteRange, DiagnosticKind, Event, Limits, LiveSnapshot, LiveTrace, Receiver, SliceId, Tick, TraceBuilder,
    TraceView,
};

use crate::events;

/// Commits at random places. Returns whether there were slices.
///
/// # Panics
/// When what was not said to be new has changed, a slice is lost or drawn over another, or the finished trace is not
/// the one that a builder makes.
pub fn run(bytes: &[u8]) -> bool {
    let mut u = Unstructured::new(bytes);
    let mut limits = Limits::default();
    if u.ratio(1, 4).unwrap_or(false) {
        limits.max_depth = u.int_in_range(0..=4).unwrap_or(4);
        limits.max_tracks = u.int_in_range(0..=6).unwrap_or(6);
        limits.max_slices = u.int_in_range(0..=20).unwrap_or(20);
    }
    let every = u.int_in_range(1..=40).unwrap_or(1);
    let (only_slices, no_pairs) = (u.arbitrary().unwrap_or(false), u.ratio(1, 4).unwrap_or(false));
    let mut events = if only_slices { events::slices(&mut u) } else { events::sequence(&mut u) };
    if no_pairs {
        events.retain(|event| !matches!(event, Event::Begin(_) | Event::End(_)));
    }
    let (mut builder, mut trace) = (TraceBuilder::new(&limits), LiveTrace::new(&limits));
    let mut live = LiveLayout::new();
    let mut follower = Follower::default();
    for (event, place) in events.iter().zip(0..) {
        let bytes = ByteRange::new(place, place + 1);
        builder.receive(event, bytes);
        trace.receive(event, bytes);
        if place % every == 0 {
            let committed = trace.commit();
            follower.look(&committed);
            live.update(&committed, Tick(50));
        }
    }
    let committed = trace.commit();
    follower.look(&committed);
    check_pairs(&events, &committed);
    let n_slices = committed.n_slices();
    let view = live.update(&committed, Tick::MIN);
    check_rows(&committed, &view);
    if no_pairs {
        let mut fresh = LiveLayout::new();
        assert_eq!(rows(&committed, &view), rows(&committed, &fresh.update(&committed, Tick::MIN)));
    }

    let (expected, finished) = (builder.finish(), trace.finish());
    assert_eq!(finished.slices().starts(), expected.slices().starts());
    assert_eq!(finished.slices().ends(), expected.slices().ends());
    assert_eq!(finished.diagnostics(), expected.diagnostics());
    n_slices > 5
}

/// A follower of a live trace that only looks at its new slices.
#[derive(Default)]
struct Follower {
    /// By track.
    slices: Vec<Vec<SliceId>>,
    open: Vec<SliceId>,
    n_seen: usize,
}

impl Follower {
    fn look(&mut self, committed: &LiveSnapshot<'_>) {
        self.slices.resize(committed.tracks().len(), Vec::new());
        for slice in committed.ended() {
            let place = self.open.iter().position(|open| open == slice);
            self.open.remove(place.expect("what ends was open, and ends once"));
        }
        let is_open = |id: &SliceId| committed.slice(*id).unwrap().flags.is_unfinished();
        self.open.extend((self.n_seen..committed.n_slices()).map(SliceId::new).filter(is_open));
        self.n_seen = committed.n_slices();
        assert!(self.open.iter().all(is_open), "what has ended was said to");
        for track in committed.changed().iter().map(|&id| committed.track(id).unwrap()) {
            let seen = &mut self.slices[track.id().index()];
            seen.truncate(track.new_slices().start);
            seen.extend_from_slice(&track.slices()[track.new_slices()]);
        }
        let mut n_listed = 0;
        for (track, seen) in committed.tracks().zip(&self.slices) {
            assert_eq!(track.slices(), seen, "the rest is as it was");
            let start = |id: &SliceId| committed.slice(*id).unwrap().start;
            assert!(track.slices().is_sorted_by_key(start) && track.n_waiting() == 0);
            assert!(track.slices().iter().all(|&id| committed.track_of(id) == Some(track.id())));
            n_listed += seen.len();
        }
        assert_eq!(n_listed, committed.n_slices());
    }
}

/// Checks that each end has closed a begin or is counted.
fn check_pairs(events: &[Event<'_>], committed: &LiveSnapshot<'_>) {
    let count = |kind| committed.diagnostics().count(kind);
    if [DiagnosticKind::DepthLimit, DiagnosticKind::TrackLimit, DiagnosticKind::SliceLimit]
        .into_iter()
        .any(|limit| count(limit) > 0)
    {
        return;
    }
    let n_of = |is: fn(&Event<'_>) -> bool| events.iter().filter(|event| is(event)).count();
    let (begins, ends) = (n_of(|e| matches!(e, Event::Begin(_))), n_of(|e| matches!(e, Event::End(_))));
    let endless = n_of(|e| matches!(e, Event::Unfinished(_)));
    let slices = (0..committed.n_slices()).filter_map(|id| committed.slice(SliceId::new(id)));
    let open = slices.filter(|slice| slice.flags.is_unfinished()).count() - endless;
    let unmatched = committed.pairing_faults().count(DiagnosticKind::UnmatchedEnd);
    assert_eq!(begins - open, ends - usize::try_from(unmatched).unwrap());
}

/// What lies on the rows of all tracks: where no begin is open while others come, it does not matter in how many steps
/// they came.
fn rows(committed: &LiveSnapshot<'_>, view: &LiveView<'_>) -> Vec<(Vec<Tick>, Vec<Tick>, Vec<SliceId>)> {
    let rows = committed.tracks().flat_map(|track| view.track_rows(track.id()));
    rows.filter_map(|row| view.row(row))
        .map(|row| (row.starts().to_vec(), row.ends().to_vec(), row.slices().to_vec()))
        .collect()
}

/// Every slice is on one row, where it is, and none over another.
fn check_rows(committed: &LiveSnapshot<'_>, view: &LiveView<'_>) {
    let mut n_placed = 0;
    for (starts, ends, slices) in rows(committed, view) {
        n_placed += slices.len();
        for (at, &id) in slices.iter().enumerate() {
            let slice = committed.slice(id).unwrap();
            assert!(starts[at] == slice.start && ends[at] <= slice.end);
            assert!(at == 0 || ends[at - 1] <= slice.start, "one at a time");
        }
    }
    assert_eq!(n_placed, committed.n_slices());
}
